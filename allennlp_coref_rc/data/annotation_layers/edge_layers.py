"""Layers of edges, for recurrent encoders."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Optional

from allennlp_coref_rc.annotations.annotated_text import RELATION_TYPES, AnnotatedText, Span
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, Layer
from allennlp_coref_rc.data.annotation_layers.edges import (
    Sources,
    coref_sources,
    linked_sources,
    question_first_name,
    split_sources,
    swapped_spans,
)

Link = tuple[Sequence[Span], Sequence[Span]]
"""The phrase where a link begins, and the phrase where it ends."""

READERS = {"both": (0, 1), "along": (1,), "against": (0,)}
"""By direction, the positions in a `Link` of the phrases that read."""


class EdgeLayer(AnnotationLayer):
    """
    Edges within and across the passage and the question. For each token the layer has the positions that the token
    reads from: `antecedents` for reading forward, and `descendants` for reading backward. Subclasses decide which
    tokens are linked.

    # Parameters

    question_first : `bool`, optional (default = `False`)
        Also makes `question_first_antecedents` and `question_first_descendants`, the edges for reading the question
        before the passage, which a `joint` `mage_gru` needs.
    """

    def __init__(self, question_first: bool = False) -> None:
        self._question_first = question_first

    def sources(self, text: AnnotatedText, place: Callable[[list[Span]], list[Span]]) -> dict[str, Sources]:
        """The edges of a text. `place` moves the text's spans first."""
        raise NotImplementedError

    def make(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        passage: dict[str, Sources] = {}
        question: dict[str, Sources] = {}
        for name, sources in self.sources(text, list).items():
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

    def sources(self, text: AnnotatedText, place: Callable[[list[Span]], list[Span]]) -> dict[str, Sources]:
        return coref_sources([place(cluster) for cluster in text.clusters], len(text.tokens), self._read, self._write)


class LinkLayer(EdgeLayer):
    """
    Edges between two phrases, such as a predicate and an argument: see `linked_sources`. Subclasses decide which
    phrases are linked. It also takes the parameters of `EdgeLayer`.

    # Parameters

    direction : `str`, optional (default = `"both"`)
        `"along"`: the phrase where a link ends reads from the phrase where it begins. `"against"`: the reverse, which
        is the inverse relation e' of MAGE (section 3.1). `"both"`: whichever phrase is read later reads from the other.
        If each direction should have a state of its own, use two layers with one direction each.
    """

    def __init__(self, direction: str = "both", **kwargs: Any) -> None:
        check_choice(type(self).__name__, "direction", direction, READERS)
        super().__init__(**kwargs)
        self._readers = READERS[direction]

    def links(self, text: AnnotatedText) -> Iterable[Link]:
        raise NotImplementedError

    def sources(self, text: AnnotatedText, place: Callable[[list[Span]], list[Span]]) -> dict[str, Sources]:
        links = [(place(list(begin)), place(list(end))) for begin, end in self.links(text)]
        return linked_sources(links, len(text), self._readers)


@AnnotationLayer.register("srl_edges")
class SrlEdges(LinkLayer):
    """
    Edges from predicates to their arguments: see `linked_sources`. To tell roles apart, use several layers with
    different `roles`.

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


@AnnotationLayer.register("discourse_edges")
class DiscourseEdges(LinkLayer):
    """
    Edges from the first to the second argument of discourse relations: see `linked_sources`. To tell senses apart, use
    several layers with different `senses`.

    Registered as an `AnnotationLayer` with name "discourse_edges". It also takes the parameters of `LinkLayer`.

    # Parameters

    types : `list[str]`, optional (default = all)
        Only relations of these types: "Explicit", "Implicit", "EntRel", "AltLex".
    senses : `list[str]`, optional (default = `None`)
        Only relations with these senses or senses below them: "Contingency.Cause" includes "Contingency.Cause.Reason".
        By default all senses.
    """

    def __init__(
        self, types: Sequence[str] = RELATION_TYPES, senses: Optional[list[str]] = None, **kwargs: Any
    ) -> None:
        for kind in types:
            if kind not in RELATION_TYPES:
                raise ConfigurationError(f"discourse_edges: types has {kind!r}, expected some of {RELATION_TYPES}")
        super().__init__(**kwargs)
        self._types = types
        self._senses = senses

    def links(self, text: AnnotatedText) -> Iterator[Link]:
        for relation in text.relations:
            wanted = self._senses is None or any(_includes(sense, relation.sense, ".") for sense in self._senses)
            if relation.type in self._types and wanted:
                yield relation.arg1, relation.arg2


@AnnotationLayer.register("typed_edges")
class TypedEdges(LinkLayer):
    """
    The edges of a text, such as dependencies, triples or relations of a lexicon: see `linked_sources`. MAGE (section
    3.1) gives each type, and the inverse of each type, a state of its own. For that, use a layer for each type and
    direction.

    Registered as an `AnnotationLayer` with name "typed_edges". It also takes the parameters of `LinkLayer`.

    # Parameters

    types : `list[str]`, optional (default = `None`)
        Only edges of these types. A type includes its subtypes after a colon, as in Universal Dependencies: `"nsubj"`
        includes `nsubj:pass`. By default all types.
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
        return {wanted for wanted in self._types or () if not any(_includes(wanted, type, ":") for type in types)}


def _includes(wanted: str, kind: str, separator: str) -> bool:
    return (kind + separator).startswith(wanted + separator)
