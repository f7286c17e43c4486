from collections.abc import Sequence
from typing import Any

import torch
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.metrics.answer_scores import NUM_COUNTS, answer_counts, scores_of


class SummedScores(Metric):
    """
    Base class of metrics that compare answers in words with references. Each question gives counts, which are
    summed over all questions and processes; the scores are made of the sums.
    """

    num_counts: int

    def __init__(self) -> None:
        self.reset()

    def counts_of(self, prediction: Any, references: Sequence[str]) -> Sequence[float]:
        """The counts of a question."""
        raise NotImplementedError

    def scores_of(self, sums: Sequence[float]) -> dict[str, float]:
        """The scores of the questions whose counts were added up."""
        raise NotImplementedError

    def __call__(self, predictions: Sequence[Any], references: Sequence[Sequence[str]]) -> None:  # type: ignore[override]
        """Takes an answer, and one or more references, for each question."""
        if len(predictions) != len(references):
            raise ConfigurationError(
                f"found references of {len(references)} questions, expected {len(predictions)}"
            )
        sums = torch.zeros_like(self._sums)
        for prediction, texts in zip(predictions, references):
            sums += torch.tensor(self.counts_of(prediction, texts), dtype=torch.double)
        self._sums += dist_reduce_sum(sums).cpu()

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        scores = self.scores_of(self._sums.tolist())
        if reset:
            self.reset()
        return scores

    def reset(self) -> None:
        self._sums = torch.zeros(self.num_counts, dtype=torch.double)


@Metric.register("narrativeqa")
class NarrativeQaMetric(SummedScores):
    """
    The scores reported on NarrativeQA (Kočiský et al. 2018, Mihaylov and Frank 2019), all from 0 to 1:
    `rouge_l`, the mean over the questions; `bleu_1` … `bleu_4`, of all predictions together; and SQuAD's
    `exact_match` and `f1`, the mean of the best over the references.

    Rouge-L and Bleu are those of COCO's caption evaluation (see `rouge_l`, `bleu_counts` and `ptb_tokens`),
    without its Java program. (The authors choose their models by another Rouge-L, of stems; that is not
    here.)

    Registered as a `Metric` with name "narrativeqa".
    """

    num_counts = NUM_COUNTS
    counts_of = staticmethod(answer_counts)
    scores_of = staticmethod(scores_of)
