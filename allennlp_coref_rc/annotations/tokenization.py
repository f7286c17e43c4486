"""Splits a text into tokens and sentences, and tells where tokens stand in it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Optional

from pydantic import StrictInt

from allennlp_coref_rc.common.errors import ConfigurationError

if TYPE_CHECKING:
    from spacy.language import Language

Span = tuple[StrictInt, StrictInt]
"""The position of the first token, and the position after the last one."""

MOST_STRINGS = 500_000
"""spaCy keeps every string that it has seen, which takes about 120 MiB for so many. It is then cleared."""

WORD = re.compile(r"\S+")

END = frozenset({".", "!", "?", "…", "..."})

CLOSING = frozenset({"'", '"', "''", "”", "’", ")", "]", "-rrb-", "-RRB-", "-rsb-", "-RSB-"})
"""Tokens after the end of a sentence that still belong to it, unless they open a quotation."""

STRAIGHT = frozenset({"'", '"'})
"""Quotation marks that may open or close."""

BRACKETS = frozenset({"(", "[", "-lrb-", "-LRB-", "-lsb-", "-LSB-"})
"""Opening brackets."""

BULLETS = frozenset({"-", "*", "•"})

ABBREVIATED_TITLES = "Capt. Cmdr. Col. Cpl. Esq. Hon. Insp. Lieut. Lt. Maj. Msgr. Sgt. Supt.".split()
"""Titles that spaCy's tokenizer would divide from their stops, unlike "Mr." and others."""

ABBREVIATIONS = frozenset("al approx cf Cf pp vol Vol".split() + [title[:-1] for title in ABBREVIATED_TITLES])
"""Words that are hardly ever the last one of a sentence. A stop after them is theirs."""

NUMBERED = frozenset({"Ch", "Eq", "Fig", "No", "Sec"})
"""Words whose stop is theirs before a number: "No. 5", but "No. He left."."""


def spans_of(positions: Iterable[int]) -> list[Span]:
    """The spans of tokens that follow one another, in order."""
    spans: list[Span] = []
    for position in sorted(positions):
        start = spans.pop()[0] if spans and spans[-1][1] == position else position
        spans.append((start, position + 1))
    return spans


def split_words(text: str, language: str = "en") -> list[tuple[str, int]]:
    """
    The words of a text, each with the position of its first character, by spaCy's rules for the language,
    which need no model. Punctuation marks and clitics are words; white space is left out. The stop of an
    English title (`ABBREVIATED_TITLES`) belongs to the title, as in "Mr.".
    """
    pipeline = _pipeline(language)
    if len(pipeline.vocab.strings) > MOST_STRINGS:
        _pipeline.cache_clear()
    return [(token.text, token.idx) for token in pipeline.tokenizer(text) if not token.is_space]


@lru_cache(maxsize=None)
def _pipeline(language: str) -> "Language":
    import spacy

    pipeline = spacy.blank(language)
    for title in ABBREVIATED_TITLES if language == "en" else ():
        pipeline.tokenizer.add_special_case(title, [{"ORTH": title}])  # type: ignore[union-attr]
    return pipeline


def sentence_spans(tokens: Sequence[str], text: str = "", offsets: Sequence[Span] = ()) -> list[Span]:
    """
    The sentences of a tokenised text. They end with a full stop, question mark or exclamation mark and any
    closing quotation marks, brackets and white space after it, but not with the stop of an abbreviation or of
    a number that begins the sentence ("1. Mix the flour."). If the text and the [start, end) characters of
    the tokens are given, they also end before a blank line or a line that begins with a bullet.

    A straight quotation mark opens a quotation if it has white space or a bracket before it in the text, and
    none after it. If this does not tell, every second `"` opens one. (spaCy's sentencizer would put opening
    quotation marks into the sentence before.)
    """
    begins = _paragraph_starts(tokens, text, offsets)
    opening = _opening_marks(tokens, text, offsets, begins)
    spans: list[Span] = []
    start, ended = 0, False
    for position, token in enumerate(tokens):
        follows = ended and token not in END and (token not in CLOSING or position in opening)
        if position in begins or follows and not token.isspace():
            spans.append((start, position))
            start, ended = position, False
        ended = ended or token in END and not _is_abbreviated(tokens, start, position)
    if start < len(tokens):
        spans.append((start, len(tokens)))
    return spans


def _paragraph_starts(tokens: Sequence[str], text: str, offsets: Sequence[Span]) -> set[int]:
    """The tokens after a blank line, and the bullets that begin a line."""
    starts = set()
    # Nothing is before the first token.
    end = len(text)
    for i, (token, (start, stop)) in enumerate(zip(tokens, offsets)):
        if not token.isspace():
            is_bullet = token in BULLETS and text[stop : stop + 1].isspace()
            if text.count("\n", end, start) > (0 if is_bullet else 1):
                starts.add(i)
            end = stop
    return starts


def _opening_marks(
    tokens: Sequence[str], text: str, offsets: Sequence[Span], paragraphs: set[int]
) -> set[int]:
    """The straight quotation marks that open a quotation. Each paragraph begins outside of quotations."""
    opening = set()
    quoted = False
    for i, token in enumerate(tokens):
        quoted = quoted and i not in paragraphs
        if token in STRAIGHT:
            start, stop = offsets[i] if offsets else (0, len(text))
            is_first = text[max(start - 1, 0) : start].strip() in {"", *BRACKETS}
            is_last = not text[stop : stop + 1].strip()
            opens = is_first if is_first != is_last else token == '"' and not quoted
            if opens:
                opening.add(i)
            if token == '"':
                quoted = opens
    return opening


def _is_abbreviated(tokens: Sequence[str], start: int, position: int) -> bool:
    """Whether a stop belongs to the word or number before it, in a sentence from `start`."""
    if tokens[position] != "." or position == start:
        return False
    word, following = tokens[position - 1], "".join(tokens[position + 1 : position + 2])
    is_number = word.isdigit() and position == start + 1
    is_numbered = word in NUMBERED and (following[:1].isdigit() or following in BRACKETS)
    return is_number or is_numbered or word in ABBREVIATIONS


def token_offsets(text: str, tokens: Sequence[str]) -> list[Span]:
    """
    The [start, end) characters of each token. Between tokens, the text may have nothing but white space.
    """
    if tokens == text.split():
        return [word.span() for word in WORD.finditer(text)]
    offsets: list[Span] = []
    end = 0
    for token in tokens:
        start = text.find(token, end)
        if start < 0 or text[end:start].strip():
            rest = text[end:].lstrip()[:40]
            raise ConfigurationError(
                f"found the token {token!r:.80} where the passage continues with {rest!r}, expected tokens that are "
                "pieces of the passage: dataset_reader.tokenizer may change and leave out nothing but white space"
            )
        end = start + len(token)
        offsets.append((start, end))
    return offsets


def token_span(offsets: Sequence[Span], start: int, end: int) -> Optional[Span]:
    """
    The [start, end) of the tokens that have any of the characters [start, end); `None` if there is no such
    token.
    """
    first = bisect_right([stop for _, stop in offsets], start)
    last = bisect_left([begin for begin, _ in offsets], end)
    return (first, last) if first < last else None


class WordFinder:
    """
    Finds words that follow one another in a text, in upper or lower case, even if the two are split into
    tokens differently: it finds "st", ".", "petersburg" in a text with "St.", "Petersburg".
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        tokens = [token.lower() for token in tokens]
        self._text = "".join(tokens)
        self._token_at: dict[int, int] = {}
        offset = 0
        for position, token in enumerate(tokens):
            self._token_at[offset] = position
            offset += len(token)
        self._token_at[offset] = len(tokens)

    def find(self, words: Sequence[str]) -> list[Span]:
        """The spans of whole tokens that match the words, in order."""
        wanted = "".join(words).lower()
        spans = []
        start = self._text.find(wanted) if wanted else -1
        while start >= 0:
            if start in self._token_at and start + len(wanted) in self._token_at:
                spans.append((self._token_at[start], self._token_at[start + len(wanted)]))
            start = self._text.find(wanted, start + 1)
        return spans
