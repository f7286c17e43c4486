import random
from collections.abc import Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import Cluster, Span


def positions(cluster: Cluster, which: str = "all") -> list[int]:
    """
    The positions of a cluster's tokens, in order: `"all"`, or only the `"first"` or `"last"` of each mention.
    """
    if which == "first":
        return sorted({start for start, _ in cluster})
    if which == "last":
        return sorted({stop - 1 for _, stop in cluster})
    return sorted({position for start, stop in cluster for position in range(start, stop)})


def largest_clusters(clusters: Sequence[Cluster], max_clusters: Optional[int]) -> list[Cluster]:
    """
    Keeps the `max_clusters` largest, in their order; the earlier ones if sizes are equal. `None` keeps all.
    """
    by_size = sorted(range(len(clusters)), key=lambda i: (-len(clusters[i]), i))
    return [clusters[i] for i in sorted(by_size[:max_clusters])]


def remove_mentions(
    clusters: Sequence[Cluster], share: float, rng: random.Random, min_mentions: int = 2
) -> list[Cluster]:
    """
    Leaves out mentions with probability `share`, then small clusters ("removed" in Coref-GRU's Figure 3,
    left).
    """
    kept = [[mention for mention in cluster if rng.random() >= share] for cluster in clusters]
    return [cluster for cluster in kept if len(cluster) >= min_mentions]


def replace_mentions(
    clusters: Sequence[Cluster], share: float, length: int, rng: random.Random
) -> list[Cluster]:
    """
    Replaces each mention, with probability `share`, by one token. The text has `length` tokens; the new ones
    are drawn without replacement from the tokens that lie in no remaining mention. If there are too few,
    mentions are left out.
    """
    replaced = [[mention for mention in cluster if rng.random() >= share] for cluster in clusters]
    left = {position for cluster in replaced for position in positions(cluster)}
    drawn = [(i, i + 1) for i in range(length) if i not in left]
    rng.shuffle(drawn)
    for before, cluster in zip(clusters, replaced):
        number = len(before) - len(cluster)
        cluster[:] = sorted(cluster + drawn[:number])
        del drawn[:number]
    return [cluster for cluster in replaced if cluster]


def random_clusters(clusters: Sequence[Cluster], length: int, rng: random.Random) -> list[Cluster]:
    """
    Clusters of the same sizes with random mentions, each of them one token. The tokens are drawn without
    replacement from the `length` tokens of the text: the random-GRU of Coref-GRU's Figure 3 (left).
    """
    drawn = rng.sample(range(length), min(length, sum(len(cluster) for cluster in clusters)))
    replaced = []
    for cluster in clusters:
        tokens, drawn = drawn[: len(cluster)], drawn[len(cluster) :]
        replaced.append([(token, token + 1) for token in sorted(tokens)])
    return [cluster for cluster in replaced if cluster]


def relevant_clusters(
    clusters: Sequence[Cluster], spans: Sequence[Span], regions: Sequence[Span]
) -> list[Cluster]:
    """The clusters with a mention that contains one of the `spans` or begins in one of the `regions`."""
    inside = {position for region in regions for position in range(*region)}
    stops: dict[int, int] = {}
    for start, stop in spans:
        stops[start] = min(stop, stops.get(start, stop))

    def is_relevant(mention: Span) -> bool:
        return mention[0] in inside or any(i in stops and stops[i] <= mention[1] for i in range(*mention))

    return [cluster for cluster in clusters if any(map(is_relevant, cluster))]
