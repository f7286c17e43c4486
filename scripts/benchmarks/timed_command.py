"""
Runs one of AllenNLP's commands as `coref-rc` does, and prints where its processor time went. `whole_runs.py` starts
this for each source tree. It can also be run by itself:

    PYTHONPATH=. python scripts/benchmarks/timed_command.py 1 train babi/quick_start -s FOLDER
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
import wrapt
from harness import Seconds
from stopwatch import Stopwatch, TimedIterable

from allennlp_coref_rc.__main__ import main as coref_rc

try:
    from allennlp_coref_rc.allennlp_runtime.quick_imports import quick_imports
except ModuleNotFoundError:
    # Older versions do not have it.
    quick_imports = contextlib.nullcontext

PARTS = (
    "imports",
    "reading",
    "annotating",
    "vocabulary",
    "indexing",
    "batches",
    "forward",
    "backward",
    "optimizer",
    "evaluation",
    "outputs",
    "files",
    "other",
)


class Parts:
    """Measures the parts of a command. AllenNLP's classes are imported and changed for that."""

    def __init__(self) -> None:
        self.watch = Stopwatch(PARTS)
        self.questions = 0

    def install(self) -> None:
        from allennlp.commands import evaluate, predict, train
        from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
        from allennlp.models import Model
        from allennlp.predictors import Predictor
        from allennlp.training import Checkpointer, GradientDescentTrainer

        from allennlp_coref_rc.allennlp_runtime import lazy_registry as registration
        from allennlp_coref_rc.data.dataset_readers import reading_comprehension_reader

        for owner, method, part in (
            (registration, "find", "imports"),
            (reading_comprehension_reader, "annotate_documents", "annotating"),
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
            self.watch.time(owner, method, part)
        wrapt.wrap_function_wrapper(DatasetReader, "read", self._read)
        wrapt.wrap_function_wrapper(Model, "__call__", self._call)
        wrapt.wrap_function_wrapper(GradientDescentTrainer, "train", self._train)

    def _read(self, original: Callable[..., Any], _: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        for instance in TimedIterable(original(*args, **kwargs), self.watch, "reading"):
            self.questions += 1
            yield instance

    def _call(self, original: Callable[..., Any], model: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        with self.watch.part("forward" if model.training else "evaluation"):
            return original(*args, **kwargs)

    def _train(self, original: Callable[..., Any], trainer: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        for method in ("zero_grad", "step"):
            self.watch.time(trainer.optimizer, method, "optimizer")
        return original(*args, **kwargs)


def measure(command: Sequence[str]) -> dict[str, Any]:
    """
    Runs the command. Returns its exit status, the number of questions that it has read, and each part's processor time.
    """
    parts = Parts()
    with parts.watch.part("imports"), quick_imports():
        parts.install()
    status: Any = 0
    try:
        coref_rc([*command, "--debug"])
    except SystemExit as stop:
        status = stop.code
    parts.watch.lap()
    seconds = {part: times.processor for part, times in parts.watch.seconds.items()}
    return {"status": status, "questions": parts.questions, "seconds": seconds}


def main() -> None:
    before = Seconds.now().processor
    threads, *command = sys.argv[1:]
    torch.set_num_threads(int(threads))
    # Only the answer goes to the standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    found = measure(command)
    found["seconds"]["imports"] += before
    print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main()
