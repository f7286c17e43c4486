from typing import Callable, Dict, List, Optional, Sequence

from allennlp_coref_rc.annotations.annotated_text import RELATION_TYPES, AnnotatedText, Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.edge_layer import EdgeLayer
from allennlp_coref_rc.data.annotation_layers.edges import Sources, linked_sources


@AnnotationLayer.register("discourse_edges")
class DiscourseEdges(EdgeLayer):
    """
    Edges between the two arguments of discourse relations: see `linked_sources`. To tell senses apart, use several
    layers with different `senses`.

    Registered as an `AnnotationLayer` with name "discourse_edges".

    # Parameters

    types : `List[str]`, optional (default = all)
        Only relations of these types: "Explicit", "Implicit", "EntRel", "AltLex".
    senses : `List[str]`, optional (default = `None`)
        Only relations with these senses or senses below them: "Contingency.Cause" includes "Contingency.Cause.Reason".
        By default all.
    question_first : `bool`, optional (default = `False`)
        Also makes the edges for reading the question before the passage, which a `joint` `mage_gru` needs.
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
