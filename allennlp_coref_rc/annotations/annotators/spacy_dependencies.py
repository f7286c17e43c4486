from dataclasses import replace

from spacy.tokens import Doc

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Edge
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.spacy_pipeline import SpacyAnnotator
from allennlp_coref_rc.common.errors import ConfigurationError


@Annotator.register("spacy_dependencies")
class SpacyDependencies(SpacyAnnotator):
    """
    The dependencies that the parser of any spaCy pipeline finds, as edges. An edge leads from the head of a token to
    the token, and its type is the dependency (`nsubj`). Roots have no edge. Each process loads the pipeline when it
    annotates its first text.

    Registered as an `Annotator` with name "spacy_dependencies".

    # Parameters

    spacy_model : `str`, optional (default = `"en_core_web_sm"`)
        Name or folder of the pipeline (`python -m spacy download en_core_web_sm`).
    """

    name = "spacy_dependencies"

    def __init__(self, spacy_model: str = "en_core_web_sm") -> None:
        super().__init__(spacy_model)

    def with_structure(self, text: AnnotatedText, doc: Doc) -> AnnotatedText:
        if len(doc) and not doc.has_annotation("DEP"):
            raise ConfigurationError(f"{self.name}: spacy_model is {self._spacy_model!r}, which has no parser")
        edges = [
            Edge(token.dep_, (token.head.i, token.head.i + 1), (token.i, token.i + 1))
            for token in doc
            if token.head.i != token.i
        ]
        return replace(text, edges=text.edges + edges)
