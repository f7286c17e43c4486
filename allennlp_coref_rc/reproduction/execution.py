import glob
import hashlib
import json
import os
import platform
import shutil
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from typing import Any, Optional, cast
from unittest.mock import patch

from filelock import FileLock, Timeout

from allennlp_coref_rc.allennlp_runtime.environment_report import processor
from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_allennlp
from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text, write_text
from allennlp_coref_rc.common.messages import counted
from allennlp_coref_rc.common.stopping import is_full
from allennlp_coref_rc.common.version import VERSION
from allennlp_coref_rc.common.workers import end_with
from allennlp_coref_rc.metrics.answer_scores import answer_counts, correctness
from allennlp_coref_rc.reproduction import runs
from allennlp_coref_rc.reproduction.runs import ERROR, MODEL, RESULT, Run
from allennlp_coref_rc.reproduction.significance import beginnings

REMOVED = {"none": ("*.th", "model.tar.gz"), "best": ("*.th",), "all": ()}
"""By the value of --keep-weights, the files of weights that a finished run removes."""

KEPT = "id answer answers gold answer_texts exact_match f1 article candidate_probabilities".split()
"""The keys of predictions that are kept. Others, such as attention, are large."""

PACKAGES = ("torch", "allennlp", "allennlp-models", "spacy", "numpy")


def execute(run: Run, commit: str, cuda_device: int = -1, keep_weights: str = "best") -> None:
    """
    Does a run, unless it is finished. It calls, in this process, the commands that you would type by hand,
    and writes their output to the run's folder. A run that was killed resumes from its last checkpoint but
    one, if the same code began it. Other leftovers of an earlier attempt are removed. If another process
    works on the run, a `ConfigurationError` is raised.

    `commit` is that of the code. A `cuda_device` of -1 is the processor. `keep_weights` is one of `REMOVED`.
    """
    os.makedirs(run.path(), exist_ok=True)
    try:
        with FileLock(run.path(".lock"), timeout=0):
            try:
                if os.path.exists(run.path(ERROR)):
                    os.unlink(run.path(ERROR))
                if run.result() is None:
                    seconds = _begin(run, commit, cuda_device)
                    with printing_to(run.path(runs.LOG)):
                        _execute(run, commit, cuda_device, seconds)
                    _prune(run.path(MODEL), keep_weights)
                elif run.lacking():
                    with printing_to(run.path(runs.LOG)):
                        _evaluate(run, cuda_device)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                # There may be no room on the disk for it.
                with suppress(OSError):
                    hint = f"{advice(error)}\n" if is_full(error) else ""
                    write_text(run.path(ERROR), traceback.format_exc() + hint)
                raise
    except Timeout as error:
        raise ConfigurationError(f"{run.path()}: another process is using it") from error


def advice(error: BaseException) -> Optional[str]:
    """A message about the error of a run, if it is one that the user can fix; `None` if not."""
    message = user_message(error)
    return message and f"{message}{'; free space, then the same command resumes' * is_full(error)}"


def _begin(run: Run, commit: str, cuda_device: int) -> float:
    """
    Prepares the folder. Returns the seconds that earlier attempts have trained, if this one resumes from
    them.
    """
    seconds = 0.0
    attempt = run.read(runs.ATTEMPT)
    if attempt is not None and attempt.get("commit") == commit and run.is_resumable(cuda_device):
        checkpoints = glob.glob(glob.escape(run.path(MODEL)) + "/training_state_*.th")
        # The time until the last checkpoint but one counts. The attempt before the last may have written it.
        seconds = attempt["seconds"] + max(
            0.0, sorted(map(os.path.getmtime, checkpoints))[-2] - attempt["begun"]
        )
    else:
        _clear(run)
    write_text(
        run.path(runs.ATTEMPT), json.dumps({"commit": commit, "begun": time.time(), "seconds": seconds})
    )
    return seconds


def _execute(run: Run, commit: str, cuda_device: int, earlier_seconds: float) -> None:
    # These are taken before the run begins, since files may change meanwhile.
    fingerprint, digests = run.fingerprint(), run.digests()
    seconds = _call(run.commands(cuda_device))
    seconds["train"] += earlier_seconds
    metrics = run.read(os.path.join(MODEL, "metrics.json")) or {}
    metrics.update(_evaluated(run))
    predictions = _predictions(run.path(runs.ALL_PREDICTIONS))
    write_text(
        run.path(runs.PREDICTIONS), "".join(json.dumps(prediction) + "\n" for prediction in predictions)
    )
    result = {
        "run": run.name,
        "config": run.config,
        "settings": run.settings(),
        "fingerprint": fingerprint,
        "data": digests,
        "metrics": metrics,
        "questions": len(predictions),
        "correct": sum(prediction.get("correct", False) for prediction in predictions),
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
        "commit": commit,
        "hardware": hardware(cuda_device),
        "versions": {"python": platform.python_version(), "allennlp_coref_rc": VERSION}
        | {name: version(name) for name in PACKAGES},
    }
    _write_result(run, result)
    for name in (runs.ALL_PREDICTIONS, runs.ATTEMPT):
        os.unlink(run.path(name))


def _evaluate(run: Run, cuda_device: int) -> None:
    archive = run.path(MODEL, "model.tar.gz")
    if not os.path.exists(archive):
        raise ConfigurationError(
            f"{archive}: no such file, expected the model, to be evaluated ({', '.join(run.lacking())}); to train it "
            f"again remove {run.path()}"
        )
    seconds = _call(run.commands(cuda_device))["evaluate"]
    result = cast(dict[str, Any], run.result())
    result["metrics"].update(_evaluated(run))
    result["seconds"]["evaluate"] = round(result["seconds"].get("evaluate", 0.0) + seconds, 1)
    _write_result(run, result)


def _call(commands: list[list[str]]) -> dict[str, float]:
    """Runs AllenNLP's commands. Returns the seconds that each of them took in total."""
    import_allennlp()
    from allennlp import commands as allennlp_commands

    seconds: dict[str, float] = {}
    for words in commands:
        start = time.time()
        with patch.object(sys, "argv", ["allennlp", *words]):
            allennlp_commands.main(prog="allennlp")
        seconds[words[0]] = seconds.get(words[0], 0.0) + time.time() - start
    return seconds


def _evaluated(run: Run) -> dict[str, Any]:
    """The metrics of the run's evaluations, which have the names of evaluations as prefixes."""
    evaluated = {name: run.read(runs.METRICS.format(name)) or {} for name in run.evaluations}
    return {f"{name}_{key}": value for name, metrics in evaluated.items() for key, value in metrics.items()}


def _write_result(run: Run, result: dict[str, Any]) -> None:
    # Conditions with other evaluations may share the run.
    result["evaluations"] = {**result.get("evaluations", {}), **run.evaluations}
    write_text(run.path(RESULT), json.dumps(result, indent=2) + "\n")


def _predictions(path: str) -> list[dict[str, Any]]:
    """
    The predictions with the keys that are kept, their scores if they have none (`correct`, or `rouge_l` and
    `f1`), and a hash of the passage as `article`, equal for the questions of a story.
    """
    predictions: list[dict[str, Any]] = []
    passages: list[str] = []
    with open_text(path) as lines:
        for line in lines:
            output = json.loads(line)
            prediction = {key: output[key] for key in KEPT if key in output}
            if isinstance(prediction.get("gold"), str):
                prediction["correct"] = correctness(output)
            elif prediction.get("answer_texts"):
                if "f1" not in prediction:
                    counts = answer_counts(prediction["answer"], prediction["answer_texts"])
                    prediction["rouge_l"], prediction["f1"] = counts[1], counts[3]
                # Scores are grouped by these two.
                prediction["question_tokens"] = output["question_tokens"]
                prediction["passage_length"] = len(output["passage_tokens"])
            predictions.append(prediction)
            passages.append(" ".join(output["passage_tokens"]))
    beginning_of = beginnings(passages)
    for prediction, passage in zip(predictions, passages):
        if prediction.get("article") is None:
            beginning = (beginning_of[passage] or "").encode()
            prediction["article"] = hashlib.sha256(beginning).hexdigest()[:16]
    return predictions


def _clear(run: Run) -> None:
    for name in os.listdir(run.path()):
        if name != ".lock":
            path = run.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def _prune(folder: str, keep: str) -> None:
    for pattern in REMOVED[keep]:
        for path in glob.glob(os.path.join(glob.escape(folder), pattern)):
            os.unlink(path)


@contextmanager
def printing_to(path: str) -> Iterator[None]:
    saved: list[tuple[int, int]] = []
    sys.stdout.flush()
    sys.stderr.flush()
    with open(path, "a", encoding="utf-8") as file:
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
    """
    The GPU of a run, or its processor and the instructions it uses, as others change the last digits of sums.
    """
    import torch

    if cuda_device >= 0:
        return torch.cuda.get_device_name(cuda_device)
    which = "limited to" if os.environ.get("ATEN_CPU_CAPABILITY") else "with"
    threads = counted(torch.get_num_threads(), "thread")
    return f"{processor()} {which} {torch.backends.cpu.get_cpu_capability()}, {threads}"


def main() -> None:
    """Does the run that the command line gives as JSON, for a cluster, and stops if standard input ends."""
    import torch

    # sys.stdin would not do: the waiting thread would still hold its lock when Python ends.
    end_with(lambda: os.read(0, 1))
    job = json.loads(sys.argv[1])
    execute(Run(**job.pop("run")), cuda_device=0 if torch.cuda.is_available() else -1, **job)


if __name__ == "__main__":
    main()
