"""
Edits of coreference clusters. Each function returns new clusters, whose mentions are in order and differ; no
cluster is empty, but it may have a single mention.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple, Optional

from allennlp_coref_rc.annotations.annotated_text import Cluster, Span

Clusters = list[Cluster]


class Mention(NamedTuple):
    """A mention in a list of clusters: the index of its cluster, and its span."""

    cluster: int
    span: Span


def merge(clusters: Sequence[Cluster], indices: Collection[int]) -> Clusters:
    """Merges two or more clusters into one, which takes the place of the first of them."""
    chosen = sorted(set(indices))
    joint = [span for i in chosen for span in clusters[i]]
    return _tidy(
        [joint if i == chosen[0] else cluster for i, cluster in enumerate(clusters) if i not in chosen[1:]]
    )


def split(clusters: Sequence[Cluster], mentions: Collection[Mention]) -> Clusters:
    """Moves mentions from their clusters into a new cluster, which comes last."""
    return _tidy([*drop(clusters, mentions), [mention.span for mention in mentions]])


def drop(clusters: Sequence[Cluster], mentions: Collection[Mention]) -> Clusters:
    return _tidy(
        [[span for span in cluster if (i, span) not in mentions] for i, cluster in enumerate(clusters)]
    )


def add(clusters: Sequence[Cluster], spans: Sequence[Span], index: Optional[int] = None) -> Clusters:
    """
    Adds mentions to the cluster of an index. By default it makes a new cluster of them, which comes last.
    """
    if index is None:
        return _tidy([*clusters, list(spans)])
    return _tidy([cluster + list(spans) * (i == index) for i, cluster in enumerate(clusters)])


def _tidy(clusters: Sequence[Cluster]) -> Clusters:
    return [sorted(set(cluster)) for cluster in clusters if cluster]
