from typing import List, NamedTuple, Tuple

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, Layer

NO_LABEL, NO_SCOPE = "", 0


class View(NamedTuple):
    """One attention head's view of a text: for each token a label and the number of its scope."""

    labels: List[str]
    scopes: List[int]

    def mark(self, spans: List[Span], label: str) -> None:
        """Gives a label to the tokens of the spans."""
        for start, stop in spans:
            self.labels[start:stop] = [label] * (stop - start)

    def put(self, spans: List[Span], scope: int) -> None:
        """Puts the tokens of the spans into a scope."""
        for start, stop in spans:
            self.scopes[start:stop] = [scope] * (stop - start)


class ViewLayer(AnnotationLayer):
    """
    Views, one for each attention head that uses them: each token has a label and a scope in each view (`labels`,
    `scopes`). A head attends from a token to the tokens in the same scope; tokens with scope 0 are in none. Passage and
    question have their own views and count their own sentences.
    """

    label_names = ("labels",)

    def views(self, text: AnnotatedText) -> List[View]:
        """The views of a passage or of a question."""
        raise NotImplementedError

    def make(self, text: AnnotatedText, boundary: int) -> Tuple[Layer, Layer]:
        passage, question = text.select((0, boundary)), text.select((boundary, len(text)))
        return as_layer(self.views(passage), len(passage)), as_layer(self.views(question), len(question))

    def is_empty(self, layer: Layer) -> bool:
        """Whether no token has a label."""
        return not any(map(any, layer["labels"]))


def as_layer(views: List[View], length: int) -> Layer:
    """Views as lists of labels and scopes for each of the tokens."""
    return {name: [[getattr(view, name)[token] for view in views] for token in range(length)] for name in View._fields}


def sentence_numbers(text: AnnotatedText) -> List[int]:
    """For each token, the number of its sentence, from 1."""
    return [i for i, (start, stop) in enumerate(text.sentences, start=1) for _ in range(start, stop)]
