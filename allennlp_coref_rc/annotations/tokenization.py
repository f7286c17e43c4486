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
"""Tokens after the end of a sentence that still belong to it."""


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
    which need no model. Punctuation marks and clitics are words; white space is left out.
    """
    pipeline = _pipeline(language)
    if len(pipeline.vocab.strings) > MOST_STRINGS:
        _pipeline.cache_clear()
    return [(token.text, token.idx) for token in pipeline.tokenizer(text) if not token.is_space]


@lru_cache(maxsize=None)
def _pipeline(language: str) -> "Language":
    import spacy

    return spacy.blank(language)


def sentence_spans(tokens: Sequence[str]) -> list[Span]:
    """
    The sentences of a tokenised text. They end with a full stop, question mark or exclamation mark and any
    closing quotation marks, brackets and white space after it. (spaCy's sentencizer would put opening
    quotation marks into the sentence before.)
    """
    spans: list[Span] = []
    start, ended = 0, False
    for position, token in enumerate(tokens):
        if ended and token not in END and token not in CLOSING and not token.isspace():
            spans.append((start, position))
            start, ended = position, False
        ended = ended or token in END
    if start < len(tokens):
        spans.append((start, len(tokens)))
    return spans


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
