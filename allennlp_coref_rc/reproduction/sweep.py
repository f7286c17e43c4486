import multiprocessing
import os
import sys
import threading
from multiprocessing.connection import wait
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from allennlp_coref_rc.reproduction.execution import execute
from allennlp_coref_rc.reproduction.runs import Run

PRELOADED = ["allennlp_coref_rc.reproduction.preloaded"]

SECONDS_BETWEEN_LOOKS = 2.0

Slot = Optional[str]
"""What a process has to itself or shares: the GPU's number, or none."""


def run_in_processes(
    runs: Sequence[Run],
    slots: Sequence[Slot],
    threads: int,
    commit: str,
    keep_weights: str,
    progress: Callable[[List[Run]], None],
) -> Iterator[Tuple[Run, bool]]:
    """
    Does runs, each in a process of its own, as many at a time as there are slots, and gives each with whether it went
    well, in the order of completion. AllenNLP's start-up is paid once: processes are forks of one that has it all
    imported. `progress` is told every now and then which are running.
    """
    # What the compiled libraries read when they are loaded, in the process that all others are forks of.
    os.environ.update(environment(threads))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    waiting, free = list(reversed(runs)), list(reversed(slots))
    running: Dict[multiprocessing.process.BaseProcess, Tuple[Run, Slot]] = {}
    try:
        while waiting or running:
            while waiting and free:
                run, slot = waiting.pop(), free.pop()
                process = context.Process(target=_child, args=(run, slot, commit, keep_weights))
                process.start()
                running[process] = run, slot
            wait([process.sentinel for process in running], timeout=SECONDS_BETWEEN_LOOKS)
            for process in [process for process in running if not process.is_alive()]:
                run, slot = running.pop(process)
                process.join()
                free.append(slot)
                yield run, process.exitcode == 0
            progress([run for run, _ in running.values()])
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.join()


def environment(threads: int) -> Dict[str, str]:
    """Of the processes of runs."""
    return {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}


def _child(run: Run, gpu: Slot, commit: str, keep_weights: str) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Read when CUDA is used first, which the parent has not done.
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu or ""
    try:
        execute(run, commit, 0 if gpu else -1, keep_weights)
    except Exception:
        # Why is in its folder.
        sys.exit(1)


def _end_with_parent() -> None:
    multiprocessing.parent_process().join()
    os._exit(1)
