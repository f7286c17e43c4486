from typing import List, Optional, Sequence, Tuple

from allennlp_coref_rc.annotations.annotated_text import Frame, Span

PREDICATE = "V"


def bio_spans(tags: Sequence[str]) -> List[Tuple[str, Span]]:
    """
    The labelled spans of BIO tags, in order. An `I-` that continues nothing begins a span; whatever is no `B-` or `I-` is
    outside.
    """
    spans: List[Tuple[str, Span]] = []
    label, start = None, 0
    for position, tag in enumerate([*tags, "O"]):
        kind, _, name = tag.partition("-")
        if kind == "I" and name == label:
            continue
        if label is not None:
            spans.append((label, (start, position)))
        label, start = (name, position) if kind in ("B", "I") and name else (None, position)
    return spans


def frame_of(tags: Sequence[str], predicate: Optional[Span] = None) -> Optional[Frame]:
    """
    The frame that BIO tags of PropBank roles say. Its predicate is the first span of `V`, unless one is given; `None` if
    there is neither.
    """
    spans = bio_spans(tags)
    if predicate is None:
        predicate = next((span for role, span in spans if role == PREDICATE), None)
    if predicate is None:
        return None
    return Frame(predicate, [(role, span) for role, span in spans if role != PREDICATE])
