import logging
import os
import re
from collections.abc import Iterator
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster, Edge, Span
from allennlp_coref_rc.annotations.formats.conllu_sentences import Sentence, Word, read_conllu_sentences
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import bare

logger = logging.getLogger(__name__)

BRACKET = re.compile(r"(\()?([^\s()\[\]-]+)(?:\[(\d{1,3})/(\d{1,3})\])?(?:-[^\s()]*)?(\))?")
"""An opening bracket, an entity, the part of a discontinuous mention, other values, a closing bracket."""


# Python refuses to convert more than some thousand digits.
SHORT_NUMBER = re.compile(r"[0-9]{1,9}")


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
        """How many mentions have no token."""

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
        """The token of each word."""
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
            good = all(bracket[1] or bracket[5] for bracket in matches)
            if not good or "".join(bracket[0] for bracket in matches) != brackets:
                raise ConfigurationError(
                    f"{self.path}, line {row.line}: found {brackets[:80]!r}, expected mentions like (e1-person-1-, e1) "
                    "or (e1-person-1-)"
                )
            for bracket in matches:
                self._add_bracket(row, bracket, start, stop)

    def _add_bracket(self, row: Word, bracket: "re.Match[str]", start: int, stop: int) -> None:
        opens, entity, part, parts, closes = bracket.groups()
        if opens:
            self.open.setdefault(entity, []).append((start, row.line))
        if not closes:
            return
        if not self.open.get(entity):
            raise ConfigurationError(
                f"{self.path}, line {row.line}: found the end of a mention of {entity} that has not begun"
            )
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
