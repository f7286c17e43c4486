from collections.abc import Sequence
from typing import Union

from allennlp.training.metrics import Metric

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.metrics.narrativeqa import SummedScores

Answer = Union[str, Sequence[str]]
"""A span, or several."""

NAMES = ("exact_match", "f1")


@Metric.register("quoref")
class QuorefMetric(SummedScores):
    """
    The official scores of Quoref (Dasigi et al. 2019), from 0 to 1: `exact_match` and `f1`, means over the
    questions, by DROP's evaluation (Dua et al. 2019, section 5). Answers may have several spans, and
    predictions too.

    Exact match is 1 if both have the same spans. For F1, predicted and expected spans are paired, each with
    one at most, so that the sum of the pairs' F1 is highest; it is the mean over the larger of the two sets.
    The F1 of two spans is that of their sets of words, and 0 where the expected one has numbers and the
    predicted one has none of them. It is rounded to two decimal places.

    Registered as a `Metric` with name "quoref".
    """

    num_counts = 1 + len(NAMES)

    def counts_of(self, prediction: Answer, references: Sequence[str]) -> Sequence[float]:
        return [1, *self.of_question(prediction, references).values()]

    def scores_of(self, sums: Sequence[float]) -> dict[str, float]:
        number, *scores = sums
        return {name: score / max(number, 1) for name, score in zip(NAMES, scores)}

    @staticmethod
    def of_question(prediction: Answer, spans: Sequence[str]) -> dict[str, float]:
        """The scores of one question, given all spans of its answer."""
        if isinstance(spans, str) or not spans:
            raise ConfigurationError(f"references: found {spans!r}, expected a list of one or more")
        # It imports much of allennlp-models.
        from allennlp_models.rc.tools.drop import get_metrics

        return dict(zip(NAMES, map(float, get_metrics(prediction, spans))))
