import logging
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Optional, Union

from allennlp.data import DatasetReader, Instance

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.archived_model import ArchivedModel
from allennlp_coref_rc.common.errors import ConfigurationError

logger = logging.getLogger(__name__)


@Annotator.register("allennlp_coref")
class AllenNlpCoref(Annotator):
    """
    Coreference by a trained AllenNLP model (`coref` of allennlp-models: Lee et al., NAACL 2018), such as
    `https://storage.googleapis.com/allennlp-public-models/coref-spanbert-large-2021.03.10.tar.gz`. Sentences
    are taken from the text.

    The number of mentions that the model keeps is a share of the padded length. Therefore only texts of the
    same length share a batch, so that a text's clusters do not depend on the other texts.

    Registered as an `Annotator` with name "allennlp_coref". It also takes `cuda_device` and `overrides` of
    `ArchivedModel`.

    # Parameters

    archive : `str`
        The model's file, or its URL.
    batch_size : `int`, optional (default = `4`)
        Texts in a batch.

    # Example

    ```jsonnet
    {"type": "allennlp_coref", "archive": "coref/model.tar.gz"}
    ```
    """

    def __init__(
        self,
        archive: str,
        batch_size: int = 4,
        cuda_device: Optional[int] = None,
        overrides: Union[str, dict[str, Any]] = "",
    ) -> None:
        self._model = ArchivedModel(archive, batch_size, cuda_device, overrides, "coreference_resolution")

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        alike: dict[tuple[int, int], list[tuple[int, Instance]]] = {}
        share = getattr(self._model.model, "_spans_per_word", 1.0)
        for i, text in enumerate(texts):
            instance = self._instance(text) if text.tokens else None
            # The model fails if it may keep no mention, and a single one has nothing to be linked to.
            if instance is not None and math.floor(len(instance["text"]) * share) > 1:
                size = len(instance["text"]), len(instance["spans"])
                alike.setdefault(size, []).append((i, instance))
        annotated = list(texts)
        for group in alike.values():
            predictions = self._model.predict([instance for _, instance in group], "clusters")
            for (i, _), predicted in zip(group, predictions):
                clusters = [sorted((start, end + 1) for start, end in cluster) for cluster in predicted]
                annotated[i] = texts[i].with_more(clusters=clusters)
        return annotated

    @cached_property
    def _reader(self) -> DatasetReader:
        reader = self._model.reader
        if getattr(reader, "_wordpiece_modeling_tokenizer", None) is not None:
            raise ConfigurationError(
                f"{self._model.path}: found a model of word pieces "
                "(dataset_reader.wordpiece_modeling_tokenizer), expected one of words"
            )
        return reader

    def _instance(self, text: AnnotatedText) -> Instance:
        limit = getattr(self._reader, "_max_sentences", None)
        if limit is not None and len(text.sentences) > limit:
            logger.warning(
                "The model reads %d of the text's %d sentences; set overrides to %s to read more",
                limit,
                len(text.sentences),
                '{"dataset_reader.max_sentences": null}',
            )
        return self._reader.text_to_instance([text.tokens[start:stop] for start, stop in text.sentences])
