import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import traceback
from dataclasses import asdict
from functools import partial
from multiprocessing.connection import wait
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from tqdm import tqdm

from allennlp_coref_rc.common.workers import Chunk, Workers
from allennlp_coref_rc.reproduction.execution import end_with, execute
from allennlp_coref_rc.reproduction.runs import ERROR, Run

LONGEST_ERROR = 2000
"""In characters, of what a worker of a cluster has to say."""

PRELOADED = ["allennlp_coref_rc.reproduction.preloaded"]

Slot = Optional[str]
"""What a run takes: a part of the GPU of this number, or none."""

Job = Dict[str, Any]
"""What `execute` is told of every run: `commit` and `keep_weights`."""


def run_in_processes(runs: Sequence[Run], slots: Sequence[Slot], threads: int, job: Job) -> Iterator[Tuple[Run, bool]]:
    """
    Does runs, each in a process of its own, as many at a time as there are slots, and gives each with whether it went
    well, in the order of completion. AllenNLP's start-up is paid once: the processes are forks of one that has it all
    imported.
    """
    # What compiled libraries read when they are loaded, in the process that all others are forks of; and since CUDA,
    # which an import asks for, cannot be used in forks where it was asked otherwise.
    os.environ.update(environment(threads), PYTORCH_NVML_BASED_CUDA_CHECK="1")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    waiting, free = list(reversed(runs)), list(reversed(slots))
    running: Dict[Any, Tuple[Run, Slot, Any]] = {}
    try:
        while waiting or running:
            while waiting and free:
                run, slot = waiting.pop(), free.pop()
                process = context.Process(target=_child, args=(run, slot, job))
                process.start()
                running[process.sentinel] = run, slot, process
            for sentinel in wait(list(running)):
                run, slot, process = running.pop(sentinel)
                process.join()
                free.append(slot)
                yield run, process.exitcode == 0
    finally:
        for _, _, process in running.values():
            process.terminate()
        for _, _, process in running.values():
            process.join()


def run_on_cluster(runs: Sequence[Run], scheduler: str, threads: int, job: Job) -> Iterator[Tuple[Run, bool]]:
    """The same on the Dask cluster of a scheduler, whose workers have this folder and those of the data and the runs."""
    with Workers(0, scheduler) as workers:
        function = partial(_execute_elsewhere, os.getcwd(), threads, job)
        chunks = (Chunk(i, [(run.name, run)]) for i, run in enumerate(runs))
        for chunk, error in workers.map(function, chunks):
            run = chunk.items[0][1]
            if error and not os.path.exists(run.path(ERROR)):
                tqdm.write(f"{run.name}: {error}", file=sys.stderr)
            yield run, error == ""


def environment(threads: int, gpu: Slot = None) -> Dict[str, str]:
    """Of the process of a run on this machine."""
    return {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads), "CUDA_VISIBLE_DEVICES": gpu or ""}


def _child(run: Run, gpu: Slot, job: Job) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        end_with(parent.join)
    # Read when CUDA is used first, which no parent has done.
    os.environ.update(environment(int(os.environ["OMP_NUM_THREADS"]), gpu))
    try:
        execute(run, cuda_device=0 if gpu else -1, **job)
    except Exception:
        # Why is in its folder, if that could be written.
        if not os.path.exists(run.path(ERROR)):
            traceback.print_exc()
        sys.exit(1)


def _execute_elsewhere(folder: str, threads: int, job: Job, items: List[Tuple[str, Run]]) -> str:
    """Why it failed; nothing, if it went well."""
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
            return errors.read()[-LONGEST_ERROR:].strip() or f"ended with code {code}" if code else ""
    except OSError as error:
        return str(error)
