from typing import NamedTuple

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, Layer

NO_LABEL, NO_SCOPE = "", 0


class View(NamedTuple):
    """An attention head's view of a text. For each token it has a label and the number of its scope."""

    labels: list[str]
    scopes: list[int]

    def mark(self, spans: list[Span], label: str) -> None:
        """Gives a label to the tokens of the spans."""
        for start, stop in spans:
            self.labels[start:stop] = [label] * (stop - start)

    def put(self, spans: list[Span], scope: int) -> None:
        """Puts the tokens of the spans into a scope."""
        for start, stop in spans:
            self.scopes[start:stop] = [scope] * (stop - start)


class ViewLayer(AnnotationLayer):
    """
    Views, one for each attention head that uses them. In each view a token has a label and a scope (`labels`,
    `scopes`). A head attends from a token to the tokens in the same scope. A token with scope 0 is in no scope. The
    passage and the question have views of their own, and their sentences are numbered separately.
    """

    label_names = ("labels",)

    def views(self, text: AnnotatedText) -> list[View]:
        """The views of a passage or of a question."""
        raise NotImplementedError

    def make(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        passage, question = text.select((0, boundary)), text.select((boundary, len(text)))
        return as_layer(self.views(passage), len(passage)), as_layer(self.views(question), len(question))

    def is_empty(self, layer: Layer) -> bool:
        """Whether no token has a label."""
        return not any(map(any, layer["labels"]))


def as_layer(views: list[View], length: int) -> Layer:
    """Views as a layer: for each token, the lists of its labels and scopes in all views."""
    return {name: [[getattr(view, name)[token] for view in views] for token in range(length)] for name in View._fields}


def sentence_numbers(text: AnnotatedText) -> list[int]:
    """For each token, the number of its sentence, from 1."""
    return [i for i, (start, stop) in enumerate(text.sentences, start=1) for _ in range(start, stop)]
