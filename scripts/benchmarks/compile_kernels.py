"""
Compiles launches of the fused recurrence's kernels for a GPU that need not be there. `gpu_registers.py` runs this.

It reads launches as JSON, one a line, and answers each with a line: the registers of a thread, the bytes of its stack
(to which values are spilled that do not fit into registers), the bytes of shared memory, and the threads of a program.
It imports only Triton. PyTorch and this package would take longer to import than some kernels to compile.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

# An interpreted kernel cannot be compiled.
os.environ.pop("TRITON_INTERPRET", None)

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

KERNELS = Path(__file__).parents[2] / "allennlp_coref_rc" / "modules" / "recurrence" / "_triton_kernels.py"


def compile_launch(kernels: Any, launch: dict[str, Any]) -> dict[str, int]:
    kernel = getattr(kernels, launch["kernel"])
    constants = {name: tuple(x) if isinstance(x, list) else x for name, x in launch["constants"].items()}
    signature = {name: launch["types"].get(name, "constexpr") for name in kernel.arg_names}
    places = {(kernel.arg_names.index(name),): value for name, value in constants.items()}
    # PyTorch's allocations are aligned, and at a launch Triton would see that.
    aligned = {(i,): [["tt.divisibility", 16]] for i, kind in enumerate(signature.values()) if kind.startswith("*")}
    compiled = triton.compile(
        ASTSource(kernel, signature, places, aligned),
        target=GPUTarget("cuda", launch["capability"], 32),
        options=launch["options"],
    )
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.asm["cubin"])
        file.flush()
        command = [triton.knobs.nvidia.cuobjdump.path, "-res-usage", file.name]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = {name: int(number) for name, number in re.findall(r"\b(REG|STACK|LOCAL):(\d+)", text)}
    return {
        "registers": used["REG"],
        "stack": used["STACK"] + used["LOCAL"],
        "shared": compiled.metadata.shared,
        "threads": 32 * launch["options"]["num_warps"],
    }


def main() -> None:
    spec = importlib.util.spec_from_file_location(KERNELS.stem, KERNELS)
    assert spec is not None and spec.loader is not None
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    for line in sys.stdin:
        print(json.dumps(compile_launch(kernels, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
