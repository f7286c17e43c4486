"""What annotators add to a text."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Optional

from pydantic import ConfigDict

from allennlp_coref_rc.annotations.tokenization import Span

Cluster = list[Span]

LAYERS = ("clusters", "frames", "relations", "edges")
"""The fields of a text that annotators add to."""


class Strict:
    """Values of dataclasses that come from outside have no other keys."""

    __pydantic_config__ = ConfigDict(extra="forbid")


@dataclass
class Frame(Strict):
    """A predicate with its arguments (PropBank). `arguments` are (role, span) pairs, `predicate` a span."""

    predicate: Span
    arguments: list[tuple[str, Span]] = field(default_factory=list)

    def moved(self, move: Callable[[Span], Span]) -> "Frame":
        return Frame(move(self.predicate), [(role, move(span)) for role, span in self.arguments])


@dataclass
class DiscourseRelation(Strict):
    """
    A discourse relation (PDTB). Arguments and connective are lists of spans, because they may be
    discontinuous.
    """

    type: str
    sense: str
    arg1: list[Span]
    arg2: list[Span]
    connective: list[Span] = field(default_factory=list)


@dataclass
class Edge(Strict):
    """
    A typed, directed relation between spans: a dependency (from the head), a triple (from the subject), or a
    fact of a lexicon or knowledge base. Types are free text.
    """

    type: str
    source: Span
    target: Span


@dataclass
class Layers(Strict):
    """The annotations of a text."""

    clusters: list[Cluster] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    relations: list[DiscourseRelation] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def moved(self, move: Callable[[Span], Span]) -> "Layers":
        """The same annotations with all spans moved."""

        def move_all(spans: Iterable[Span]) -> list[Span]:
            return [move(span) for span in spans]

        return Layers(
            [move_all(cluster) for cluster in self.clusters],
            [frame.moved(move) for frame in self.frames],
            [
                DiscourseRelation(
                    rel.type, rel.sense, move_all(rel.arg1), move_all(rel.arg2), move_all(rel.connective)
                )
                for rel in self.relations
            ],
            [Edge(edge.type, move(edge.source), move(edge.target)) for edge in self.edges],
        )

    def kept(
        self, whole: Callable[[Span], Optional[Span]], cut: Callable[[Span], Sequence[Span]]
    ) -> "Layers":
        """
        What is left in a part of the text, or between other tokens (see `AnnotatedText.select`). `whole`
        gives the new place of a span, if it has one; `cut` gives the places of what is left of it.
        """
        clusters = []
        for cluster in self.clusters:
            mentions = [mention for mention in map(whole, cluster) if mention]
            if mentions and (len(mentions) == len(cluster) or len(mentions) > 1):
                clusters.append(mentions)
        frames = [
            Frame(predicate, [(role, span) for role, argument in frame.arguments for span in cut(argument)])
            for frame in self.frames
            if (predicate := whole(frame.predicate))
        ]
        relations = []
        for rel in self.relations:
            arg1, arg2 = (
                [part for span in argument for part in cut(span)] for argument in (rel.arg1, rel.arg2)
            )
            connective = [place for span in rel.connective if (place := whole(span))]
            if bool(arg1) == bool(rel.arg1) and bool(arg2) == bool(rel.arg2):
                is_whole = len(connective) == len(rel.connective)
                relations.append(
                    DiscourseRelation(rel.type, rel.sense, arg1, arg2, connective if is_whole else [])
                )
        edges = [
            Edge(edge.type, source, target)
            for edge in self.edges
            if (source := whole(edge.source)) and (target := whole(edge.target))
        ]
        return Layers(clusters, frames, relations, edges)
