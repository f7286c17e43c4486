from collections.abc import Sequence
from typing import Optional, overload

from allennlp_coref_rc.annotations.annotated_text import Frame, Span

PREDICATE = "V"


def bio_spans(tags: Sequence[str]) -> list[tuple[str, Span]]:
    """The labelled spans of BIO tags, in order. An `I-` tag that does not continue a span begins one."""
    spans: list[tuple[str, Span]] = []
    label, start = None, 0
    for position, tag in enumerate([*tags, "O"]):
        kind, _, name = tag.partition("-")
        if kind == "I" and name == label:
            continue
        if label is not None:
            spans.append((label, (start, position)))
        label, start = (name, position) if kind in ("B", "I") and name else (None, position)
    return spans


@overload
def frame_of(tags: Sequence[str]) -> Optional[Frame]: ...
@overload
def frame_of(tags: Sequence[str], position: int) -> Frame: ...
def frame_of(tags: Sequence[str], position: Optional[int] = None) -> Optional[Frame]:
    """
    The frame that BIO tags of PropBank roles describe. Its predicate is the span of `V` at a `position` or
    else the token itself; without a `position`, the first span of `V`, or there is no frame. Other spans of
    `V` are arguments.
    """
    spans = bio_spans(tags)
    predicates = [span for role, span in spans if role == PREDICATE]
    if position is not None:
        predicates = [span for span in predicates if span[0] <= position < span[1]] or [
            (position, position + 1)
        ]
    if not predicates:
        return None
    return Frame(predicates[0], [span for span in spans if span != (PREDICATE, predicates[0])])
