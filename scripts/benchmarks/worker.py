"""
Runs one of AllenNLP's commands as `coref-rc` does, and says where its time went. `runs` starts this for each
source tree. By itself, with one thread:

    PYTHONPATH=. python scripts/benchmarks/worker.py 1 train babi/quick_start -s FOLDER
"""

import json
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psutil
import torch
import wrapt

from allennlp_coref_rc.__main__ import main as coref_rc

PARTS = (
    "imports reading annotating vocabulary indexing batches forward backward optimizer evaluation outputs files other"
).split()
FUNCTIONS = """
    imports     allennlp_coref_rc.allennlp_runtime.lazy_registry is_registered
    annotating  allennlp_coref_rc.data.dataset_readers.document_reader annotate_documents
    vocabulary  allennlp.data Instance.count_vocab_items
    vocabulary  allennlp_coref_rc.data.store.columns Table.count_vocab_items
    indexing    allennlp.data Instance.index_fields
    indexing    allennlp_coref_rc.data.store.columns Table.index
    batches     allennlp.data Batch.as_tensor_dict
    batches     allennlp_coref_rc.data.store.columns Table.batch
    forward     allennlp.models Model.__call__
    backward    torch Tensor.backward
    optimizer   allennlp.training GradientDescentTrainer.rescale_gradients
    optimizer   allennlp.training GradientDescentTrainer.clip_gradient
    outputs     allennlp.predictors Predictor.dump_line
    files       allennlp.commands.evaluate load_archive
    files       allennlp.commands.predict load_archive
    files       allennlp.commands.train archive_model
    files       allennlp.data Vocabulary.save_to_files
    files       allennlp.training GradientDescentTrainer._save_model_state
    files       allennlp.training Checkpointer.maybe_save_checkpoint
"""
"""
Parts, and functions whose time they are. A model that does not train evaluates. In a version without one of
them, its time counts for what is around it.
"""

METRICS = ("training_epochs", "training_loss", "validation_loss", "best_validation_accuracy")


def now() -> tuple[float, float]:
    """The clock's time and the processor time of this process and those that it waited for, in seconds."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), time.process_time() + children.ru_utime + children.ru_stime


class Stopwatch:
    """
    The seconds of each part of a run. If a part runs within another, its time counts only for itself. Time
    outside of all parts is `other`. Time since the start of the process is `imports`, until `install` ends,
    which changes AllenNLP's classes.
    """

    def __init__(self) -> None:
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
        if threading.current_thread() is not threading.main_thread():
            # Batches that are made while the model works; their time counts for what the model does.
            yield
            return
        self.lap()
        self.running.append(name)
        try:
            yield
        finally:
            self.lap()
            self.running.pop()

    def time(self, owner: Any, function: str, part: str) -> None:
        """Counts the time of a function of an object or a module as a part."""

        def timed(original: Any, model: Any, args: Any, kwargs: Any) -> Any:
            with self.part("evaluation" if part == "forward" and not model.training else part):
                return original(*args, **kwargs)

        wrapt.wrap_function_wrapper(owner, function, timed)

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

    def prepare(self, original: Any, _: Any, args: Any, kwargs: Any) -> Any:
        """Counts the time for stored data, and their questions, if the reader has not read them."""
        before = self.questions
        with self.part("reading"):
            table, rows = original(*args, **kwargs)
        if self.questions == before:
            self.questions += len(rows)
        return table, rows

    def train(self, original: Any, trainer: Any, args: Any, kwargs: Any) -> Any:
        self.time(trainer.optimizer, "step", "optimizer")
        self.metrics = original(*args, **kwargs)
        return self.metrics

    def install(self) -> None:
        for part, module, name in map(str.split, FUNCTIONS.strip().splitlines()):
            with suppress(ImportError, AttributeError):
                self.time(module, name, part)
        wrapt.wrap_function_wrapper("allennlp.data", "DatasetReader.read", self.read)
        with suppress(ImportError, AttributeError):
            wrapt.wrap_function_wrapper(
                "allennlp_coref_rc.data.store.prepared_loader", "prepared", self.prepare
            )
        wrapt.wrap_function_wrapper("allennlp.training", "GradientDescentTrainer.train", self.train)
        self.lap()
        self.running.pop()

    def answer(self, status: Any) -> dict[str, Any]:
        self.lap()
        parts = {**self.seconds, "whole": tuple(map(sum, zip(*self.seconds.values())))}
        values = {name: value for name, value in self.metrics.items() if name in METRICS}
        resident = psutil.Process().memory_info().rss
        return {
            "status": status,
            "parts": parts,
            "values": values,
            "questions": self.questions,
            "resident": resident,
        }


def run(command: Sequence[str]) -> dict[str, Any]:
    with suppress(ImportError):
        # Other versions do not have it.
        from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_allennlp

        import_allennlp()
    watch = Stopwatch()
    watch.install()
    status: Any = 0
    try:
        coref_rc([*command, "--debug"])
    except SystemExit as stop:
        status = stop.code
    return watch.answer(status)


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    # Only the answer goes to the standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps(run(sys.argv[2:])), file=answers)
