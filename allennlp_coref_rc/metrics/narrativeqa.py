from typing import Dict, List, Sequence

import torch
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric
from allennlp_models.rc.tools import squad

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.metrics.overlap import MAX_ORDER, bleu, bleu_counts, rouge_l
from allennlp_coref_rc.metrics.ptb_tokens import ptb_tokens


@Metric.register("narrativeqa")
class NarrativeQaMetric(Metric):
    """
    What is reported on NarrativeQA (Kočiský et al. 2018, Mihaylov and Frank 2019), all from 0 to 1: `rouge_l`, the mean
    over the questions; `bleu_1` … `bleu_4`, of all predictions together; and SQuAD's `exact_match` and `f1`, the mean of
    the best over the references.

    Rouge-L and Bleu are those of COCO's caption evaluation (see `rouge_l`, `bleu_counts` and `ptb_tokens`), without its
    Java program. (The authors choose their models by another Rouge-L, of stems; that is not here.)

    Registered as a `Metric` with name "narrativeqa".

    # Parameters

    beta : `float`, optional (default = `1.2`)
        How much more recall counts than precision in Rouge-L.
    same_reference : `bool`, optional (default = `False`)
        Rouge-L is the best F over the references, the standard one, in place of that of the best precision and the best
        recall.
    """

    def __init__(self, beta: float = 1.2, same_reference: bool = False) -> None:
        self._beta = beta
        self._same_reference = same_reference
        self.reset()

    def __call__(self, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> None:  # type: ignore
        """
        # Parameters

        predictions : `Sequence[str]`
        references : `Sequence[Sequence[str]]`
            For each prediction one or more.
        """
        if len(predictions) != len(references):
            raise ConfigurationError(f"found references of {len(references)} questions, expected {len(predictions)}")
        sums = torch.zeros_like(self._sums)
        for prediction, texts in zip(predictions, references):
            sums += torch.tensor(self.count(prediction, texts), dtype=torch.double)
        self._sums += dist_reduce_sum(sums).cpu()

    def count(self, prediction: str, references: Sequence[str]) -> List[float]:
        """What one question adds to the sums that `of_sums` makes metrics of."""
        if isinstance(references, str) or not references:
            raise ConfigurationError(f"references: found {references!r}, expected a list of one or more")
        predicted, expected = ptb_tokens(prediction), [ptb_tokens(text) for text in references]
        return [
            1,
            rouge_l(predicted, expected, self._beta, self._same_reference),
            squad.metric_max_over_ground_truths(squad.compute_exact, prediction, references),
            squad.metric_max_over_ground_truths(squad.compute_f1, prediction, references),
            *bleu_counts(predicted, expected),
        ]

    @staticmethod
    def of_sums(sums: Sequence[float]) -> Dict[str, float]:
        """The metrics of some questions, of which are summed what `count` says."""
        number, *means = sums[:4]
        metrics = {name: value / max(number, 1) for name, value in zip(("rouge_l", "exact_match", "f1"), means)}
        scores = bleu(sums[4:]) if number else [0.0] * MAX_ORDER
        metrics.update({f"bleu_{order}": score for order, score in enumerate(scores, start=1)})
        return metrics

    def get_metric(self, reset: bool = False) -> Dict[str, float]:
        metrics = self.of_sums(self._sums.tolist())
        if reset:
            self.reset()
        return metrics

    def reset(self) -> None:
        self._sums = torch.zeros(4 + 2 + 2 * MAX_ORDER, dtype=torch.double)
