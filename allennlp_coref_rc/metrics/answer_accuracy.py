from typing import Optional

import torch
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric


@Metric.register("answer_accuracy")
class AnswerAccuracy(Metric):
    """
    The share of questions answered correctly, over two denominators: `accuracy` over the questions that were
    kept, and `accuracy_official` over all questions of the data set, where skipped and malformed ones
    count as wrong. (In training it leaves malformed ones out.)
    """

    def __init__(self) -> None:
        self._counts: Optional[torch.Tensor] = None

    def __call__(  # type: ignore[override]
        self, correct: torch.Tensor, kept: Optional[torch.Tensor] = None, malformed: int = 0
    ) -> None:
        """
        Takes whether questions were answered right, and whether they are kept, shape (batch_size,), and how
        many others are malformed.
        """
        kept = torch.ones_like(correct) if kept is None else kept
        # Read when they are asked for: a GPU would be waited for.
        sums = torch.stack([correct & kept, kept, torch.ones_like(kept)]).sum(dim=1)
        sums[2] += malformed
        counts = dist_reduce_sum(sums)
        self._counts = counts if self._counts is None else counts + self._counts.to(counts.device)

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        correct, kept, total = (0, 0, 0) if self._counts is None else self._counts.tolist()
        metrics = {"accuracy": correct / max(kept, 1), "accuracy_official": correct / max(total, 1)}
        if reset:
            self.reset()
        return metrics

    def reset(self) -> None:
        self._counts = None
