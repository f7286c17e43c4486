import logging
import re
from collections.abc import Iterator, Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster, Frame, Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.common.messages import counted

logger = logging.getLogger(__name__)

MIN_COLUMNS = 12
"""Eleven columns about the word, and the last for coreference. Each predicate of the sentence adds one before it."""

BEGIN = re.compile(r"#begin document \((.*)\); part (\d{1,9})\s*$")

COREFERENCE = re.compile(r"(\()?(\d{1,9})(\))?$")

ARGUMENT = re.compile(r"((?:\([^()*\s]+)*)\*?(\)*)$")

NONE = ("", "-", "_", "*")

Row = tuple[int, list[str]]
"""The number of a line and its columns."""


def read_conll_2012(path: str) -> Iterator[AnnotatedText]:
    """
    The documents of a file in the format of the CoNLL-2012 shared task (Pradhan et al., 2012), plain or compressed,
    with sentences, coreference clusters by number (the last column) and PropBank frames (column 12 to the last but
    one). The predicate of the nth frame is its argument `V`, or else the nth word with a frameset (column 8). Tabs
    separate the columns, which may then be empty, as in LitBank; in a line without tabs blanks do.

    Each part of a document is a separate text with the id "NAME_PART". A malformed line raises a `ConfigurationError`
    with the file and the line.
    """
    with open_text(path) as lines:
        yield from _documents(path, lines)


def _documents(path: str, lines: Iterator[str]) -> Iterator[AnnotatedText]:
    document: Optional[_Document] = None
    for number, line in enumerate(lines, start=1):
        where = f"{path}, line {number}"
        if line.startswith("#begin"):
            if document is not None:
                raise ConfigurationError(f"{where}: found #begin, expected #end of the one at line {document.line}")
            match = BEGIN.match(line)
            if not match:
                raise ConfigurationError(f"{where}: found {line[:80]!r}, expected #begin document (NAME); part NUMBER")
            document = _Document(path, number, f"{match[1]}_{int(match[2])}")
        elif document is None:
            if line.strip():
                raise ConfigurationError(f"{where}: found {line[:80]!r}, expected #begin document")
        elif line.startswith("#end document"):
            yield document.finish()
            document = None
        else:
            # A word may be "#", but a line begins with the name of its document.
            if line.startswith("#"):
                raise ConfigurationError(f"{where}: found {line[:80]!r}, expected a row or #end document")
            document.add(number, line)
    if document is not None:
        raise ConfigurationError(f"{path}, line {document.line}: found #begin without #end document")


class _Document:
    def __init__(self, path: str, line: int, id: str) -> None:
        self.path = path
        self.line = line
        self.id = id
        self.tokens: list[str] = []
        self.sentences: list[Span] = []
        self.frames: list[Frame] = []
        self.clusters: dict[int, Cluster] = {}
        self.unmatched: list[tuple[int, int]] = []
        self.open: dict[int, list[Span]] = {}
        """For each cluster, the token and the line at which each mention begins that has not ended yet."""
        self.sentence: list[Row] = []

    def add(self, number: int, line: str) -> None:
        row = line.rstrip("\r\n")
        # A word may have a no-break space in it, at which `split()` would cut.
        columns = row.split("\t") if "\t" in row else [column for column in row.split(" ") if column]
        if not any(columns):
            self._end_sentence()
            return
        expected = len(self.sentence[0][1]) if self.sentence else MIN_COLUMNS
        if len(columns) < MIN_COLUMNS or self.sentence and len(columns) != expected:
            wanted = f"{expected}, as in the sentence so far" if self.sentence else f"{MIN_COLUMNS} or more"
            raise ConfigurationError(f"{self.path}, line {number}: found {len(columns)} columns, expected {wanted}")
        if not columns[3]:
            raise ConfigurationError(f"{self.path}, line {number}: found no word in column 4")
        self._add_mentions(number, columns[-1])
        self.sentence.append((number, columns))
        self.tokens.append(columns[3])

    def _add_mentions(self, number: int, column: str) -> None:
        token = len(self.tokens)
        for part in [] if column in NONE else column.split("|"):
            match = COREFERENCE.match(part)
            if not match or not (match[1] or match[3]):
                raise ConfigurationError(
                    f"{self.path}, line {number}: found {column[:80]!r}, expected mentions like (1, 1) or (1), "
                    "with | between them"
                )
            cluster = int(match[2])
            if match[1]:
                self.open.setdefault(cluster, []).append((token, number))
            if match[3]:
                if self.open.get(cluster):
                    start, _ = self.open[cluster].pop()
                    self.clusters.setdefault(cluster, []).append((start, token + 1))
                else:
                    self.unmatched.append((number, cluster))

    def _end_sentence(self) -> None:
        if self.sentence:
            end = len(self.tokens)
            start = end - len(self.sentence)
            self.sentences.append((start, end))
            self.frames.extend(_frames(self.path, self.sentence, start))
            self.sentence = []

    def finish(self) -> AnnotatedText:
        self._end_sentence()
        self.unmatched += [(line, cluster) for cluster, starts in self.open.items() for _, line in starts]
        if self.unmatched:
            line, cluster = min(self.unmatched)
            logger.warning(
                "%s, line %d: found a bracket of cluster %d without its other end; %s left out of this text",
                *(self.path, line, cluster, counted(len(self.unmatched), "such mention")),
            )
        clusters = [sorted(self.clusters[number]) for number in sorted(self.clusters)]
        return AnnotatedText(self.tokens, self.sentences, clusters, self.frames, id=self.id).checked()


def _frames(path: str, rows: Sequence[Row], offset: int) -> Iterator[Frame]:
    framesets = [offset + i for i, (_, columns) in enumerate(rows) if columns[7] not in NONE]
    for column in range(11, len(rows[0][1]) - 1):
        arguments = list(_arguments(path, rows, column, offset))
        predicates = [span for role, span in arguments if role == "V"]
        others = [(role, span) for role, span in arguments if role != "V"]
        if not predicates and column - 11 < len(framesets):
            token = framesets[column - 11]
            predicates = [(token, token + 1)]
        if predicates:
            yield Frame(predicates[0], others + [("V", span) for span in predicates[1:]])
        elif arguments:
            raise ConfigurationError(f"{path}, line {rows[0][0]}: found no predicate in column {column + 1}")


def _arguments(path: str, rows: Sequence[Row], column: int, offset: int) -> Iterator[tuple[str, Span]]:
    opened: list[tuple[str, int, int]] = []
    for token, (number, columns) in enumerate(rows, start=offset):
        match = None if columns[column] in NONE else ARGUMENT.match(columns[column])
        if match is None and columns[column] not in NONE:
            raise ConfigurationError(
                f"{path}, line {number}: found {columns[column][:80]!r} in column {column + 1}, expected arguments "
                "like (ARG0*, *) or (V*)"
            )
        if match:
            opened.extend((role, token, number) for role in match[1].split("(")[1:])
            for _ in match[2]:
                if not opened:
                    raise ConfigurationError(
                        f"{path}, line {number}: found the end of an argument in column {column + 1} that has not begun"
                    )
                role, start, _ = opened.pop()
                yield role, (start, token + 1)
    if opened:
        role, _, number = opened[0]
        raise ConfigurationError(f"{path}, line {number}: found no end of the argument {role} in column {column + 1}")
