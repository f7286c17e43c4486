import glob
import json
import os
import platform
import shutil
import sys
import time
import traceback
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Dict, Iterator, List, Tuple
from unittest.mock import patch

from filelock import FileLock, Timeout

from allennlp_coref_rc.common.files import atomic_write, open_text
from allennlp_coref_rc.reproduction.runs import ALL_PREDICTIONS, ERROR, LOG, MODEL, PREDICTIONS, RESULT, Run

WEIGHTS = {"none": (), "best": ("model.tar.gz",), "all": ("*",)}
"""What may be kept of a finished run's weights."""

LARGE = ("attention", "passage_tokens", "question_tokens", "clusters", "explanations")
"""Of a prediction, what is not kept."""

PACKAGES = ("torch", "allennlp", "allennlp-models", "spacy", "numpy")

FORMAT = 1


def execute(run: Run, commit: str, cuda_device: int = -1, keep_weights: str = "best") -> None:
    """
    Does a run, unless it is finished, by the commands that it would be done by by hand, in this process, whose output
    goes to the run's folder. What an earlier attempt has left there goes first: AllenNLP's `--recover` does not restore
    random states, so that its results would be others.
    """
    os.makedirs(run.path(), exist_ok=True)
    try:
        with FileLock(run.path(".lock"), timeout=0):
            if run.result() is None:
                _clear(run)
                with _printing_to(run.path(LOG)):
                    _execute(run, commit, cuda_device, keep_weights)
    except Timeout:
        raise SystemExit(f"{run.path()}: another process is at work there") from None
    except BaseException:
        with atomic_write(run.path(ERROR)) as file:
            file.write(traceback.format_exc())
        raise


def _execute(run: Run, commit: str, cuda_device: int, keep_weights: str) -> None:
    from allennlp.commands import main

    seconds = {}
    for words in run.commands(cuda_device):
        start = time.time()
        with patch.object(sys, "argv", ["allennlp", *words]):
            main(prog="allennlp")
        seconds[words[0]] = round(time.time() - start, 1)
    with open(run.path(MODEL, "metrics.json"), encoding="utf-8") as file:
        metrics = json.load(file)
    predictions = list(_predictions(run.path(ALL_PREDICTIONS)))
    with atomic_write(run.path(PREDICTIONS)) as file:
        file.writelines(json.dumps(prediction) + "\n" for prediction in predictions)
    os.unlink(run.path(ALL_PREDICTIONS))
    _prune(run.path(MODEL), keep_weights)
    with atomic_write(run.path(RESULT)) as file:
        result = {
            "format": FORMAT,
            "run": run.name,
            "config": run.config,
            "settings": run.settings(),
            "fingerprint": run.fingerprint(),
            "metrics": metrics,
            "questions": len(predictions),
            "correct": sum(prediction.get("correct", False) for prediction in predictions),
            "seconds": seconds,
            "commit": commit,
            "hardware": hardware(cuda_device),
            "versions": {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        }
        file.write(json.dumps(result, indent=2) + "\n")


def _predictions(path: str) -> Iterator[Dict[str, Any]]:
    """What is kept of predictions: all that is small, and whether the answer is correct."""
    with open_text(path) as lines:
        for line in lines:
            prediction = {key: value for key, value in json.loads(line).items() if key not in LARGE}
            if "gold" in prediction and isinstance(prediction["gold"], str):
                answer = prediction.get("answer")
                prediction["correct"] = answer is not None and answer.lower() == prediction["gold"].lower()
            yield prediction


def _clear(run: Run) -> None:
    for name in os.listdir(run.path()):
        if name != ".lock":
            path = run.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def _prune(folder: str, keep: str) -> None:
    kept = {path for pattern in WEIGHTS[keep] for path in glob.glob(os.path.join(folder, pattern))}
    for pattern in ("*.th", "model.tar.gz"):
        for path in glob.glob(os.path.join(folder, pattern)):
            if path not in kept:
                os.unlink(path)


@contextmanager
def _printing_to(path: str) -> Iterator[None]:
    """Whatever is printed goes to a file."""
    saved: List[Tuple[int, int]] = []
    sys.stdout.flush()
    sys.stderr.flush()
    with open(path, "w", encoding="utf-8") as file:
        try:
            for number in (1, 2):
                saved.append((number, os.dup(number)))
                os.dup2(file.fileno(), number)
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, descriptor in saved:
                os.dup2(descriptor, number)
                os.close(descriptor)


def hardware(cuda_device: int) -> str:
    """What a run is done on."""
    import torch

    if cuda_device >= 0:
        return torch.cuda.get_device_name(cuda_device)
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            name = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), name)
    except OSError:
        pass
    threads = torch.get_num_threads()
    return f"{name}, {threads} thread{'s' * (threads > 1)}"
