"""
Runs the papers' experiments and reports on them.

    python scripts/reproduce.py --list
    python scripts/reproduce.py --table coref_gru.1 --workers 2
    python scripts/reproduce.py --table coref_gru.1 --report report.md

The experiments, of tables and of figures, are described in the folder `reproduction`, a file a paper. Each run (of a
config with a seed and, for bAbI, a task) has a folder below --output, with its result, its answers to the test questions,
what it printed, and, if it failed, why. The same command given again skips what is finished, goes on with what was
killed, and tries again what failed. See docs/reproduction.md.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import threading
from typing import Dict, List, Sequence

from tqdm import tqdm

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.workers import num_cpus
from allennlp_coref_rc.reproduction.condition import Condition, Table, select
from allennlp_coref_rc.reproduction.condition_files import numbers, read_conditions
from allennlp_coref_rc.reproduction.execution import WEIGHTS
from allennlp_coref_rc.reproduction.report import report, state, write_report
from allennlp_coref_rc.reproduction.runs import DATA, ERROR, OUTPUT, Run
from allennlp_coref_rc.reproduction.scores import Scores
from allennlp_coref_rc.reproduction.smoke_test import check
from allennlp_coref_rc.reproduction.sweep import Slot, environment, run_in_processes, run_on_cluster

SECONDS_BETWEEN_LOOKS = 2.0

CODE = ("*.py", "*.cpp", "*.jsonnet", "*.libsonnet")


def main() -> None:
    args = parse_arguments()
    try:
        chosen = select(read_conditions(args.conditions), args.table, args.condition)
        if args.report is not None:
            folder = os.path.dirname(os.path.abspath(args.report)) if args.report else ""
            text = report(chosen, args.seeds, args.output, args.data, args.figures, linked_from=folder)
            write_report(args.report, text) if args.report else print(text)
        elif args.list:
            for table in chosen:
                print_table(table, args)
        elif args.check_only:
            sys.exit(not all(check_condition(condition, args) for table in chosen for condition in table.conditions))
        else:
            sys.exit(run_all([condition for table in chosen for condition in table.conditions], args))
    except ConfigurationError as error:
        sys.exit(str(error))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_argument_group("what")
    add = what.add_argument
    add(
        "--table",
        nargs="+",
        default=[],
        metavar="NAME",
        help="tables and figures, such as coref_gru.1, coref_gru.figure_3_left or 'cg_sba.*'",
    )
    add(
        "--condition",
        nargs="+",
        default=[],
        metavar="NAME",
        help="rows, such as coref_gru.1.ga_gru or 'mage_gru.1.ga_*'",
    )
    add("--seeds", type=numbers, default=[], metavar="NUMBERS", help="such as 1-3 (by default each row's own)")
    add("--tasks", type=numbers, default=[], metavar="NUMBERS", help="of bAbI, such as 1-3,16 (by default all)")
    add(
        "--conditions",
        default="reproduction",
        metavar="PATH",
        help="the file, or the folder of files, that describes the experiments (by default %(default)s)",
    )
    add("--data", default=DATA, metavar="FOLDER", help="of all data sets (by default %(default)s)")
    add("--output", default=OUTPUT, metavar="FOLDER", help="of all runs (by default %(default)s)")
    instead = parser.add_argument_group("in place of running").add_mutually_exclusive_group()
    add = instead.add_argument
    add("--list", action="store_true", help="print the rows, the papers' values, and which data are missing")
    add("--dry-run", action="store_true", help="print the commands of the runs that are not finished")
    add("--check-only", action="store_true", help="build the models and read the beginnings of the data")
    add(
        "--report",
        nargs="?",
        const="",
        metavar="FILE",
        help="print what the runs came to beside the papers' values, or "
        "write it between two marks in a file, whose other tables and text stay as they are; figures are drawn",
    )
    what.add_argument("--figures", metavar="FOLDER", help="that --report draws into (by default figures in --output)")
    how = parser.add_argument_group("how")
    add = how.add_argument
    add("--workers", type=positive, default=num_cpus(), metavar="N", help="runs at a time (by default one a processor)")
    add("--threads", type=positive, default=1, metavar="N", help="of a run (by default %(default)s)")
    add(
        "--gpus",
        type=lambda text: text.split(","),
        default=[],
        metavar="NUMBERS",
        help="such as 0,1; without it runs use the processor",
    )
    add("--runs-per-gpu", type=positive, default=1, metavar="N", help="at a time, in place of --workers")
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="of a Dask cluster that sees this folder, the data and the output; each "
        "thread of its workers does a run, on the GPU that the worker sees, if any",
    )
    add(
        "--keep-weights",
        choices=WEIGHTS,
        default="best",
        help="of finished runs: the archive of the best epoch (the default), none, or all checkpoints",
    )
    return parser.parse_args()


def run_all(conditions: Sequence[Condition], args: argparse.Namespace) -> int:
    """Does the runs that are not finished; the exit code."""
    minutes: Dict[Run, float] = {}
    for condition in conditions:
        missing = condition.missing(args.data) if condition.config else []
        if missing:
            print(f"[no data] {condition.name}: {missing[0]}", file=sys.stderr)
        elif condition.config and not os.path.exists(condition.config):
            print(f"[no config] {condition.name}: {condition.config}: no such file", file=sys.stderr)
        else:
            minutes.update(dict.fromkeys(runs_of(condition, args), condition.minutes or 1.0))
    # Of each condition the first seed, then the next: what is there early can be compared.
    runs = sorted(minutes, key=lambda run: run.seed)
    waiting = [run for run in runs if not run.finished]
    if args.dry_run:
        gpu = args.gpus[0] if args.gpus else None
        for run in waiting:
            print("\n".join(run.shell_commands(environment(args.threads, gpu), 0 if gpu else -1)))
        return 0
    job = {"commit": commit(), "keep_weights": args.keep_weights}
    if args.scheduler:
        finished = run_on_cluster(waiting, args.scheduler, args.threads, job)
    else:
        slots: List[Slot] = args.runs_per_gpu * args.gpus or [None] * args.workers
        finished = run_in_processes(waiting, slots, args.threads, job)
    failed = 0
    with Progress(minutes, waiting) as progress:
        for run, succeeded in finished:
            failed += not succeeded
            if not succeeded:
                tqdm.write(f"[failed] {run.name}: {reason(run)}", file=sys.stderr)
            progress.finish(run, failed)
    return min(failed, 1)


def runs_of(condition: Condition, args: argparse.Namespace) -> List[Run]:
    runs = condition.runs(args.seeds or condition.seeds, args.output, args.data)
    return [run for run in runs if not args.tasks or run.task in args.tasks]


def reason(run: Run) -> str:
    """Why a run failed, in a line."""
    lines = []
    if os.path.exists(run.path(ERROR)):
        with open(run.path(ERROR), encoding="utf-8") as file:
            lines = file.read().strip().splitlines()
    return f"{lines[-1]} ({run.path(ERROR)})" if lines else "its process died, or another one is at work there"


class Progress:
    """A bar for all runs, in expected minutes, that looks every now and then how far they are."""

    def __init__(self, minutes: Dict[Run, float], waiting: Sequence[Run]) -> None:
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


def print_table(table: Table, args: argparse.Namespace) -> None:
    print(f"{table.name}  {table.paper}: {table.caption}")
    for condition in table.conditions:
        scores = Scores(condition, runs_of(condition, args))
        words = [", ".join(f"{name} {shown(value)}" for name, value in condition.paper.items()), condition.note]
        if condition.config is None:
            words.append("published, not run here")
        else:
            left = scores.num_runs - len(scores.results)
            hours = f", about {left * condition.minutes / 60:.1f} h left on one core" if condition.minutes else ""
            words.append(f"{len(scores.results)} of {scores.num_runs} runs finished{hours}")
            words.append(" ".join([state(condition, scores, args.data), *condition.missing(args.data)[:1]]).strip())
        print(f"  {condition.name}: {condition.row}: " + "; ".join(filter(None, words)))


def shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def check_condition(condition: Condition, args: argparse.Namespace) -> bool:
    """Prints what is wrong with a condition that has runs, if anything is; whether it is no more than missing data."""
    runs = runs_of(condition, args)
    if not runs:
        return True
    problem, missing = "", condition.missing(args.data)
    try:
        check(runs[0], with_data=not missing)
    except ConfigurationError as error:
        problem = str(error)
    label = "[FAIL]" if problem else "[no data]" if missing else "[OK]"
    print(f"{label} {condition.name}: {problem or '; '.join(missing[:1]) or condition.config}")
    return not problem


def positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError(f"found {text}, expected 1 or more")
    return int(text)


def commit() -> str:
    """
    Of the clone, with a "+" and a digest of its changes, if it has any in code and configs; nothing where there is no Git, or
    no clone.
    """

    def git(*words: str) -> str:
        try:
            return subprocess.run(["git", *words], capture_output=True, text=True).stdout.strip()
        except OSError:
            return ""

    changes = git("diff", "HEAD", "--", *CODE)
    for path in git("ls-files", "--others", "--exclude-standard", "--", *CODE).splitlines():
        with open(path, "rb") as file:
            changes += f"{path} {hashlib.sha256(file.read()).hexdigest()}"
    digest = hashlib.sha256(changes.encode()).hexdigest()[:6]
    return git("rev-parse", "--short=12", "HEAD") + (f"+{digest}" if changes else "")


if __name__ == "__main__":
    main()
