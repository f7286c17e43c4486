"""
Takes several kinds of measurements on a GPU without a network, the most wanted first, in parts of at most 90
seconds.

    python -m scripts.benchmarks gpu --json gpu.json | tee gpu.md

* recurrence: C-GRU and MAGE beside cuDNN's GRU, at the shape that all versions are compared by, and with
  --beside in another version too
* shapes: the same at other shapes
* agreement: errors of the fused recurrence, at most twice those of the reference in the same type
* lengths: the recurrence at 50, 400 and 2,000 tokens, of which the line's slope is the time of a step, and
  the times of its kernels
* knock_outs: how much faster the recurrence is at size 64 without edges, without saving for backward, and if
  all tokens have the same inputs, so that these are in the cache
* updates: of GA + C-GRU on WikiHop and CNN and DASSA on NarrativeQA, with and without mixed precision, and
  their memory
* reproduce_cpu, reproduce_gpu, reproduce_nvml: `reproduce` of one small run, on the CPU, on the GPU, and
  where PyTorch looks for GPUs without CUDA; if it fails, what it says
* devices: losses and gradients of readers, beside those on the CPU
* trainings: whole ones on bAbI, on the GPU in float32, float16 and bfloat16, on two GPUs if there are two,
  and on the CPU

Each part has `--seconds`. Measurements that do not fit are left out and named. If values disagree, a line
says so in place of figures, the other measurements continue, and the exit status is 1. Without a GPU, or with
--tiny, all is done in tiny sizes on the CPU, to see that it works.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from subprocess import PIPE, STDOUT
from typing import Any, Optional

import torch

from allennlp_coref_rc.modules.recurrence import Edges, RecurrenceInput, recurrence
from scripts.benchmarks.harness import Report, Run, Spread, Subject, now, take_turns
from scripts.benchmarks.made_up import Text
from scripts.benchmarks.recurrence import BASELINE, Layer, Shape, Task, latest_of_same_cluster
from scripts.benchmarks.recurrence_oracle import Case, assert_as_good_as, poisoned_memory
from scripts.benchmarks.updates import TOLERANCE, Experiment, Variant

PARTS = (
    *("recurrence", "shapes", "agreement", "lengths", "knock_outs", "updates"),
    *("reproduce_cpu", "reproduce_gpu", "reproduce_nvml", "devices", "trainings"),
)

# Blocks of 16 to 512, full and not. Each compiles its kernels, which takes ten seconds.
CELLS = [*itertools.product((64, 128, 256, 100, 34, 512, 200, 16, 2), ("float32", "bfloat16"))]
READERS = ("wikihop/ga_coref_gru", "babi/ga_mage_gru_triples", "cnn/cg_sba", "narrativeqa/dassa_sdp_exp")
RECURRENCE = "recurrence --device cuda --rounds 15 --clusters 50 --backends triton"
COMMANDS = {
    "recurrence": [f"{RECURRENCE} --shape 16 2000 64"],
    "shapes": [
        f"{RECURRENCE} --shape {shape} --dtype {dtype}"
        for shape, dtype in (
            ("64 100 256", "float32"),
            ("64 100 256", "bfloat16"),
            ("32 400 128", "bfloat16"),
            ("32 400 64", "float32"),
            ("32 400 64", "bfloat16"),
            ("16 2000 64", "bfloat16"),
            ("32 400 128", "float32"),
        )
    ],
    "updates": [
        f"updates {model} --device cuda --rounds 15 --batch {batch} --tokens {tokens} --amp bfloat16 float16"
        for model, batch, tokens in (
            ("wikihop/ga_coref_gru", 10, 2000),
            ("cnn/ga_gru+coref_gru", 32, 2000),
            ("narrativeqa/dassa_sdp_exp", 32, 1000),
        )
    ],
}
TRAININGS: list[dict[str, Any]] = [
    {"trainer.cuda_device": 0},
    {"trainer.cuda_device": 0, "trainer.use_amp": True},
    {"trainer.cuda_device": 0, "trainer.callbacks": ["bfloat16"]},
    {"trainer.cuda_device": -1},
]
ON_TWO_GPUS = {"distributed": {"cuda_devices": [0, 1]}}
TEXT = "--batch 2 --tokens 9 --words 30"
TINY_RECURRENCE = "recurrence --clusters 2 --rounds 1 --backends cpp --no-memory"
TINY = {
    "recurrence": [f"{TINY_RECURRENCE} --shape 2 5 8"],
    "shapes": [f"{TINY_RECURRENCE} --shape 2 5 16"],
    "updates": [f"updates lambada_development/ga_gru+coref_gru {TEXT} --rounds 1 --no-memory --amp bfloat16"],
}
TINY_TRAINING = {"trainer.num_epochs": 1, "dataset_reader.max_instances": 2}

SHAPES = [Shape(32, tokens, 64, "forward+backward", "float32") for tokens in (50, 400, 2000)]
TINY_SHAPES = [shape._replace(batch=2, tokens=shape.tokens // 25, size=8) for shape in SHAPES[:2]]
STORY = "1 Mary went to the garden.\n2 She got the milk.\n3 Where is Mary? \tgarden\t1\n"
CONDITIONS = {
    "paper": "none",
    "tables": {
        "1": {
            "caption": "a small run",
            "columns": {"Avg": {"measure": "mean", "tolerance": 0.02}},
            "tasks": 1,
            "seeds": 1,
            "data": {f"babi/en-valid/qa{{task}}_{part}.txt": 5 for part in ("train", "valid", "test")},
            "rows": {
                "ga_coref_gru": {
                    "row": "GA w/ C-GRU",
                    "config": "babi/ga_coref_gru.jsonnet",
                    "overrides": {"trainer.num_epochs": 1},
                    "paper": {"Avg": 0.5},
                }
            },
        }
    },
}
REPRODUCTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "reproduce_cpu": ("cpu", {}),
    "reproduce_gpu": ("cuda", {}),
    "reproduce_nvml": ("cpu", {"PYTORCH_NVML_BASED_CUDA_CHECK": "1"}),
}
"""By part, the device and variables of the environment."""

Step = tuple[str, Callable[[Report, float], Any]]
"""The name of a measurement, and what takes it, given the seconds that are left."""


def steps(part: str, tiny: bool, beside: Optional[Path] = None) -> list[Step]:
    """The measurements of a part. Those of the recurrence are also taken in another version's source tree."""
    if part == "knock_outs":
        return [(f"{shape}", partial(knock_outs, shape)) for shape in (TINY_SHAPES if tiny else SHAPES)[-2:]]
    if part == "lengths":
        recurrence = TINY_RECURRENCE if tiny else f"{RECURRENCE} --no-memory"
        return [
            step
            for shape in (TINY_SHAPES if tiny else SHAPES)
            for words in [f"{recurrence} --shape {shape.batch} {shape.tokens} {shape.size}"]
            for step in ((words, partial(command, words)), (f"kernels {shape}", partial(kernels, shape)))
        ]
    if part in REPRODUCTIONS:
        return [("reproduce", partial(reproduce, *REPRODUCTIONS[part]))] if not tiny or "cpu" in part else []
    if part == "agreement":
        cells = [(2, "float32"), (7, "float32")] if tiny else CELLS
        return [(f"size {size}, {name}", partial(agreement, size, name, tiny)) for size, name in cells]
    if part == "devices":
        return [(model, partial(devices, model, Text(2, 9) if tiny else Text(10, 400))) for model in READERS]
    if part == "trainings":
        more = [ON_TWO_GPUS] if torch.cuda.device_count() > 1 else []
        changes = [TINY_TRAINING] if tiny else [*TRAININGS, *more]
        return [(json.dumps(each), partial(training, each)) for each in changes]
    commands = (TINY if tiny else COMMANDS)[part]
    taken: list[Step] = [(words, partial(command, words)) for words in commands]
    if part == "recurrence" and beside is not None:
        taken += [(f"{words}, in {beside}", partial(of_version, beside, words)) for words in commands]
    return taken


def command(words: str, report: Report, left: float) -> None:
    from scripts.benchmarks.__main__ import measure

    # They also check values, warm up and measure memory.
    measure([*words.split(), "--seconds", str(left / 6)], report)


def of_version(tree: Path, words: str, report: Report, left: float) -> None:
    """What `command` measures, in another version's source tree."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "figures.json")
        run = [sys.executable, "-m", "scripts.benchmarks", *words.split(), "--seconds", str(left / 6)]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tree), os.environ.get("PYTHONPATH", "")]),
        }
        options: Any = {"cwd": str(tree), "env": environment, "timeout": left, "stdout": subprocess.DEVNULL}
        subprocess.run([*run, "--json", file], check=True, **options)
        for row in json.loads(file.read_text())["rows"]:
            values = {x: Spread(**y) if isinstance(y, dict) else y for x, y in row.items()}
            report.add({"version": str(tree), **values})


def kernels(shape: Shape, report: Report, left: float) -> None:
    """The times of the kernels of forward and backward of a C-GRU, of which each may run several times."""
    device, rounds = ("cuda", 5) if torch.cuda.is_available() else ("cpu", 1)
    task = Task(shape, device)
    function = task.function(Layer("C-GRU", "triton" if device == "cuda" else "cpp", 50))
    function().backward(task.upstream)
    with torch.profiler.profile() as profile:
        for _ in range(rounds):
            function().backward(task.upstream)
        now()
    found = []
    for event in profile.key_averages():
        microseconds = event.self_device_time_total if device == "cuda" else event.self_cpu_time_total
        found.append((microseconds / rounds, event.count / rounds, event.key))
    for total, launches, name in sorted(found, reverse=True)[:8]:
        if total:
            row = {"kernel": name[:60], "times": launches, "µs": total}
            report.add({"tokens": shape.tokens, **row, "µs a token": total / shape.tokens})


def knock_outs(shape: Shape, report: Report, left: float) -> None:
    """The time of a token in the recurrence alone, forward and with backward, with all that it does and less."""
    device, backend = ("cuda", "triton") if torch.cuda.is_available() else ("cpu", "cpp")
    task = Task(shape, device)
    coref = latest_of_same_cluster(torch.arange(shape.tokens).expand(shape.batch, -1) % 50).unsqueeze(-1)
    ones, half = torch.ones(coref.shape, device=device), shape.size // 2
    edges = [Edges(task.sequential, ones, 0, half), Edges(coref.to(device), ones, half, shape.size)]
    inputs = torch.randn(shape.batch, shape.tokens, 3 * shape.size, device=device)
    weight = task.modules[BASELINE].weight_hh_l0
    given = RecurrenceInput(inputs, edges, weight, weight.new_zeros(shape.size), task.mask)
    cases = {
        "all": given,
        "no edges": given._replace(edges=[]),
        "equal inputs": given._replace(inputs=inputs[:1, :1].expand_as(inputs)),
    }

    def forward(given: RecurrenceInput, saves: bool) -> torch.Tensor:
        with torch.set_grad_enabled(saves):
            return recurrence(given, backend=backend)

    runs: dict[tuple[str, str], Run] = {}
    for name, case in cases.items():
        runs[name, "forward"] = partial(forward, case, True)
        runs[name, "forward, nothing saved"] = partial(forward, case, False)
        runs[name, "forward+backward"] = lambda case=case: forward(case, True).backward(task.upstream)
    take_turns(runs, 1)
    for (name, passes), turns in take_turns(runs, 15, least=1, seconds=left / 2).items():
        spread = Spread.of(1e6 * turn.clock / shape.tokens for turn in turns)
        report.add(
            {"tokens": shape.tokens, "size": shape.size, "with": name, "passes": passes, "µs a token": spread}
        )


def reproduce(device: str, variables: dict[str, str], report: Report, left: float) -> None:
    """One small run of `reproduce`, with variables of its environment. Other runs of bAbI ended without a word."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "babi/en-valid")
        data.mkdir(parents=True)
        for part in ("train", "valid", "test"):
            (data / f"qa1_{part}.txt").write_text(STORY * 5)
        Path(folder, "conditions.yaml").write_text(json.dumps(CONDITIONS))
        words = [
            "--conditions",
            f"{folder}/conditions.yaml",
            "--data",
            folder,
            "--output",
            f"{folder}/output",
        ]
        gpus = ["--gpus", "0"] if device == "cuda" else []
        seconds = coref_rc(["reproduce", *words, "--threads", "1", *gpus], folder, left, **variables)
    report.add({"reproduce on": device, **variables, "seconds": seconds})


def training(changes: dict[str, Any], report: Report, left: float) -> None:
    """A whole training with some changes of its config."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["train", "babi/quick_start", "-s", f"{folder}/output", "-o", json.dumps(changes)]
        seconds = coref_rc(words, folder, left)
        loss = json.loads(Path(folder, "output/metrics.json").read_text())["training_loss"]
    report.add({"training": json.dumps(changes), "seconds": seconds, "training_loss": loss})


def coref_rc(words: Sequence[str], folder: str, left: float, **variables: str) -> float:
    """The seconds of a command, whose logs are below `output` in a folder."""
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "allennlp_coref_rc", *words],
        env={**os.environ, **variables},
        stdout=PIPE,
        stderr=STDOUT,
        text=True,
        timeout=left,
        check=False,
    )
    if done.returncode:
        logs = [path.read_text()[-400:] for path in Path(folder, "output").rglob("log.txt")]
        raise AssertionError("\n".join([f"status {done.returncode}", *logs, done.stdout[-400:]]))
    return time.monotonic() - start


def agreement(size: int, name: str, tiny: bool, report: Report, left: float) -> None:
    """The largest error, as a share of the largest number, and that of the reference in the same type."""
    dtype, worst, cases = getattr(torch, name), (0.0, 0.0, ""), 0
    device, backend, batch, tokens = ("cpu", "cpp", 2, 4) if tiny else ("cuda", "triton", 37, 23)
    for relations, memory, reverse in itertools.product((0, 1, 2, 4), (None, 5), (False, True)):
        case = Case(batch, tokens, size, memory, reverse).on(device, relations)
        exact, yardstick = case.run("reference", torch.float64), case.run("reference", dtype)
        with poisoned_memory():
            results = case.run(backend, dtype)
        error, allowed, where = assert_as_good_as(results, exact, yardstick, dtype)
        worst = max(worst, (error, allowed, f"{where}: {relations} relations, {memory=}, {reverse=}"))
        cases += 1
    values = dict(zip(("largest error", "the reference's own", "where"), worst))
    report.add({"size": size, "type": name, "cases": cases, **values})


def devices(model: str, text: Text, report: Report, left: float) -> None:
    """
    The loss of a batch and the norm of its gradients, on the CPU and on the GPU if there is one, without
    dropout.
    """
    found = []
    for device in ("cpu", "cuda" if torch.cuda.is_available() else "cpu"):
        experiment = Experiment(Variant(model, ""), text, argparse.Namespace(device=device, words=1000))
        for module in experiment.model.modules():
            # cuDNN has gradients only in training.
            module.training = isinstance(module, torch.nn.RNNBase)
        loss = experiment.loss(experiment.tensors())
        loss.backward()
        gradients = [x.grad.norm() for x in experiment.model.parameters() if x.grad is not None]
        found.append([loss.item(), torch.stack(gradients).norm().item()])
    first, last = found
    for name, value, expected in zip(("loss", "norm of the gradients"), last, first):
        if not abs(value - expected) <= TOLERANCE[""] * abs(expected):
            raise AssertionError(f"{name}: found {value:.6g}, on the CPU {expected:.6g}")
    report.add({"model": model, "loss": last[0], "loss on the CPU": first[0], "gradients": last[1]})


def measure_parts(report: Report, parts: Sequence[tuple[str, Sequence[Step], float]]) -> int:
    """
    Takes the measurements of each part: its name, its steps and its seconds. A step begins only if there is
    as much time left as the longest step of its part has taken. Returns the number of steps that failed.
    """
    failures = 0
    for part, part_steps, seconds in parts:
        deadline = time.monotonic() + seconds
        longest = 0.01 * seconds
        report.note(f"## {part}")
        for name, step in part_steps:
            start = time.monotonic()
            if deadline - start < longest:
                report.note(f"Left out, for want of time: {name}")
                continue
            print(f"{part}: {name}", file=sys.stderr, flush=True)
            try:
                step(report, deadline - start)
            except Exception as error:
                # The error may be of any type: a GPU may run out of memory, or a kernel may not compile. The
                # other steps are tried.
                failures += 1
                report.note(f"**No figures for {name}:** {type(error).__name__}: {error}"[:1000])
            longest = max(longest, time.monotonic() - start)
    return failures


class Gpu(Subject):
    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        tiny = not torch.cuda.is_available()
        # Of each part.
        parser.set_defaults(seconds=90, device="cpu" if tiny else "cuda")
        parser.add_argument("--tiny", action="store_true", default=tiny, help="as without a GPU")
        parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another version's source tree")
        parser.add_argument(
            "--only", nargs="+", choices=PARTS, metavar="PART", default=PARTS, help="default: all"
        )

    def measure(self, report: Report) -> int:
        chosen, tiny = self.arguments.only, self.arguments.tiny
        if tiny:
            report.note("A tiny trial on the CPU: these figures mean nothing.")
        beside, seconds = self.arguments.beside, self.arguments.seconds
        parts = [(part, steps(part, tiny, beside and beside.resolve()), seconds) for part in chosen]
        return min(measure_parts(report, parts), 1)
