"""
Looks for things that many trainings in one process leave behind: memory, open files, threads, processes and Python
objects.

    python scripts/benchmarks/many_trainings.py
    python scripts/benchmarks/many_trainings.py babi/ga_mage_gru --trainings 50 --every 5 -o '{"trainer.num_epochs": 3}'

Each turn trains a config for an epoch on a few of the bundled simulated stories, as `coref-rc train` does, and then
evaluates the archive, as `coref-rc evaluate` does. All this is done in this process. Configs take turns. The growth of
memory is that since the first row. The slope is that of a line through the second half of the turns.

Values checked: each config has the same metrics in all of its turns, since earlier trainings must not matter.
"""

import argparse
import contextlib
import gc
import io
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from batches import read_config
from harness import Report, parse, parser, positive
from tqdm import tqdm

from allennlp_coref_rc.__main__ import main as coref_rc
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run

CONFIGS = ["babi/quick_start", "babi/ga_mage_gru", "babi/bi_gru_one_hot"]
DATA = {"folder": "bundled://simulated", "task": 2, "max_instances": 48}
MIB = 2**20


class State(NamedTuple):
    """The resources that this process holds."""

    resident: int
    files: int
    threads: int
    processes: int
    objects: int

    @classmethod
    def now(cls) -> "State":
        gc.collect()
        process = psutil.Process()
        files = process.num_fds() if psutil.POSIX else process.num_handles()
        children = len(process.children(recursive=True))
        return cls(resident(), files, process.num_threads(), children, len(gc.get_objects()))


def resident() -> int:
    """The memory of this process, in bytes."""
    return psutil.Process().memory_info().rss


def small(config: str, path: Path) -> str:
    """Writes a config with little to do."""
    params = read_config(config)
    for reader in ("dataset_reader", "validation_dataset_reader"):
        if reader in params:
            params[reader].update(DATA)
    params["trainer"]["num_epochs"] = 1
    path.write_text(json.dumps(params))
    return str(path)


def train(config: str, overrides: str, folder: Path) -> dict[str, Any]:
    """Trains and evaluates once. Returns the metrics without times and memory."""
    run_folder, metrics_file = folder / "run", folder / "test.json"
    with contextlib.redirect_stdout(io.StringIO()):
        coref_rc(["train", config, "-s", str(run_folder), "-o", overrides])
        archive = str(run_folder / "model.tar.gz")
        coref_rc(["evaluate", archive, "test", "--output-file", str(metrics_file)])
    metrics = json.loads((run_folder / "metrics.json").read_text())
    kept = {name: value for name, value in metrics.items() if not name.endswith(("_duration", "_MB"))}
    shutil.rmtree(run_folder)
    return {**kept, "evaluated": json.loads(metrics_file.read_text())}


def slope(turns: list[int], memory: list[int]) -> float:
    """The number of bytes by which memory grows with each training, in the second half of them."""
    half = len(turns) // 2
    return statistics.linear_regression(turns[half:], memory[half:]).slope if len(turns) - half > 1 else 0.0


def options() -> ScriptParser:
    result = parser(__doc__, rounds=None, threads=1)
    result.add_argument("configs", nargs="*", metavar="CONFIG", default=CONFIGS, help="default: %(default)s")
    result.add_argument("--trainings", type=positive, default=200, help="default: %(default)s")
    result.add_argument("--every", type=positive, default=20, help="trainings between rows (default: %(default)s)")
    result.add_argument("-o", "--overrides", default="", metavar="JSON", help="more values in place of the configs'")
    return result


def watch(arguments: argparse.Namespace, folder: Path) -> None:
    """Trains, and prints a row every so often."""
    report = Report(arguments, ["trainings", "MiB", "growth", *State._fields[1:], "s a training", "slope, MiB"])
    configs = [small(config, folder / f"{i}.json") for i, config in enumerate(arguments.configs)]
    first: dict[str, dict[str, Any]] = {}
    turns, memory, base, start = [], [], 0, time.perf_counter()
    for turn in tqdm(range(1, arguments.trainings + 1), unit=" trainings"):
        config = configs[(turn - 1) % len(configs)]
        metrics = train(config, arguments.overrides, folder)
        if metrics != first.setdefault(config, metrics):
            raise ConfigurationError(f"{config}: training {turn} has the metrics {metrics}, expected {first[config]}")
        turns.append(turn)
        memory.append(resident())
        if turn == 1 or turn % arguments.every == 0:
            state = State.now()
            base = base or state.resident
            seconds = (time.perf_counter() - start) / turn
            growth, steepness = state.resident - base, slope(turns, memory)
            cells = [turn, f"{state.resident / MIB:,.1f}", f"{growth / MIB:+.1f}", *state[1:], f"{seconds:.1f}"]
            row = {"trainings": turn, **state._asdict(), "growth": growth, "seconds": seconds, "slope": steepness}
            report.add([*cells, f"{steepness / MIB:.3f}"], row)


def main() -> None:
    arguments = parse(options())
    with tempfile.TemporaryDirectory() as folder:
        watch(arguments, Path(folder))


if __name__ == "__main__":
    run(main)
