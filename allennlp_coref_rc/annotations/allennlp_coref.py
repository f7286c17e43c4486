import logging
import math
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster
from allennlp_coref_rc.annotations.annotator import Annotator
from allennlp_coref_rc.annotations.archive_annotator import ArchiveAnnotator

logger = logging.getLogger(__name__)


@Annotator.register("allennlp_coref")
class AllenNlpCoref(ArchiveAnnotator):
    """
    Coreference by a trained AllenNLP model (`coref` of allennlp-models: Lee et al., NAACL 2018), such as
    `https://storage.googleapis.com/allennlp-public-models/coref-spanbert-large-2021.03.10.tar.gz`. The sentences are
    those of the text.

    The model keeps as many mentions as a share of the length that a text has with its padding, so that only texts of the
    same length come into one batch: a text's clusters do not depend on the others'.

    Registered as an `Annotator` with name "allennlp_coref".

    # Parameters

    archive_file : `str`
    batch_size : `int`, optional (default = `4`)
        In texts.
    cuda_device : `int`, optional (default = `None`)
    overrides : `Union[str, Dict[str, Any]]`, optional (default = `""`)
        See `ArchiveAnnotator`.

    # Example

    ```jsonnet
    {"type": "allennlp_coref", "archive_file": "coref/model.tar.gz"}
    ```
    """

    default_predictor = "coreference_resolution"

    def __init__(
        self,
        archive_file: str,
        batch_size: int = 4,
        cuda_device: Optional[int] = None,
        overrides: Union[str, Dict[str, Any]] = "",
    ) -> None:
        super().__init__(archive_file, batch_size, cuda_device, overrides)

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> List[AnnotatedText]:
        alike: Dict[Tuple[int, int], List[Tuple[int, Instance]]] = {}
        for i, text in enumerate(texts):
            # The model keeps a share of mentions for the length, and falls over if that is none.
            if math.floor(len(text) * getattr(self.predictor._model, "_spans_per_word", 1.0)) > 1:
                instance = self._instance(text)
                alike.setdefault((len(text), len(instance["spans"].field_list)), []).append((i, instance))
        annotated = list(texts)
        for group in alike.values():
            outputs = self.predict([instance for _, instance in group])
            for (i, _), output in zip(group, outputs):
                annotated[i] = replace(texts[i], clusters=texts[i].clusters + _clusters(output["clusters"]))
        return annotated

    def _instance(self, text: AnnotatedText) -> Instance:
        reader = self.predictor._dataset_reader
        if getattr(reader, "_wordpiece_modeling_tokenizer", None) is not None:
            raise ConfigurationError(
                f"allennlp_coref: archive_file is {self._archive_file!r}: found a model of word pieces "
                "(dataset_reader.wordpiece_modeling_tokenizer), expected one of words"
            )
        limit = getattr(reader, "_max_sentences", None)
        if limit is not None and len(text.sentences) > limit:
            logger.warning(
                "The model reads %d of the text's %d sentences; set overrides to %s to read more",
                limit,
                len(text.sentences),
                '{"dataset_reader.max_sentences": null}',
            )
        return reader.text_to_instance([text.tokens[start:stop] for start, stop in text.sentences])


def _clusters(predicted: List[List[List[int]]]) -> List[Cluster]:
    """Of the model's spans, whose ends are included."""
    return [sorted((start, end + 1) for start, end in cluster) for cluster in predicted]
