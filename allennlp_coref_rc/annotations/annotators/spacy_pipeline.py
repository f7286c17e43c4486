import logging
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import is_compatible_version

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.spacy_docs import CLUSTERS, clusters, to_doc
from allennlp_coref_rc.common.errors import ConfigurationError

logger = logging.getLogger(__name__)


@Annotator.register("spacy_pipeline")
class SpacyPipeline(Annotator):
    """
    Coreference by any pipeline of spaCy whose components write clusters as span groups, `coref_clusters_1` and so on:
    those of spacy-experimental, and this package's own. Each process loads it when it annotates its first text.

    The pipeline gets the text's tokens and sentences, without white space between tokens.

    Registered as an `Annotator` with name "spacy_pipeline".

    # Parameters

    spacy_model : `str`
        Name or folder of the pipeline.
    spans : `str`, optional (default = `"coref_clusters"`)
        What the names of the span groups begin with, before an underscore and a number.

    # Example

    ```jsonnet
    {"type": "spacy_pipeline", "spacy_model": "en_coreference_web_trf"}
    ```
    """

    name = "spacy_pipeline"

    def __init__(self, spacy_model: str, spans: str = CLUSTERS) -> None:
        self._spacy_model = spacy_model
        self._spans = spans
        self._pipeline: Optional[Language] = None

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        return self.annotate_batch([text])[0]

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> List[AnnotatedText]:
        pipeline = self._load()
        docs = pipeline.pipe(
            to_doc({"tokens": text.tokens, "sentences": text.sentences, "id": text.id}, pipeline.vocab)
            for text in texts
        )
        return [self._annotated(text, doc) for text, doc in zip(texts, docs)]

    def _annotated(self, text: AnnotatedText, doc: Doc) -> AnnotatedText:
        if [token.text for token in doc] != list(text.tokens):
            raise ConfigurationError(
                f"{self.name}: found other tokens in the text {text.id!r} than before: a component of "
                f"{self._spacy_model} splits or merges tokens; expected none that does"
            )
        return self._with_structure(text, doc)

    def _with_structure(self, text: AnnotatedText, doc: Doc) -> AnnotatedText:
        found = [sorted(set(cluster)) for cluster in clusters(doc, self._spans)]
        return replace(text, clusters=text.clusters + [cluster for cluster in found if cluster])

    def _load(self) -> Language:
        if self._pipeline is None:
            try:
                self._pipeline = spacy.load(self._spacy_model)
            # Components raise errors of their own if something is missing or does not fit.
            except Exception as error:
                raise ConfigurationError(
                    f"{self.name}: spacy_model is {self._spacy_model!r}, which can't be used: {error!r} (install it "
                    f"with python -m spacy download {self._spacy_model} if it is spaCy's, and the packages of its "
                    "components)"
                ) from error
            expected = self._pipeline.meta.get("spacy_version")
            if expected and is_compatible_version(spacy.__version__, expected) is False:
                logger.warning(
                    "%s: found spaCy %s, %s expects %s", self.name, spacy.__version__, self._spacy_model, expected
                )
        return self._pipeline

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_pipeline": None}
