from typing import Optional

import torch
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric


@Metric.register("answer_accuracy")
class AnswerAccuracy(Metric):
    """
    The share of questions answered correctly, over two denominators: `accuracy` over the questions that were
    kept, and `accuracy_official` over all questions of the data set, where skipped ones count as wrong.
    """

    def __init__(self) -> None:
        self._counts: Optional[torch.Tensor] = None

    def __call__(self, correct: torch.Tensor, kept: Optional[torch.Tensor] = None) -> None:  # type: ignore[override]
        """Takes whether questions were answered right, and whether they are kept. Shape: (batch_size,)."""
        kept = torch.ones_like(correct) if kept is None else kept
        # Read when they are asked for: a GPU would be waited for.
        counts = dist_reduce_sum(torch.stack([correct & kept, kept, torch.ones_like(kept)]).sum(dim=1))
        self._counts = counts if self._counts is None else counts + self._counts.to(counts.device)

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        correct, kept, total = (0, 0, 0) if self._counts is None else self._counts.tolist()
        metrics = {"accuracy": correct / max(kept, 1), "accuracy_official": correct / max(total, 1)}
        if reset:
            self.reset()
        return metrics

    def reset(self) -> None:
        self._counts = None
