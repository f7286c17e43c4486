from collections.abc import Callable, Iterable, Sequence

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.data.annotation_layers.edge_layer import EdgeLayer
from allennlp_coref_rc.data.annotation_layers.edges import Sources, linked_sources

Link = tuple[Sequence[Span], Sequence[Span]]
"""The phrase where a link begins, and the phrase where it ends."""

READERS = {"both": (0, 1), "along": (1,), "against": (0,)}
"""By direction, the positions in a `Link` of the phrases that read."""


class LinkLayer(EdgeLayer):
    """
    Edges between two phrases: see `linked_sources`. Subclasses decide which phrases are linked.

    # Parameters

    direction : `str`, optional (default = `"both"`)
        `"along"`: the phrase where a link ends reads from the phrase where it begins. `"against"`: the reverse, which
        is the inverse relation e' of MAGE (section 3.1). `"both"`: whichever phrase is read later reads from the other.
        If each direction should have a state of its own, use two layers with one direction each.
    question_first : `bool`, optional (default = `False`)
        See `EdgeLayer`.
    """

    def __init__(self, direction: str = "both", question_first: bool = False) -> None:
        check_choice(type(self).__name__, "direction", direction, READERS)
        super().__init__(question_first)
        self._readers = READERS[direction]

    def links(self, text: AnnotatedText) -> Iterable[Link]:
        """The links of a text."""
        raise NotImplementedError

    def sources(self, text: AnnotatedText, place: Callable[[list[Span]], list[Span]]) -> dict[str, Sources]:
        links = [(place(list(begin)), place(list(end))) for begin, end in self.links(text)]
        return linked_sources(links, len(text), self._readers)
