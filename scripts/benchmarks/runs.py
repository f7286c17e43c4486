"""
Measures where the time of a whole command goes, from its start to its end, and how that compares with another version.

    python -m scripts.benchmarks runs train babi/quick_start -s output/quick_start -f
    python -m scripts.benchmarks runs --beside ../older \\
        predict model.tar.gz test --use-dataset-reader --batch-size 100 --output-file answers.jsonl
    python -m scripts.benchmarks runs --epochs --warm-up 1 --beside ../older train babi/ga_coref_gru

Each run is a process of its own. With --beside this source tree is compared with another one, for example one that `git
worktree add ../older COMMIT` has made. With --epochs a round is an epoch of a training in a temporary folder, without
early stopping. `start` is the time before the first epoch. `growth` is that of the memory since the first round.

`reading` makes instances from files, `indexing` turns words into numbers, and `batches` makes tensors. `forward` and
`backward` are those of training, and `optimizer` also clips gradients. `evaluation` is the model's work on validation
and test questions, and in `predict`. `outputs` writes answers as JSON. `files` reads and writes archives, checkpoints
and vocabularies. `other` is the loop, metrics and logs. Questions a second are without imports and files.

Values checked: commands end with the status 0 and read as many questions, and the first epochs have the same losses, to
a thousandth.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from allennlp_coref_rc.common.errors import ConfigurationError
from scripts.benchmarks.harness import MIB, Report, Row, Run, Subject, Turn

THIS = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("worker.py")
STARTING = ("imports", "files")

Tree = NamedTuple("Tree", [("tree", Path)])


class Runs(Subject):
    unit, memory = "s", False

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.set_defaults(rounds=3, warm_up=0)
        parser.add_argument("--epochs", action="store_true", help="a round is an epoch of a training, without -s")
        parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another version's source tree")
        parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND ...", help="arguments of coref-rc")

    def measure(self, report: Report) -> int:
        self.starts: dict[Tree, Any] = {}
        with ExitStack() as self.stack:
            return super().measure(report)

    def competitors(self, setting: Any) -> list[Tree]:
        trees = [*([self.arguments.beside.resolve()] if self.arguments.beside else []), THIS]
        for tree in trees:
            if not (tree / "allennlp_coref_rc").is_dir():
                raise ConfigurationError(f"{tree}: found no folder allennlp_coref_rc there, expected a source tree")
        return [Tree(tree) for tree in trees]

    def prepare(self, competitor: Tree, setting: Any) -> Run:
        if not self.arguments.epochs:
            return lambda: self.answer(competitor, self.process(competitor, "command"))
        process = self.process(
            competitor, "epochs", "-s", self.stack.enter_context(tempfile.TemporaryDirectory()), "-f"
        )
        self.starts[competitor] = Turn(*self.answer(competitor, process)["parts"]["whole"])

        def epoch() -> Any:
            process.stdin.write("\n")
            process.stdin.flush()
            return self.answer(competitor, process)

        return epoch

    def process(self, competitor: Tree, mode: str, *more: str) -> Any:
        paths = [str(competitor.tree), *filter(None, [os.environ.get("PYTHONPATH")])]
        process = subprocess.Popen(
            [sys.executable, "-P", str(WORKER), str(self.arguments.threads), mode, *self.arguments.command, *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            text=True,
        )
        # When its input is closed, a training ends.
        self.stack.callback(process.communicate)
        if self.arguments.seconds < float("inf"):
            timer = threading.Timer(self.arguments.seconds, process.kill)
            timer.start()
            self.stack.callback(timer.cancel)
        return process

    def answer(self, competitor: Tree, process: Any) -> Any:
        answer = json.loads(process.stdout.readline() or '{"status": "none"}')
        if answer["status"]:
            raise ConfigurationError(f"{competitor.tree}: the command failed with status {answer['status']}: see above")
        return answer

    def disagreements(self, turns: Mapping[Tree, Sequence[Turn]]) -> list[str]:
        if not self.arguments.epochs:
            numbers = {str(tree): {turn.result["questions"] for turn in rounds} for tree, rounds in turns.items()}
            return [f"questions of {numbers}"] if len(set.union(*numbers.values())) > 1 else []
        (first, expected), *others = ((tree.tree, rounds[0].result["values"]) for tree, rounds in turns.items())
        return [
            f"after the first epoch {tree} has the {name} {values[name]}, {first} {value}"
            for tree, values in others
            for name, value in expected.items()
            if not abs(values[name] - value) <= 1e-3 * abs(value)
        ]

    def rows(self, setting: Any, competitor: Tree, turns: Sequence[Turn], first: Sequence[Turn]) -> Iterator[Row]:
        own, others = ([turn.result for turn in some] for some in (turns, first))
        parts = {part: [Turn(*result["parts"][part]) for result in own] for part in own[0]["parts"]}
        medians = {part: statistics.median(self.seconds(some)) for part, some in parts.items()}
        whole = {
            "questions/s": own[0]["questions"] / (medians["whole"] - sum(medians[part] for part in STARTING)),
            "MiB": own[-1]["resident"] / MIB,
            "growth": (own[-1]["resident"] - own[0]["resident"]) / MIB,
            **own[-1]["values"],
        }
        empty = dict.fromkeys(("share", *whole))
        if self.starts:
            base = next(iter(self.starts.values()))
            yield {"part": "start", **self.times([self.starts[competitor]], [base]), **empty}
        for part, some in parts.items():
            times = self.times(some, [Turn(*result["parts"][part]) for result in others])
            more = whole if part == "whole" else {}
            yield {"part": part, **times, **empty, "share": medians[part] / medians["whole"], **more}
