import logging
from collections.abc import Sequence
from functools import cached_property

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import is_compatible_version

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.spacy_docs import CLUSTERS, clusters, structure_of, to_doc
from allennlp_coref_rc.common.errors import ConfigurationError

logger = logging.getLogger(__name__)


class SpacyAnnotator(Annotator):
    """
    Base class of annotators that run a pipeline of spaCy. The pipeline gets the text's tokens and sentences,
    without white space between tokens. Each process loads the pipeline when it annotates its first text.
    `spacy_model` is its name or folder.
    """

    name: str
    """The registered name, for messages."""

    needs = "the packages of its components"
    """The packages that have to be installed, for messages."""

    def __init__(self, spacy_model: str) -> None:
        self._spacy_model = spacy_model

    def with_structure(self, text: AnnotatedText, doc: Doc) -> AnnotatedText:
        """The text with what the pipeline has found in it."""
        raise NotImplementedError

    def load(self) -> Language:
        return spacy.load(self._spacy_model)

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        docs = self._pipeline.pipe(
            to_doc(AnnotatedText(text.tokens, text.sentences, id=text.id), self._pipeline.vocab)
            for text in texts
        )
        return [self._annotated(text, doc) for text, doc in zip(texts, docs)]

    def _annotated(self, text: AnnotatedText, doc: Doc) -> AnnotatedText:
        if [token.text for token in doc] != list(text.tokens):
            raise ConfigurationError(
                f"{self.name}: found other tokens in the text {text.id!r} than before: a component of "
                f"{self._spacy_model} splits or merges tokens; expected none that does"
            )
        return self.with_structure(text, doc)

    @cached_property
    def _pipeline(self) -> Language:
        try:
            pipeline = self.load()
        except ConfigurationError:
            raise
        # Components raise errors of their own if something is missing or does not fit.
        except Exception as error:
            raise ConfigurationError(
                f"{self.name}: spacy_model is {self._spacy_model!r}, which can't be used: {error!r} (install it with "
                f"python -m spacy download {self._spacy_model} if it is spaCy's, and {self.needs})"
            ) from error
        expected = pipeline.meta.get("spacy_version")
        if expected and is_compatible_version(spacy.__version__, expected) is False:
            logger.warning(
                "%s: found spaCy %s, %s expects %s", self.name, spacy.__version__, self._spacy_model, expected
            )
        return pipeline


@Annotator.register("spacy_pipeline")
class SpacyPipeline(SpacyAnnotator):
    """
    Any pipeline of spaCy whose components write clusters as span groups, `coref_clusters_1` and so on: the
    components of spacy-experimental, and this package's own, which also write frames, relations and edges.

    Registered as an `Annotator` with name "spacy_pipeline".

    # Parameters

    spacy_model : `str`
        Name or folder of the pipeline.
    spans : `str`, optional (default = `"coref_clusters"`)
        The names of the span groups begin with this, before an underscore and a number.

    # Example

    ```jsonnet
    {"type": "spacy_pipeline", "spacy_model": "en_coreference_web_trf"}
    ```
    """

    name = "spacy_pipeline"

    def __init__(self, spacy_model: str, spans: str = CLUSTERS) -> None:
        super().__init__(spacy_model)
        self._spans = spans

    def with_structure(self, text: AnnotatedText, doc: Doc) -> AnnotatedText:
        spans = [sorted(set(cluster)) for cluster in clusters(doc, self._spans) if cluster]
        return text.with_more(**{**vars(structure_of(doc)), "clusters": spans})
