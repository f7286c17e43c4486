from functools import partial
from typing import Callable, Dict, List, Tuple

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, Layer
from allennlp_coref_rc.data.annotation_layers.edges import Sources, question_first_name, split_sources, swapped_spans


class EdgeLayer(AnnotationLayer):
    """
    Edges, within and across passage and question: for each token the positions it reads from, `antecedents` for reading
    forward and `descendants` for reading backward. What is linked is a subclass's matter.

    # Parameters

    question_first : `bool`, optional (default = `False`)
        Also make `question_first_antecedents` and `question_first_descendants`, the edges where the question is read
        before the passage: for a `mage_gru` that is `joint`.
    """

    def __init__(self, question_first: bool = False) -> None:
        self._question_first = question_first

    def sources(self, text: AnnotatedText, place: Callable[[List[Span]], List[Span]]) -> Dict[str, Sources]:
        """The edges of a text whose spans are put elsewhere by `place`."""
        raise NotImplementedError

    def make(self, text: AnnotatedText, boundary: int) -> Tuple[Layer, Layer]:
        passage: Dict[str, Sources] = {}
        question: Dict[str, Sources] = {}
        for name, sources in self.sources(text, list).items():
            passage[name], question[name] = split_sources(sources, boundary)
        if self._question_first:
            swap = partial(swapped_spans, length=len(text), boundary=boundary)
            for name, sources in self.sources(text, swap).items():
                name = question_first_name(name)
                question[name], passage[name] = split_sources(sources, len(text) - boundary)
        return passage, question
