"""Shows an annotated text: its entities in colours, its frames, its discourse relations and its edges."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple, Optional, Union

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, DiscourseRelation, Edge, Frame, Span
from allennlp_coref_rc.annotations.tokenization import WordFinder
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.pages.marked_text import (
    Mark,
    blanks_of,
    in_lanes,
    joined,
    lanes,
    lines_or_paragraphs,
    marked_paragraphs,
)
from allennlp_coref_rc.pages.templates import render

MAX_TOKENS = 5000
"""The most tokens of a text that a fragment shows."""

MAX_ROWS = 200
"""The most frames, relations or edges that a fragment lists."""

MAX_STRINGS = 20
"""The most different mentions that are listed for an entity."""

PRONOUNS = frozenset(
    "i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we "
    "us our ours ourselves they them their theirs themselves this that these those who whom whose which one".split()
)


MAX_CANDIDATES = 20
"""The most candidates that are listed below an answer."""


class Entity(NamedTuple):
    """A cluster as readers see it."""

    number: int
    """Its place among the text's clusters, from 1."""
    name: str
    """Its most frequent mention that is not a pronoun."""
    mentions: int
    strings: str
    """Its different mentions, with commas between them."""


def entities(text: AnnotatedText) -> list[Entity]:
    """The entities of a text, in the order of its clusters."""
    known = []
    for number, cluster in enumerate(text.clusters, start=1):
        strings = Counter(joined(text.tokens, *sorted(cluster)))
        names = Counter(
            {string: count for string, count in strings.items() if string.lower() not in PRONOUNS}
        )
        counts = names or strings
        name = counts.most_common(1)[0][0] if counts else ""
        more = ["…"] if len(strings) > MAX_STRINGS else []
        known.append(Entity(number, name, len(cluster), ", ".join([*islice(strings, MAX_STRINGS), *more])))
    return known


def html_fragment(
    text: AnnotatedText,
    answer: Union[str, Sequence[Span], None] = None,
    weights: Optional[Sequence[float]] = None,
    show_entities: bool = True,
) -> str:
    """
    An annotated text as a piece of HTML for a notebook or a part of a page: a `<div>` with its own style,
    without scripts, for light and dark backgrounds. Mentions are underlined in the colour of their entity,
    have its number, and stand out together when the mouse is on one. Frames, discourse relations and edges
    follow in lists that can be unfolded. Of a longer text, only the first `MAX_TOKENS` are shown, and a note
    says so.

    # Parameters

    text : `AnnotatedText`
    answer : `str` or `list[Span]`, optional (default = `None`)
        What is framed: these spans of tokens, or all places that read like this string, in upper or lower
        case.
    weights : `list[float]`, optional (default = `None`)
        A number of 0 or more for each token, which colours its background.
    show_entities : `bool`, optional (default = `True`)
        Whether a list of the entities follows, with the number of mentions of each.
    """
    if weights is not None and len(weights) != len(text):
        raise ConfigurationError(
            f"found {len(weights)} weights, expected one for each of the {len(text)} tokens"
        )
    shown = min(len(text), MAX_TOKENS)
    marks = in_lanes([mark for mark in mentions(text) if mark.start < shown], len(text))
    answers = [
        Mark(start, stop, "answer", lane=len(text)) for start, stop in find_answer(text.tokens, answer)
    ]
    parts = [
        (start, min(stop, shown))
        for start, stop in lines_or_paragraphs(text, text.sentences)
        if start < shown
    ]
    return render(
        "fragment.html.jinja",
        text=text,
        paragraphs=marked_paragraphs(text.tokens, marks + answers, parts, blanks_of(text)),
        lanes=lanes(marks),
        weights=weights,
        heaviest=full_colour(weights or []),
        shown=shown,
        entities=entities(text) if show_entities else [],
        frames=[frame_row(text, frame) for frame in text.frames[:MAX_ROWS]],
        relations=[relation_row(text, relation) for relation in text.relations[:MAX_ROWS]],
        edges=[edge_row(text, edge) for edge in text.edges[:MAX_ROWS]],
    )


def answer_fragment(
    passage: AnnotatedText,
    question: str,
    answer: Optional[str],
    probability: Optional[float],
    candidates: dict[str, float],
    warnings: Sequence[str],
    spans: Optional[Sequence[Span]] = None,
    weights: Optional[Sequence[float]] = None,
) -> str:
    """
    An answer, if there is one, above its passage, as a piece of HTML like that of `html_fragment`. The first
    of the candidates, the most probable, are in a list that can be unfolded. Without `spans`, the answer is
    framed wherever it occurs. `weights` say how much each token of the passage counted for it.
    """
    return render(
        "answer.html.jinja",
        passage=html_fragment(passage, answer=spans or answer, weights=weights),
        question=question,
        answer=answer,
        probability=probability,
        candidates=candidates,
        shown=list(candidates.items())[:MAX_CANDIDATES],
        warnings=warnings,
    )


def mentions(text: AnnotatedText) -> list[Mark]:
    """The mentions of all clusters as marks."""
    return [
        Mark(start, stop, "mention", number)
        for number, cluster in enumerate(text.clusters, start=1)
        for start, stop in sorted(set(cluster))
    ]


def find_answer(tokens: Sequence[str], answer: Union[str, Sequence[Span], None]) -> list[Span]:
    """
    The given spans, or those whose tokens read like a string, without its blanks, in upper or lower case.
    """
    if answer is None:
        return []
    if not isinstance(answer, str):
        return list(answer)
    return WordFinder(tokens).find(answer.split())


def full_colour(weights: Sequence[float]) -> float:
    """
    The weight that gets the full colour: the largest, or three times the average if all are about equal.
    """
    return max([*weights, 3 * sum(weights) / max(1, len(weights))]) or 1.0


def frame_row(text: AnnotatedText, frame: Frame) -> dict[str, Any]:
    """A frame as it is shown: its predicate, and its roles and arguments in the order of the text."""
    (predicate,) = joined(text.tokens, frame.predicate)
    in_order = sorted(frame.arguments, key=lambda argument: argument[1])
    return {
        "predicate": predicate,
        "arguments": [(role, *joined(text.tokens, span)) for role, span in in_order],
    }


def relation_row(text: AnnotatedText, relation: DiscourseRelation) -> dict[str, str]:
    """A discourse relation as it is shown. Words between the parts of an argument are left out."""
    parts = {
        name: " … ".join(joined(text.tokens, *getattr(relation, name)))
        for name in ("arg1", "connective", "arg2")
    }
    return {"type": relation.type, "sense": relation.sense, **parts}


def edge_row(text: AnnotatedText, edge: Edge) -> dict[str, str]:
    """An edge as it is shown."""
    source, target = joined(text.tokens, edge.source, edge.target)
    return {"source": source, "type": edge.type, "target": target}
