"""
Measures how long each command takes to start, and compares it with `python -c "import allennlp.commands"`.

    python scripts/benchmarks/start_up.py --rounds 5

Commands take turns. Each has a process of its own, and all are in one new folder. Some of them really do something,
with a training of two epochs, two files of predictions and a simulated task of a few questions. The table has the
processor time (of user and system), its ratio to the first row, round by round, the clock's time, and the heavy
packages that were imported.

Values checked: every command ends with the status 0.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from harness import Report, Spread, parse, parser, spreads, take_turns

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run

COREF_RC = ["-m", "allennlp_coref_rc"]
COMMANDS: dict[str, list[str]] = {
    "import allennlp.commands": ["-c", "import allennlp.commands"],
    "import torch": ["-c", "import torch"],
    "coref-rc --help": [*COREF_RC, "--help"],
    "coref-rc draw --help": [*COREF_RC, "draw", "--help"],
    "coref-rc compare --help": [*COREF_RC, "compare", "--help"],
    "coref-rc data --help": [*COREF_RC, "data", "--help"],
    "coref-rc annotate --help": [*COREF_RC, "annotate", "--help"],
    "coref-rc check --help": [*COREF_RC, "check", "--help"],
    "coref-rc configs": [*COREF_RC, "configs"],
    "coref-rc draw curves": [*COREF_RC, "draw", "curves", "training", "curves", "--curve", "a run", "run"],
    "coref-rc compare": [*COREF_RC, "compare", "first.jsonl", "second.jsonl"],
    "coref-rc data simulate": [*COREF_RC, *"data simulate stories --tasks 1 --train 5 --valid 5 --test 5".split()],
    "coref-rc check": [*COREF_RC, "check", "babi/quick_start"],
    "coref-rc train --help": [*COREF_RC, "train", "--help"],
    "coref-rc evaluate --help": [*COREF_RC, "evaluate", "--help"],
}
"""By name, the arguments of Python. The other commands are compared with the first."""

HEAVY = ("torch", "allennlp", "allennlp_models", "spacy", "transformers", "inflect", "matplotlib", "scipy", "numpy")
COLUMNS = ("command", "processor s", "ratio", "clock s", "imports")


def write_inputs(folder: Path) -> None:
    """Writes the files that the commands read."""
    run = folder / "run"
    run.mkdir()
    (run / "config.json").write_text("{}")
    for epoch in range(2):
        metrics = {"epoch": epoch, "training_loss": 1 / (1 + epoch), "validation_loss": 1.0, "validation_accuracy": 0.5}
        (run / f"metrics_epoch_{epoch}.json").write_text(json.dumps(metrics))
    (run / "metrics.json").write_text(json.dumps(metrics))
    for name, answer in (("first", "garden"), ("second", "kitchen")):
        predictions = ({"id": str(i), "answer": answer, "gold": ["garden", "kitchen"][i % 2]} for i in range(4))
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(prediction) + "\n" for prediction in predictions))


def start(arguments: Sequence[str], folder: Path, **environment: str) -> str:
    """Runs a command. Returns its standard error."""
    process = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True
    )
    if process.returncode:
        last = (process.stderr.strip().splitlines() or ["nothing on standard error"])[-1]
        raise ConfigurationError(f"no figures: {' '.join(arguments)} ended with status {process.returncode}: {last}")
    return process.stderr


def imported(arguments: Sequence[str], folder: Path) -> list[str]:
    """The heavy packages that a command imports."""
    lines = start(arguments, folder, PYTHONPROFILEIMPORTTIME="1").splitlines()
    modules = {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}
    return [name for name in HEAVY if name in modules]


def options() -> ScriptParser:
    result = parser(__doc__, rounds=5)
    result.add_argument("--only", nargs="+", choices=list(COMMANDS)[1:], help="commands to measure", metavar="COMMAND")
    return result


def main() -> None:
    arguments = parse(options())
    first = next(iter(COMMANDS))
    chosen = {name: command for name, command in COMMANDS.items() if name in (first, *(arguments.only or COMMANDS))}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        packages = {name: imported(command, folder) for name, command in chosen.items()}
        runs = {name: partial(start, command, folder) for name, command in chosen.items()}
        times = take_turns(runs, arguments.rounds, arguments.warm_up)
    report = Report(arguments, COLUMNS)
    for name, seconds in times.items():
        processor, ratio = spreads(seconds, times[first], "processor")
        wall = Spread.of([second.wall for second in seconds])
        imports = ", ".join(packages[name]) or "none of these"
        row = dict(zip(COLUMNS, [name, processor, ratio, wall, packages[name]]))
        report.add([f"`{name}`", f"{processor:.2f}", f"{ratio:.2f}", f"{wall:.2f}", imports], row)


if __name__ == "__main__":
    run(main)
