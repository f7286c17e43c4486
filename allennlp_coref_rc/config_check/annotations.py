"""Finds encoders in the config of an experiment that read annotations but will get none, before any data are read."""

import copy
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Optional
from unittest.mock import patch

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.config_check.check import grouped, walk_config

if TYPE_CHECKING:
    from allennlp_coref_rc.modules.seq2seq_encoders import AnnotatedSeq2SeqEncoder

OWN, STOCK = ("allennlp_coref_rc",), ("allennlp", "allennlp_models")
"""Packages whose models give annotations to their encoders, and those whose models do not."""

READERS = ("dataset_reader", "validation_dataset_reader")

Objects = Mapping[str, tuple[type, Mapping[str, Any]]]
"""As `ConfigWalk.objects`."""


class Unannotated(NamedTuple):
    """An encoder that gets no annotations: its dotted key, the warning, and the encoder."""

    key: str
    text: str
    encoder: "AnnotatedSeq2SeqEncoder"


def unannotated_encoders(params: Mapping[str, Any]) -> list[Unannotated]:
    """
    The encoders of a config that read annotations but will get none; those of other packages' models and readers are
    left out. An encoder that gets only some of its layers, on which training would stop, raises a `ConfigurationError`.
    """
    from allennlp.modules import Seq2SeqEncoder
    from allennlp.modules.seq2seq_encoders import ComposeEncoder

    from allennlp_coref_rc.data.annotation_layers import AnnotationLayer
    from allennlp_coref_rc.modules.seq2seq_encoders import AnnotatedSeq2SeqEncoder

    objects = walk_config(params).objects
    if _package(objects[""][0]) not in STOCK:  # the training loop
        return []
    provided = {root: _provided(objects, root) for root in READERS if root in objects}
    unannotated, built = [], {}
    for key, (cls, value) in objects.items():
        if issubclass(cls, AnnotationLayer):
            _built(AnnotationLayer, cls, value, key)
        if not issubclass(cls, (AnnotatedSeq2SeqEncoder, ComposeEncoder)):
            continue
        encoder = built[key] = _built(Seq2SeqEncoder, cls, value, key)
        if isinstance(encoder, AnnotatedSeq2SeqEncoder) and encoder.annotation_layers:
            reads = f"{value['type']} reads annotations ({_listed(encoder.annotation_layers)})"
            try:
                lack = _lack(set(encoder.annotation_layers), _caller(objects, key), provided)
            except ConfigurationError as error:
                raise ConfigurationError(f"{key}: {reads}, but {error}") from error
            if lack:
                unannotated.append(Unannotated(key, f"{reads}, but {lack}", encoder))
    if any(provided.values()):
        _check_pairs(objects, built)
    return unannotated


def warnings_of(unannotated: Collection[Unannotated]) -> list[str]:
    """A line for each kind of encoder. These encoders will not give the warning again when they run."""
    from allennlp_coref_rc.modules.seq2seq_encoders.annotated_seq2seq_encoder import REPORTED

    REPORTED.update(type(one.encoder) for one in unannotated)
    return grouped([(one.key, one.text) for one in unannotated])


def _lack(read: set[str], caller: type, provided: dict[str, Optional[set[str]]]) -> Optional[str]:
    """Why an encoder gets no annotations, and what to do about it. `None` if it gets all, or if this is not known."""
    plain, meant = "so it works as a plain encoder", "or let the encoder read no layers"
    if _package(caller) in STOCK:
        name = f"{caller.__name__}, a class of AllenNLP,"
        return f"{name} gives encoders none, {plain}; use a model of this package, {meant}"
    if _package(caller) not in OWN:
        return None
    for reader, layers in provided.items():
        if layers is None or read <= layers:
            continue
        if not layers:
            return f"{reader} makes none, {plain}; set {reader}.annotation_layers, {meant}"
        missing = f"add {_listed(read - layers)} to {reader}.annotation_layers"
        raise ConfigurationError(f"{reader} makes only {_listed(layers)}; {missing}, or let the encoder read no more")
    return None


def _caller(objects: Objects, key: str) -> type:
    """The class of the model that runs an encoder. A `compose` counts as one with the encoders in it."""
    from allennlp.modules.seq2seq_encoders import ComposeEncoder

    while True:
        key = key.rpartition(".")[0]
        cls = objects[key][0] if key in objects else ComposeEncoder
        if cls is not ComposeEncoder:
            return cls


def _provided(objects: Objects, root: str) -> Optional[set[str]]:
    """The annotation layers of a reader and of those in it; `None` if they are not known."""
    from allennlp.data import DatasetReader

    layers: set[str] = set()
    for key, (cls, value) in objects.items():
        if f"{key}.".startswith(f"{root}.") and issubclass(cls, DatasetReader):
            if _package(cls) not in OWN + STOCK:
                return None
            layers.update(value.get("annotation_layers") or ())
    return layers


def _built(base: Any, cls: type, value: Mapping[str, Any], key: str) -> Any:
    """The encoder or annotation layer of a config, without memory for weights; `None` if it cannot be built alone."""
    import torch
    from allennlp.common import Params
    from allennlp.data import Vocabulary
    from allennlp.modules.seq2seq_encoders import ComposeEncoder

    try:
        # Random numbers for weights without memory would import PyTorch's compiler.
        with torch.device("meta"), patch.object(torch.Tensor, "normal_", lambda weights, *args, **kwargs: weights):
            return base.from_params(Params(copy.deepcopy(dict(value))), vocab=Vocabulary())
    except Exception as error:
        if isinstance(error, ConfigurationError) and _package(cls) in OWN:
            raise ConfigurationError(f"{key}: {error}") from error
        if isinstance(error, ValueError) and cls is ComposeEncoder:
            raise ConfigurationError(f"{key}: compose: {error}") from error
        return None  # It is built later, in its model; what is wrong with it shows then.


def _check_pairs(objects: Objects, built: Mapping[str, Any]) -> None:
    """Raises a `ConfigurationError` if encoders of passage and question do not fit, on which training would stop."""
    from allennlp_coref_rc.models import GAReader
    from allennlp_coref_rc.modules.seq2seq_encoders import check_pair

    for key, encoder in built.items():
        question_key = key.replace("passage_encoders.", "question_encoders.")
        of_question = built.get(question_key)
        if issubclass(_caller(objects, key), GAReader) and encoder is not None and of_question is not None:
            try:
                check_pair(encoder, of_question)
            except ConfigurationError as error:
                raise ConfigurationError(f"{question_key}: {error}") from error


def _package(cls: type) -> str:
    return cls.__module__.partition(".")[0]


def _listed(layers: Iterable[str]) -> str:
    return ", ".join(sorted(layers))
