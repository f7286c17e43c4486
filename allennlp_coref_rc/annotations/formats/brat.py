import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Edge, Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import bare, open_text
from allennlp_coref_rc.common.malformed import LeaveOut, kept, refuse

LINE = re.compile(r"[^\r\n]+")

# A byte order mark is a character for brat's offsets, but no word begins with it.
WORD = re.compile(r"(?!\A\ufeff)\S+")

TEXT_BOUND = re.compile(r"(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)$")

RELATION = re.compile(r"(\S+) +\S+?:(\S+) +\S+?:(\S+)\s*$")

EVENT = re.compile(r"\S+?:(\S+)((?: +\S+?:\S+)*)\s*$")

ARGUMENT = re.compile(r"(\S+?):(\S+)")

COREFERENCE = "coref"
"""The beginning of the name of a relation between mentions: Coref, Coreference, coreferent, …"""


def read_brat(path: str, leave_out: LeaveOut = refuse) -> Iterator[AnnotatedText]:
    """
    The text of a stand-off file of brat (Stenetorp et al., EACL 2012), `NAME.ann`, and of the `NAME.txt`
    beside it. Relations whose names begin with "coref" (`R1<TAB>Coreference Arg1:T1 Arg2:T2`) and all
    equivalences (`*<TAB>Equiv T1 T2 T3`) make its coreference clusters. Any other relation is an edge of its
    name, from the first argument to the second. An event (`E1<TAB>Buy:T1 Buyer:T2`) has an edge from its
    trigger to each argument, of the argument's role. Each line of the text is a sentence, and its tokens end
    at white space and wherever an annotation begins or ends.

    The span of a discontinuous annotation goes from its first to its last character; the span of an event is
    its trigger. Types of annotations, attributes, normalizations and notes are not read. The id is NAME.

    For brat's offsets, `\r\n` is two characters and a byte order mark is one. If more annotations fit a text
    in which tools have made one character and none of them, that text is taken.
    """
    name = bare(path).removesuffix(".ann")
    if name == bare(path):
        raise ConfigurationError(f"{path}: found another ending, expected .ann")
    with open_text(f"{name}.txt", newline="", encoding="utf-8") as lines:
        text = "".join(lines)
    # Only "\n" ends a line: brat keeps the "\r" of a text in what an annotation covers.
    with open_text(path) as lines:
        rows = [(f"{path}, line {number}", line.rstrip("\r\n")) for number, line in enumerate(lines, start=1)]
    bare_text, lines_of_one = text.removeprefix("\ufeff"), text.replace("\r\n", "\n")
    readings = dict.fromkeys([text, bare_text, lines_of_one, bare_text.replace("\r\n", "\n")])
    annotations = min(
        (_Annotations(reading, rows) for reading in readings), key=lambda read: len(read.errors)
    )
    for error in annotations.errors:
        leave_out(error)
    tokens, sentences, places = _tokens(annotations.text, annotations.spans.values())
    clusters = [sorted({places[span] for span in cluster}) for cluster in annotations.clusters(leave_out)]
    edges = [
        Edge(kind, places[source], places[target]) for kind, source, target in annotations.edges(leave_out)
    ]
    yield AnnotatedText(tokens, sentences, sorted(clusters), edges=edges, id=os.path.basename(name)).checked()


class _Annotations:
    def __init__(self, text: str, rows: Iterable[tuple[str, str]]) -> None:
        self.text = text
        self.errors: list[ConfigurationError] = []
        """The errors of malformed rows."""
        self.spans: dict[str, Span] = {}
        """The characters of each annotation, by its id."""
        self._triggers: dict[str, str] = {}
        self._links: list[tuple[str, list[str]]] = []
        """Annotations that are coreferent: the place of the line that says so, and their ids."""
        self._relations: list[tuple[str, str, str, str]] = []
        """Other relations: the place of the line, the type, and the ids of source and target."""
        for _ in kept(lambda row: self._add(*row), rows, self.errors.append):
            pass

    def _add(self, place: str, line: str) -> None:
        if not line.strip():
            return
        id, tab, rest = line.partition("\t")
        if not tab or not id:
            raise ConfigurationError(f"{place}: found {line[:80]!r}, expected an id, a tab and an annotation")
        if id in self.spans or id in self._triggers:
            raise ConfigurationError(f"{place}: found the id {id[:80]!r} a second time")
        if id[0] == "T":
            self.spans[id] = self._characters(place, rest)
        elif id[0] == "E":
            event = EVENT.match(rest)
            if not event:
                raise ConfigurationError(
                    f"{place}: found {rest[:80]!r}, expected an event like Type:T1 Role:T2"
                )
            self._triggers[id] = event[1]
            self._relations.extend(
                (place, role, id, argument) for role, argument in ARGUMENT.findall(event[2])
            )
        elif id[0] == "R":
            relation = RELATION.match(rest)
            if not relation:
                raise ConfigurationError(
                    f"{place}: found {rest!r:.80}, expected a relation like Coref Arg1:T1 Arg2:T2"
                )
            kind, source, target = relation.groups()
            if kind.lower().startswith(COREFERENCE):
                self._links.append((place, [source, target]))
            else:
                self._relations.append((place, kind, source, target))
        elif id == "*":
            _, *ids = rest.split() or [""]
            if len(ids) < 2:
                raise ConfigurationError(
                    f"{place}: found {rest[:80]!r}, expected an equivalence like Equiv T1 T2"
                )
            self._links.append((place, ids))
        elif id[0] not in "AMN#":
            raise ConfigurationError(
                f"{place}: found the id {id[:80]!r}, expected T1, R1, E1, A1, M1, N1, #1, …"
            )

    def _characters(self, place: str, annotation: str) -> Span:
        head, tab, covered = annotation.partition("\t")
        match = TEXT_BOUND.match(head)
        if not match:
            raise ConfigurationError(
                f"{place}: found {head[:80]!r}, expected a type and offsets like Person 0 4;6 9"
            )
        parts = [tuple(map(int, part.split())) for part in match[2].split(";")]
        for start, stop in parts:
            if not start < stop <= len(self.text):
                length = len(self.text)
                raise ConfigurationError(
                    f"{place}: found the offsets {start} {stop}, expected start < end <= {length}"
                )
        annotated = " ".join(self.text[start:stop] for start, stop in parts)
        if not any(WORD.search(self.text, *part) for part in parts):
            raise ConfigurationError(f"{place}: found an annotation of white space, expected one of text")
        if tab and "".join(annotated.split()) != "".join(covered.split()):
            raise ConfigurationError(
                f"{place}: found {covered[:80]!r}, expected what is there, {annotated[:80]!r}"
            )
        return min(start for start, _ in parts), max(stop for _, stop in parts)

    def clusters(self, leave_out: LeaveOut) -> list[list[Span]]:
        """The clusters: mentions that are linked directly or through other mentions."""
        cluster_of: dict[str, list[str]] = {}
        for place, names in self._links:
            known = list(kept(partial(self._text_bound, place), names, leave_out))
            # What has lost its other end is no link.
            for name in known if len(known) > 1 else ():
                one, other = (cluster_of.setdefault(id, [id]) for id in (known[0], name))
                if one is not other:
                    larger, smaller = sorted((one, other), key=len, reverse=True)
                    larger.extend(smaller)
                    cluster_of.update(dict.fromkeys(smaller, larger))
        distinct = {id(cluster): cluster for cluster in cluster_of.values()}
        return [[self.spans[name] for name in cluster] for cluster in distinct.values()]

    def edges(self, leave_out: LeaveOut) -> Iterator[tuple[str, Span, Span]]:
        """
        The type, the source and the target of each relation that is not coreference, and of events'
        arguments.
        """

        def edge(place: str, kind: str, *ends: str) -> tuple[str, Span, Span]:
            source, target = (self.spans[self._text_bound(place, name)] for name in ends)
            return kind, source, target

        return kept(lambda relation: edge(*relation), self._relations, leave_out)

    def _text_bound(self, place: str, name: str) -> str:
        name = self._triggers.get(name, name)
        if name not in self.spans:
            raise ConfigurationError(
                f"{place}: found {name[:80]!r}, expected the id of an annotation of the text"
            )
        return name


def _tokens(text: str, spans: Iterable[Span]) -> tuple[list[str], list[Span], dict[Span, Span]]:
    """The tokens and sentences of a text, and the span of tokens for each span of characters."""
    spans = list(spans)
    cuts = sorted({end for span in spans for end in span})
    starts: list[int] = []
    tokens: list[str] = []
    sentences: list[Span] = []
    for line in LINE.finditer(text):
        first = len(tokens)
        for word in WORD.finditer(text, *line.span()):
            inside = cuts[bisect_right(cuts, word.start()) : bisect_left(cuts, word.end())]
            for start, stop in pairwise([word.start(), *inside, word.end()]):
                starts.append(start)
                tokens.append(text[start:stop])
        if len(tokens) > first:
            sentences.append((first, len(tokens)))
    return (
        tokens,
        sentences,
        {span: (bisect_left(starts, span[0]), bisect_left(starts, span[1])) for span in spans},
    )
