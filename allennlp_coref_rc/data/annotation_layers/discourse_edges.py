from typing import Callable, Dict, List, Optional, Sequence

from allennlp_coref_rc.annotations.annotated_text import RELATION_TYPES, AnnotatedText, Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.edge_layer import EdgeLayer
from allennlp_coref_rc.data.annotation_layers.edges import Sources, linked_sources


@AnnotationLayer.register("discourse_edges")
class DiscourseEdges(EdgeLayer):
    """
    Edges between the two arguments of discourse relations: see `linked_sources`. Senses are told apart by layers, each
    with some of them.

    Registered as an `AnnotationLayer` with name "discourse_edges".

    # Parameters

    types : `List[str]`, optional (default = all)
        Of these relations only: "Explicit", "Implicit", "EntRel", "AltLex".
    senses : `List[str]`, optional (default = `None`)
        Of these relations only, each sense with those below it: "Contingency.Cause" is "Contingency.Cause.Reason" too.
        By default of all.
    question_first : `bool`, optional (default = `False`)
        Also make the edges where the question is read before the passage: for a `mage_gru` that is `joint`.
    """

    def __init__(
        self,
        types: Sequence[str] = RELATION_TYPES,
        senses: Optional[List[str]] = None,
        question_first: bool = False,
    ) -> None:
        for kind in types:
            if kind not in RELATION_TYPES:
                raise ConfigurationError(f"discourse_edges: types has {kind!r}, expected some of {RELATION_TYPES}")
        super().__init__(question_first)
        self._types = types
        self._senses = senses

    def sources(self, text: AnnotatedText, place: Callable[[List[Span]], List[Span]]) -> Dict[str, Sources]:
        pairs = [
            (place(relation.arg1), place(relation.arg2))
            for relation in text.relations
            if relation.type in self._types and self._wants(relation.sense)
        ]
        return linked_sources(pairs, len(text))

    def _wants(self, sense: str) -> bool:
        return self._senses is None or any(f"{sense}.".startswith(f"{wanted}.") for wanted in self._senses)
