"""
Lays out spans of a text, so that a template can write them as HTML. Spans may contain or cross each other.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span

PARAGRAPH = 120
"""A paragraph ends with the first sentence that brings it to this number of tokens."""

NO_BLANK_BEFORE = frozenset(
    ". , ; : ! ? ) ] } % ' '' ” ’ 's 'S 're 've 'll 'd 'm n't ’s ’re ’ve ’ll ’d ’m n’t ...".split()
)

NO_BLANK_AFTER = frozenset("( [ { $ # `` ` “ ‘".split())


class Mark(NamedTuple):
    """
    A span that is marked in a text: a "mention" of the entity with this number, or something of another
    `kind`.
    """

    start: int
    stop: int
    kind: str
    entity: int = 0
    lane: int = 0
    """The level of its line below the text. 0 is closest to the text."""


class Piece(NamedTuple):
    """
    A part of a mark that can be an HTML element. Marks that cross others or a paragraph's end have several.
    """

    mark: Mark
    first: bool


class Token(NamedTuple):
    position: int
    text: str
    opened: list[Piece]
    """The elements that begin before this token, from the outside in."""
    closed: int
    """The number of elements that end after this token."""
    blank: bool


def in_lanes(marks: Sequence[Mark], length: int) -> list[Mark]:
    """
    Puts overlapping marks into different lanes, the shorter ones closer to the text; then sorts them by
    position.
    """
    used = [0] * length
    placed = []
    for mark in sorted(marks, key=lambda mark: mark.stop - mark.start):
        lane = max(used[mark.start : mark.stop])
        used[mark.start : mark.stop] = [lane + 1] * (mark.stop - mark.start)
        placed.append(mark._replace(lane=lane))
    return sorted(placed, key=lambda mark: (mark.start, -mark.stop, -mark.lane))


def lanes(marks: Sequence[Mark]) -> int:
    """The largest number of mentions' lines below each other."""
    return max((mark.lane + 1 for mark in marks if mark.kind == "mention"), default=0)


def paragraphs(sentences: Sequence[Span]) -> list[Span]:
    """Paragraphs of a readable length, which are made of whole sentences."""
    joined: list[Span] = []
    for start, stop in sentences:
        if joined and joined[-1][1] - joined[-1][0] < PARAGRAPH:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    return joined


def lines_or_paragraphs(text: AnnotatedText, sentences: Sequence[Span]) -> list[Span]:
    """
    The lines of the source text, if it is known and has several; otherwise paragraphs of the `sentences`.
    """
    if not sentences:
        return []
    first, last = sentences[0][0], sentences[-1][1]
    starts = [i for i in range(first + 1, last) if "\n" in _gap(text, i)]
    return list(zip([first, *starts], [*starts, last])) if starts else paragraphs(sentences)


def _gap(text: AnnotatedText, position: int) -> str:
    """The characters of the source text between a token and the one before it."""
    if text.offsets is None or text.text is None:
        return ""
    return text.text[text.offsets[position - 1][1] : text.offsets[position][0]]


def blanks_of(text: AnnotatedText) -> list[bool]:
    """Whether a blank follows each token, as in the source text or, where it is not in it, as in print."""
    after = blanks(text.tokens)
    for i in range(1, len(text)):
        if text.characters((i - 1, i)) and text.characters((i, i + 1)):
            after[i - 1] = bool(_gap(text, i))
    return after


def blanks(tokens: Sequence[str]) -> list[bool]:
    """Whether a blank follows each token, as in print. Straight quotation marks open and close in turn."""
    open_quote = False
    after: list[bool] = []
    for token in tokens:
        glued = token in NO_BLANK_BEFORE or (token == '"' and open_quote)
        if after and glued:
            after[-1] = False
        if token == '"':
            open_quote = not open_quote
        after.append(token not in NO_BLANK_AFTER and not (token == '"' and open_quote))
    return after


def marked_paragraphs(
    tokens: Sequence[str],
    marks: Sequence[Mark],
    parts: Sequence[Span],
    after: Optional[Sequence[bool]] = None,
) -> Iterator[list[Token]]:
    """
    The tokens of each part, with the HTML elements that begin and end at them. `marks` are those of
    `in_lanes`. `after` says whether a blank follows each token; by default it is as in print.
    """
    starting: dict[int, list[Piece]] = {}
    for mark in marks:
        starting.setdefault(mark.start, []).append(Piece(mark, True))
    after = after or blanks(tokens)
    cut: list[Piece] = []
    for start, stop in parts:
        elements, cut = cut, []
        shown: list[Token] = []
        for i in range(start, stop):
            opened = starting.get(i, [])
            if i == start:
                opened, elements = elements + opened, []
            # An element that crosses the end of an outer one is closed with it, and opened again.
            ended = next((k for k, piece in enumerate(elements) if piece.mark.stop <= i), len(elements))
            if ended < len(elements):
                shown[-1] = shown[-1]._replace(closed=len(elements) - ended)
                opened = [
                    piece._replace(first=False) for piece in elements[ended:] if piece.mark.stop > i
                ] + opened
                elements = elements[:ended]
            opened = sorted(opened, key=lambda piece: (-piece.mark.stop, -piece.mark.lane))
            elements = elements + opened
            shown.append(Token(i, tokens[i], opened, 0, after[i]))
        shown[-1] = shown[-1]._replace(closed=len(elements))
        cut = [piece._replace(first=False) for piece in elements if piece.mark.stop > stop]
        yield shown


def joined(tokens: Sequence[str], *spans: Span) -> tuple[str, ...]:
    return tuple(
        "".join(
            token + " " * blank for token, blank in zip(tokens[start:stop], blanks(tokens[start:stop]))
        ).strip()
        for start, stop in spans
    )
