"""Where the tokens of a text stand in the text, and which tokens a piece of the text has."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.common.errors import ConfigurationError


def token_offsets(text: str, tokens: Sequence[str]) -> list[Span]:
    """
    The [start, end) characters of each token. Raises a `ConfigurationError` unless tokens are pieces of the text, with
    nothing but white space between them.
    """
    offsets: list[Span] = []
    end = 0
    for token in tokens:
        start = text.find(token, end)
        if start < 0 or text[end:start].strip():
            found = text[end:].lstrip()[:40]
            raise ConfigurationError(
                f"found the token {token!r:.80} where the passage continues with {found!r}, expected tokens that are "
                "pieces of the passage: dataset_reader.tokenizer may change and leave out nothing but white space"
            )
        end = start + len(token)
        offsets.append((start, end))
    return offsets


def token_span(offsets: Sequence[Span], start: int, end: int) -> Optional[Span]:
    """The [start, end) of the tokens that have any of the characters [start, end); `None` if there is no such token."""
    first = bisect_right([stop for _, stop in offsets], start)
    last = bisect_left([begin for begin, _ in offsets], end)
    return (first, last) if first < last else None
