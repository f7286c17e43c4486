"""Lists of English words, each in a text file beside this one. A line that begins with "#" says what the words are."""

from pathlib import Path

FOLDER = Path(__file__).parent


def read_words(name: str) -> frozenset[str]:
    """The words of the list with this name, which blanks divide."""
    return frozenset(word for line in read_lines(name) for word in line.split())


def read_lines(name: str) -> list[str]:
    """The lines of the list with this name."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]
