"""
Takes several kinds of measurements on a GPU without a network, the most wanted first, in parts of at most 90
seconds.

    python -m scripts.benchmarks gpu --json gpu.json | tee gpu.md

* recurrence: C-GRU and MAGE beside cuDNN's GRU, at the shape that all versions are compared by
* shapes: the same at other shapes
* agreement: errors of the fused recurrence, at most twice those of the reference in the same type
* lengths: the recurrence at 50, 400 and 2,000 tokens, of which the line's slope is the time of a step
* updates: of GA + C-GRU on WikiHop and CNN and DASSA on NarrativeQA, with and without mixed precision, and
  their memory
* devices: losses and gradients of readers, beside those on the CPU

Each part has `--seconds`. Measurements that do not fit are left out and named. If values disagree, a line
says so in place of figures, the other measurements continue, and the exit status is 1. Without a GPU, or with
--tiny, all is done in tiny sizes on the CPU, to see that it works.
"""

import argparse
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from scripts.benchmarks.harness import Report, Subject
from scripts.benchmarks.made_up import Text
from scripts.benchmarks.recurrence_oracle import Case, assert_as_good_as, poisoned_memory
from scripts.benchmarks.updates import TOLERANCE, Experiment, Variant

PARTS = ("recurrence", "shapes", "agreement", "lengths", "updates", "devices")

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
    "lengths": [f"{RECURRENCE} --no-memory --shape 32 {tokens} 64" for tokens in (50, 400, 2000)],
    "updates": [
        f"updates {model} --device cuda --rounds 15 --batch {batch} --tokens {tokens} --amp bfloat16 float16"
        for model, batch, tokens in (
            ("wikihop/ga_coref_gru", 10, 2000),
            ("cnn/ga_gru+coref_gru", 32, 2000),
            ("narrativeqa/dassa_sdp_exp", 32, 1000),
        )
    ],
}
TEXT = "--batch 2 --tokens 9 --words 30"
TINY_RECURRENCE = "recurrence --clusters 2 --rounds 1 --backends cpp --no-memory"
TINY = {
    "recurrence": [f"{TINY_RECURRENCE} --shape 2 5 8"],
    "shapes": [f"{TINY_RECURRENCE} --shape 2 5 16"],
    "lengths": [f"{TINY_RECURRENCE} --shape 2 2 8"],
    "updates": [f"updates lambada_development/ga_gru+coref_gru {TEXT} --rounds 1 --no-memory --amp bfloat16"],
}

Step = tuple[str, Callable[[Report, float], Any]]
"""The name of a measurement, and what takes it, given the seconds that are left."""


def steps(part: str, tiny: bool) -> list[Step]:
    """The measurements of a part."""
    if part == "agreement":
        cells = [(2, "float32"), (7, "float32")] if tiny else CELLS
        return [(f"size {size}, {name}", partial(agreement, size, name, tiny)) for size, name in cells]
    if part == "devices":
        return [(model, partial(devices, model, Text(2, 9) if tiny else Text(10, 400))) for model in READERS]
    return [(words, partial(command, words)) for words in (TINY if tiny else COMMANDS)[part]]


def command(words: str, report: Report, left: float) -> None:
    from scripts.benchmarks.__main__ import measure

    # They also check values, warm up and measure memory.
    measure([*words.split(), "--seconds", str(left / 6)], report)


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
        parser.add_argument(
            "--only", nargs="+", choices=PARTS, metavar="PART", default=PARTS, help="default: all"
        )

    def measure(self, report: Report) -> int:
        chosen, tiny = self.arguments.only, self.arguments.tiny
        if tiny:
            report.note("A tiny trial on the CPU: these figures mean nothing.")
        parts = [(part, steps(part, tiny), self.arguments.seconds) for part in chosen]
        return min(measure_parts(report, parts), 1)
