import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from allennlp_coref_rc.allennlp_runtime.console.closing_lines import shown
from allennlp_coref_rc.common.messages import counted

MAX_METRICS = 2
"""The most metrics that are shown beside the loss if the loss alone decides which epoch is best."""

WIDTH = 10


class EpochLines(TrainerCallback):
    """
    Prints a line for each epoch: the loss, the metrics that decide which is best, and whether this one is.
    """

    def on_start(self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        self._columns: list[str] = []
        self._began = time.monotonic()
        if is_primary:
            size = sum(parameter.numel() for parameter in trainer.model.parameters())
            epochs = counted(trainer._num_epochs, "epoch")
            print(
                f"{type(trainer.model).__name__} with {size:,} parameters, trained for up to {epochs}",
                flush=True,
            )
            done = trainer._start_after_epochs_completed
            if done:
                print(f"resumes after epoch {done}", flush=True)

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        seconds, self._began = time.monotonic() - self._began, time.monotonic()
        if not is_primary:
            return
        total = str(trainer._num_epochs)
        number = f"{epoch + 1:{len(total)}}/{total}".rjust(len("epoch"))
        if not self._columns:
            self._columns = _columns(trainer, metrics)
            heads = [column.replace("_", " ", 1).rjust(WIDTH) for column in self._columns]
            print("  ".join(["epoch".rjust(len(number)), *heads, "seconds"]), flush=True)
        values = [shown(metrics.get(column, "-")).rjust(max(len(column), WIDTH)) for column in self._columns]
        best = ["best so far"] * (
            trainer._metric_tracker.is_best_so_far() and metrics.get("best_epoch") == epoch
        )
        print("  ".join([number, *values, f"{seconds:7.1f}", *best]), flush=True)


def _columns(trainer: GradientDescentTrainer, metrics: dict[str, Any]) -> list[str]:
    names = [name for _, name in trainer._metric_tracker.tracked_metrics if name != "loss"]
    columns = []
    for split in ("training_", "validation_"):
        keys = [key.removeprefix(split) for key, value in metrics.items() if _is_shown(key, value, split)]
        chosen = [name for name in names if name in keys] or [name for name in keys if name != "loss"][
            :MAX_METRICS
        ]
        columns += [split + name for name in [*(["loss"] if "loss" in keys else []), *chosen]]
    return columns


def _is_shown(key: str, value: Any, split: str) -> bool:
    # AllenNLP hides metrics whose names begin with "_". Its training metrics include the memory of processes
    # and GPUs.
    return (
        key.startswith(split)
        and not key.startswith(f"{split}_")
        and not key.endswith(("_memory_MB", "_duration"))
        and isinstance(value, (int, float))
    )


@contextmanager
def epoch_lines() -> Iterator[None]:
    """Makes every training print its epochs."""
    train = GradientDescentTrainer.train

    def train_with_lines(trainer: GradientDescentTrainer) -> dict[str, Any]:
        # Not through the config, so that archives do not name it. It is the last, as a checkpoint stores the
        # states of callbacks in their order.
        trainer._callbacks.append(EpochLines(serialization_dir=""))
        return train(trainer)

    with patch.object(GradientDescentTrainer, "train", train_with_lines):
        yield
