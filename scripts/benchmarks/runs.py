"""
Measures where the time of a whole command goes, from its start to its end, and how that compares with another
version.

    python -m scripts.benchmarks runs train babi/quick_start -s output/quick_start -f
    python -m scripts.benchmarks runs --beside ../older \\
        predict model.tar.gz test --use-dataset-reader --batch-size 100 --output-file answers.jsonl

Each run is a process of its own. With --beside this source tree is compared with another one, for example one
that `git worktree add ../older COMMIT` has made.

`reading` makes instances from files, `indexing` turns words into numbers, and `batches` makes tensors.
`forward` and `backward` are those of training, and `optimizer` also clips gradients. `evaluation` is the
model's work on validation and test questions, and in `predict`. `outputs` writes answers as JSON. `files`
reads and writes archives, checkpoints and vocabularies. `other` is the loop, metrics and logs. Questions a
second are without imports and files.

Values checked: commands end with the status 0, read as many questions, and train to the same losses, to a
thousandth.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from allennlp_coref_rc.common.errors import ConfigurationError
from scripts.benchmarks.harness import MIB, Row, Run, Subject, Turn

THIS = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("worker.py")
STARTING = ("imports", "files")

Tree = NamedTuple("Tree", [("tree", Path)])


class Runs(Subject):
    unit, memory = "s", False

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.set_defaults(rounds=3, warm_up=0)
        parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another version's source tree")
        parser.add_argument(
            "command", nargs=argparse.REMAINDER, metavar="COMMAND ...", help="arguments of coref-rc"
        )

    def competitors(self, setting: Any) -> list[Tree]:
        trees = [*([self.arguments.beside.resolve()] if self.arguments.beside else []), THIS]
        for tree in trees:
            if not (tree / "allennlp_coref_rc").is_dir():
                raise ConfigurationError(
                    f"{tree}: found no folder allennlp_coref_rc there, expected a source tree"
                )
        return [Tree(tree) for tree in trees]

    def prepare(self, competitor: Tree, setting: Any) -> Run:
        words = [sys.executable, "-P", str(WORKER), str(self.arguments.threads), *self.arguments.command]
        seconds = self.arguments.seconds if self.arguments.seconds < float("inf") else None
        paths = [str(competitor.tree), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

        def run() -> Any:
            try:
                process = subprocess.run(
                    words, stdout=subprocess.PIPE, env=environment, text=True, timeout=seconds
                )
            except subprocess.TimeoutExpired as error:
                raise ConfigurationError(f"no figures: {error}") from error
            answer = json.loads(process.stdout or '{"status": "none"}')
            if answer["status"]:
                raise ConfigurationError(
                    f"{competitor.tree}: the command failed, with status {answer['status']}"
                )
            return answer

        return run

    def disagreements(self, turns: Mapping[Tree, Sequence[Turn]]) -> list[str]:
        results = ((tree.tree, turn.result) for tree, rounds in turns.items() for turn in rounds)
        (first, expected), *others = (
            (tree, {"questions": x["questions"], **x["values"]}) for tree, x in results
        )
        return [
            f"{tree} has the {name} {values[name]}, {first} {value}"
            for tree, values in others
            for name, value in expected.items()
            if not math.isclose(values[name], value, rel_tol=0 if name == "questions" else 1e-3)
        ]

    def rows(
        self, setting: Any, competitor: Tree, turns: Sequence[Turn], first: Sequence[Turn]
    ) -> Iterator[Row]:
        own, others = ([turn.result for turn in some] for some in (turns, first))
        parts = {part: [Turn(*result["parts"][part]) for result in own] for part in own[0]["parts"]}
        medians = {part: statistics.median(self.seconds(some)) for part, some in parts.items()}
        whole = {
            "questions/s": own[0]["questions"] / (medians["whole"] - sum(medians[part] for part in STARTING)),
            "MiB": own[-1]["resident"] / MIB,
            **own[-1]["values"],
        }
        for part, some in parts.items():
            times = self.times(some, [Turn(*result["parts"][part]) for result in others])
            more = whole if part == "whole" else dict.fromkeys(whole)
            yield {"part": part, **times, "share": medians[part] / medians["whole"], **more}
