import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from tqdm import tqdm

from allennlp_coref_rc.common.config_files import locate
from allennlp_coref_rc.common.messages import cut
from allennlp_coref_rc.common.version import VERSION
from allennlp_coref_rc.reproduction.condition import Condition
from allennlp_coref_rc.reproduction.runs import DATA, ERROR, OUTPUT, Run
from allennlp_coref_rc.reproduction.sweep import Slot, environment, run_in_processes, run_on_cluster

SECONDS_BETWEEN_LOOKS = 2.0 if sys.stderr.isatty() else 60.0
"""Less often in a log, which keeps each state of the progress bar."""

CODE = ("*.py", "*.cpp", "*.jsonnet", "*.libsonnet")
"""If these files have changed, `commit` says so."""


@dataclass(frozen=True)
class Selection:
    """
    Selects the runs of conditions for a session: by default those of all tasks and folds, with a row's own
    seeds.
    """

    seeds: list[int] = field(default_factory=list)
    tasks: list[int] = field(default_factory=list)
    data: str = DATA
    output: str = OUTPUT
    folds: list[int] = field(default_factory=list)

    def runs(self, condition: Condition) -> list[Run]:
        runs = condition.runs(self.seeds or condition.seeds, self.output, self.data)
        return [run for run in runs if not self.parts(condition) or run.part in self.parts(condition)]

    def parts(self, condition: Condition) -> list[int]:
        """The chosen tasks or folds of a condition; none if all are."""
        return self.folds if condition.folds else self.tasks

    def minutes(self, conditions: Sequence[Condition]) -> dict[Run, float]:
        """
        The runs whose data and config are there, by seed, with their expected minutes. Prints the others.
        """
        minutes: dict[Run, float] = {}
        merged: dict[Run, Run] = {}
        for condition in conditions:
            if condition.config is None:
                continue
            missing = condition.missing(self.data, self.parts(condition))
            if missing:
                print(f"[no data] {condition.name}: {missing[0]}", file=sys.stderr)
            elif not os.path.exists(locate(condition.config)):
                print(f"[no config] {condition.name}: {condition.config}: no such file", file=sys.stderr)
            else:
                for run in self.runs(condition):
                    merged[run] = merged[run].joined(run) if run in merged else run
                    minutes[run] = condition.minutes or 1.0
        # The first seeds of all conditions come first, then the second ones, so that conditions can be
        # compared early.
        return {run: minutes[run] for run in sorted(merged.values(), key=lambda run: run.seed)}


def print_commands(minutes: dict[Run, float], threads: int, gpus: Sequence[str]) -> None:
    """Prints the commands of the runs that are not finished, as one types them in a shell."""
    gpu = gpus[0] if gpus else None
    for run in minutes:
        if not run.finished:
            print("\n".join(run.shell_commands(environment(threads, gpu), 0 if gpu else -1)))


def run_all(
    minutes: dict[Run, float],
    slots: Sequence[Slot],
    scheduler: Optional[str],
    threads: int,
    keep_weights: str,
) -> int:
    """
    Does the runs that are not finished, in a process for each slot or on a Dask cluster. Returns how many
    failed.
    """
    waiting = [run for run in minutes if not run.finished]
    job = {"commit": commit(), "keep_weights": keep_weights}
    if scheduler:
        finished = run_on_cluster(waiting, scheduler, threads, job)
    else:
        finished = run_in_processes(waiting, slots, threads, job)
    failed = 0
    with Progress(minutes, waiting) as progress:
        for run, why in finished:
            failed += why != ""
            if why:
                tqdm.write(f"[failed] {run.name}: {reason(run) or why}", file=sys.stderr)
            progress.finish(run, failed)
    return failed


def reason(run: Run) -> str:
    """A line that says why a run failed, if the run could write it."""
    if not os.path.exists(run.path(ERROR)):
        return ""
    with open(run.path(ERROR), encoding="utf-8") as file:
        return f"{cut(file.read().strip().splitlines()[-1])} ({run.path(ERROR)})"


class Progress:
    """
    A progress bar for all runs, in expected minutes. A thread looks at their progress every now and then.
    """

    def __init__(self, minutes: dict[Run, float], waiting: Sequence[Run]) -> None:
        self._minutes = minutes
        self._unfinished = list(waiting)
        self._stop = threading.Event()
        done = sum(minutes.values()) - sum(minutes[run] for run in waiting)
        self._bar = tqdm(
            total=sum(minutes.values()),
            initial=done,
            bar_format="{percentage:3.0f}%|{bar}| {desc} [{elapsed}<{remaining}]",
        )
        self._thread = threading.Thread(target=self._look_again, daemon=True)
        self._show(0)

    def __enter__(self) -> "Progress":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()
        self._look()
        self._bar.close()

    def finish(self, run: Run, failed: int) -> None:
        self._unfinished = [other for other in self._unfinished if other != run]
        self._show(failed)

    def _show(self, failed: int) -> None:
        text = f"{len(self._minutes) - len(self._unfinished)} of {len(self._minutes)} runs"
        self._bar.set_description_str(text + (f", {failed} failed" if failed else ""))

    def _look_again(self) -> None:
        while not self._stop.wait(SECONDS_BETWEEN_LOOKS):
            self._look()

    def _look(self) -> None:
        left = sum(self._minutes[run] * (1 - run.progress()) for run in list(self._unfinished))
        self._bar.n = sum(self._minutes.values()) - left
        self._bar.refresh()


def commit() -> str:
    """
    The commit of the clone with this code, with "+" and a hash of later changes; without Git or a clone, the version
    of the package.
    """
    folder = Path(__file__).parents[2]

    def git(*words: str) -> str:
        try:
            return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True).stdout.strip()
        except OSError:
            return ""

    if git("rev-parse", "--show-toplevel") != os.path.realpath(folder):
        return f"version {VERSION}"
    changes = git("diff", "HEAD", "--", *CODE)
    for path in git("ls-files", "--others", "--exclude-standard", "--", *CODE).splitlines():
        with open(os.path.join(folder, path), "rb") as file:
            changes += f"{path} {hashlib.sha256(file.read()).hexdigest()}"
    digest = hashlib.sha256(changes.encode()).hexdigest()[:6]
    return git("rev-parse", "--short=12", "HEAD") + (f"+{digest}" if changes else "")
