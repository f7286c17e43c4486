"""Turns of a conversation ("Anna: …") and letters, which name who writes, and to whom."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import NamedTuple, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.sieve.mentions import name_attributes

HEADERS = frozenset("bcc cc date from re sent subject to".split())
SUBJECTS = frozenset(["re", "subject"])
GREETINGS = frozenset("dear hello hey hi".split())
WITHIN_NAMES = frozenset("- ' ’ da de del der di la le van von".split())
"""What may stand within a label, beside capitalised words and numbers."""

MARK = re.compile(r"[-–*•(\[\])},]+|\d+([:/.-]\d+){1,2}|[AaPp]\.?[Mm]\.?")
"""Bullets, dates and times, which may stand before and after a name."""

COLON = re.compile(r"[*)\]]*:\**")

MAX_LABEL = 5
"""The most tokens of the name at the beginning of a turn, or of the marks beside it."""

MAX_TURN = 400
"""The most tokens of a turn. A longer one may go on with something else."""

MAX_HEADER = 25
"""The most tokens of a line of a mail's header."""


class Turn(NamedTuple):
    """
    What one person says or writes. The names of this person and of the one addressed begin at the tokens
    `speaker` and `listener`, where the text has them. `label` is the name before a turn, `greeting` the
    position of "Dear".
    """

    start: int
    stop: int
    speaker: Optional[int] = None
    listener: Optional[int] = None
    label: Optional[Span] = None
    greeting: Optional[int] = None


def find_turns(tokens: Sequence[str], starts: Sequence[int]) -> list[Turn]:
    """The turns and letters of a text whose sentences, and lines, begin at `starts`, in order."""
    return [*_letters(tokens, starts), *_conversation(tokens, starts)[0]]


def with_turns(text: AnnotatedText, apart: bool = False) -> AnnotatedText:
    """
    The text with sentences that also begin where lines begin with a turn or are part of a mail's header. With
    `apart`, the name and colon of a turn and a "Dear" are sentences of their own, so that a parser reads what
    is said.
    """
    begins = [start for start, _ in text.sentences]
    lines = _line_starts(text)
    starts = sorted({*begins, *lines})
    conversation, ends = _conversation(text.tokens, starts)
    turns = [*_letters(text.tokens, starts), *conversation]
    if not turns:
        return text
    headers = _header_labels(text.tokens, starts)
    labels = [turn.label for turn in turns if turn.label]
    breaks = {*begins, *headers, *(start for start, _ in labels), *ends}
    breaks |= {
        after for before, after in pairwise(lines) if before in headers or _is_quoted(text.tokens[before])
    }
    # The first word of a subject has a capital letter as that of a sentence has.
    breaks |= {at + 2 for at in headers if text.tokens[at].lower() in SUBJECTS and at + 2 < len(text)}
    if apart:
        breaks |= {turn.start for turn in conversation if turn.start < len(text)}
        breaks |= {stop for _, stop in labels if text.tokens[stop] != ":"}
        breaks |= {turn.greeting + 1 for turn in turns if turn.greeting is not None}
    return replace(text, sentences=list(pairwise([*sorted(breaks), len(text)])))


def _line_starts(text: AnnotatedText) -> list[int]:
    """The first tokens of the lines of the source text, if it is known."""
    if text.text is None or text.offsets is None:
        return []
    source, ends = text.text, [0, *(end for _, end in text.offsets)]
    return [i for i, (end, (start, _)) in enumerate(zip(ends, text.offsets)) if "\n" in source[end:start]]


class _Label(NamedTuple):
    """A name that may begin a turn, and the position after its colon."""

    start: int
    stop: int
    body: int


def _conversation(tokens: Sequence[str], starts: Sequence[int]) -> tuple[list[Turn], list[int]]:
    """
    The turns of a conversation, and where they end besides: at other labels and at quoted lines. A turn begins
    with a person's name, or with other capitalised words if at least two such labels come again and again, as
    "Customer:" and "Agent:".
    """
    labels = {label.start: label for start in starts if (label := _label(tokens, start))}
    names = {
        start: tuple(token.lower() for token in tokens[start:stop]) for start, stop, _ in labels.values()
    }
    again = {name for name, count in Counter(names.values()).items() if count > 1}
    again = again if len(again) > 1 else set()
    turns = [start for start, name in names.items() if name in again or name_attributes(name)[2]]
    ends = sorted({*labels} - {*turns} | {start for start in starts if _is_quoted(tokens[start])})
    first = {names[start]: start for start in reversed(turns)}
    result = []
    for start, after in pairwise([*turns, len(tokens)]):
        _, stop, body = labels[start]
        listener = None
        if len(first) == 2:
            (listener,) = (other for name, other in first.items() if name != names[start])
        end = min([after, body + MAX_TURN, *_between(ends, body + 1, after)[:1]])
        result.append(Turn(body, end, start, listener, (start, stop)))
    return result, ends


def _label(tokens: Sequence[str], start: int) -> Optional[_Label]:
    """The capitalised words before a colon, perhaps beside dates, times and bullets; `None` if there are none."""
    begin = _after(tokens, start, _is_mark)
    stop = _after(
        tokens, begin, lambda token: token[:1].isupper() or token.isdigit() or token in WITHIN_NAMES
    )
    colon = _after(tokens, stop, _is_mark)
    name = tokens[begin:stop]
    is_name = (
        name
        and name[0][:1].isupper()
        and name[-1] not in WITHIN_NAMES
        and not any(_is_no_name(word, i) for i, word in enumerate(name))
    )
    if is_name and colon < len(tokens) and COLON.fullmatch(tokens[colon]):
        return _Label(begin, stop, colon + 1)
    return None


def _is_no_name(word: str, position: int) -> bool:
    """Whether a word of a label is a function word, but for "The Chair" and "Speaker A", or of a mail's header."""
    if word.lower() in HEADERS or word == "I":
        return True
    return word.lower() in lexicon.CLOSED and not (
        word in WITHIN_NAMES or len(word) == 1 or word.lower() == "the" and not position
    )


def _is_mark(token: str) -> bool:
    return MARK.fullmatch(token) is not None


def _after(tokens: Sequence[str], start: int, belongs: Callable[[str], bool]) -> int:
    """The position after the tokens from `start` on that belong together, of which there are a few."""
    return start + sum(1 for _ in takewhile(belongs, tokens[start : start + MAX_LABEL]))


def _between(positions: Sequence[int], start: int, stop: int) -> Sequence[int]:
    """The sorted positions from `start` to `stop`."""
    return positions[bisect_left(positions, start) : bisect_left(positions, stop)]


def _is_quoted(token: str) -> bool:
    """Whether the first token of a line says that the line is of the mail that is answered."""
    return token.startswith(">")


def _letters(tokens: Sequence[str], starts: Sequence[int]) -> Iterator[Turn]:
    """
    Mails with a header, and a letter that begins the text with a greeting. The writer may sign at the end.
    """
    labels = _header_labels(tokens, starts)
    blocks = [at for before, at in pairwise([-MAX_HEADER - 1, *labels]) if at - before > MAX_HEADER]
    for start, stop in pairwise([*blocks, len(tokens)]):
        names = {tokens[at].lower(): at + 2 for at in reversed(_between(labels, start, stop))}
        greeting = next((at for at in _between(starts, start, stop) if _greets(tokens, at)), None)
        greeted = None if greeting is None else greeting + 1
        quoted = (at for at in _between(starts, start, stop) if _is_quoted(tokens[at]))
        end = min(stop, start + MAX_TURN, next(quoted, stop))
        yield Turn(start, end, names.get("from"), names.get("to", greeted), greeting=greeting)
    if not blocks and 0 < len(tokens) <= MAX_TURN and _greets(tokens, 0):
        yield Turn(0, len(tokens), _signature(tokens), 1, greeting=0)


def _header_labels(tokens: Sequence[str], starts: Sequence[int]) -> list[int]:
    """Where "From:", "To:" and the like stand. The first of them begins a sentence or a line."""
    found: list[int] = []
    begins = set(starts)
    for i, (token, after) in enumerate(pairwise(tokens)):
        is_label = after == ":" and token[:1].isupper() and token.lower() in HEADERS
        if is_label and (i in begins or found and i - found[-1] <= MAX_HEADER):
            found.append(i)
    kinds = {tokens[i].lower() for i in found}
    return found if {"from", "to"} & kinds and len(found) > 1 else []


def _greets(tokens: Sequence[str], at: int) -> bool:
    """Whether "Dear Ms Holt," or the like stands here."""
    after = tokens[at + 1 : at + 2 + MAX_LABEL]
    name = list(takewhile(lambda token: token[:1].isupper(), after))
    is_addressed = bool(name) and after[len(name) : len(name) + 1] in ([","], ["!"], [":"])
    return tokens[at].istitle() and tokens[at].lower() in GREETINGS and is_addressed


def _signature(tokens: Sequence[str]) -> Optional[int]:
    """Where the name that ends a letter begins, if it is not that of its greeting."""
    start = len(tokens)
    while start and re.match("[A-Z]", tokens[start - 1]):
        start -= 1
    return start if 1 < start < len(tokens) else None
