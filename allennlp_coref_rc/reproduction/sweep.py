import faulthandler
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from multiprocessing.connection import wait
from typing import Any, Optional

from tqdm import tqdm

from allennlp_coref_rc.common.messages import cut
from allennlp_coref_rc.common.workers import Chunk, Workers, end_with_parent
from allennlp_coref_rc.reproduction.execution import advice, execute
from allennlp_coref_rc.reproduction.runs import ERROR, LOG, Run

LONGEST_ERROR = 2000
"""The number of characters that are kept of an error message of a cluster's worker."""

LINES = 12
"""The number of lines of a run's log that are shown if its process died."""

CRASH = "Current thread 0x"
"""How `faulthandler` begins the stack of what crashed, with the innermost function first."""

PRELOADED = ["allennlp_coref_rc.reproduction.preloaded"]

Slot = Optional[str]
"""A place for one run: on the GPU of this number, or on the CPU (`None`)."""

Job = dict[str, Any]
"""The arguments of `execute` for all runs: `commit` and `keep_weights`."""


def run_in_processes(
    runs: Sequence[Run], slots: Sequence[Slot], threads: int, job: Job
) -> Iterator[tuple[Run, str]]:
    """
    Does runs in forks of a process that imported AllenNLP, or on GPUs in new processes. Yields each, and why
    it failed (empty if it did not), when it ends. If a signal ends a fork, the run is tried once more in a
    new process.
    """
    # Compiled libraries read these variables when they are loaded, in the process that forks all others.
    os.environ.update(environment(threads))
    # CUDA does not work in a fork of a process that has asked for it.
    method = "spawn" if any(slots) else "forkserver"
    waiting, free = [(run, method) for run in reversed(runs)], list(reversed(slots))
    running: dict[Any, tuple[Run, Slot, Any]] = {}
    try:
        while waiting or running:
            while waiting and free:
                (run, how), slot = waiting.pop(), free.pop()
                context: Any = multiprocessing.get_context(how)
                context.set_forkserver_preload(PRELOADED)
                process = context.Process(target=_child, args=(run, slot, job), name=how)
                process.start()
                running[process.sentinel] = run, slot, process
            for sentinel in wait(list(running)):
                run, slot, process = running.pop(sentinel)
                process.join()
                free.append(slot)
                if process.exitcode < 0 and process.name == "forkserver":
                    message = (
                        f"{run.name}: {how_it_ended(process.exitcode)}; tried once more, in a new process"
                    )
                    tqdm.write(message, file=sys.stderr)
                    waiting.append((run, "spawn"))
                else:
                    yield run, why_it_died(run, process.exitcode) if process.exitcode else ""
    finally:
        for _, _, process in running.values():
            process.terminate()
        for _, _, process in running.values():
            process.join()


def run_on_cluster(runs: Sequence[Run], scheduler: str, threads: int, job: Job) -> Iterator[tuple[Run, str]]:
    """
    Does the same on a Dask cluster, whose workers must have the current folder, the data and the output.
    """
    with Workers(0, scheduler) as workers:
        function = partial(_execute_elsewhere, os.getcwd(), threads, job)
        chunks = (Chunk(i, [(run.name, run)]) for i, run in enumerate(runs))
        for chunk, error in workers.map(function, chunks):
            yield chunk.items[0][1], "the worker died" if error is None else error


def how_it_ended(code: int) -> str:
    """In words, by the exit code as Python has it: negative if a signal ended the process."""
    if code >= 0:
        return f"its process ended with code {code}"
    names = {int(x): x.name for x in signal.Signals}
    hint = " (from outside; the system does this if memory runs out)" if code == -signal.SIGKILL else ""
    return f"{names.get(-code, f'signal {-code}')} ended its process{hint}"


def why_it_died(run: Run, code: int) -> str:
    """How a run's process ended, and the lines of its log from a crash on, or else the last ones."""
    if not os.path.exists(run.path(LOG)):
        return f"{how_it_ended(code)} before it wrote {run.path(LOG)}"
    with open(run.path(LOG), encoding="utf-8", errors="replace") as file:
        lines = [cut(line, 200) for line in file.read().splitlines()]
    crash = next((i for i, line in enumerate(lines) if line.startswith(CRASH)), max(0, len(lines) - LINES))
    return "\n  ".join([f"{how_it_ended(code)}; from {run.path(LOG)}:", *lines[crash : crash + LINES]])


def environment(threads: int, gpu: Slot = None) -> dict[str, str]:
    """The environment variables of a run's process on this machine."""
    return {
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "CUDA_VISIBLE_DEVICES": gpu or "",
    }


def _child(run: Run, gpu: Slot, job: Job) -> None:
    import torch

    end_with_parent()
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    # A crash prints where it happened.
    faulthandler.enable(2)
    # CUDA reads these when it is first used.
    os.environ.update(environment(int(os.environ["OMP_NUM_THREADS"]), gpu))
    try:
        execute(run, cuda_device=0 if gpu else -1, **job)
    except Exception as error:
        # The reason is in the run's folder, if it could be written.
        if not os.path.exists(run.path(ERROR)):
            print(f"\n{run.name}: {advice(error) or traceback.format_exc()}", file=sys.stderr, flush=True)
        sys.exit(1)


def _execute_elsewhere(folder: str, threads: int, job: Job, items: list[tuple[str, Run]]) -> str:
    """Does a run in a process of its own. Returns why it failed."""
    words = [sys.executable, "-m", "allennlp_coref_rc.reproduction.execution"]
    try:
        with (
            tempfile.TemporaryFile("w+") as errors,
            subprocess.Popen(
                [*words, json.dumps({"run": asdict(items[0][1]), **job})],
                cwd=folder,
                env={**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            ) as process,
        ):
            code = process.wait()
            errors.seek(0)
            return errors.read()[-LONGEST_ERROR:].strip() or how_it_ended(code) if code else ""
    except OSError as error:
        return str(error)
