"""The scores of coreference, as `evaluate_annotator.py` prints them and as the head reports them in training."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores, Scorer
from scipy.optimize import linear_sum_assignment

from allennlp_coref_rc.annotations.annotated_text import Cluster, Span
from allennlp_coref_rc.models.structure.scores import Pairs, Scores, prf

FEMININE, MASCULINE = ("she", "her", "hers"), ("he", "him", "his")


def b_cubed(clusters: Any, mention_to_gold: Any) -> tuple[float, int]:
    """AllenNLP's B-cubed leaves singletons out."""
    overlaps = (
        Counter(mention_to_gold[mention] for mention in cluster if mention in mention_to_gold)
        for cluster in clusters
    )
    correct = sum(
        sum(count * count for count in overlap.values()) / len(cluster)
        for cluster, overlap in zip(clusters, overlaps)
    )
    return correct, sum(map(len, clusters))


def ceafe(clusters: Any, gold_clusters: Any) -> tuple[float, int, float, int]:
    """AllenNLP's CEAF leaves predicted singletons out."""
    number = {mention: i for i, cluster in enumerate(gold_clusters) for mention in cluster}
    scores = np.zeros((len(clusters), len(gold_clusters)))
    for i, cluster in enumerate(clusters):
        for j, count in Counter(number[mention] for mention in cluster if mention in number).items():
            scores[i, j] = 2 * count / (len(cluster) + len(gold_clusters[j]))
    similarity = scores[linear_sum_assignment(-scores)].sum()
    return similarity, len(clusters), similarity, len(gold_clusters)


class CreditedScorer(Scorer):
    """A scorer of AllenNLP that counts singletons like other clusters."""

    muc, b_cubed, ceafe = staticmethod(Scorer.muc), staticmethod(b_cubed), staticmethod(ceafe)


class ClusterScores(ConllCorefScores):
    """
    MUC, B-cubed and CEAF (entities) of clusters, and their average. Singletons among the gold clusters are left
    out ("without"), "kept" as AllenNLP's scorer does, or "credited" like other clusters.
    """

    def __init__(self, singletons: str = "without") -> None:
        super().__init__()
        self._singletons = singletons
        if singletons == "credited":
            self.scorers = [CreditedScorer(m) for m in (Scorer.muc, b_cubed, ceafe)]

    def add(self, predicted: Sequence[Cluster], gold: Sequence[Cluster]) -> None:
        """Adds the clusters of a text."""
        if self._singletons == "without":
            gold = [cluster for cluster in gold if len(cluster) > 1]
        # The metric's __call__ does this too, after it has made clusters from a model's tensors.
        predicted, mention_to_predicted = self.get_gold_clusters(predicted)
        gold, mention_to_gold = self.get_gold_clusters(gold)
        for scorer in self.scorers:
            scorer.update(predicted, gold, mention_to_predicted, mention_to_gold)


def conll_scores(
    pairs: Iterable[tuple[Sequence[Cluster], Sequence[Cluster]]], singletons: str
) -> dict[str, Scores]:
    """By metric, precision, recall and F1 for pairs of predicted and annotated clusters."""
    metric = ClusterScores(singletons)
    for predicted, gold in pairs:
        metric.add(predicted, gold)
    scores = {name: scorer.get_prf() for name, scorer in zip(("MUC", "B-cubed", "CEAF"), metric.scorers)}
    return {**scores, "CoNLL": metric.get_metric()}


AFTER_NAME = frozenset(", ( - – — -- who whose which".split())
POSSESSIVE = frozenset(["'s", "’s", "'", "’"])


def refers(tokens: Sequence[str], mention: Span, name: Span) -> bool:
    """Whether a mention is one of the name."""
    end = name[1]
    if mention[1] > end and (
        tokens[end] in AFTER_NAME or (tokens[end] in POSSESSIVE and mention[1] == end + 1)
    ):
        end = mention[1]
    longer = mention[0] <= name[0] and mention[1] == end
    shorter = (
        name[0] <= mention[0] and mention[1] <= name[1] and (mention[0] == name[0] or mention[1] == name[1])
    )
    return longer or shorter


def score_gap(pairs: Pairs) -> Iterator[tuple[str, Scores]]:
    counts: dict[str, Counter] = {"": Counter(), "masculine": Counter(), "feminine": Counter()}
    for predicted, gold in pairs:
        (pronoun, *_), *_ = gold.clusters
        word = gold.tokens[pronoun[0]].lower()
        genders = ["", *["masculine"] * (word in MASCULINE), *["feminine"] * (word in FEMININE)]
        mentions = [mention for cluster in predicted.clusters if pronoun in cluster for mention in cluster]
        for number, cluster in enumerate(gold.clusters):
            for name in cluster[number == 0 :]:
                answer = any(
                    mention != pronoun and refers(gold.tokens, mention, name) for mention in mentions
                )
                for gender in genders:
                    counts[gender].update(right=answer and not number, predicted=answer, annotated=not number)
    scores = {
        gender: prf(count["right"], count["predicted"], count["annotated"])
        for gender, count in counts.items()
    }
    yield from ((f"GAP {gender}".strip(), values) for gender, values in scores.items())
    yield "GAP bias", (scores["feminine"][2] / (scores["masculine"][2] or 1),)
