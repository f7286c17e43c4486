"""
Measures where the processor time of a whole command goes, from its start to its end, and how that compares with another
version.

    python scripts/benchmarks/whole_runs.py train babi/quick_start -s output/quick_start -f
    python scripts/benchmarks/whole_runs.py --beside ../older \\
        predict model.tar.gz test --use-dataset-reader --batch-size 100 --output-file answers.jsonl

Each run is a process of its own, which does what `coref-rc` does. With --beside the source trees take turns, and each
ratio is of two times of one round. These are the parts: `reading` makes instances from files, and `annotating`
annotates documents. `vocabulary` counts words, `indexing` turns words into numbers, and `batches` makes tensors.
`forward` and `backward` are those of training, and `optimizer` also clips gradients. `evaluation` is the model's work
on validation and test questions, and in `predict`. `outputs` writes answers as JSON. `files` reads and writes archives,
checkpoints and vocabularies. `other` is the rest: the loop, metrics and logs. The last row is the number of questions
that are read in a second, without imports and files.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from harness import Report, Spread, parse, parser

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run

TREE = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("timed_command.py")
STARTING = ("imports", "files")

Found = dict[str, float]
"""The seconds of each part, their sum, and the questions a second."""


def measure(tree: Path, arguments: argparse.Namespace) -> Found:
    """Runs the command once with a source tree."""
    process = subprocess.run(
        [sys.executable, str(WORKER), str(arguments.threads), *arguments.command],
        stdout=subprocess.PIPE,
        stderr=None if arguments.verbose else subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(tree)},
        text=True,
    )
    answer: dict[str, Any] = json.loads(process.stdout or "{}")
    if answer.get("status") != 0:
        raise ConfigurationError(f"{tree}: the command failed; --verbose shows what it says")
    seconds: dict[str, float] = answer["seconds"]
    whole = sum(seconds.values())
    rate = answer["questions"] / (whole - sum(seconds[part] for part in STARTING))
    return {**seconds, "whole": whole, "questions a second": rate}


def options() -> ScriptParser:
    result = parser(__doc__, rounds=3, threads=1)
    result.set_defaults(warm_up=0)
    result.add_argument("--beside", type=Path, metavar="FOLDER", help="another version's source tree")
    result.add_argument("--verbose", action="store_true", help="show what the commands say")
    result.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND ...", help="arguments of coref-rc")
    return result


def main() -> None:
    arguments = parse(options())
    trees = [TREE] if arguments.beside is None else [TREE, arguments.beside.resolve()]
    found: list[list[Found]] = [[] for _ in trees]
    for _ in range(arguments.warm_up + arguments.rounds):
        for tree, runs in zip(trees, found):
            runs.append(measure(tree, arguments))
    this, *others = (runs[arguments.warm_up :] for runs in found)
    report = Report(arguments, ["part", "s", "share", *(("beside, s", "ratio") if others else ())])
    for part in this[0]:
        values = Spread.of([one[part] for one in this])
        share = f"{values.median / Spread.of([one['whole'] for one in this]).median:.2f}"
        row: dict[str, Any] = {"part": part, "this": values}
        cells = [part, f"{values:.2f}", "" if part == "questions a second" else share]
        for other in others:
            row["beside"] = Spread.of([one[part] for one in other])
            row["ratio"] = Spread.of([a[part] / b[part] if b[part] else 1.0 for a, b in zip(this, other)])
            cells += [f"{row['beside']:.2f}", f"{row['ratio']:.2f}"]
        report.add(cells, row)


if __name__ == "__main__":
    run(main)
