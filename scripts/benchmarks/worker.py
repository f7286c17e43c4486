"""
Runs one of AllenNLP's commands as `coref-rc` does, and says where its time went. `runs` starts this for each source
tree. It can also be run by itself, where with `epochs` each empty line of input gives an epoch:

    PYTHONPATH=. python scripts/benchmarks/worker.py 1 command train babi/quick_start -s FOLDER
"""

import json
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, TextIO

import psutil
import torch
import wrapt

from allennlp_coref_rc.__main__ import main as coref_rc

try:
    from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_allennlp
except ImportError:
    # Other versions do not have it.
    import_allennlp = nullcontext

PARTS = (
    *("imports", "reading", "annotating", "vocabulary", "indexing", "batches", "forward", "backward", "optimizer"),
    *("evaluation", "outputs", "files", "other"),
)
METRICS = ("training_epochs", "training_loss", "validation_loss", "best_validation_accuracy")


def now() -> tuple[float, float]:
    """The clock's time and the processor time, in seconds."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), time.process_time() + children.ru_utime + children.ru_stime


class Stopwatch:
    """
    The seconds of each part of a run since the last answer. If a part runs within another, its time counts only for
    itself. Time outside of all parts is `other`. Time since the start of the process is `imports`, until `install`
    ends, which changes AllenNLP's classes.
    """

    def __init__(self, turns: TextIO, answers: TextIO, epochs: bool) -> None:
        self.turns, self.answers, self.epochs = turns, answers, epochs
        self.running, self.questions, self.metrics = ["other", "imports"], 0, {}
        self.seconds = dict.fromkeys(PARTS, (0.0, 0.0))
        self.last = time.perf_counter() - (time.time() - psutil.Process().create_time()), 0.0

    def lap(self) -> None:
        """Adds the time since the last lap to the part that runs."""
        last, self.last, part = self.last, now(), self.running[-1]
        clock, processor = (x + y - z for x, y, z in zip(self.seconds[part], self.last, last))
        self.seconds[part] = clock, processor

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        self.lap()
        self.running.append(name)
        try:
            yield
        finally:
            self.lap()
            self.running.pop()

    def time(self, owner: Any, method: str, part: str) -> None:
        """Counts the time of an object's method as a part."""

        def timed(original: Any, _: Any, args: Any, kwargs: Any) -> Any:
            with self.part(part):
                return original(*args, **kwargs)

        wrapt.wrap_function_wrapper(owner, method, timed)

    def answer(self, status: Any = 0) -> None:
        self.lap()
        parts = {**self.seconds, "whole": tuple(map(sum, zip(*self.seconds.values())))}
        values = {name: value for name, value in self.metrics.items() if name in METRICS}
        resident = psutil.Process().memory_info().rss
        answer = {"status": status, "parts": parts, "values": values, "questions": self.questions, "resident": resident}
        print(json.dumps(answer), file=self.answers, flush=True)
        self.seconds = dict.fromkeys(PARTS, (0.0, 0.0))

    def turn(self, metrics: dict[str, Any]) -> None:
        """Answers, and waits for the next turn. After the last, the process ends at once."""
        self.metrics = metrics
        self.answer()
        if not self.turns.readline():
            os._exit(0)
        self.last = now()

    def read(self, original: Any, _: Any, args: Any, kwargs: Any) -> Iterator[Any]:
        """Counts the time and the questions of a reader."""
        instances = iter(original(*args, **kwargs))
        while True:
            with self.part("reading"):
                instance = next(instances, None)
            if instance is None:
                return
            self.questions += 1
            yield instance

    def call(self, original: Any, model: Any, args: Any, kwargs: Any) -> Any:
        with self.part("forward" if model.training else "evaluation"):
            return original(*args, **kwargs)

    def train(self, original: Any, trainer: Any, args: Any, kwargs: Any) -> Any:
        """Trains. With turns for each epoch, training neither ends nor stops early."""
        from allennlp.training.callbacks import TrainerCallback

        from allennlp_coref_rc.training import StopAbove

        class Turns(TrainerCallback):
            def on_epoch(_, trainer: Any, metrics: dict[str, Any], *args: Any, **kwargs: Any) -> None:
                self.turn(metrics)

        for method in ("zero_grad", "step"):
            self.time(trainer.optimizer, method, "optimizer")
        if self.epochs:
            trainer._num_epochs, trainer._metric_tracker._patience = 10**6, None
            trainer._callbacks = [one for one in trainer._callbacks if not isinstance(one, StopAbove)] + [Turns("")]
            self.turn({})
        self.metrics = original(*args, **kwargs)
        return self.metrics

    def install(self) -> None:
        from allennlp.commands import evaluate, predict, train
        from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
        from allennlp.models import Model
        from allennlp.predictors import Predictor
        from allennlp.training import Checkpointer, GradientDescentTrainer

        # Other versions may have these elsewhere. Then their time counts for what is around them.
        with suppress(ImportError, AttributeError):
            from allennlp_coref_rc.allennlp_runtime import lazy_registry

            self.time(lazy_registry, "find", "imports")
        with suppress(ImportError, AttributeError):
            from allennlp_coref_rc.data.dataset_readers import reading_comprehension_reader

            self.time(reading_comprehension_reader, "annotate_documents", "annotating")
        for owner, method, part in (
            (Instance, "count_vocab_items", "vocabulary"),
            (Instance, "index_fields", "indexing"),
            (Batch, "as_tensor_dict", "batches"),
            (torch.Tensor, "backward", "backward"),
            (GradientDescentTrainer, "rescale_gradients", "optimizer"),
            (GradientDescentTrainer, "clip_gradient", "optimizer"),
            (Predictor, "dump_line", "outputs"),
            (evaluate, "load_archive", "files"),
            (predict, "load_archive", "files"),
            (train, "archive_model", "files"),
            (Vocabulary, "save_to_files", "files"),
            (GradientDescentTrainer, "_save_model_state", "files"),
            (Checkpointer, "maybe_save_checkpoint", "files"),
        ):
            self.time(owner, method, part)
        wrapt.wrap_function_wrapper(DatasetReader, "read", self.read)
        wrapt.wrap_function_wrapper(Model, "__call__", self.call)
        wrapt.wrap_function_wrapper(GradientDescentTrainer, "train", self.train)
        self.lap()
        self.running.pop()


def run(watch: Stopwatch, command: Sequence[str]) -> None:
    import_allennlp()
    watch.install()
    status: Any = 0
    try:
        coref_rc([*command, "--debug"])
    except SystemExit as stop:
        status = stop.code
    watch.answer(status)


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    # Only answers go to the standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    run(Stopwatch(sys.stdin, answers, sys.argv[2] == "epochs"), sys.argv[3:])
