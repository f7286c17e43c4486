"""Words of messages that many modules have."""

import difflib
import json
from collections.abc import Iterable
from typing import Any

LONGEST = 1000
"""The most characters in a line of a message, as values, keys and paths may be of any length."""


def counted(number: int, noun: str) -> str:
    """ "1 epoch", "30 epochs", "12,000 predictions" """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def cut(text: str, longest: int = LONGEST) -> str:
    """A text without its middle, if it is very long. The end of a message says what was expected."""
    return text if len(text) <= longest else f"{text[: longest // 2]} … {text[3 - longest // 2 :]}"


def excerpt(value: Any, longest: int = 80) -> str:
    """A value in JSON, for a message, without its middle if it is long."""
    try:
        return cut(json.dumps(value), longest)
    except (TypeError, ValueError, RecursionError):
        return f"a {type(value).__name__}"


def most_similar(name: str, names: Iterable[str], cutoff: float = 0.75) -> list[str]:
    """The most similar name, if there is one. Of all letters, at least the fraction `cutoff` is the same."""
    by_spelling = {candidate.lower().replace("-", "_"): candidate for candidate in names}
    similar = difflib.get_close_matches(name.lower().replace("-", "_"), by_spelling, n=1, cutoff=cutoff)
    return [by_spelling[candidate] for candidate in similar]
