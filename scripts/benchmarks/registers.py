"""
Compiles the fused recurrence's kernels for GPUs that need not be there, and prints what they use of a
multiprocessor.

    python -m scripts.benchmarks registers --json registers.json

The two kernels of the recurrence are compiled as a `coref_gru` with a memory launches them in training, which
takes most. Registers are those of a thread. A multiprocessor has 65,536. Instructions, shuffles, barriers and
spills are in the loop over the steps, as the compiler wrote it. What does not fit is named below the table,
and the exit status is 1. Another Triton can come first on PYTHONPATH (`pip install --no-deps --target FOLDER
triton==3.6.0`).
"""

import inspect
import itertools
import multiprocessing
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple
from unittest import mock

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from allennlp_coref_rc.modules.recurrence import Edges, RecurrenceInput, _triton, _triton_kernels
from scripts.benchmarks.harness import Report, Subject

SHARED = {80: 163 * 1024, 90: 227 * 1024, 100: 227 * 1024, 120: 99 * 1024}
"""By compute capability, the bytes of shared memory that a program may have."""

# The largest size of each class, and one that is padded.
SIZES = (32, 20, 64, 50, 128, 100, 256, 200, 512, 300)
TYPES = {torch.float32: "fp32", torch.bfloat16: "bf16", torch.int64: "i64", torch.bool: "i1"}
KERNELS = ("edge_sources", "edge_weights", "forward", "backward", "edge_gradients")
VARIANTS = [*itertools.product(("float32", "bfloat16"), ("nothing", "edges", "edges, memory"), (True, False))]

NUMBERS = {"length", "memory_length", "depth", "tokens", "row_stride", "stride"}
"""The numbers that kernels are not compiled for."""

Launch = dict[str, Any]


class Cell(NamedTuple):
    size: int
    dtype: str
    reads: str = "edges, memory"
    """\"nothing\", "edges" or "edges, memory\"."""
    training: bool = True


def launches(cell: Cell, capability: int) -> list[Launch]:
    """
    The launches of `_triton` for a layer, forward and (in training) backward, on a GPU of this capability.
    """
    options: dict[str, Any] = {"device": "meta", "dtype": getattr(torch, cell.dtype)}
    batch, length, size = 2, 8, cell.size
    sources = torch.empty(batch, length, 1, device="meta", dtype=torch.int64)
    parts = [] if cell.reads == "nothing" else [(0, size // 2), (size // 2, size)]
    given = RecurrenceInput(
        # As `RecurrenceInput.multiplied` makes them.
        torch.empty(batch, length, 3 * size + len(parts), requires_grad=cell.training, **options),
        [
            Edges(sources, torch.empty(batch, length, 1, requires_grad=cell.training, **options), *p)
            for p in parts
        ],
        torch.empty(3 * size, size, **options),
        torch.empty(size, **options),
        torch.empty(batch, length, device="meta", dtype=torch.bool),
        torch.empty(batch, 4, size, **options) if "memory" in cell.reads else None,
        bias=torch.empty(3 * size, **options),
        keys=torch.empty(len(parts), 1, **options) if parts else None,
    )
    with (
        mock.patch.multiple(_triton_kernels, **dict.fromkeys(KERNELS, mock.DEFAULT)) as kernels,
        mock.patch.object(_triton, "_shared_memory", lambda device: SHARED[capability]),
    ):
        if parts:
            memory_mask = None if given.memory is None else given.mask[:, :4]
            _triton.edge_sources(given.mask, sources, reverse=False, memory_mask=memory_mask, continues=True)
        output = _triton.fused(given)
        if cell.training:
            output.sum().backward()
    calls = [
        (name, call) for name in KERNELS for call in kernels[name].__getitem__.return_value.call_args_list
    ]
    return [{"kernel": name, "capability": capability, **_arguments(name, call)} for name, call in calls]


def _arguments(kernel: str, call: Any) -> Launch:
    """The types of a launch's variables, its constants, and its options."""
    parameters = inspect.signature(getattr(_triton_kernels, kernel).fn).parameters
    values = {**dict(zip(parameters, call.args)), **call.kwargs}
    types = {name: f"*{TYPES[x.dtype]}" for name, x in values.items() if isinstance(x, torch.Tensor)}
    types.update(dict.fromkeys(NUMBERS & values.keys(), "i32"))
    constants = {name: x for name, x in values.items() if name not in types and name in parameters}
    return {
        "types": types,
        "constants": constants,
        "options": {x: y for x, y in values.items() if x not in parameters},
    }


def compile_launch(launch: Launch) -> dict[str, Any]:
    """
    The registers of a thread, the bytes of its stack (to which values are spilled that do not fit into
    registers), the bytes of shared memory, and the threads of a program; what is in its longest loop (see
    `in_loop`); and how it spreads weights over its threads when it loads them.
    """

    kernel = getattr(_triton_kernels, launch["kernel"])
    signature = {name: launch["types"].get(name, "constexpr") for name in kernel.arg_names}
    places = {(kernel.arg_names.index(name),): value for name, value in launch["constants"].items()}
    # PyTorch's allocations are aligned, and at a launch Triton would see that.
    aligned = {
        (i,): [["tt.divisibility", 16]] for i, kind in enumerate(signature.values()) if kind.startswith("*")
    }
    source, target = (
        ASTSource(kernel, signature, places, aligned),
        GPUTarget("cuda", launch["capability"], 32),
    )
    compiled = triton.compile(source, target=target, options=launch["options"])
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.asm["cubin"])
        file.flush()
        usage, code = (
            subprocess.run(
                [triton.knobs.nvidia.cuobjdump.path, option, file.name],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for option in ("-res-usage", "-sass")
        )
    used = {name: int(number) for name, number in re.findall(r"\b(REG|STACK|LOCAL):(\d+)", usage)}
    stack, threads = used["STACK"] + used["LOCAL"], 32 * launch["options"]["num_warps"]
    memory = {
        "registers": used["REG"],
        "stack": stack,
        "shared": compiled.metadata.shared,
        "threads": threads,
    }
    return {**memory, **in_loop(code), "layouts": layouts(compiled.asm["ttgir"])}


def in_loop(code: str) -> dict[str, int]:
    """Numbers of instructions between the two ends of the longest jump backwards, in a disassembly."""
    instructions = [
        (int(place, 16), text) for place, text in re.findall(r"/\*([0-9a-f]{4,})\*/ +(\S[^;]*);", code)
    ]
    jumps = [
        (place, int(to[1], 16))
        for place, text in instructions
        if (to := re.search(r"\bBRA\b.*?(0x\w+)", text))
    ]
    end, start = max(jumps, key=lambda jump: jump[0] - jump[1], default=(-1, 0))
    loop = [text for place, text in instructions if start <= place <= end]
    kinds = {"instructions": "", "shuffles": "SHFL", "barriers": "BAR", "spills": "(LDL|STL)"}
    return {name: sum(bool(re.search(rf"\b{kind}", text)) for text in loop) for name, kind in kinds.items()}


def layouts(code: str) -> list[str]:
    """The layouts in which Triton's code for a GPU loads weights, as one row or as rows of four numbers."""
    names = dict(re.findall(r"^(#\w+) = #ttg\.(.*)$", code, re.MULTILINE))
    found = re.findall(r" tt\.load .*: tensor<(\d+)(x4)?x!tt\.ptr<\w+>, (#\w+)>", code)
    sizes = [int(rows) * (4 if four else 1) for rows, four, _ in found]
    return sorted({names[name] for (*_, name), size in zip(found, sizes) if size == max(sizes)})


def compile_all(wanted: Sequence[Launch]) -> list[dict[str, Any]]:
    """
    The resources that launches use. They are compiled in a process of its own, where kernels are not
    interpreted.
    """
    with (
        mock.patch.dict(os.environ, {"TRITON_INTERPRET": "0"}),
        ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool,
    ):
        return list(pool.map(compile_launch, wanted))


def problems(launch: Launch, used: dict[str, Any]) -> list[str]:
    """Why a program does not run well, or at all, on a multiprocessor."""
    # A thread gets registers in multiples of 8.
    registers = -(-used["registers"] // 8) * 8 * used["threads"]
    numbers = {"stack": used["stack"], "registers": registers, "shared memory": used["shared"]}
    bounds = (0, _triton.REGISTERS, SHARED[launch["capability"]])
    return [
        f"{name}: found {x}, expected at most {y}" for (name, x), y in zip(numbers.items(), bounds) if x > y
    ]


class Registers(Subject):
    def measure(self, report: Report) -> int:
        sizes, dtypes = (32, 50, 64, 128, 256, 512), ("float32", "bfloat16")
        cells = [Cell(size, dtype) for dtype in dtypes for size in sizes]
        wanted = [
            (cell, launch)
            for capability, cell in itertools.product((80, 90, 100), cells)
            for launch in launches(cell, capability)
            if launch["kernel"] in ("forward", "backward")
        ]
        wrong = 0
        for (cell, launch), used in zip(wanted, compile_all([launch for _, launch in wanted])):
            row = {
                "Triton": triton.__version__,
                "GPU": f"sm_{launch['capability']}",
                "kernel": launch["kernel"],
            }
            row |= {"dtype": cell.dtype, "size": cell.size}
            report.add(row | {name: x for name, x in used.items() if name != "layouts"})
            for text in problems(launch, used):
                wrong = 1
                report.note(f"{', '.join(map(str, row.values()))}: {text}")
        return wrong
