"""
Trains a config as `coref-rc train` does, an epoch whenever a line comes in, and answers with where the time went: the
process that `epoch.py` starts for each source tree. It runs by itself too: two empty lines give two epochs.

    PYTHONPATH=. python scripts/benchmarks/timed_training.py babi/ga_coref_gru FOLDER
"""

import contextlib
import json
import os
import sys
from functools import wraps
from importlib import import_module
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, TextIO

import psutil
import torch
import wrapt
from allennlp.training import GradientDescentTrainer
from allennlp.training.callbacks import TrainerCallback
from harness import Seconds

from allennlp_coref_rc.__main__ import main as coref_rc
from allennlp_coref_rc.training import StopAbove

PARTS = ("data", "forward", "backward", "optimizer", "validation", "checkpoints", "other")
EPOCHS = 10**6
"""More than anyone asks for."""


class Stopwatch:
    """The seconds of each part. What runs within another part counts for the inner one alone."""

    def __init__(self) -> None:
        self._running: List[str] = ["other"]
        self.reset()

    def reset(self) -> None:
        self.seconds = dict.fromkeys(PARTS, Seconds(0.0, 0.0))
        self._since = Seconds.now()

    def lap(self) -> None:
        """Gives the time since the last lap to the part that runs."""
        now, part = Seconds.now(), self._running[-1]
        self.seconds[part] = Seconds(*map(sum, zip(self.seconds[part], now.since(self._since))))
        self._since = now

    @contextlib.contextmanager
    def part(self, name: str) -> Iterator[None]:
        self.lap()
        # Validation is one part, with all that it does.
        self._running.append("validation" if "validation" in self._running else name)
        try:
            yield
        finally:
            self.lap()
            self._running.pop()

    def time(self, owner: Any, method: str, part: str) -> None:
        """Counts what a method of an object takes as a part."""
        original: Callable[..., Any] = getattr(owner, method)

        @wraps(original)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.part(part):
                return original(*args, **kwargs)

        setattr(owner, method, timed)


class TimedBatches:
    """A data loader whose work is counted as `data`."""

    def __init__(self, loader: Any, watch: Stopwatch) -> None:
        self._loader, self._watch = loader, watch

    def __len__(self) -> int:
        return len(self._loader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def __iter__(self) -> Iterator[Any]:
        with self._watch.part("data"):
            batches = iter(self._loader)
        while True:
            with self._watch.part("data"):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch


class Epoch(NamedTuple):
    """The time of each part of an epoch, the metrics that do not depend on time, and the memory after it."""

    wall: Dict[str, float]
    processor: Dict[str, float]
    metrics: Dict[str, float]
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

    def on_epoch(self, trainer: Any, metrics: Dict[str, Any], epoch: int, **kwargs: Any) -> None:
        self._watch.lap()
        times = [{part: seconds[i] for part, seconds in self._watch.seconds.items()} for i in (0, 1)]
        kept = {name: metrics[name] for name in ("training_loss", "validation_loss") if name in metrics}
        self.answer(Epoch(*times, kept, psutil.Process().memory_info().rss))
        self.wait()


def measured(watch: Stopwatch, turns: Turns) -> Callable[..., Any]:
    """A wrapper of the trainer's `train`, which takes the times and neither ends nor stops early."""

    def train(original: Callable[..., Any], trainer: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> Any:
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
        trainer.data_loader = TimedBatches(trainer.data_loader, watch)
        turns.answer(Seconds.now().processor)
        turns.wait()
        return original(*args, **kwargs)

    return train


def main() -> None:
    """The first answer, before the first turn, is the processor time since the start of the process."""
    config, folder, overrides, threads = [*sys.argv[1:], "", "1"][:4]
    torch.set_num_threads(int(threads))
    # Answers alone go to the standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    watch = Stopwatch()
    # The package changes the trainer too, when this is imported.
    import_module("allennlp.commands.train")
    wrapt.wrap_function_wrapper(GradientDescentTrainer, "train", measured(watch, Turns(watch, sys.stdin, answers)))
    coref_rc(["train", config, "-s", folder, "-f", "--debug", *(["-o", overrides] if overrides else [])])


if __name__ == "__main__":
    main()
