"""
Takes several kinds of measurements on a GPU, in at most eight minutes and without a network.

    python scripts/benchmarks/gpu.py --output gpu

* agreement: the fused recurrence is compared with the reference in float64, in all classes of sizes and types, with and
  without edges, a memory and reverse reading;
* recurrence: C-GRU and MAGE are compared with cuDNN's GRU, in microseconds a step;
* updates: whole training updates of GA + C-GRU as on CNN, and of DASSA with contexts of 1,000 tokens, with and without
  mixed precision, and the memory that they need at their peak;
* run: a config of bAbI is trained to its end, as for one cell of a table.

NAME.json and NAME.md are written anew after each row. Each part has a share of the time. Measurements that do not fit
are left out, and the page names them. Without a GPU, or with --tiny, everything is done in tiny sizes on the CPU, to
see that it works.

Values checked: those of agreement.py, recurrence.py and updates.py; and the runs have the same validation accuracy, to
0.1. If values disagree, the page says so in place of figures, and the exit status is 1.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import agreement
import recurrence
import torch
import updates
from batches import Text
from harness import Run, Seconds, Spread, machine, parse, peak, positive, shared, spreads, take_turns
from kit import Page, Part, Row, Step, measure

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run

COLUMNS = {
    "agreement": ("size", "type", "cases", "largest error", "the reference's own", "where"),
    "recurrence": ("batch", "tokens", "size", "type", "passes", "layer", "ms", "µs a step", "ratio to cuDNN"),
    "updates": ("config", "batch", "tokens", "type", "ms", "ratio to float32", "questions a second", "peak MiB"),
    "run": (
        "config",
        "trained",
        "ended",
        "epochs",
        "seconds",
        "seconds an epoch",
        "validation accuracy",
        "test accuracy",
    ),
}
ON_GPU: dict[str, dict[str, Any]] = {
    "on the GPU": {"trainer.cuda_device": 0},
    "on the GPU, use_amp": {"trainer.cuda_device": 0, "trainer.use_amp": True},
    "on the CPU": {"trainer.cuda_device": -1},
}


class Scale(NamedTuple):
    """How large everything is."""

    device: str
    backend: str
    kernel_sizes: Sequence[int]
    kernel_shape: tuple[int, int, int]
    types: Sequence[str]
    shapes: Sequence[tuple[int, int, int]]
    models: dict[str, Text]
    amp: Sequence[str]
    words: int
    rounds: int
    trainers: dict[str, dict[str, Any]]
    overrides: dict[str, Any]


FULL = Scale(
    device="cuda",
    backend="triton",
    # Blocks of 16 to 512, full and not.
    kernel_sizes=(2, 16, 34, 64, 100, 128, 200, 256, 512),
    kernel_shape=(37, 23, 5),
    types=("float32", "bfloat16"),
    shapes=[(32, 400, 64), (16, 2000, 64), (64, 100, 256), (32, 100, 64), (32, 400, 128)],
    models={
        "cnn/ga_gru+coref_gru": Text(32, 2000),
        "narrativeqa/dassa_sdp_exp": Text(32, 1000),
        "cnn/ga_gru": Text(32, 2000),
    },
    amp=updates.AMP,
    words=100_000,
    rounds=15,
    trainers=ON_GPU,
    overrides={},
)

TINY = FULL._replace(
    device="cpu",
    backend="cpp",
    kernel_sizes=(2, 7),
    kernel_shape=(2, 4, 2),
    types=("float32",),
    shapes=[(2, 5, 8)],
    models={"lambada_development/ga_gru+coref_gru": Text(2, 9)},
    amp=("bfloat16",),
    words=30,
    rounds=1,
    trainers={"on the CPU": ON_GPU["on the CPU"]},
    overrides={"trainer.num_epochs": 1, "dataset_reader.max_instances": 2},
)


def timed(runs: dict[Any, Run], seconds: float, rounds: int) -> dict[Any, list[Seconds]]:
    """The times of runs that take turns, in as many rounds as fit into these seconds, but at least three."""
    take_turns(runs, 0)
    (first, *_) = zip(*take_turns(runs, 1, warm_up=0).values())
    fitting = int(seconds / max(sum(time.wall for time in first), 1e-6))
    return take_turns(runs, min(rounds, max(3, fitting)), warm_up=0)


def agreement_steps(scale: Scale) -> Iterator[Step]:
    for size in scale.kernel_sizes:
        for name in scale.types:
            yield Step(f"size {size}, {name}", lambda _, size=size, name=name: agreement_rows(scale, size, name))


def agreement_rows(scale: Scale, size: int, name: str) -> Iterator[Row]:
    given = size, getattr(torch, name), scale.device, scale.backend, scale.kernel_shape
    worst = max(agreement.errors(case, *given) for case in agreement.CASES)
    yield [size, name, len(agreement.CASES), *worst]


def recurrence_steps(scale: Scale) -> Iterator[Step]:
    options = ["--backends", scale.backend, "--clusters", "50", "--device", scale.device]
    for shape in scale.shapes:
        for name in scale.types:
            benchmark = recurrence.Recurrence(recurrence.options().parse_args([*options, "--dtype", name]))
            for passes in reversed(recurrence.PASSES):
                setting = recurrence.Shape(*shape, passes)
                yield Step(
                    f"{shape}, {name}, {passes}",
                    lambda seconds, it=benchmark, setting=setting: recurrence_rows(scale, it, setting, seconds),
                )


def recurrence_rows(
    scale: Scale, benchmark: recurrence.Recurrence, setting: recurrence.Shape, seconds: float
) -> Iterator[Row]:
    check(benchmark.problems(setting))
    layers = benchmark.competitors(setting)
    times = timed({layer: benchmark.prepare(layer, setting) for layer in layers}, seconds / 4, scale.rounds)
    times = {layer: shared(benchmark, layer, found) for layer, found in times.items()}
    for layer in layers:
        found, ratio = spreads(times[layer], times[layers[0]], "wall")
        steps = Spread(*(1e6 * value / setting.tokens for value in found))
        yield [*setting[:3], benchmark.arguments.dtype, setting.passes, layer.layer, thousand(found), steps, ratio]


def update_steps(scale: Scale) -> Iterator[Step]:
    for config, text in scale.models.items():
        yield Step(config, lambda seconds, config=config, text=text: update_rows(scale, config, text, seconds))


def update_rows(scale: Scale, config: str, text: Text, seconds: float) -> Iterator[Row]:
    options = ["--device", scale.device, "--words", str(scale.words), "--batch", str(text.batch)]
    given = [config, *options, "--tokens", str(text.tokens), "--amp", *scale.amp]
    benchmark = updates.Updates(updates.options().parse_args(given))
    check(benchmark.problems(text))
    first: list[Seconds] = []
    # They run one after the other, since each needs much memory. The first is in float32.
    for variant in benchmark.competitors(text):
        update = benchmark.prepare(variant, text)
        memory = peak(update, scale.device)
        (times,) = timed({variant: update}, seconds / 10, scale.rounds).values()
        del update
        first = first or times
        found = Spread.of([time.wall for time in times])
        ratio = found.median / Spread.of([time.wall for time in first]).median
        name = variant.variant or "float32"
        yield [config, *text, name, thousand(found), ratio, text.batch / found.median, memory / 2**20]


def run_steps(scale: Scale, config: str, folder: str, task: int) -> Iterator[Step]:
    data = {"dataset_reader.folder": folder, "dataset_reader.task": task, **scale.overrides}
    accuracies: dict[str, float] = {}
    for name, trainer in scale.trainers.items():
        yield Step(
            f"{config}, task {task}, {name}",
            lambda seconds, name=name, trainer=trainer: run_rows(
                f"{config}, task {task}",
                name,
                Training(config, {**data, **trainer}, scale is TINY),
                seconds,
                accuracies,
            ),
        )


class Training(NamedTuple):
    """A training of a config, with some of its values replaced."""

    config: str
    overrides: dict[str, Any]
    here: bool

    def words(self, folder: str) -> list[str]:
        return ["train", self.config, "-s", folder, "-o", json.dumps(self.overrides)]

    def run(self, folder: str, seconds: float) -> bool:
        """Trains for at most these seconds. Returns whether training ended. Only tiny trainings run in this process."""
        if self.here:
            from allennlp_coref_rc.__main__ import main

            main(self.words(folder))
            return True
        command = [sys.executable, "-m", "allennlp_coref_rc", *self.words(folder)]
        try:
            process = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        if process.returncode:
            raise ConfigurationError(f"training ended with: {process.stderr.strip()[-500:]}")
        return True


def run_rows(label: str, name: str, training: Training, seconds: float, accuracies: dict[str, float]) -> Iterator[Row]:
    """A row with the result of a training. If it was stopped, the result is that of its last epoch."""
    with tempfile.TemporaryDirectory() as place:
        folder, start = Path(place) / "run", time.perf_counter()
        ended = training.run(str(folder), seconds)
        took = time.perf_counter() - start
        last = max(
            folder.glob("metrics_epoch_*.json"), key=lambda path: int(path.stem.rpartition("_")[2]), default=None
        )
        file = folder / "metrics.json" if ended else last
        if file is None:
            raise ConfigurationError("the time ended before the first epoch did")
        metrics = json.loads(file.read_text())
    epochs, accuracy = metrics.get("training_epochs", metrics.get("epoch")) + 1, metrics["best_validation_accuracy"]
    if ended:
        accuracies[name] = accuracy
        if max(accuracies.values()) - min(accuracies.values()) > 0.1:
            raise ConfigurationError(f"runs come to different validation accuracies, {accuracies}")
    yield [label, name, "yes" if ended else "no", epochs, took, took / epochs, accuracy, metrics.get("test_accuracy")]


def check(problems: list[str]) -> None:
    if problems:
        raise agreement.Disagreement("; ".join(problems))


def thousand(seconds: Spread) -> Spread:
    """Seconds as milliseconds."""
    return Spread(*(1000 * value for value in seconds))


def parts(scale: Scale, arguments: argparse.Namespace) -> list[Part]:
    """The parts of the measurements, each with its share of the time."""
    found: dict[str, tuple[float, str, Callable[[], Iterator[Step]]]] = {
        "agreement": (
            0.2,
            "Largest errors of the fused recurrence against the reference in float64, as shares of the largest number, "
            "in outputs and gradients, beside those of the reference in the same type.",
            lambda: agreement_steps(scale),
        ),
        "recurrence": (
            0.25,
            "One direction of one layer, with its input projection, beside `torch.nn.GRU`, which is cuDNN's on a GPU. "
            "In brackets are the fastest and the slowest round.",
            lambda: recurrence_steps(scale),
        ),
        "updates": (
            0.3,
            "Whole training updates: forward, penalty, backward, clipping and optimizer. Memory is what the first "
            "update adds at its peak, the optimizer's own included.",
            lambda: update_steps(scale),
        ),
        "run": (
            0.25,
            "A whole training, in a process of its own.",
            lambda: run_steps(scale, arguments.config, arguments.babi, arguments.task),
        ),
    }
    chosen = arguments.only or list(found)
    total = sum(found[name][0] for name in chosen)
    return [
        Part(name, about, arguments.seconds * share / total, COLUMNS[name], steps())
        for name, (share, about, steps) in found.items()
        if name in chosen
    ]


def options() -> ScriptParser:
    result = ScriptParser(__doc__)
    add = result.add_argument
    add("--threads", type=positive, help="default: as PyTorch has it")
    add("--output", default="gpu", metavar="NAME", help="writes NAME.json and NAME.md (default: %(default)s)")
    add("--seconds", type=positive, default=480, help="the time for all parts (default: %(default)s)")
    add("--tiny", action="store_true", help="tiny sizes on the CPU; this is so without a GPU, too")
    add("--only", nargs="+", choices=COLUMNS, metavar="PART", help=f"{', '.join(COLUMNS)} (default: all)")
    add("--config", default="babi/ga_coref_gru", help="what `run` trains (default: %(default)s)")
    add("--babi", default="bundled://simulated", metavar="FOLDER", help="bAbI's files (default: simulated stories)")
    add("--task", type=positive, default=2, help="bAbI's (default: %(default)s)")
    return result


def main() -> int:
    arguments = parse(options())
    scale = TINY if arguments.tiny or not torch.cuda.is_available() else FULL
    if scale is TINY and not arguments.tiny:
        print("gpu.py: found no GPU that PyTorch can use: everything is tiny and on the CPU", file=sys.stderr)
    title = "Measurements on a GPU" if scale is FULL else "A tiny trial on the CPU: these figures mean nothing"
    page = Page(arguments.output, title, machine(scale.device))
    measure(parts(scale, arguments), page)
    print(f"written: {arguments.output}.json and {arguments.output}.md")
    return min(page.failures, 1)


if __name__ == "__main__":
    run(main)
