import logging
import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Optional, TextIO, cast

from conllu.exceptions import ParseException
from conllu.parser import parse_id_value, parse_sentences, parse_token_and_metadata

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster, Edge, Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import bare, open_text

logger = logging.getLogger(__name__)

BRACKET = re.compile(r"(\()?([^\s()\[\]-]+)(?:\[(\d{1,3})/(\d{1,3})\])?(-[^\s()]*)?(\))?")
"""An opening bracket, an entity, the part of a discontinuous mention, other values, a closing bracket."""

# Python refuses to convert more than some thousand digits.
SHORT_NUMBER = re.compile(r"[0-9]{1,9}")

NUM_COLUMNS = 10


class Word(NamedTuple):
    """A row of a CoNLL-U file: its form, its line in the file (from 1), and all its columns, ten or more."""

    form: str
    line: int
    columns: list[str]


class Sentence(NamedTuple):
    """A sentence of a document, by default the file, with its words, and its ranges ("3-4") and empty nodes ("8.1")."""

    document: str
    place: str
    words: list[Word]
    others: list[Word] = []
    begins: bool = False


def read_conllu_sentences(path: str) -> Iterator[Sentence]:
    """The sentences of a file in CoNLL-U, or in one of the formats that add columns to it, the same to each word."""
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


def read_conllu(path: str) -> Iterator[AnnotatedText]:
    """
    The documents of a file in CoNLL-U (Universal Dependencies): tokens, sentences, dependencies as edges, and the
    coreference of CorefUD (Nedoluzhko et al., LREC 2022), `Entity=` in the column MISC, as clusters.

    Tokens are those of the text: the words of a range ("3-4") are one token. As in `spacy_dependencies`, an edge leads
    from the token of the head to the token, and roots have no edge; nor have words of one token. A discontinuous
    mention goes from its first to its last token. Mentions that are only empty nodes are left out, and a warning says
    how many. Enhanced dependencies, bridging and split antecedents are not read.

    A document begins at each `# newdoc`, whose `id` is the text's. A file without `# newdoc` is a document with the
    name of the file as its id.
    """
    file = bare(os.path.basename(path)).removesuffix(".conllu")
    document: Optional[_Document] = None
    empty = 0
    for sentence in read_conllu_sentences(path):
        if document is not None and sentence.begins:
            yield document.finish()
            empty += document.empty
        if sentence.begins or document is None:
            document = _Document(path, file if sentence.document == path else sentence.document)
        document.add(sentence)
    if document is not None:
        yield document.finish()
        empty += document.empty
    if empty:
        logger.warning("%s: %d mentions left out that are only empty nodes", path, empty)


class _Document:
    def __init__(self, path: str, id: str) -> None:
        self.path = path
        self.id = id
        self.tokens: list[str] = []
        self.sentences: list[Span] = []
        self.edges: list[Edge] = []
        self.clusters: dict[str, Cluster] = {}
        self.open: dict[str, list[tuple[int, int]]] = {}
        """For each entity, the token and the line at which each mention begins that has not ended yet."""
        self.parts: dict[str, int] = {}
        """For each entity, the token at which its discontinuous mention begins, while parts of it follow."""
        self.empty = 0

    def add(self, sentence: Sentence) -> None:
        for row in sentence.others:
            if _number(row) > len(sentence.words) or not row.form.strip():
                raise ConfigurationError(
                    f"{self.path}, line {row.line}: found {row.columns[0]!r:.40} and the form {row.form!r:.40}, "
                    f"expected an ID up to {len(sentence.words)} and a form"
                )
        begin = len(self.tokens)
        ranges = {_number(row): row for row in sentence.others if "-" in row.columns[0]}
        place: list[int] = []
        last = 0
        for i, word in enumerate(sentence.words, start=1):
            if i in ranges:
                last = int(ranges[i].columns[0].split("-")[1])
            if i in ranges or i > last:
                self.tokens.append(ranges.get(i, word).form)
            place.append(len(self.tokens) - 1)
        self.sentences.append((begin, len(self.tokens)))
        for word in sentence.words:
            self._add_edge(word, place)
        rows = [*sentence.words, *(row for row in sentence.others if "." in row.columns[0])]
        for row in sorted(rows, key=_order):
            number = _number(row)
            stop = place[number - 1] + 1 if number else begin
            self._add_mentions(row, stop if "." in row.columns[0] else stop - 1, stop)

    def _add_edge(self, word: Word, place: list[int]) -> None:
        head, kind = word.columns[6:8]
        if head in ("0", "_"):
            return
        if not SHORT_NUMBER.fullmatch(head) or not 0 < int(head) <= len(place):
            raise ConfigurationError(
                f"{self.path}, line {word.line}: found the head {head[:40]!r}, expected a number, 0 to {len(place)}"
            )
        source, target = place[int(head) - 1], place[_number(word) - 1]
        if source != target:
            self.edges.append(Edge(kind, (source, source + 1), (target, target + 1)))

    def _add_mentions(self, row: Word, start: int, stop: int) -> None:
        """The brackets at a row, whose tokens are [start, stop); an empty node has none."""
        for value in row.columns[9].split("|"):
            if not value.startswith("Entity="):
                continue
            brackets = value.removeprefix("Entity=")
            matches = list(BRACKET.finditer(brackets))
            good = all(bracket[1] or bracket[6] for bracket in matches)
            if not good or "".join(bracket[0] for bracket in matches) != brackets:
                raise ConfigurationError(
                    f"{self.path}, line {row.line}: found {brackets[:80]!r}, expected mentions like (e1-person-1-, e1) "
                    "or (e1-person-1-)"
                )
            for bracket in matches:
                self._add_bracket(row, bracket, start, stop)

    def _add_bracket(self, row: Word, bracket: "re.Match[str]", start: int, stop: int) -> None:
        opens, entity, part, parts, _, closes = bracket.groups()
        if opens:
            self.open.setdefault(entity, []).append((start, row.line))
        if not closes:
            return
        if not self.open.get(entity):
            raise ConfigurationError(f"{self.path}, line {row.line}: a mention of {entity} ends here and never begins")
        start, _ = self.open[entity].pop()
        if part != parts:
            self.parts.setdefault(entity, start)
            return
        start = self.parts.pop(entity, start) if parts else start
        if start < stop:
            self.clusters.setdefault(entity, []).append((start, stop))
        else:
            self.empty += 1

    def finish(self) -> AnnotatedText:
        unclosed = [(line, entity) for entity, starts in self.open.items() for _, line in starts]
        if unclosed:
            line, entity = min(unclosed)
            raise ConfigurationError(f"{self.path}, line {line}: a mention of {entity} begins here and never ends")
        clusters = [sorted(set(cluster)) for cluster in self.clusters.values()]
        return AnnotatedText(self.tokens, self.sentences, clusters, edges=self.edges, id=self.id).checked()


def _number(row: Word) -> int:
    """The number of a word, of the first word of a range, or of the word before an empty node."""
    return int(re.split("[-.]", row.columns[0])[0])


def _order(row: Word) -> tuple[int, int]:
    first, _, second = row.columns[0].partition(".")
    return int(first), int(second or 0)
