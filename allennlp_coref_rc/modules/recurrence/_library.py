"""
The file of the compiled recurrence: where it lies, whether it is whole, and how it is made.

Run as a program, this prints what PyTorch finds on this machine, and the state of that file, as JSON. It imports
nothing of this package, so that it works where AllenNLP does not, and takes no longer than PyTorch.
"""

import hashlib
import json
import logging
import os
import pathlib
import subprocess
import tempfile
from typing import Any, Dict, List, Tuple

import torch

logger = logging.getLogger(__name__)

SOURCE = pathlib.Path(__file__).with_name("recurrence.cpp")

FLAGS = ["-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-shared", "-fopenmp"]

VECTOR_FLAGS = {
    "AVX512": ["-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mfma", "-mprefer-vector-width=512"],
    "AVX2": ["-mavx2", "-mfma"],
}
"""Options of the compiler, by PyTorch's name of the instruction set of this processor."""

DIGEST = 32
"""The bytes of the checksum behind a library."""


def build() -> pathlib.Path:
    """
    The path of the library, which is compiled unless it lies in PyTorch's cache of extensions (`TORCH_EXTENSIONS_DIR`).
    It uses nothing of PyTorch's, which keeps compilation to seconds and needs neither ninja nor matching versions. It
    is moved into place when complete, so that processes which start together can't disturb each other.
    """
    library, command = find()
    if not is_whole(library):
        library.parent.mkdir(parents=True, exist_ok=True)
        logger.info("Compiling the recurrence for the CPU into %s", library)
        with tempfile.TemporaryDirectory(dir=library.parent) as directory:
            built = pathlib.Path(directory) / library.name
            subprocess.run([*command, str(SOURCE), "-o", str(built)], check=True, capture_output=True, text=True)
            _seal(built)
            os.replace(built, library)
    return library


def find() -> Tuple[pathlib.Path, List[str]]:
    """The path of the library for this machine, source, compiler and PyTorch, and the command that compiles it."""
    from torch.utils import cpp_extension

    capability = torch.backends.cpu.get_cpu_capability()
    command = [cpp_extension.get_cxx_compiler(), *FLAGS, *VECTOR_FLAGS.get(capability, [])]
    version = subprocess.run([command[0], "--version"], check=True, capture_output=True, text=True).stdout
    parts = (SOURCE.read_text(), *command, version, torch.__version__)
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    root = os.environ.get("TORCH_EXTENSIONS_DIR") or cpp_extension.get_default_build_root()
    return pathlib.Path(root) / "allennlp_coref_rc" / f"recurrence_{key}.so", command


def is_whole(library: pathlib.Path) -> bool:
    """Whether a library is there as it was compiled. Loading one that was cut short would kill the process."""
    if not library.is_file():
        return False
    content = library.read_bytes()
    return hashlib.sha256(content[:-DIGEST]).digest() == content[-DIGEST:]


def _seal(library: pathlib.Path) -> None:
    """Puts a checksum behind the last byte, where nothing is loaded from, and makes sure that all is on the disk."""
    with open(library, "r+b") as file:
        file.write(hashlib.sha256(file.read()).digest())
        file.flush()
        os.fsync(file.fileno())


def state() -> Dict[str, Any]:
    """What PyTorch finds on this machine, and the state of the library."""
    has_gpu = torch.cuda.is_available()
    found: Dict[str, Any] = {
        "instruction set": torch.backends.cpu.get_cpu_capability(),
        "CUDA": torch.version.cuda,
        "devices": [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())] if has_gpu else [],
    }
    try:
        library, command = find()
    except (OSError, subprocess.SubprocessError) as error:
        return {**found, "compiler": None, "library": f"no compiler: {error}"}
    others = [path for path in library.parent.glob("recurrence_*.so") if path != library]
    built = "there" if is_whole(library) else "damaged" if library.exists() else "not yet compiled"
    return {**found, "compiler": command[0], "library": built, "path": str(library), "others": len(others)}


if __name__ == "__main__":
    print(json.dumps(state()))
