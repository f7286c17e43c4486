from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from allennlp_coref_rc.annotations.annotated_text import Cluster, Span
from allennlp_coref_rc.annotations.clusters import positions

FIRST_MENTION = -1
"""The source of a mention that has no antecedent. Encoders may read a state of zeros there."""

PADDING = -2
"""Pads lists of edges, and of numbers in any layer."""

OTHER_SEQUENCE = -3
"""`OTHER_SEQUENCE - i` is token `i` of the other sequence: of the passage in edges of the question, and the reverse."""

Sources = list[list[int]]
"""For each token, the positions that it reads from."""


def coref_sources(
    clusters: Sequence[Cluster], length: int, read: str = "all", write: str = "all"
) -> dict[str, Sources]:
    """
    The coreference edges of a text. For each token and each cluster that it reads from, "antecedents" (for reading
    forward) has the latest token before it that wrote to the cluster. "descendants" is for reading backward, where
    `read` and `write` swap roles. It has the first such token after it. If there is none, the position is
    `FIRST_MENTION`.

    `read` says which tokens of a mention read their cluster's state: `"all"` (the paper on Coref-GRU, and its authors'
    code for bAbI) or `"first"` (their code for WikiHop). `write` says which write to it: `"all"`, or `"last"` (their
    code for WikiHop).
    """
    antecedents: Sources = [[] for _ in range(length)]
    descendants: Sources = [[] for _ in range(length)]
    for cluster in clusters:
        readers = positions(cluster, read)
        writers = positions(cluster, write)
        for reader in readers:
            i = bisect_left(writers, reader)
            antecedents[reader].append(writers[i - 1] if i > 0 else FIRST_MENTION)
        for writer in writers:
            i = bisect_right(readers, writer)
            descendants[writer].append(readers[i] if i < len(readers) else FIRST_MENTION)
    return {"antecedents": antecedents, "descendants": descendants}


def linked_sources(
    pairs: Sequence[tuple[Sequence[Span], Sequence[Span]]], length: int, readers: Sequence[int] = (0, 1)
) -> dict[str, Sources]:
    """
    The edges between pairs of phrases. A phrase has one or more spans. In "antecedents" (for reading forward), the
    first token of the phrase that begins later reads from the last token of the other phrase before it. In
    "descendants" (for reading backward), the last token of the phrase that ends earlier reads from the first token of
    the other phrase after it. Phrases that begin together have no antecedent, and phrases that end together have no
    descendant. A token without an edge reads nothing, and an edge of several pairs counts once.

    `readers` are the positions in a pair of the phrases that may read. For example, with `(1,)` the second phrase reads
    forward if it begins later, and backward if it ends earlier; the first phrase never reads.
    """
    antecedents: Sources = [[] for _ in range(length)]
    descendants: Sources = [[] for _ in range(length)]
    for pair in pairs:
        phrases = [positions(list(phrase)) for phrase in pair]
        for i in readers if all(phrases) else ():
            reader, source = phrases[i], phrases[1 - i]
            if reader[0] > source[0]:
                _add(antecedents[reader[0]], source[bisect_left(source, reader[0]) - 1])
            if reader[-1] < source[-1]:
                _add(descendants[reader[-1]], source[bisect_right(source, reader[-1])])
    return {"antecedents": antecedents, "descendants": descendants}


def _add(sources: list[int], source: int) -> None:
    if source not in sources:
        sources.append(source)


def question_first_name(name: str) -> str:
    """The name that the edges `name` have if the question is read before the passage."""
    return f"question_first_{name}"


def swapped_spans(spans: Sequence[Span], length: int, boundary: int) -> list[Span]:
    """Moves the spans of a text to where they are when its second sequence, after `boundary` tokens, comes first."""
    shift = length - boundary
    return [(start + shift, min(stop, boundary) + shift) for start, stop in spans if start < boundary] + [
        (max(start, boundary) - boundary, stop - boundary) for start, stop in spans if stop > boundary
    ]


def split_sources(sources: Sources, boundary: int) -> tuple[Sources, Sources]:
    """The sources of the first `boundary` tokens and those of the rest, each counted from its own first token."""

    def relative(source: int, start: int, stop: int) -> int:
        if source < 0:
            return source
        if start <= source < stop:
            return source - start
        return OTHER_SEQUENCE - (source if start else source - stop)

    spans = (0, boundary), (boundary, len(sources))
    first, second = (
        [[relative(source, start, stop) for source in token] for token in sources[start:stop]] for start, stop in spans
    )
    return first, second
