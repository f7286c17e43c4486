import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster, Frame, Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.common.malformed import LeaveOut, kept, refuse

MIN_COLUMNS = 12
"""
Eleven columns about the word, and the last for coreference. Each predicate of the sentence adds one before
it.
"""

KEY_COLUMNS = 5
"""
The columns of the scorer's keys: the document, its part, the number of the word, the word, and its
coreference.
"""

BEGIN = re.compile(r"#begin document \((.*)\);(?: part (\d{1,9}))?\s*$")

COREFERENCE = re.compile(r"(\()?(\d{1,9})(\))?\|?")

ARGUMENT = re.compile(r"((?:\([^()*\s]+)*)\*?(\)*)$")

NONE = ("", "-", "_", "*")

Row = tuple[int, list[str]]
"""The number of a line and its columns."""


def read_conll_2012(path: str, leave_out: LeaveOut = refuse) -> Iterator[AnnotatedText]:
    """
    The documents of a file in the format of the CoNLL-2012 shared task (Pradhan et al., 2012), plain or
    compressed, with sentences, coreference clusters by number (the last column) and PropBank frames (column
    12 to the last but one). The predicate of the nth frame is its argument `V`, or else the nth word with a
    frameset (column 8). Tabs separate the columns, which may then be empty, as in LitBank; in a line without
    tabs blanks do. Keys of the scorer, with five columns, have no frames.

    Each part of a document is a separate text with the id "NAME_PART", or "NAME" without a part. `leave_out`
    gets the errors of malformed mentions and frames, and of parts with other malformed lines, with the file
    and the line.
    """
    with open_text(path) as lines:
        yield from filter(
            None, kept(lambda block: _document(path, block, leave_out), _blocks(lines), leave_out)
        )


def _blocks(lines: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """The numbered lines from each #begin to the next, after those before the first one."""
    block: list[tuple[int, str]] = []
    for row in enumerate(lines, start=1):
        if row[1].startswith("#begin"):
            yield block
            block = []
        block.append(row)
    yield block


def _document(path: str, block: list[tuple[int, str]], leave_out: LeaveOut) -> Optional[AnnotatedText]:
    """The document of the lines from a #begin to the next. There is none before the first one."""
    document: Optional[_Document] = None
    text: Optional[AnnotatedText] = None
    for number, line in block:
        where = f"{path}, line {number}"
        if line.startswith("#begin"):
            match = BEGIN.match(line)
            if not match:
                raise ConfigurationError(
                    f"{where}: found {line[:80]!r}, expected #begin document (NAME); part NUMBER"
                )
            id = match[1] if match[2] is None else f"{match[1]}_{int(match[2])}"
            document = _Document(path, number, id, leave_out)
        elif document is None or text is not None:
            if line.strip():
                leave_out(ConfigurationError(f"{where}: found {line[:80]!r}, expected #begin document"))
                break
        elif line.startswith("#end document"):
            text = document.finish()
        else:
            # A word may be "#", but a line begins with the name of its document.
            if line.startswith("#"):
                raise ConfigurationError(f"{where}: found {line[:80]!r}, expected a row or #end document")
            document.add(number, line)
    if document is not None and text is None:
        raise ConfigurationError(f"{path}, line {document.line}: found #begin without #end document")
    return text


class _Document:
    def __init__(self, path: str, line: int, id: str, leave_out: LeaveOut) -> None:
        self.path = path
        self.leave_out = leave_out
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
        if len(columns) == KEY_COLUMNS + 1 and not columns[-1]:
            columns.pop()
        expected = len(self.sentence[0][1]) if self.sentence else len(columns)
        if len(columns) != expected or expected < MIN_COLUMNS and expected != KEY_COLUMNS:
            allowed = f"{KEY_COLUMNS}, or {MIN_COLUMNS} or more"
            wanted = f"{expected}, as in the sentence so far" if self.sentence else allowed
            raise ConfigurationError(
                f"{self.path}, line {number}: found {len(columns)} columns, expected {wanted}"
            )
        if not columns[3]:
            raise ConfigurationError(f"{self.path}, line {number}: found no word in column 4")
        self._add_mentions(number, columns[-1])
        self.sentence.append((number, columns))
        self.tokens.append(columns[3])

    def _add_mentions(self, number: int, column: str) -> None:
        token = len(self.tokens)
        matches = [] if column in NONE else list(COREFERENCE.finditer(column))
        if column not in NONE and "".join(match[0] for match in matches) != column:
            matches = []
            self._leave_out(
                number, f"found {column[:80]!r}, expected mentions like (1, 1) or (1), with | between them"
            )
        for match in matches:
            if not (match[1] or match[3]):
                self._leave_out(number, f"found {column[:80]!r}, expected mentions like (1, 1) or (1)")
                continue
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
            if len(self.sentence[0][1]) >= MIN_COLUMNS:
                frames = range(MIN_COLUMNS - 1, len(self.sentence[0][1]) - 1)
                found = kept(
                    lambda column: _frame(self.path, self.sentence, column, start), frames, self.leave_out
                )
                self.frames.extend(filter(None, found))
            self.sentence = []

    def finish(self) -> AnnotatedText:
        self._end_sentence()
        self.unmatched += [(line, cluster) for cluster, starts in self.open.items() for _, line in starts]
        for line, cluster in sorted(self.unmatched):
            self._leave_out(line, f"found a bracket of cluster {cluster}, expected also its other end")
        clusters = [sorted(set(self.clusters[number])) for number in sorted(self.clusters)]
        return AnnotatedText(self.tokens, self.sentences, clusters, self.frames, id=self.id).checked()

    def _leave_out(self, line: int, problem: str) -> None:
        self.leave_out(ConfigurationError(f"{self.path}, line {line}: {problem}"))


def _frame(path: str, rows: Sequence[Row], column: int, offset: int) -> Optional[Frame]:
    framesets = [offset + i for i, (_, columns) in enumerate(rows) if columns[7] not in NONE]
    arguments = list(_arguments(path, rows, column, offset))
    predicates = [span for role, span in arguments if role == "V"]
    others = [(role, span) for role, span in arguments if role != "V"]
    if not predicates and column - 11 < len(framesets):
        token = framesets[column - 11]
        predicates = [(token, token + 1)]
    if arguments and not predicates:
        raise ConfigurationError(f"{path}, line {rows[0][0]}: found no predicate in column {column + 1}")
    return Frame(predicates[0], others + [("V", span) for span in predicates[1:]]) if predicates else None


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
        raise ConfigurationError(
            f"{path}, line {number}: found no end of the argument {role} in column {column + 1}"
        )
