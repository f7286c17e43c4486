"""
Measures how long each command takes to start, and compares it with `python -c "import allennlp.commands"`.

    python -m scripts.benchmarks start

Some commands really do something with small files.

Values checked: every command ends with the status 0.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from allennlp_coref_rc.common.errors import ConfigurationError
from scripts.benchmarks.harness import Report, Run, Subject

FIRST = "import allennlp.commands"
COMMANDS = (
    "import torch",
    *(
        f"coref-rc {name} --help"
        for name in ("draw", "compare", "data", "annotate", "check", "train", "predict")
    ),
    "coref-rc --help",
    "coref-rc configs",
    "coref-rc draw curves training curves --curve a_run run",
    "coref-rc compare first.jsonl second.jsonl",
    "coref-rc data simulate stories --tasks 1 --train 5 --valid 5 --test 5",
    "coref-rc check babi/quick_start",
)

Command = NamedTuple("Command", [("command", str)])
METRICS = {"training_loss": 1.0, "validation_loss": 1.0, "validation_accuracy": 0.5}
INPUTS: dict[str, dict[str, Any]] = {
    "run/config.json": {},
    **{f"run/metrics_epoch_{epoch}.json": {"epoch": epoch, **METRICS} for epoch in range(2)},
    "run/metrics.json": METRICS,
    **{f"{name}.jsonl": {"id": "1", "answer": name, "gold": "first"} for name in ("first", "second")},
}
"""The files that the commands read."""


def start(command: Command, folder: Path) -> None:
    program, *words = command.command.split()
    python = ["-m", "allennlp_coref_rc", *words] if program == "coref-rc" else ["-c", command.command]
    process = subprocess.run([sys.executable, *python], cwd=folder, capture_output=True, text=True)
    if process.returncode:
        last = (process.stderr.strip().splitlines() or ["nothing on standard error"])[-1]
        raise ConfigurationError(
            f"no figures: {command.command} ended with status {process.returncode}: {last}"
        )


class Start(Subject):
    unit, memory = "s", False

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--only", nargs="+", metavar="COMMAND", help='as "coref-rc check --help" (default: many)'
        )

    def measure(self, report: Report) -> int:
        with tempfile.TemporaryDirectory() as name:
            self.folder = Path(name)
            (self.folder / "run").mkdir()
            for path, values in INPUTS.items():
                (self.folder / path).write_text(json.dumps(values) + "\n")
            return super().measure(report)

    def competitors(self, setting: Any) -> list[Command]:
        return [Command(FIRST), *map(Command, self.arguments.only or COMMANDS)]

    def prepare(self, competitor: Command, setting: Any) -> Run:
        return lambda: start(competitor, self.folder)
