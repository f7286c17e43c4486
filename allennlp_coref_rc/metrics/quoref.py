from collections.abc import Sequence
from typing import Union

import torch
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric

from allennlp_coref_rc.common.errors import ConfigurationError

Answer = Union[str, Sequence[str]]
"""A span, or several."""

NAMES = ("exact_match", "f1")


@Metric.register("quoref")
class QuorefMetric(Metric):
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

    def __init__(self) -> None:
        self.reset()

    def __call__(self, predictions: Sequence[Answer], references: Sequence[Sequence[str]]) -> None:  # type: ignore[override]
        """
        Takes a text, or the texts of several spans, and all spans of the right answer, for each question.
        """
        if len(predictions) != len(references):
            raise ConfigurationError(
                f"found references of {len(references)} questions, expected {len(predictions)}"
            )
        sums = torch.zeros_like(self._sums)
        for prediction, spans in zip(predictions, references):
            sums += torch.tensor([1, *self.of_question(prediction, spans).values()], dtype=torch.double)
        self._sums += dist_reduce_sum(sums).cpu()

    @staticmethod
    def of_question(prediction: Answer, spans: Sequence[str]) -> dict[str, float]:
        """The scores of one question, given all spans of its answer."""
        if isinstance(spans, str) or not spans:
            raise ConfigurationError(f"references: found {spans!r}, expected a list of one or more")
        # It imports much of allennlp-models.
        from allennlp_models.rc.tools.drop import get_metrics

        return dict(zip(NAMES, map(float, get_metrics(prediction, spans))))

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        number, *sums = self._sums.tolist()
        if reset:
            self.reset()
        return {name: value / max(number, 1) for name, value in zip(NAMES, sums)}

    def reset(self) -> None:
        self._sums = torch.zeros(3, dtype=torch.double)
