from collections.abc import Iterator
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.link_layer import Link, LinkLayer


@AnnotationLayer.register("srl_edges")
class SrlEdges(LinkLayer):
    """
    Edges from predicates to their arguments: see `linked_sources`. To tell roles apart, use several layers with
    different `roles`.

    Registered as an `AnnotationLayer` with name "srl_edges".

    # Parameters

    roles : `list[str]`, optional (default = `None`)
        Only arguments with these roles, such as `["ARG0", "ARG1"]`. By default all.
    question_first : `bool`, optional (default = `False`)
        Also makes the edges for reading the question before the passage, which a `joint` `mage_gru` needs.
    direction : `str`, optional (default = `"both"`)
        `"along"`: arguments read from their predicates; `"against"`: predicates read from their arguments; `"both"`:
        each from the other. See `LinkLayer`.
    """

    def __init__(
        self, roles: Optional[list[str]] = None, question_first: bool = False, direction: str = "both"
    ) -> None:
        super().__init__(direction, question_first)
        self._roles = roles

    def links(self, text: AnnotatedText) -> Iterator[Link]:
        for frame in text.frames:
            for role, argument in frame.arguments:
                if self._roles is None or role in self._roles:
                    yield [frame.predicate], [argument]
