"""
Runs the papers' experiments and reports on them.

    python scripts/reproduce.py --table coref_gru.1 --seeds 1-3 --workers 2
"""

import argparse
import os
import subprocess
import sys
from typing import List, Optional

from tqdm import tqdm

from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.reproduction.execution import WEIGHTS
from allennlp_coref_rc.reproduction.runs import DATA, ERROR, Run
from allennlp_coref_rc.reproduction.sweep import environment, run_in_processes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--config", nargs="+", required=True)
    add("--tasks", type=numbers, default=[None])
    add("--seeds", type=numbers, default=[1, 2, 3])
    add("--data", default=DATA)
    add("--output", default=os.path.join("output", "reproduction"))
    add("--workers", type=int, default=1)
    add("--threads", type=int, default=1)
    add("--gpus", type=lambda text: text.split(","), default=[])
    add("--runs-per-gpu", type=int, default=1)
    add("--keep-weights", choices=WEIGHTS, default="best")
    add("--dry-run", action="store_true")
    args = parser.parse_args()
    runs = [
        Run(config, seed, task, {}, args.output, args.data)
        for seed in args.seeds
        for config in args.config
        for task in args.tasks
    ]
    try:
        waiting = [run for run in runs if run.result() is None]
    except ConfigurationError as error:
        sys.exit(str(error))
    if args.dry_run:
        for run in waiting:
            print("\n".join(run.shell_commands(environment(args.threads))))
        return
    slots: List[Optional[str]] = [gpu for _ in range(args.runs_per_gpu) for gpu in args.gpus] or [None] * args.workers
    failed = 0
    with tqdm(total=len(runs), initial=len(runs) - len(waiting), unit="run") as bar:
        for run, succeeded in run_in_processes(
            waiting, slots, args.threads, commit(), args.keep_weights, lambda running: None
        ):
            failed += not succeeded
            if not succeeded:
                tqdm.write(f"{run.path(ERROR)}: failed", file=sys.stderr)
            bar.update()
    sys.exit(min(failed, 1))


def numbers(text: str) -> List[int]:
    found: List[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def commit() -> str:
    """Of the clone, with a "+" if it has changes."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], capture_output=True, text=True).stdout.strip()

    return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")


if __name__ == "__main__":
    main()
