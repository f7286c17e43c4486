from collections.abc import Iterator
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.link_layer import Link, LinkLayer


@AnnotationLayer.register("typed_edges")
class TypedEdges(LinkLayer):
    """
    The edges of a text, such as dependencies, triples or relations of a lexicon: see `linked_sources`. MAGE (section
    3.1) gives each type, and the inverse of each type, a state of its own. For that, use a layer for each type and
    direction.

    Registered as an `AnnotationLayer` with name "typed_edges".

    # Parameters

    types : `list[str]`, optional (default = `None`)
        Only edges of these types. A type includes its subtypes after a colon, as in Universal Dependencies: `"nsubj"`
        includes `nsubj:pass`. By default all types.
    direction : `str`, optional (default = `"both"`)
        `"along"`: the target of an edge reads from its source; `"against"`: the source reads from the target, which is
        the inverse relation; `"both"`: each from the other. See `LinkLayer`.
    question_first : `bool`, optional (default = `False`)
        Also makes the edges for reading the question before the passage, which a `joint` `mage_gru` needs.
    """

    def __init__(
        self, types: Optional[list[str]] = None, direction: str = "both", question_first: bool = False
    ) -> None:
        super().__init__(direction, question_first)
        self._types = types

    def links(self, text: AnnotatedText) -> Iterator[Link]:
        for edge in text.edges:
            if self._types is None or any(_includes(wanted, edge.type) for wanted in self._types):
                yield [edge.source], [edge.target]

    def missing(self, text: AnnotatedText) -> set[str]:
        return {wanted for wanted in self._types or () if not any(_includes(wanted, edge.type) for edge in text.edges)}


def _includes(wanted: str, type: str) -> bool:
    return f"{type}:".startswith(f"{wanted}:")
