from collections.abc import Iterable, Iterator
from typing import NamedTuple, TextIO, cast

from conllu.exceptions import ParseException
from conllu.parser import parse_id_value, parse_sentences, parse_token_and_metadata

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text

NUM_COLUMNS = 10


class Word(NamedTuple):
    """A row of a CoNLL-U file: its form, its line in the file (from 1), and all its columns, ten or more."""

    form: str
    line: int
    columns: list[str]


class Sentence(NamedTuple):
    """
    A sentence: the name of its document (by default the path of the file), its place for messages, its words, its
    ranges ("3-4") and empty nodes ("8.1"), and whether a new document begins with it.
    """

    document: str
    place: str
    words: list[Word]
    others: list[Word] = []
    begins: bool = False


def read_conllu_sentences(path: str) -> Iterator[Sentence]:
    """
    The sentences of a file in CoNLL-U, or in one of the formats that add columns to it. A `ConfigurationError` with the
    file and the line is raised if a line is neither a comment nor a word with the next number, or if a word has fewer
    than ten columns or not as many as the word before it.
    """
    document, begins = path, True
    with open_text(path) as lines:
        # The parser uses a file only for its lines.
        for block in parse_sentences(cast(TextIO, _numbered(lines))):
            parsed = parse_token_and_metadata(block, ["columns"], {"columns": lambda columns, _: columns})
            for key in ("newdoc id", "newdoc_id"):
                document = parsed.metadata.get(key, document)
            begins = begins or any(line.split()[:2] == ["#", "newdoc"] for line in block.split("\n"))
            words, others = _words(path, [token["columns"] for token in parsed])
            if words:
                yield Sentence(document, f"{path}, line {words[0].line}", words, others, begins)
                begins = False


def _numbered(lines: Iterable[str]) -> Iterator[str]:
    """The lines, where those of words have their line number as a further column. The parser does not count lines."""
    for number, line in enumerate(lines, start=1):
        row = line.rstrip("\r\n")
        is_word = row.strip() and not row.strip().startswith("#")
        yield f"{row}\t{number}\n" if is_word else line


def _words(path: str, rows: Iterable[list[str]]) -> tuple[list[Word], list[Word]]:
    words: list[Word] = []
    others: list[Word] = []
    width = 0
    for *columns, line in rows:
        place = f"{path}, line {line}"
        expected = f"{width}, as the word before has" if width else f"{NUM_COLUMNS} or more"
        if len(columns) < NUM_COLUMNS:
            raise ConfigurationError(f"{place}: found {len(columns)} columns, expected {expected}")
        id, form = columns[:2]
        try:
            number = parse_id_value(id)
        except (ParseException, ValueError):
            number = None
        if number is None:
            raise ConfigurationError(f"{place}: found the ID {id!r:.60}, expected a number")
        # These are empty nodes between words, and ranges of contracted words. They may lack columns that words have.
        if isinstance(number, tuple):
            others.append(Word(form, int(line), columns))
            continue
        if width not in (0, len(columns)):
            raise ConfigurationError(f"{place}: found {len(columns)} columns, expected {expected}")
        width = len(columns)
        if number != len(words) + 1:
            raise ConfigurationError(f"{place}: found the ID {id}, expected {len(words) + 1}")
        if not form.strip():
            raise ConfigurationError(f"{place}: found an empty form, expected a word")
        words.append(Word(form, int(line), columns))
    return words, others
