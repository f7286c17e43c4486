from typing import Iterator, List, NamedTuple

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text

NUM_COLUMNS = 10


class Word(NamedTuple):
    """A word of a CoNLL-U file: its form, the line it stands on, and all columns, more than ten if there are more."""

    form: str
    line: int
    columns: List[str]


class Sentence(NamedTuple):
    """A sentence: the name of its document (by default the file's), its place for messages, and its words."""

    document: str
    place: str
    words: List[Word]


def read_conllu(path: str) -> Iterator[Sentence]:
    """
    The sentences of a file in CoNLL-U or one of the formats that add columns to it. Ranges ("3-4") and empty nodes
    ("8.1") are left out. A line that is neither a comment nor a word with the next number, or has fewer than ten
    columns or not as many as the line before it, raises a `ConfigurationError` with file and line.
    """
    document = path
    words: List[Word] = []
    width = 0

    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            line = line.rstrip("\r\n")
            if not line.strip():
                if words:
                    yield Sentence(document, f"{path}, line {words[0].line}", words)
                words, width = [], 0
                continue
            if line.startswith("#"):
                key, _, value = line[1:].partition("=")
                if key.strip() in ("newdoc id", "newdoc_id"):
                    document = value.strip()
                continue
            columns = line.split("\t")
            if len(columns) < NUM_COLUMNS or width not in (0, len(columns)):
                expected = f"{width}, as on the line before" if width else f"{NUM_COLUMNS} or more"
                raise ConfigurationError(f"{path}, line {number}: found {len(columns)} columns, expected {expected}")
            width = len(columns)
            id, form = columns[:2]
            # What stands between words, and what a word contracts.
            if not id.isascii() or not id.replace("-", "").replace(".", "").isdigit():
                raise ConfigurationError(f"{path}, line {number}: found the ID {id!r}, expected a number")
            if "-" in id or "." in id:
                continue
            if id != str(len(words) + 1):
                raise ConfigurationError(f"{path}, line {number}: found the ID {id}, expected {len(words) + 1}")
            if not form.strip():
                raise ConfigurationError(f"{path}, line {number}: found an empty form, expected a word")
            words.append(Word(form, number, columns))
    if words:
        yield Sentence(document, f"{path}, line {words[0].line}", words)
