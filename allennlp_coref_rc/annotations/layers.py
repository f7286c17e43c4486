"""What annotators add to a text."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, compress
from typing import Annotated, Any, Optional

from pydantic import ConfigDict, Field, StrictFloat

from allennlp_coref_rc.annotations.tokenization import Span

Cluster = list[Span]

Confidence = Annotated[StrictFloat, Field(ge=0, le=1)]
"""How sure an annotator is: a probability."""

LAYERS = ("clusters", "frames", "relations", "edges")
"""The fields of a text that annotators add to."""

ANNOTATIONS = (*LAYERS, "links")
"""These, and how sure they are of clusters."""


def rounded(probability: float) -> Confidence:
    """A confidence. It is rounded, so that libraries that add numbers in another order give the same."""
    return round(float(probability), 3)


class Strict:
    """Values of dataclasses that come from outside have no other keys."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    def to_json(self) -> dict[str, Any]:
        """AllenNLP writes predictions with this."""
        return asdict(self)  # type: ignore[call-overload]


@dataclass
class Frame(Strict):
    """
    A predicate with its arguments (PropBank). `arguments` are (role, span) pairs, `predicate` a span.
    `confidences` are those of the arguments, if they are known.
    """

    predicate: Span
    arguments: list[tuple[str, Span]] = field(default_factory=list)
    confidences: list[Confidence] = field(default_factory=list)

    def moved(self, move: Callable[[Span], Span]) -> "Frame":
        return self.placed(move(self.predicate), lambda span: [move(span)])

    def placed(self, predicate: Span, places: Callable[[Span], Iterable[Span]]) -> "Frame":
        """The frame with its predicate there, and each argument at its places."""
        found = [(i, (role, to)) for i, (role, span) in enumerate(self.arguments) for to in places(span)]
        confidences = [self.confidences[i] for i, _ in found] if self.confidences else []
        return Frame(predicate, [argument for _, argument in found], confidences)

    def confident(self, min_confidence: float) -> "Frame":
        """Without the arguments of a lower confidence."""
        if not self.confidences:
            return self
        sure = [confidence >= min_confidence for confidence in self.confidences]
        arguments, confidences = compress(self.arguments, sure), compress(self.confidences, sure)
        return Frame(self.predicate, list(arguments), list(confidences))


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
    confidence: Optional[Confidence] = field(default=None, kw_only=True)


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
class Link(Strict):
    """A mention, one before it in its cluster that it was linked to, and how sure that is."""

    mention: Span
    antecedent: Span
    confidence: Confidence


@dataclass
class Layers(Strict):
    """The annotations of a text."""

    clusters: list[Cluster] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    relations: list[DiscourseRelation] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    def moved(self, move: Callable[[Span], Span]) -> "Layers":
        """The same annotations with all spans moved."""
        return self.kept(move, lambda span: [move(span)])

    def confident(self, min_confidence: float) -> "Layers":
        """
        Without links, arguments and relations of a lower confidence. Clusters fall into the parts that are still
        linked, and mentions that are then alone go; a link counts in each cluster that has both of its mentions.
        What has no confidence stays.
        """
        # By the later of both mentions, each other one and how sure the link is.
        links_of: dict[Span, list[tuple[Span, float]]] = {}
        for link in self.links:
            earlier, later = sorted([link.mention, link.antecedent])
            links_of.setdefault(later, []).append((earlier, link.confidence))
        parts = (_linked(cluster, links_of, min_confidence) for cluster in self.clusters)
        return replace(
            self,
            clusters=list(chain.from_iterable(parts)),
            frames=[frame.confident(min_confidence) for frame in self.frames],
            relations=[r for r in self.relations if r.confidence is None or r.confidence >= min_confidence],
            links=[link for link in self.links if link.confidence >= min_confidence],
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
            if len(mentions) == len(cluster) or len(mentions) > 1:
                clusters.append(mentions)
        frames = [
            frame.placed(predicate, cut) for frame in self.frames if (predicate := whole(frame.predicate))
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
                    replace(rel, arg1=arg1, arg2=arg2, connective=connective if is_whole else [])
                )
        edges = [
            Edge(edge.type, source, target)
            for edge in self.edges
            if (source := whole(edge.source)) and (target := whole(edge.target))
        ]
        links = [
            Link(mention, antecedent, link.confidence)
            for link in self.links
            if (mention := whole(link.mention)) and (antecedent := whole(link.antecedent))
        ]
        return Layers(clusters, frames, relations, edges, links)


def _linked(
    cluster: Cluster, links_of: dict[Span, list[tuple[Span, float]]], min_confidence: float
) -> list[Cluster]:
    """The parts of a cluster. Mentions that are linked to none before them in it belong to its first mention."""
    parent = {mention: mention for mention in cluster}
    first = min(cluster, default=(0, 0))

    def root(mention: Span) -> Span:
        while parent[mention] != mention:
            mention = parent[mention]
        return mention

    for mention in cluster:
        links = [link for link in links_of.get(mention, ()) if link[0] in parent and link[0] != mention]
        sure = [earlier for earlier, confidence in links if confidence >= min_confidence]
        for antecedent in sure if links else [first]:
            parent[root(mention)] = root(antecedent)
    parts: dict[Span, Cluster] = {}
    for mention in cluster:
        parts.setdefault(root(mention), []).append(mention)
    return [part for part in parts.values() if len(part) > 1] if len(parts) > 1 else [cluster]
