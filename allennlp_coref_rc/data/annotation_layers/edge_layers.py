"""Layers of edges, for recurrent encoders."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Optional

from allennlp_coref_rc.annotations.annotated_text import RELATION_TYPES, AnnotatedText, Cluster, Span
from allennlp_coref_rc.annotations.clusters import positions
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, Layer, TokenLists
from allennlp_coref_rc.data.annotation_layers.edges import FIRST_MENTION, OTHER_SEQUENCE, question_first_name

Link = tuple[Sequence[Span], Sequence[Span]]
"""The phrase where a link begins, and the phrase where it ends."""

RECEIVERS = {"both": (0, 1), "along": (1,), "against": (0,)}
"""By direction, the positions in a `Link` of the phrases that read."""


def in_place(spans: list[Span]) -> list[Span]:
    """The spans as they are."""
    return spans


class EdgeLayer(AnnotationLayer):
    """
    Edges within and across the passage and the question. For each token the layer has the positions that the
    token reads from: `antecedents` for reading forward, and `descendants` for reading backward. Subclasses
    decide which tokens are linked.

    # Parameters

    question_first : `bool`, optional (default = `False`)
        Also makes `question_first_antecedents` and `question_first_descendants`, the edges for reading the
        question before the passage, which a `joint` `mage_gru` needs.
    """

    def __init__(self, question_first: bool = False) -> None:
        self._question_first = question_first

    def sources(
        self, text: AnnotatedText, place: Callable[[list[Span]], list[Span]]
    ) -> dict[str, TokenLists]:
        """The edges of a text. `place` moves the text's spans first."""
        raise NotImplementedError

    def layers(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        passage: dict[str, TokenLists] = {}
        question: dict[str, TokenLists] = {}
        for name, sources in self.sources(text, in_place).items():
            passage[name], question[name] = split_sources(sources, boundary)
        if self._question_first:
            swap = partial(swapped_spans, length=len(text), boundary=boundary)
            for name, sources in self.sources(text, swap).items():
                name = question_first_name(name)
                question[name], passage[name] = split_sources(sources, len(text) - boundary)
        return passage, question


@AnnotationLayer.register("coref_edges")
class CorefEdges(EdgeLayer):
    """
    Coreference edges, which link the mentions of a cluster: see `coref_sources`.

    Registered as an `AnnotationLayer` with name "coref_edges". It also takes the parameters of `EdgeLayer`.

    # Parameters

    read : `str`, optional (default = `"all"`)
        Which tokens of a mention read: `"all"` or `"first"`.
    write : `str`, optional (default = `"all"`)
        Which tokens of a mention write: `"all"` or `"last"`.
    """

    def __init__(self, read: str = "all", write: str = "all", **kwargs: Any) -> None:
        check_choice("coref_edges", "read", read, ("all", "first"))
        check_choice("coref_edges", "write", write, ("all", "last"))
        super().__init__(**kwargs)
        self._read = read
        self._write = write

    def sources(
        self, text: AnnotatedText, place: Callable[[list[Span]], list[Span]]
    ) -> dict[str, TokenLists]:
        return coref_sources(
            [place(cluster) for cluster in text.clusters], len(text.tokens), self._read, self._write
        )


class LinkLayer(EdgeLayer):
    """
    Edges between two phrases, such as a predicate and an argument: see `linked_sources`. Subclasses decide
    which phrases are linked. It also takes the parameters of `EdgeLayer`.

    # Parameters

    direction : `str`, optional (default = `"both"`)
        `"along"`: the phrase where a link ends reads from the phrase where it begins. `"against"`: the
        reverse, which is the inverse relation e' of MAGE (section 3.1). `"both"`: whichever phrase is read
        later reads from the other. If each direction should have a state of its own, use two layers with one
        direction each.
    """

    def __init__(self, direction: str = "both", **kwargs: Any) -> None:
        check_choice(type(self).__name__, "direction", direction, RECEIVERS)
        super().__init__(**kwargs)
        self._receivers = RECEIVERS[direction]

    def links(self, text: AnnotatedText) -> Iterable[Link]:
        raise NotImplementedError

    def sources(
        self, text: AnnotatedText, place: Callable[[list[Span]], list[Span]]
    ) -> dict[str, TokenLists]:
        links = [(place(list(begin)), place(list(end))) for begin, end in self.links(text)]
        return linked_sources(links, len(text), self._receivers)


@AnnotationLayer.register("srl_edges")
class SrlEdges(LinkLayer):
    """
    Edges from predicates to their arguments: see `linked_sources`. To tell roles apart, use several layers
    with different `roles`.

    Registered as an `AnnotationLayer` with name "srl_edges". It also takes the parameters of `LinkLayer`.

    # Parameters

    roles : `list[str]`, optional (default = `None`)
        Only arguments with these roles, such as `["ARG0", "ARG1"]`. By default all.
    """

    def __init__(self, roles: Optional[list[str]] = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._roles = roles

    def links(self, text: AnnotatedText) -> Iterator[Link]:
        for frame in text.frames:
            for role, argument in frame.arguments:
                if self._roles is None or role in self._roles:
                    yield [frame.predicate], [argument]

    def missing(self, text: AnnotatedText) -> set[str]:
        return set(self._roles or ()) - {role for frame in text.frames for role, _ in frame.arguments}


@AnnotationLayer.register("discourse_edges")
class DiscourseEdges(LinkLayer):
    """
    Edges from the first to the second argument of discourse relations: see `linked_sources`. To tell senses
    apart, use several layers with different `senses`.

    Registered as an `AnnotationLayer` with name "discourse_edges". It also takes the parameters of
    `LinkLayer`.

    # Parameters

    types : `list[str]`, optional (default = all)
        Only relations of these types: "Explicit", "Implicit", "EntRel", "AltLex".
    senses : `list[str]`, optional (default = `None`)
        Only relations with these senses or senses below them: "Contingency.Cause" includes
        "Contingency.Cause.Reason". By default all senses.
    """

    def __init__(
        self, types: Sequence[str] = RELATION_TYPES, senses: Optional[list[str]] = None, **kwargs: Any
    ) -> None:
        for kind in types:
            if kind not in RELATION_TYPES:
                raise ConfigurationError(
                    f"discourse_edges: types has {kind!r}, expected some of {RELATION_TYPES}"
                )
        super().__init__(**kwargs)
        self._types = types
        self._senses = senses

    def links(self, text: AnnotatedText) -> Iterator[Link]:
        for relation in text.relations:
            wanted = self._senses is None or any(
                _includes(sense, relation.sense, ".") for sense in self._senses
            )
            if relation.type in self._types and wanted:
                yield relation.arg1, relation.arg2

    def missing(self, text: AnnotatedText) -> set[str]:
        senses = {relation.sense for relation in text.relations}
        return {
            wanted for wanted in self._senses or () if not any(_includes(wanted, own, ".") for own in senses)
        }


@AnnotationLayer.register("typed_edges")
class TypedEdges(LinkLayer):
    """
    The edges of a text, such as dependencies, triples or relations of a lexicon: see `linked_sources`. MAGE
    (section 3.1) gives each type, and the inverse of each type, a state of its own. For that, use a layer for
    each type and direction.

    Registered as an `AnnotationLayer` with name "typed_edges". It also takes the parameters of `LinkLayer`.

    # Parameters

    types : `list[str]`, optional (default = `None`)
        Only edges of these types. A type includes its subtypes after a colon, as in Universal Dependencies:
        `"nsubj"` includes `nsubj:pass`. By default all types.
    """

    def __init__(self, types: Optional[list[str]] = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._types = types

    def links(self, text: AnnotatedText) -> Iterator[Link]:
        for edge in text.edges:
            if self._types is None or any(_includes(wanted, edge.type, ":") for wanted in self._types):
                yield [edge.source], [edge.target]

    def missing(self, text: AnnotatedText) -> set[str]:
        types = {edge.type for edge in text.edges}
        return {
            wanted for wanted in self._types or () if not any(_includes(wanted, type, ":") for type in types)
        }


def _includes(wanted: str, kind: str, separator: str) -> bool:
    return (kind + separator).startswith(wanted + separator)


def coref_sources(
    clusters: Sequence[Cluster], length: int, read: str = "all", write: str = "all"
) -> dict[str, TokenLists]:
    """
    The coreference edges of a text. For each token and each cluster that it reads from, "antecedents" (for
    reading forward) has the latest token before it that wrote to the cluster. "descendants" is for reading
    backward, where `read` and `write` swap roles. It has the first such token after it. If there is none, the
    position is `FIRST_MENTION`.

    `read` says which tokens of a mention read their cluster's state: `"all"` (the paper on Coref-GRU, and its
    authors' code for bAbI) or `"first"` (their code for WikiHop). `write` says which write to it: `"all"`, or
    `"last"` (their code for WikiHop).
    """
    antecedents: dict[int, list[int]] = defaultdict(list)
    descendants: dict[int, list[int]] = defaultdict(list)
    for cluster in clusters:
        readers = positions(cluster, read)
        writers = positions(cluster, write)
        for reader in readers:
            i = bisect_left(writers, reader)
            antecedents[reader].append(writers[i - 1] if i > 0 else FIRST_MENTION)
        for writer in writers:
            i = bisect_right(readers, writer)
            descendants[writer].append(readers[i] if i < len(readers) else FIRST_MENTION)
    return {
        "antecedents": TokenLists(length, dict(antecedents)),
        "descendants": TokenLists(length, dict(descendants)),
    }


def linked_sources(
    pairs: Sequence[tuple[Sequence[Span], Sequence[Span]]], length: int, receivers: Sequence[int] = (0, 1)
) -> dict[str, TokenLists]:
    """
    The edges between pairs of phrases. A phrase has one or more spans. In "antecedents" (for reading
    forward), the first token of the phrase that begins later reads from the last token of the other phrase
    before it. In "descendants" (for reading backward), the last token of the phrase that ends earlier reads
    from the first token of the other phrase after it. Phrases that begin together have no antecedent, and
    phrases that end together have no descendant. A token without an edge reads nothing, and an edge of
    several pairs counts once.

    `receivers` are the positions in a pair of the phrases that may read. For example, with `(1,)` the second
    phrase reads forward if it begins later, and backward if it ends earlier; the first phrase never reads.
    """
    antecedents: dict[int, list[int]] = defaultdict(list)
    descendants: dict[int, list[int]] = defaultdict(list)
    for pair in pairs:
        phrases = [positions(list(phrase)) for phrase in pair]
        for i in receivers if all(phrases) else ():
            reader, source = phrases[i], phrases[1 - i]
            if reader[0] > source[0]:
                _add(antecedents[reader[0]], source[bisect_left(source, reader[0]) - 1])
            if reader[-1] < source[-1]:
                _add(descendants[reader[-1]], source[bisect_right(source, reader[-1])])
    return {
        "antecedents": TokenLists(length, dict(antecedents)),
        "descendants": TokenLists(length, dict(descendants)),
    }


def _add(sources: list[int], source: int) -> None:
    if source not in sources:
        sources.append(source)


def swapped_spans(spans: Sequence[Span], length: int, boundary: int) -> list[Span]:
    """
    Moves the spans of a text to where they are when its second sequence, after `boundary` tokens, comes
    first.
    """
    shift = length - boundary
    return [(start + shift, min(stop, boundary) + shift) for start, stop in spans if start < boundary] + [
        (max(start, boundary) - boundary, stop - boundary) for start, stop in spans if stop > boundary
    ]


def split_sources(sources: Sequence[Sequence[int]], boundary: int) -> tuple[TokenLists, TokenLists]:
    """
    The sources of the first `boundary` tokens and those of the rest, each counted from its own first token.
    """

    def part(start: int, stop: int) -> TokenLists:
        def relative(source: int) -> int:
            if source < 0:
                return source
            if start <= source < stop:
                return source - start
            return OTHER_SEQUENCE - (source if start else source - stop)

        lists = {token - start: list(map(relative, read)) for token, read in linked if start <= token < stop}
        return TokenLists(stop - start, lists)

    linked = TokenLists.of(sources).items()
    return part(0, boundary), part(boundary, len(sources))
