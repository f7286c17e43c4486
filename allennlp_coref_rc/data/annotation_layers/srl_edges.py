from typing import Callable, Dict, List, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.edge_layer import EdgeLayer
from allennlp_coref_rc.data.annotation_layers.edges import Sources, linked_sources


@AnnotationLayer.register("srl_edges")
class SrlEdges(EdgeLayer):
    """
    Edges between predicates and their arguments: see `linked_sources`. To tell roles apart, use several layers with
    different `roles`.

    Registered as an `AnnotationLayer` with name "srl_edges".

    # Parameters

    roles : `List[str]`, optional (default = `None`)
        Only arguments with these roles, such as `["ARG0", "ARG1"]`. By default all.
    question_first : `bool`, optional (default = `False`)
        Also makes the edges for reading the question before the passage, which a `joint` `mage_gru` needs.
    """

    def __init__(self, roles: Optional[List[str]] = None, question_first: bool = False) -> None:
        super().__init__(question_first)
        self._roles = roles

    def sources(self, text: AnnotatedText, place: Callable[[List[Span]], List[Span]]) -> Dict[str, Sources]:
        pairs = [
            (place([frame.predicate]), place([argument]))
            for frame in text.frames
            for role, argument in frame.arguments
            if self._roles is None or role in self._roles
        ]
        return linked_sources(pairs, len(text))
