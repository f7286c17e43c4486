import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from tqdm import tqdm

from allennlp_coref_rc.common.config_files import locate
from allennlp_coref_rc.common.messages import cut
from allennlp_coref_rc.reproduction.condition import Condition
from allennlp_coref_rc.reproduction.runs import DATA, ERROR, OUTPUT, Run
from allennlp_coref_rc.reproduction.sweep import Slot, environment, run_in_processes, run_on_cluster

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
        for condition in conditions:
            if condition.config is None:
                continue
            missing = condition.missing(self.data, self.parts(condition))
            if missing:
                print(f"[no data] {condition.name}: {missing[0]}", file=sys.stderr)
            elif not os.path.exists(locate(condition.config)):
                print(f"[no config] {condition.name}: {condition.config}: no such file", file=sys.stderr)
            else:
                minutes.update(dict.fromkeys(self.runs(condition), condition.minutes or 1.0))
        # The first seeds of all conditions come first, then the second ones, so that conditions can be
        # compared early.
        return {run: minutes[run] for run in sorted(minutes, key=lambda run: run.seed)}


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
    Does the runs that are not finished, in a process for each slot or on a Dask cluster, with a progress bar
    in expected minutes. Returns how many failed.
    """
    waiting = [run for run in minutes if not run.finished]
    job = {"commit": commit(), "keep_weights": keep_weights}
    if scheduler:
        finished = run_on_cluster(waiting, scheduler, threads, job)
    else:
        finished = run_in_processes(waiting, slots, threads, job)
    failed, before = 0, len(minutes) - len(waiting)
    total, left = sum(minutes.values()), sum(minutes[run] for run in waiting)
    form = "{percentage:3.0f}%|{bar}| {desc} [{elapsed}<{remaining}]"
    text = f"{before} of {len(minutes)} runs"
    with tqdm(total=total, initial=total - left, bar_format=form, desc=text) as bar:
        for number, (run, why) in enumerate(finished, start=1 + before):
            failed += why != ""
            if why:
                tqdm.write(f"[failed] {run.name}: {reason(run) or why}", file=sys.stderr)
            failures = f", {failed} failed" if failed else ""
            bar.set_description_str(f"{number} of {len(minutes)} runs{failures}", refresh=False)
            bar.update(minutes[run])
    return failed


def reason(run: Run) -> str:
    """A line that says why a run failed, if the run could write it."""
    if not os.path.exists(run.path(ERROR)):
        return ""
    with open(run.path(ERROR), encoding="utf-8") as file:
        return f"{cut(file.read().strip().splitlines()[-1])} ({run.path(ERROR)})"


def commit() -> str:
    """
    The commit of the clone with this code, with "+" and a hash of later changes; empty without Git or a
    clone.
    """
    folder = Path(__file__).parents[2]

    def git(*words: str) -> str:
        try:
            return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True).stdout.strip()
        except OSError:
            return ""

    changes = git("diff", "HEAD", "--", *CODE)
    for path in git("ls-files", "--others", "--exclude-standard", "--", *CODE).splitlines():
        with open(os.path.join(folder, path), "rb") as file:
            changes += f"{path} {hashlib.sha256(file.read()).hexdigest()}"
    digest = hashlib.sha256(changes.encode()).hexdigest()[:6]
    return git("rev-parse", "--short=12", "HEAD") + (f"+{digest}" if changes else "")
