"""
Trains a config as `coref-rc train` does. Whenever it reads a line, it trains an epoch and answers with where the time
went. `epoch.py` starts this for each source tree. It can also be run by itself, where two empty lines give two epochs.

    PYTHONPATH=. python scripts/benchmarks/timed_training.py babi/ga_coref_gru FOLDER
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, TextIO

import psutil
import torch
import wrapt
from allennlp.training import GradientDescentTrainer
from allennlp.training.callbacks import TrainerCallback
from harness import Seconds
from stopwatch import Stopwatch, TimedIterable

from allennlp_coref_rc.__main__ import main as coref_rc
from allennlp_coref_rc.training import StopAbove

PARTS = ("data", "forward", "backward", "optimizer", "validation", "checkpoints", "other")
EPOCHS = 10**6
"""More epochs than anyone asks for."""


class Epoch(NamedTuple):
    """
    The seconds of each part of an epoch, the metrics that do not depend on time, and the memory after it in bytes.
    """

    wall: dict[str, float]
    processor: dict[str, float]
    metrics: dict[str, float]
    resident: int


class Turns(TrainerCallback):
    """Reports each epoch, and waits for its next turn."""

    def __init__(self, watch: Stopwatch, given: TextIO, answers: TextIO) -> None:
        super().__init__("")
        self._watch, self._given, self._answers = watch, given, answers

    def answer(self, content: Any) -> None:
        print(json.dumps(content), file=self._answers, flush=True)

    def wait(self) -> None:
        """Waits for the next turn. After the last, the process ends at once."""
        if not self._given.readline():
            os._exit(0)
        self._watch.reset()

    def on_epoch(self, trainer: Any, metrics: dict[str, Any], epoch: int, **kwargs: Any) -> None:
        self._watch.lap()
        times = [{part: seconds[i] for part, seconds in self._watch.seconds.items()} for i in (0, 1)]
        kept = {name: metrics[name] for name in ("training_loss", "validation_loss") if name in metrics}
        self.answer(Epoch(*times, kept, psutil.Process().memory_info().rss))
        self.wait()


def measured(watch: Stopwatch, turns: Turns) -> Callable[..., Any]:
    """A wrapper for the trainer's `train` that measures times, and neither ends nor stops early."""

    def train(original: Callable[..., Any], trainer: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        trainer._num_epochs, trainer._metric_tracker._patience = EPOCHS, None
        trainer._callbacks = [one for one in trainer._callbacks if not isinstance(one, StopAbove)] + [turns]
        watch.time(trainer, "batch_outputs", "forward")
        watch.time(torch.Tensor, "backward", "backward")
        for method in ("rescale_gradients", "clip_gradient"):
            watch.time(trainer, method, "optimizer")
        for method in ("zero_grad", "step"):
            watch.time(trainer.optimizer, method, "optimizer")
        watch.time(trainer, "_validation_loss", "validation")
        watch.time(trainer, "_save_model_state", "checkpoints")
        watch.time(trainer._checkpointer, "maybe_save_checkpoint", "checkpoints")
        trainer.data_loader = TimedIterable(trainer.data_loader, watch, "data")
        turns.answer(Seconds.now().processor)
        turns.wait()
        return original(*args, **kwargs)

    return train


def main() -> None:
    """The first answer comes before the first turn. It is the processor time since the start of the process."""
    config, folder, overrides, threads = [*sys.argv[1:], "", "1"][:4]
    torch.set_num_threads(int(threads))
    # Only answers go to the standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    watch = Stopwatch(PARTS, whole=["validation"])
    # The package changes the trainer too, when this is imported.
    import_module("allennlp.commands.train")
    wrapt.wrap_function_wrapper(GradientDescentTrainer, "train", measured(watch, Turns(watch, sys.stdin, answers)))
    coref_rc(["train", config, "-s", folder, "-f", "--debug", *(["-o", overrides] if overrides else [])])


if __name__ == "__main__":
    main()
