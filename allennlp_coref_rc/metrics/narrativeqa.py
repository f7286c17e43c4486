from collections.abc import Sequence

import torch
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.metrics.answer_scores import NUM_COUNTS, answer_counts, scores_of


@Metric.register("narrativeqa")
class NarrativeQaMetric(Metric):
    """
    The scores reported on NarrativeQA (Kočiský et al. 2018, Mihaylov and Frank 2019), all from 0 to 1:
    `rouge_l`, the mean over the questions; `bleu_1` … `bleu_4`, of all predictions together; and SQuAD's
    `exact_match` and `f1`, the mean of the best over the references.

    Rouge-L and Bleu are those of COCO's caption evaluation (see `rouge_l`, `bleu_counts` and `ptb_tokens`),
    without its Java program. (The authors choose their models by another Rouge-L, of stems; that is not
    here.)

    Registered as a `Metric` with name "narrativeqa".
    """

    def __init__(self) -> None:
        self.reset()

    def __call__(self, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> None:  # type: ignore[override]
        """Takes a text, and one or more reference answers, for each question."""
        if len(predictions) != len(references):
            raise ConfigurationError(
                f"found references of {len(references)} questions, expected {len(predictions)}"
            )
        sums = torch.zeros_like(self._sums)
        for prediction, texts in zip(predictions, references):
            sums += torch.tensor(answer_counts(prediction, texts), dtype=torch.double)
        self._sums += dist_reduce_sum(sums).cpu()

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        metrics = scores_of(self._sums.tolist())
        if reset:
            self.reset()
        return metrics

    def reset(self) -> None:
        self._sums = torch.zeros(NUM_COUNTS, dtype=torch.double)
