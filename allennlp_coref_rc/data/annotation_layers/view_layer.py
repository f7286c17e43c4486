from typing import List, NamedTuple, Tuple

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, Layer

NO_LABEL, NO_SCOPE = "", 0


class View(NamedTuple):
    """What one attention head sees of a text: for each token a label and the number of the scope that it is in."""

    labels: List[str]
    scopes: List[int]

    def mark(self, spans: List[Span], label: str) -> None:
        """Gives the tokens of the spans a label."""
        for start, stop in spans:
            self.labels[start:stop] = [label] * (stop - start)

    def put(self, spans: List[Span], scope: int) -> None:
        """Puts the tokens of the spans into a scope."""
        for start, stop in spans:
            self.scopes[start:stop] = [scope] * (stop - start)


class ViewLayer(AnnotationLayer):
    """
    Views, one for each attention head that is to see them: for each token as many `labels` and `scopes` as there are
    views. A head attends from a token to those in the same scope; scope 0 is in none. Passage and question have views
    and count sentences by themselves.
    """

    label_names = ("labels",)

    def views(self, text: AnnotatedText) -> List[View]:
        """The views of a passage or of a question."""
        raise NotImplementedError

    def make(self, text: AnnotatedText, boundary: int) -> Tuple[Layer, Layer]:
        passage, question = text.select((0, boundary)), text.select((boundary, len(text)))
        return as_layer(self.views(passage), len(passage)), as_layer(self.views(question), len(question))


def as_layer(views: List[View], length: int) -> Layer:
    """Views as lists of labels and scopes for each of the tokens."""
    return {name: [[getattr(view, name)[token] for view in views] for token in range(length)] for name in View._fields}


def sentence_numbers(text: AnnotatedText) -> List[int]:
    """For each token the number of its sentence, from 1."""
    return [i for i, (start, stop) in enumerate(text.sentences, start=1) for _ in range(start, stop)]


def check_number(owner: str, key: str, value: int) -> None:
    """Raises a `ConfigurationError` for less than one."""
    if value < 1:
        raise ConfigurationError(f"{owner}: {key} is {value}, expected 1 or more")
