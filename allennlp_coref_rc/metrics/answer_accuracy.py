from typing import Optional

import torch
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric


@Metric.register("answer_accuracy")
class AnswerAccuracy(Metric):
    """
    The share of questions answered correctly, over two denominators: `accuracy` over the questions that were kept, and
    `accuracy_official` over all questions of the data set, where skipped ones count as wrong.
    """

    def __init__(self) -> None:
        self.reset()

    def __call__(self, correct: torch.Tensor, kept: Optional[torch.Tensor] = None) -> None:  # type: ignore[override]
        """
        # Parameters

        correct : `torch.BoolTensor`
            Shape: (batch_size,).
        kept : `torch.BoolTensor`, optional (default = `None`)
            Shape: (batch_size,). By default all are.
        """
        kept = torch.ones_like(correct) if kept is None else kept
        self._correct += dist_reduce_sum((correct & kept).sum().item())
        self._kept += dist_reduce_sum(kept.sum().item())
        self._total += dist_reduce_sum(kept.numel())

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        metrics = {
            "accuracy": self._correct / max(self._kept, 1),
            "accuracy_official": self._correct / max(self._total, 1),
        }
        if reset:
            self.reset()
        return metrics

    def reset(self) -> None:
        self._correct: float = 0
        self._kept: float = 0
        self._total: float = 0
