from collections.abc import Callable
from functools import partial

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, Layer
from allennlp_coref_rc.data.annotation_layers.edges import Sources, question_first_name, split_sources, swapped_spans


class EdgeLayer(AnnotationLayer):
    """
    Edges within and across the passage and the question. For each token the layer has the positions that the token
    reads from: `antecedents` for reading forward, and `descendants` for reading backward. Subclasses decide which
    tokens are linked.

    # Parameters

    question_first : `bool`, optional (default = `False`)
        Also makes `question_first_antecedents` and `question_first_descendants`, the edges for reading the question
        before the passage, which a `joint` `mage_gru` needs.
    """

    def __init__(self, question_first: bool = False) -> None:
        self._question_first = question_first

    def sources(self, text: AnnotatedText, place: Callable[[list[Span]], list[Span]]) -> dict[str, Sources]:
        """The edges of a text. `place` moves the text's spans first."""
        raise NotImplementedError

    def make(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        passage: dict[str, Sources] = {}
        question: dict[str, Sources] = {}
        for name, sources in self.sources(text, list).items():
            passage[name], question[name] = split_sources(sources, boundary)
        if self._question_first:
            swap = partial(swapped_spans, length=len(text), boundary=boundary)
            for name, sources in self.sources(text, swap).items():
                name = question_first_name(name)
                question[name], passage[name] = split_sources(sources, len(text) - boundary)
        return passage, question
