from typing import Mapping, Sequence, Tuple, Union

from allennlp.common import Registrable

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText

Layer = Mapping[str, Sequence[Sequence[Union[int, str]]]]
"""Named lists of numbers or of labels, one list a token."""


class AnnotationLayer(Registrable):
    """
    One kind of numbers made from an `AnnotatedText` for encoders and models: what a reader's `annotation_layers` hold,
    by the name under which encoders ask for them.
    """

    label_names: Tuple[str, ...] = ()
    """Names of what are labels and not numbers; "" is no label, and becomes 0."""

    def make(self, text: AnnotatedText, boundary: int) -> Tuple[Layer, Layer]:
        """
        The layer of the passage, which is the first `boundary` tokens of `text`, and that of the question, the rest.
        """
        raise NotImplementedError


def label_namespace(layer: str) -> str:
    """The vocabulary namespace of a layer's labels. Its end makes it one with padding and an unknown word."""
    return f"{layer}_annotations"
