from collections.abc import Sequence
from typing import Optional

from spacy.tokens import Doc

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Edge
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.english import MODEL, load_pipeline, parse


@Annotator.register("spacy_dependencies")
class SpacyDependencies(Annotator):
    """
    Dependencies as edges. An edge leads from the head of a token to the token, and its type is the dependency
    (`nsubj`). Roots have no edge.

    Registered as an `Annotator` with name "spacy_dependencies".

    # Parameters

    spacy_model : `str`, optional (default = `None`)
        Name or folder of a pipeline of spaCy with a parser. By default the English pipeline of this package,
        with the dependencies of Universal Dependencies.
    """

    def __init__(self, spacy_model: Optional[str] = None) -> None:
        self._spacy_model = spacy_model

    def prepare(self) -> None:
        load_pipeline(self._spacy_model or MODEL)

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        docs = parse(texts, self._spacy_model)
        return [text.with_more(edges=_edges(doc)) for text, doc in zip(texts, docs)]


def _edges(doc: Doc) -> list[Edge]:
    """An edge to each token that is not a root, from its head."""
    return [
        Edge(token.dep_, (token.head.i, token.head.i + 1), (token.i, token.i + 1))
        for token in doc
        if token.head.i != token.i
    ]
