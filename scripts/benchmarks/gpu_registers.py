"""
Compiles the fused recurrence's kernels for GPUs that need not be there, and prints how much of a multiprocessor they
use.

    python scripts/benchmarks/gpu_registers.py --json registers.json

Each kernel is compiled as it is launched: for each class of sizes, in float32 and bfloat16, without edges, with two
relations, and also with a memory, in training and (only `forward`) in inference. A row of the table is the worst of
these. Registers are those of a thread. A multiprocessor has 65,536. A stack above 0 means that registers did not
suffice.
"""

import inspect
import itertools
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import torch
from harness import Report, parse, parser, positive

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.modules.recurrence import Edges, RecurrenceInput, _triton

SHARED = {80: 163 * 1024, 90: 227 * 1024}
"""By compute capability, the bytes of shared memory that a program may have."""

CAPABILITIES = tuple(SHARED)

# The largest size of each class, and one that is padded.
SIZES = (16, 10, 32, 20, 64, 50, 128, 100, 256, 200, 512, 300)
TYPES = {torch.float32: "fp32", torch.bfloat16: "bf16", torch.int64: "i64", torch.bool: "i1"}
KERNELS = ("forward", "backward", "edge_gradients")
COLUMNS = ("GPU", "kernel", "dtype", "size", "registers", "stack", "shared", "threads")


class Cell(NamedTuple):
    size: int
    dtype: str
    reads: str = "edges, memory"
    """\"nothing\", "edges" or "edges, memory\"."""
    training: bool = True


CELLS = [
    Cell(*cell)
    for cell in itertools.product(SIZES, ("float32", "bfloat16"), ("nothing", "edges", "edges, memory"), (True, False))
]


class _Recorder:
    """Stands in for a kernel. It keeps the arguments of launches, and runs nothing."""

    def __init__(self, name: str, launches: list[dict[str, Any]]) -> None:
        from allennlp_coref_rc.modules.recurrence import _triton_kernels

        self.name, self.launches = name, launches
        self.parameters = inspect.signature(getattr(_triton_kernels, name).fn).parameters

    def __getitem__(self, grid: Any) -> "_Recorder":
        return self

    def __call__(self, *arguments: Any, **named: Any) -> None:
        values = {**dict(zip(self.parameters, arguments)), **named}
        types = {}
        for name, value in list(values.items()):
            if isinstance(value, torch.Tensor):
                types[name] = f"*{TYPES[values.pop(name).dtype]}"
            elif name in ("length", "memory_length", "depth"):
                types[name] = "i32"
                values.pop(name)
        options = {name: values.pop(name) for name in list(values) if name not in self.parameters}
        self.launches.append({"kernel": self.name, "types": types, "constants": values, "options": options})


def launches(cell: Cell, capability: int) -> list[dict[str, Any]]:
    """The launches of `_triton` for a layer, forward and (in training) backward, on a GPU of this capability."""
    options: dict[str, Any] = {"device": "meta", "dtype": getattr(torch, cell.dtype)}
    batch, length, size = 2, 8, cell.size
    sources = torch.empty(batch, length, 1, device="meta", dtype=torch.int64)
    half = size // 2
    given = RecurrenceInput(
        torch.empty(batch, length, 3 * size, requires_grad=cell.training, **options),
        []
        if cell.reads == "nothing"
        else [
            Edges(sources, torch.empty(batch, length, 1, requires_grad=cell.training, **options), *part)
            for part in ((0, half), (half, size))
        ],
        torch.empty(3 * size, size, **options),
        torch.empty(size, **options),
        torch.empty(batch, length, device="meta", dtype=torch.bool),
        torch.empty(batch, 4, size, **options) if "memory" in cell.reads else None,
    )
    result: list[dict[str, Any]] = []
    kernels = "allennlp_coref_rc.modules.recurrence._triton_kernels"
    with (
        mock.patch.multiple(kernels, **{name: _Recorder(name, result) for name in KERNELS}),
        mock.patch.object(_triton, "_shared_memory", lambda device: SHARED[capability]),
    ):
        output = _triton.fused(given)
        if cell.training:
            output.sum().backward()
    return [{**launch, "capability": capability} for launch in result]


def compiled(wanted: Sequence[dict[str, Any]]) -> list[dict[str, int]]:
    """The resources that each launch uses. Launches are compiled one after the other, in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("compile_kernels.py"))]
    lines = "".join(json.dumps(launch) + "\n" for launch in wanted)
    process = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True)
    if process.returncode:
        raise ConfigurationError(f"compile_kernels.py ended with status {process.returncode}: its error is above")
    return [json.loads(line) for line in process.stdout.splitlines()]


def problems(launch: dict[str, Any], used: dict[str, int]) -> list[str]:
    """Why a program does not run well, or at all, on a multiprocessor."""
    found = []
    if used["stack"]:
        found.append(f"{used['stack']} bytes of stack, expected 0")
    # A thread gets registers in multiples of 8.
    if -(-used["registers"] // 8) * 8 * used["threads"] > _triton.REGISTERS:
        found.append(f"{used['registers']} registers in {used['threads']} threads, expected {_triton.REGISTERS} in all")
    if used["shared"] > SHARED[launch["capability"]]:
        found.append(f"{used['shared']} bytes of shared memory, expected {SHARED[launch['capability']]}")
    return found


def options() -> ScriptParser:
    result = parser(__doc__, rounds=None)
    result.add_argument("--sizes", type=positive, nargs="+", default=SIZES)
    result.add_argument("--capabilities", type=int, nargs="+", choices=CAPABILITIES, default=CAPABILITIES)
    return result


def main() -> int:
    arguments = parse(options())
    cells = [cell for cell in CELLS if cell.size in arguments.sizes]
    wanted = {}
    for cell, capability in itertools.product(cells, arguments.capabilities):
        for launch in launches(cell, capability):
            wanted.setdefault(json.dumps(launch), (cell, launch))
    worst: dict[Any, dict[str, int]] = {}
    wrong = []
    for (cell, launch), used in zip(wanted.values(), compiled([launch for _, launch in wanted.values()])):
        wrong += [f"sm_{launch['capability']}, {launch['kernel']}, {cell}: {text}" for text in problems(launch, used)]
        row = worst.setdefault((f"sm_{launch['capability']}", launch["kernel"], cell.dtype, cell.size), used)
        row.update({name: max(value, row[name]) for name, value in used.items()})
    report = Report(arguments, COLUMNS)
    for key, used in sorted(worst.items()):
        values = [*key, *used.values()]
        report.add(values, dict(zip(COLUMNS, values)))
    for text in wrong:
        print(text, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    run(main)
