from collections import Counter, defaultdict
from collections.abc import Sequence

from allennlp.training.metrics import Metric
from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores

from allennlp_coref_rc.annotations.annotated_text import Cluster
from allennlp_coref_rc.data.structure_corpora.coreference import GUIDELINES, CoreferenceText


class CoreferenceScores(Metric):
    """
    By guideline, precision, recall and F1 of CoNLL-2012's scorer, without singletons; and for GAP, F1 of the
    pairs of the pronoun and a name, and the bias, feminine F1 divided by masculine F1. A pair is found if a
    cluster has a mention that is the pronoun, and one whose last or first word is in the name. (The final
    figures are those of scripts/evaluate_annotator.py.)
    """

    def __init__(self) -> None:
        self.reset()

    def __call__(self, predicted: Sequence[Cluster], text: CoreferenceText) -> None:  # type: ignore[override]
        """Adds the clusters of a text. One without gold clusters does not count."""
        if text.clusters is None:
            return
        if text.gap is None:
            scores = self._clusters.setdefault(GUIDELINES[text.guideline], ConllCorefScores())
            (found, found_of), (gold, gold_of) = map(scores.get_gold_clusters, (predicted, text.clusters))
            for scorer in scores.scorers:
                scorer.update(found, gold, found_of, gold_of)
            return
        pronoun = text.clusters[0][0]
        own = next((cluster for cluster in predicted if pronoun in cluster), [])
        for number, cluster in enumerate(text.clusters):
            for name in cluster[number == 0 :]:
                answer = any(
                    mention != pronoun
                    and mention[0] <= name[1] - 1
                    and name[0] < mention[1]
                    and (name[0] <= mention[0] or mention[1] <= name[1])
                    for mention in own
                )
                counts = self._pairs[bool(text.gap)]
                counts.update(right=answer and not number, found=answer, gold=not number)

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        values = {}
        for guideline, scores in self._clusters.items():
            named = zip(("precision", "recall", "f1"), scores.get_metric())
            values.update({f"{guideline}_{name}": float(value) for name, value in named})
        if self._pairs:
            masculine, feminine = (_f1(self._pairs[gender]) for gender in (False, True))
            values["gap_f1"] = _f1(self._pairs[False] + self._pairs[True])
            values["gap_bias"] = feminine / masculine if masculine else 0.0
        if values:
            # What a training is to keep its best weights by.
            kept = [value for name, value in values.items() if name.endswith("_f1")]
            values["mean_f1"] = sum(kept) / len(kept)
        if reset:
            self.reset()
        return values

    def reset(self) -> None:
        self._clusters: dict[str, ConllCorefScores] = {}
        self._pairs: defaultdict[bool, Counter] = defaultdict(Counter)


def _f1(counts: Counter) -> float:
    total = counts["found"] + counts["gold"]
    return 2 * counts["right"] / total if total else 0.0
