import functools
import logging
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any, Optional, TypeVar, cast

import torch
from allennlp.common import FromParams, Params
from allennlp.modules import Seq2SeqEncoder
from allennlp.modules.seq2seq_encoders import ComposeEncoder

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.modules.packed import read_packed
from allennlp_coref_rc.modules.pair import Pair, TokenVectors, check_tensor

logger = logging.getLogger(__name__)

REPORTED: set[type] = set()
"""The classes of encoders of which the user knows that they get no annotations."""

Method = TypeVar("Method", bound=Callable[..., Any])


def uncompiled(method: Method) -> Method:
    """
    A method that `torch.compile` calls as it is. It is compiled already, and tracing what chooses its backend
    would take a minute. What keeps PyTorch from tracing imports its compiler, so it waits for that.
    """
    untraced = torch._disable_dynamo(method)

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        return (untraced if "torch._dynamo" in sys.modules else method)(*args, **kwargs)

    return cast(Method, call)


class AnnotatedSeq2SeqEncoder(Seq2SeqEncoder):
    """
    A `Seq2SeqEncoder` that reads annotations. Without annotations it is the plain encoder that it extends.
    """

    source_of_layers = "the argument annotations"
    """What messages say has the annotation layers: the argument of `forward` or, in a config, a key."""

    @classmethod
    @functools.wraps(vars(FromParams)["from_params"].__func__)
    def from_params(cls, params: Params, **kwargs: Any) -> Any:  # type: ignore[override]
        encoder = super().from_params(params, **kwargs)
        encoder.source_of_layers = "dataset_reader.annotation_layers"
        return encoder

    def forward(
        self, inputs: torch.Tensor, mask: torch.Tensor, annotations: Optional[AnnotationTensors] = None
    ) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.FloatTensor`
            Shape: (batch_size, sequence_length, input_dim).
        mask : `torch.BoolTensor`
            Shape: (batch_size, sequence_length).
        annotations : `AnnotationTensors`, optional (default = `None`)
            By layer and then by name, numbers of shape (batch_size, sequence_length, width), as
            `AnnotationLayer`s make them. The width may be 0.

        # Returns

        `torch.FloatTensor`
            Shape: (batch_size, sequence_length, output_dim). Padding has any values.
        """
        raise NotImplementedError

    def encode_pair(self, question_encoder: Seq2SeqEncoder, pair: Pair) -> Pair:
        """
        Encodes a passage with this encoder and its question with another. The two encoders may see each
        other's text.
        """
        return pair.with_vectors(encode(self, pair.passage), encode(question_encoder, pair.question))

    def shares_memory(self, question_encoder: Seq2SeqEncoder) -> bool:
        """
        Whether this encoder of a passage and that of its question see each other's text. A
        `ConfigurationError` is raised if they should, but their settings differ.
        """
        return False

    @property
    def annotation_layers(self) -> Collection[str]:
        """The names of the annotation layers that this encoder reads."""
        return ()

    def check_input(
        self, inputs: torch.Tensor, mask: torch.Tensor, annotations: Optional[AnnotationTensors] = None
    ) -> None:
        """Raises a `ConfigurationError` if these are not what `forward` says."""
        name = type(self).__name__
        if not isinstance(annotations, (Mapping, type(None))):
            raise ConfigurationError(
                f"{name}: found a {type(annotations).__name__} as annotations, expected a mapping; a hidden state "
                "is not supported"
            )
        check_tensor(name, "inputs", inputs, ("batch_size", "sequence_length", self.get_input_dim()))
        check_tensor(name, "mask", mask, tuple(inputs.shape[:2]), inputs.device)
        if not inputs.is_floating_point() or mask.dtype != torch.bool:
            raise ConfigurationError(
                f"{name}: found inputs of {inputs.dtype} and a mask of {mask.dtype}, expected floats and torch.bool"
            )

    def warn_unannotated(self) -> None:
        """
        Warns, once in a process, that encoders of this class read annotation layers but got no annotations.
        """
        if self.annotation_layers and type(self) not in REPORTED:
            REPORTED.add(type(self))
            logger.warning(
                "%s reads annotations (%s) but got none, and works as a plain encoder: either %s is missing, or the "
                "model gives its encoders no annotations, as AllenNLP's own models do",
                type(self).__name__,
                ", ".join(sorted(self.annotation_layers)),
                self.source_of_layers,
            )

    def annotation(self, annotations: AnnotationTensors, layer: str, kind: str) -> dict[str, torch.Tensor]:
        """
        The tensors of an annotation layer. Raises a `ConfigurationError` if there is no such layer, or if it
        has no tensor of this kind.
        """
        name = type(self).__name__
        if layer not in annotations:
            raise ConfigurationError(
                f"{name} reads the annotation layer {layer!r}, but {self.source_of_layers} has "
                f"{sorted(annotations)}; add it there, or let the encoder read no more than that"
            )
        if kind not in annotations[layer]:
            raise ConfigurationError(
                f"{name} reads {kind} of the annotation layer {layer!r}, but {self.source_of_layers}.{layer} "
                f"makes {sorted(annotations[layer])}; expected a layer whose type ends in "
                f"{'views' if kind == 'labels' else 'edges'}"
            )
        return annotations[layer]


def gather_sources(vectors: torch.Tensor, sources: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """
    The vectors that each token reads from, along the edges of a layer.

    # Parameters

    vectors : `torch.FloatTensor`
        Shape: (batch_size, sequence_length, dim).
    sources : `torch.LongTensor`
        Positions in the sequence; negative numbers are no tokens of it. Shape: (batch_size, sequence_length,
        width).

    # Returns

    `tuple[torch.FloatTensor, torch.BoolTensor]`
        The vectors, with zeros where there is none, shape (batch_size, sequence_length, width, dim), and
        where there is one, shape (batch_size, sequence_length, width). If no token has an edge, the width is
        0.
    """
    mask = sources >= 0
    batch = torch.arange(len(vectors), device=vectors.device).view(-1, 1, 1)
    return vectors[batch, sources.clamp(min=0)] * mask.unsqueeze(-1), mask


def encode(encoder: Seq2SeqEncoder, text: TokenVectors) -> torch.Tensor:
    """
    Encodes a text with any encoder. An encoder that does not read annotations is called without them. The
    parts of AllenNLP's `compose` are called one after the other. Shape: (batch_size, sequence_length, dim).

    # Raises

    `ConfigurationError`
        If there are annotations, and a module around an encoder that reads them, as of `torch.compile`.
    """
    for part in _parts(encoder):
        _check_reached(part, text)
        if isinstance(part, AnnotatedSeq2SeqEncoder):
            vectors = part(*text)
        elif text.vectors.is_cuda and (rnn := _stateless_rnn(part)) is not None:
            vectors = read_packed(rnn, text.vectors, text.mask)
        else:
            vectors = part(text.vectors, text.mask)
        text = text._replace(vectors=vectors)
    return text.vectors


def _check_reached(encoder: Seq2SeqEncoder, text: TokenVectors) -> None:
    if text.annotations is None or isinstance(encoder, AnnotatedSeq2SeqEncoder):
        return
    if inner := next((part for part in encoder.modules() if isinstance(part, AnnotatedSeq2SeqEncoder)), None):
        raise ConfigurationError(
            f"found a {type(encoder).__name__} around a {type(inner).__name__}, which gets no annotations so; "
            "expected the encoder itself, or a call of the module with annotations"
        )


def _stateless_rnn(encoder: Seq2SeqEncoder) -> Optional[torch.nn.RNNBase]:
    """
    The module of PyTorch that this encoder only wraps, if it is one that keeps no state from batch to batch.
    """
    rnn = None if encoder.stateful else getattr(encoder, "_module", None)
    return rnn if isinstance(rnn, torch.nn.RNNBase) else None


def encode_pair(passage_encoder: Seq2SeqEncoder, question_encoder: Seq2SeqEncoder, pair: Pair) -> Pair:
    """
    Encodes a passage and its question with any encoders. If both encoders have the same number of parts (in
    AllenNLP's `compose`), they see each other's text part by part. An encoder outside of `compose` is one
    part.
    """
    parts, question_parts = _parts(passage_encoder), _parts(question_encoder)
    if len(parts) != len(question_parts):
        parts, question_parts = [passage_encoder], [question_encoder]
    for part, question_part in zip(parts, question_parts):
        if isinstance(part, AnnotatedSeq2SeqEncoder):
            pair = part.encode_pair(question_part, pair)
        else:
            pair = pair.with_vectors(encode(part, pair.passage), encode(question_part, pair.question))
    return pair


def _parts(encoder: Seq2SeqEncoder) -> list[Seq2SeqEncoder]:
    """The encoders in AllenNLP's `compose`, at any depth. Any other encoder is its own only part."""
    if not isinstance(encoder, ComposeEncoder):
        return [encoder]
    return [part for inner in encoder.encoders for part in _parts(inner)]
