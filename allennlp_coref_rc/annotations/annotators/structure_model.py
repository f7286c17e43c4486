import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Optional

import torch
from allennlp.data import Batch
from allennlp.models.multitask import MultiTaskModel
from allennlp.nn.util import move_to_device

from allennlp_coref_rc.annotations import english
from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.archived_model import ArchivedModel
from allennlp_coref_rc.annotations.layers import ANNOTATIONS
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.safe_archives.archives import is_trusted, trusting

ENGLISH_MODEL = os.fspath(Path(english.__file__).with_name("structure.tar.gz"))
"""The model of this package."""


@Annotator.register("structure_model")
class StructureModel(Annotator):
    """
    The layers of a trained multi-task model, such as `training_config/annotators/structure.jsonnet` trains.
    Its encoder reads each text once, for all heads.

    Registered as an `Annotator` with name "structure_model".

    # Parameters

    archive : `str`, optional (default = `None`)
        The model's file, or its URL. By default the model of this package, which needs the encoder
        all-MiniLM-L6-v2 from the Hugging Face hub or of the extra `offline-encoder`.
    heads : `list[str]`, optional (default = `None`)
        The names of the heads that annotate. By default all do.
    guideline : `str`, optional (default = `None`)
        What the clusters are like, one of `GUIDELINES` of the reader `coreference`, for a model with a head of that
        name. By default as the archive's config says.
    options : `dict[str, Any]`, optional (default = `{}`)
        Other parameters of heads, such as `{"roles.least": 0.5}`.
    cuda_device : `int`, optional (default = `None`)
        As for `ArchivedModel`.
    """

    gives_confidences = True

    def __init__(
        self,
        archive: Optional[str] = None,
        heads: Optional[Sequence[str]] = None,
        guideline: Optional[str] = None,
        options: Optional[dict[str, Any]] = None,
        cuda_device: Optional[int] = None,
    ) -> None:
        changes = {f"model.heads.{name}": value for name, value in (options or {}).items()}
        if guideline:
            changes["validation_dataset_reader.readers.coreference.guideline"] = guideline
        self._model = ArchivedModel(archive or ENGLISH_MODEL, 1, cuda_device, changes)
        self._heads = heads

    @cached_property
    def _multitask(self) -> Any:
        model: Any = self._model.model
        if not isinstance(model, MultiTaskModel):
            raise ConfigurationError(
                f"{self._model.path}: found a {type(model).__name__}, expected a model of type 'multitask'"
            )
        if missing := {*(self._heads or ())} - model._heads.keys():
            raise ConfigurationError(
                f"{self._model.path}: found the heads {', '.join(model._heads)}, expected {', '.join(missing)}"
            )
        # Of `structure_encoder`: predictions are faster with the adapters in the layers.
        getattr(model._backbone, "merge", lambda: None)()
        return model

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        model, annotated = self._multitask, list(texts)
        # A transformer has nothing to read in a text without words.
        some = [i for i, text in enumerate(texts) if text.tokens]
        encoded: Optional[dict[str, torch.Tensor]] = None
        for name, head in model._heads.items() if some else ():
            if self._heads is None or name in self._heads:
                with torch.inference_mode(), trusting(is_trusted(), ""):
                    fields = self._fields(name, [texts[i] for i in some], encoded is None)
                    encoded = encoded or model._backbone(words=fields["words"])
                    fields.pop("words", None)
                    output = head(**encoded, **fields)
                for layer in ANNOTATIONS:
                    for i, values in zip(some, output.get(layer, ())):
                        annotated[i] = annotated[i].with_more(**{layer: values})
        return annotated

    def _fields(self, head: str, texts: Sequence[AnnotatedText], with_words: bool) -> dict[str, Any]:
        """
        The head's reader makes instances of the texts; these are their fields, as tensors. Words, which are the
        same for all heads, are indexed once.
        """
        reader: Any = self._model.reader
        reader = reader.readers[head].inner
        instances = [reader.text_to_instance(text) for text in texts]
        for instance in instances:
            if with_words:
                reader.apply_token_indexers(instance)
            else:
                del instance.fields["words"]
        batch = Batch(instances)
        batch.index_instances(self._model.model.vocab)
        device = next(self._model.model.parameters()).device
        return move_to_device(batch.as_tensor_dict(), device)
