from collections.abc import Iterator, Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import RELATION_TYPES, AnnotatedText
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.link_layer import Link, LinkLayer


@AnnotationLayer.register("discourse_edges")
class DiscourseEdges(LinkLayer):
    """
    Edges from the first to the second argument of discourse relations: see `linked_sources`. To tell senses apart, use
    several layers with different `senses`.

    Registered as an `AnnotationLayer` with name "discourse_edges".

    # Parameters

    types : `list[str]`, optional (default = all)
        Only relations of these types: "Explicit", "Implicit", "EntRel", "AltLex".
    senses : `list[str]`, optional (default = `None`)
        Only relations with these senses or senses below them: "Contingency.Cause" includes "Contingency.Cause.Reason".
        By default all senses.
    question_first : `bool`, optional (default = `False`)
        Also makes the edges for reading the question before the passage, which a `joint` `mage_gru` needs.
    direction : `str`, optional (default = `"both"`)
        `"along"`: second arguments read from first ones; `"against"`: first from second ones; `"both"`: each from the
        other. See `LinkLayer`.
    """

    def __init__(
        self,
        types: Sequence[str] = RELATION_TYPES,
        senses: Optional[list[str]] = None,
        question_first: bool = False,
        direction: str = "both",
    ) -> None:
        for kind in types:
            if kind not in RELATION_TYPES:
                raise ConfigurationError(f"discourse_edges: types has {kind!r}, expected some of {RELATION_TYPES}")
        super().__init__(direction, question_first)
        self._types = types
        self._senses = senses

    def links(self, text: AnnotatedText) -> Iterator[Link]:
        for relation in text.relations:
            if relation.type in self._types and self._wants(relation.sense):
                yield relation.arg1, relation.arg2

    def _wants(self, sense: str) -> bool:
        return self._senses is None or any(f"{sense}.".startswith(f"{wanted}.") for wanted in self._senses)
