"""Words of messages that many modules have."""

import difflib
from collections.abc import Iterable


def counted(number: int, noun: str) -> str:
    """ "1 epoch", "30 epochs", "12,000 predictions" """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def most_similar(name: str, names: Iterable[str]) -> list[str]:
    """The most similar name, if there is one."""
    by_spelling = {candidate.lower().replace("-", "_"): candidate for candidate in names}
    similar = difflib.get_close_matches(name.lower().replace("-", "_"), by_spelling, n=1, cutoff=0.75)
    return [by_spelling[candidate] for candidate in similar]
