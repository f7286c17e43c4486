"""
Measures where the time of a training epoch goes, and how an epoch compares with that of another version.

    python scripts/benchmarks/epoch.py babi/quick_start
    python scripts/benchmarks/epoch.py babi/ga_coref_gru --beside ../older \\
        -o '{"dataset_reader.folder": "data/babi/en-valid", "dataset_reader.task": 3}'

Each source tree trains in a process of its own, as `coref-rc train` does, but without the test set and without stopping
early. This tree is the first. With --beside there is another one, for example one that `git worktree add ../older
COMMIT` has made. They take turns, an epoch each. The first epochs warm up and do not count.

These are the parts of an epoch. `data` makes the batches, `forward` and `backward` are those of training, and
`optimizer` also clips gradients. `validation` is all that the validation set takes, `checkpoints` writes files, and
`other` is the rest: the loop, metrics and callbacks. `start` is the processor time before the first epoch: imports,
reading, annotating, the vocabulary and the model. Ratios are to the time of --beside.

Values checked: after the first epoch, both have the same losses to a thousandth. `same` says whether all losses of all
epochs agree in every digit. The last column is the memory of the process after the last epoch, and how much it has
grown since the first.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from harness import Report, Spread, parse, parser

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run

TREE = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("timed_training.py")
PARTS = ("data", "forward", "backward", "optimizer", "validation", "checkpoints", "other")
MIB = 2**20


class Training:
    """A training by a source tree, in a process of its own."""

    def __init__(self, tree: Path, arguments: argparse.Namespace) -> None:
        self._folder = tempfile.TemporaryDirectory()
        given = [arguments.config, self._folder.name, arguments.overrides, str(arguments.threads)]
        environment = {**os.environ, "PYTHONPATH": str(tree)}
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER), *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if arguments.verbose else subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        self.tree = tree
        self.epochs: list[dict[str, Any]] = []
        self.start = self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ConfigurationError(f"{self.tree}: the training stopped; --verbose shows what it says")
        return json.loads(line)

    def epoch(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        wall, processor, metrics, resident = self._answer()
        self.epochs.append({"wall": wall, "processor": processor, "metrics": metrics, "resident": resident})

    def end(self) -> None:
        """Ends the process."""
        self._process.communicate()
        self._folder.cleanup()

    def totals(self, clock: str, warm_up: int) -> list[float]:
        return [sum(epoch[clock].values()) for epoch in self.epochs[warm_up:]]


def check(training: Training, other: Training) -> None:
    """Raises an error if the losses of the first epoch differ by more than a thousandth."""
    found, expected = (one.epochs[0]["metrics"] for one in (training, other))
    for name, value in expected.items():
        if not abs(found[name] - value) <= 1e-3 * abs(value):
            raise ConfigurationError(
                f"no figures: after the first epoch {training.tree} has the {name} {found[name]}, {other.tree} {value}"
            )


def row(training: Training, base: Training, arguments: argparse.Namespace) -> dict[str, Any]:
    """The figures of a training, as they are printed and written."""
    clock, warm_up = "processor" if arguments.threads == 1 else "wall", arguments.warm_up
    own, others = training.totals(clock, warm_up), base.totals(clock, warm_up)
    counted = training.epochs[warm_up:]
    return {
        "tree": "this" if training.tree == TREE else str(training.tree),
        "clock": clock,
        "start": training.start,
        **{part: Spread.of([epoch[clock][part] for epoch in counted]).median for part in PARTS},
        "epoch": Spread.of(own),
        "ratio": Spread.of([a / b for a, b in zip(own, others)]),
        "same": [one["metrics"] for one in training.epochs] == [one["metrics"] for one in base.epochs],
        "resident": training.epochs[-1]["resident"],
        "growth": training.epochs[-1]["resident"] - training.epochs[0]["resident"],
        "metrics": [one["metrics"] for one in training.epochs],
    }


def cells(found: dict[str, Any]) -> list[str]:
    seconds = [f"{found[part]:.2f}" for part in ("start", *PARTS)]
    memory = f"{found['resident'] / MIB:.0f}, {found['growth'] / MIB:+.0f}"
    same = "yes" if found["same"] else "no"
    return [found["tree"], *seconds, f"{found['epoch']:.2f}", f"{found['ratio']:.2f}", same, memory]


def options() -> ScriptParser:
    result = parser(__doc__, rounds=3, threads=1)
    result.add_argument("config", metavar="CONFIG")
    result.add_argument("-o", "--overrides", default="", metavar="JSON", help="values in place of the config's")
    result.add_argument("--beside", type=Path, metavar="FOLDER", help="another version's source tree")
    result.add_argument("--verbose", action="store_true", help="show what the trainings say")
    return result


def main() -> None:
    arguments = parse(options())
    trees = [TREE] if arguments.beside is None else [TREE, arguments.beside.resolve()]
    for tree in trees:
        if not (tree / "allennlp_coref_rc").is_dir():
            raise ConfigurationError(f"{tree}: found no folder allennlp_coref_rc there, expected a source tree")
    trainings = [Training(tree, arguments) for tree in trees]
    for i in range(arguments.warm_up + arguments.rounds):
        for training in trainings:
            training.epoch()
        if i == 0:
            check(trainings[0], trainings[-1])
    columns = ["tree", *(f"{part}, s" for part in ("start", *PARTS, "epoch")), "ratio", "same", "MiB, growth"]
    report = Report(arguments, columns)
    for training in trainings:
        found = row(training, trainings[-1], arguments)
        report.add(cells(found), found)
        training.end()


if __name__ == "__main__":
    run(main)
