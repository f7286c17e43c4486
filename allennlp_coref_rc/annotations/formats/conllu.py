import logging
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Optional, TextIO, cast

from conllu.exceptions import ParseException
from conllu.parser import parse_id_value, parse_sentences, parse_token_and_metadata

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster, Edge, Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import bare, open_text
from allennlp_coref_rc.common.malformed import LeaveOut, kept, refuse

logger = logging.getLogger(__name__)

BRACKET = re.compile(r"(\()?([^\s()]+)(\))?")
"""An opening bracket, the values of a mention with "-" between them, a closing bracket."""

PART = re.compile(r"\[(\d{1,3})/(\d{1,3})\]$")
"""The part of a discontinuous mention, after the number of its entity or the last value."""

NUMBERS = ("eid", "GRP")
"""
The names of the value that is the number of the entity: in CorefUD, and in GUM and the other corpora of UD.
"""

EMPTY = "mentions left out that are only empty nodes"
UNNUMBERED = (
    f"mentions left out, as # global.Entity has none of {', '.join(NUMBERS)}, which are numbers of entities"
)
UNDECLARED = (
    "mentions whose first value is taken for the number of the entity, as there is no # global.Entity"
)
"""What a warning says of a file, after the number of such mentions."""

# Python refuses to convert more than some thousand digits.
SHORT_NUMBER = re.compile(r"[0-9]{1,9}")

NUM_COLUMNS = 10


class Word(NamedTuple):
    """
    A row of a CoNLL-U file: its form, its line in the file (from 1), and all its columns, ten or more. Its ID
    is (3, "", 0) for a word, (3, "-", 4) for a range, and (8, ".", 1) for an empty node, after word 8.
    """

    form: str
    line: int
    columns: list[str]
    id: tuple[int, str, int]


class Sentence(NamedTuple):
    """
    A sentence of a document, by default the file, with its words, and its ranges ("3-4") and empty nodes
    ("8.1"). `entity` is the file's last `# global.Entity`: the names of the values of `Entity=`, with "-"
    between them.
    """

    document: str
    place: str
    words: list[Word]
    others: list[Word] = []
    begins: bool = False
    entity: str = ""


def read_conllu_sentences(path: str, leave_out: LeaveOut = refuse) -> Iterator[Sentence]:
    """
    The sentences of a file in CoNLL-U, or in one of the formats that add columns to it, the same to each
    word.
    """
    document, begins, entity = path, True, ""
    with open_text(path) as lines:
        # The parser uses a file only for its lines.
        for block in parse_sentences(cast(TextIO, _numbered(lines))):
            parsed = parse_token_and_metadata(block, ["columns"], {"columns": lambda columns, _: columns})
            if any(line.split()[:2] == ["#", "newdoc"] for line in block.split("\n")):
                document, begins = path, True
            for key in ("newdoc id", "newdoc_id"):
                document = parsed.metadata.get(key, document)
            entity = parsed.metadata.get("global.Entity") or entity
            rows = [token["columns"] for token in parsed]
            for words, others in kept(lambda rows: _words(path, rows), [rows], leave_out):
                if words:
                    yield Sentence(document, f"{path}, line {words[0].line}", words, others, begins, entity)
                    begins = False


def entity_spans(miscellanea: Iterable[str]) -> Iterator[tuple[Span, list[str]]]:
    """
    The entities of GUM in a document's MISC column ("Entity=(1-person-…"): their spans, in the order of their
    ends, and their values after the number.
    """
    opened: dict[str, list[tuple[int, list[str]]]] = {}
    for i, value in enumerate(miscellanea):
        marks = re.search(r"(?:^|\|)Entity=([^|]*)", value)
        for opens, content, closes in BRACKET.findall(marks[1] if marks else ""):
            entity, *values = content.split("-")
            if opens:
                opened.setdefault(entity, []).append((i, values))
            if closes:
                start, values = opened[entity].pop()
                yield (start, i + 1), values


def _numbered(lines: Iterable[str]) -> Iterator[str]:
    """
    The lines, where those of words have their line number as a further column. The parser does not count
    lines.
    """
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
        # These are empty nodes between words, and ranges of contracted words. They may lack columns that
        # words have.
        if isinstance(number, tuple):
            others.append(Word(form, int(line), columns, number))
            continue
        if width not in (0, len(columns)):
            raise ConfigurationError(f"{place}: found {len(columns)} columns, expected {expected}")
        width = len(columns)
        if number != len(words) + 1:
            raise ConfigurationError(f"{place}: found the ID {id}, expected {len(words) + 1}")
        if not form.strip():
            raise ConfigurationError(f"{place}: found an empty form, expected a word")
        words.append(Word(form, int(line), columns, (number, "", 0)))
    for row in others:
        if row.id[0] > len(words) or not row.form.strip():
            raise ConfigurationError(
                f"{path}, line {row.line}: found {row.columns[0]!r:.40} and the form {row.form!r:.40}, expected an ID "
                f"up to {len(words)} and a form"
            )
    return words, others


def read_conllu(path: str, leave_out: LeaveOut = refuse) -> Iterator[AnnotatedText]:
    """
    The documents of a file in CoNLL-U (Universal Dependencies): tokens, sentences, dependencies as edges, and
    the coreference of CorefUD (Nedoluzhko et al., LREC 2022), `Entity=` in the column MISC, as clusters.

    Tokens are those of the text: the words of a range ("3-4") are one token. As in `spacy_dependencies`, an
    edge leads from the token of the head to the token, and roots have no edge; nor have words of one token. A
    discontinuous mention goes from its first to its last token. Mentions that are only empty nodes are left
    out, and a warning says how many. Enhanced dependencies, bridging and split antecedents are not read.

    The file's `# global.Entity` says which value of a mention is the number of its entity: `eid` or `GRP`. If
    it has neither, there are no clusters, and a warning says so. Without this line the number is the first
    value.

    A document begins at each `# newdoc`, whose `id` is the text's. A file without `# newdoc` is a document
    with the name of the file as its id, and so is what follows a `# newdoc` without an id; the second such one is
    "FILE:2". `leave_out` gets the errors of malformed sentences, dependencies and
    mentions.
    """
    file = bare(os.path.basename(path)).removesuffix(".conllu")
    document: Optional[_Document] = None
    notes: Counter = Counter()
    unnamed = 0
    for sentence in read_conllu_sentences(path, leave_out):
        if document is not None and sentence.begins:
            yield document.finish()
        if sentence.begins or document is None:
            id = sentence.document
            if id == path:
                unnamed += 1
                id = file if unnamed == 1 else f"{file}:{unnamed}"
            document = _Document(path, id, leave_out, notes)
        document.add(sentence)
    if document is not None:
        yield document.finish()
    for note, number in notes.items():
        logger.warning("%s: %d %s", path, number, note)


class _Document:
    def __init__(self, path: str, id: str, leave_out: LeaveOut, notes: Counter) -> None:
        self.path = path
        self.id = id
        self.leave_out = leave_out
        self.notes = notes
        self.tokens: list[str] = []
        self.sentences: list[Span] = []
        self.edges: list[Edge] = []
        self.clusters: dict[str, Cluster] = {}
        self.open: dict[str, list[tuple[int, int]]] = {}
        """For each entity, the token and the line at which each mention begins that has not ended yet."""
        self.parts: dict[str, tuple[int, int]] = {}
        """
        For each entity, the token and the line at which its discontinuous mention begins, while parts follow.
        """

    def add(self, sentence: Sentence) -> None:
        begin = len(self.tokens)
        ranges = {row.id[0]: row for row in sentence.others if row.id[1] == "-"}
        place: list[int] = []
        last = 0
        for i, word in enumerate(sentence.words, start=1):
            if i in ranges:
                last = ranges[i].id[2]
            if i in ranges or i > last:
                self.tokens.append(ranges.get(i, word).form)
            place.append(len(self.tokens) - 1)
        self.sentences.append((begin, len(self.tokens)))
        self.edges.extend(
            filter(None, kept(lambda word: self._edge(word, place), sentence.words, self.leave_out))
        )
        rows = [*sentence.words, *(row for row in sentence.others if row.id[1] == ".")]
        for row in sorted(rows, key=lambda row: row.id):
            number, mark, _ = row.id
            stop = place[number - 1] + 1 if number else begin
            self._add_mentions(row, sentence.entity, stop if mark == "." else stop - 1, stop)

    def _edge(self, word: Word, place: list[int]) -> Optional[Edge]:
        head, kind = word.columns[6:8]
        if head in ("0", "_"):
            return None
        if not SHORT_NUMBER.fullmatch(head) or not 0 < int(head) <= len(place):
            raise ConfigurationError(
                f"{self.path}, line {word.line}: found the head {head[:40]!r}, expected a number, 0 to {len(place)}"
            )
        source, target = place[int(head) - 1], place[word.id[0] - 1]
        return Edge(kind, (source, source + 1), (target, target + 1)) if source != target else None

    def _add_mentions(self, row: Word, header: str, start: int, stop: int) -> None:
        """The brackets at a row, whose tokens are [start, stop); an empty node has none."""
        names = header.split("-") if header else NUMBERS[:1]
        number_at = next((i for i, name in enumerate(names) if name in NUMBERS), None)
        for value in row.columns[9].split("|"):
            if not value.startswith("Entity="):
                continue
            brackets = value.removeprefix("Entity=")
            matches = list(BRACKET.finditer(brackets))
            good = all(bracket[1] or bracket[3] for bracket in matches)
            if not good or "".join(bracket[0] for bracket in matches) != brackets:
                self._leave_out(
                    row.line, f"found {brackets[:80]!r}, expected mentions like (e1-person-1-, e1) or (e1)"
                )
                continue
            if number_at is None:
                self.notes[UNNUMBERED] += sum(bool(bracket[1]) for bracket in matches)
                continue
            for bracket in matches:
                if not header and bracket[1] and not re.search("[0-9]", bracket[2].split("-")[0]):
                    self.notes[UNDECLARED] += 1
                self._add_bracket(row, bracket, number_at, start, stop)

    def _add_bracket(
        self, row: Word, bracket: "re.Match[str]", number_at: int, start: int, stop: int
    ) -> None:
        opens, content, closes = bracket.groups()
        values = content.split("-")
        # A bracket that only closes may have the number alone.
        number = values[number_at] if number_at < len(values) else "" if opens else values[-1]
        entity = PART.sub("", number)
        of = PART.search(number) or PART.search(content)
        part, parts = of.groups() if of else (None, None)
        if not entity:
            expected = f"the number of an entity as value {number_at + 1}"
            self._leave_out(row.line, f"found {bracket[0][:80]!r}, expected {expected}")
            return
        if opens:
            self.open.setdefault(entity, []).append((start, row.line))
        if not closes:
            return
        if not self.open.get(entity):
            self._leave_out(row.line, f"a mention of {entity} ends here and never begins")
            return
        begin = self.open[entity].pop()
        if part != parts:
            self.parts.setdefault(entity, begin)
            return
        start, _ = self.parts.pop(entity, begin) if parts else begin
        if start < stop:
            self.clusters.setdefault(entity, []).append((start, stop))
        else:
            self.notes[EMPTY] += 1

    def finish(self) -> AnnotatedText:
        unended = [*self.open.items(), *((entity, [begin]) for entity, begin in self.parts.items())]
        for line, entity in sorted((line, entity) for entity, begins in unended for _, line in begins):
            self._leave_out(line, f"a mention of {entity} begins here and never ends")
        clusters = [sorted(set(cluster)) for cluster in self.clusters.values()]
        return AnnotatedText(self.tokens, self.sentences, clusters, edges=self.edges, id=self.id).checked()

    def _leave_out(self, line: int, problem: str) -> None:
        self.leave_out(ConfigurationError(f"{self.path}, line {line}: {problem}"))
