"""
The library of the compiled recurrence and dropout: where it is, whether it is complete, and how it is made.

A wheel contains this file if there was a compiler when the wheel was built; otherwise it is compiled on first
use. The file has the same code for several instruction sets. Run as a program, this module prints JSON: what
PyTorch finds on this machine, and the state of the file. With --build it makes the file, if there is a
compiler, and prints nothing. The module imports nothing of this package, so it works where AllenNLP does not.
It imports PyTorch only where it needs PyTorch, so a wheel can be built without it.
"""

import contextlib
import hashlib
import itertools
import json
import logging
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
from typing import Any

logger = logging.getLogger(__name__)

HERE = pathlib.Path(__file__).parent

SOURCES = [HERE / "recurrence.cpp", HERE.parent / "fast_dropout.cpp"]

FLAGS = ["-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-pthread"]

VARIANTS: dict[str, list[str]] = {"default": []}
"""
Options of the compiler for each instruction set, by PyTorch's name of it, from the smallest. In this order
they are linked: of a function of the standard library that several contain, the first is used by all.
"""

if platform.machine().lower() in ("x86_64", "amd64"):
    VARIANTS["avx2"] = ["-mavx2", "-mfma"]
    VARIANTS["avx512"] = [
        *(f"-mavx512{part}" for part in ("f", "dq", "bw", "vl")),
        "-mfma",
        "-mprefer-vector-width=512",
    ]

DIGEST = 32
"""The bytes of the checksum behind a library."""


def prebuilt() -> pathlib.Path:
    """The path of these sources' library in a wheel. The library of other sources has another name."""
    # Not .so: Python would take it for a module.
    return HERE / f"recurrence_{_key()}.compiled"


def build() -> pathlib.Path:
    """
    The path of the library, which is compiled unless it lies in PyTorch's cache of extensions
    (`TORCH_EXTENSIONS_DIR`). Of several processes one compiles, and the others wait for it.
    """
    from filelock import FileLock

    library = cached()
    if is_whole(library):
        return library
    library.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{library}.lock") as lock:
        if not is_whole(library):
            logger.info("Compiling the recurrence for the CPU into %s", library)
            compile_into(library)
        os.unlink(lock.lock_file)
    return library


def cached() -> pathlib.Path:
    """The path of the library for these sources and this compiler, in PyTorch's cache."""
    root = os.environ.get("TORCH_EXTENSIONS_DIR")
    if not root:
        from torch.utils import cpp_extension

        root = cpp_extension.get_default_build_root()
    version = subprocess.run([compiler(), "--version"], check=True, capture_output=True, text=True).stdout
    key = _key(compiler(), version)
    return pathlib.Path(root) / "allennlp_coref_rc" / f"recurrence_{key}.so"


def compiler() -> str:
    """The C++ compiler, which PyTorch also takes."""
    return os.environ.get("CXX", "c++")


def compile_into(library: pathlib.Path) -> None:
    """
    Compiles the library. This takes only seconds, because the sources include no headers of PyTorch or
    Python. The file is moved into place when it is complete, so that processes which start together can't
    disturb each other.
    """
    library.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=library.parent) as directory, contextlib.ExitStack() as stack:
        built = pathlib.Path(directory) / library.name
        objects, running = [], []
        for variant, source in itertools.product(VARIANTS, SOURCES):
            objects.append(str(built.with_name(f"{source.stem}_{variant}.o")))
            what = [f"-DVARIANT={variant}", "-c", str(source), "-o", objects[-1]]
            command = [compiler(), *FLAGS, *VARIANTS[variant], *what]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            running.append(stack.enter_context(process))
        for process in running:
            output, errors = process.communicate()
            if process.returncode:
                raise subprocess.CalledProcessError(process.returncode, process.args, output, errors)
        link = [compiler(), "-shared", "-pthread", *objects, "-o", str(built)]
        subprocess.run(link, check=True, capture_output=True, text=True)
        _seal(built)
        os.replace(built, library)


def is_whole(library: pathlib.Path) -> bool:
    """Whether the library is there and complete. Loading one that was cut short would kill the process."""
    if not library.is_file():
        return False
    content = library.read_bytes()
    return hashlib.sha256(content[:-DIGEST]).digest() == content[-DIGEST:]


def _seal(library: pathlib.Path) -> None:
    """Appends a checksum, which loading ignores, and makes sure that everything is on the disk."""
    with open(library, "r+b") as file:
        file.write(hashlib.sha256(file.read()).digest())
        file.flush()
        os.fsync(file.fileno())


def _key(*parts: str) -> str:
    texts = [*(source.read_text() for source in SOURCES), *parts, str(FLAGS), str(VARIANTS)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def state() -> dict[str, Any]:
    """The instruction set, GPU and compilers of this machine, and the state of the library."""
    import torch

    num_devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
    machine: dict[str, Any] = {
        "instruction set": torch.backends.cpu.get_cpu_capability(),
        "CUDA": torch.version.cuda,
        "devices": [torch.cuda.get_device_name(i) for i in range(num_devices)],
    }
    if is_whole(prebuilt()):
        found = {"compiler": "the builder of the wheel", "library": "there", "path": str(prebuilt())}
        return {**machine, **found}
    try:
        library = cached()
    except (OSError, subprocess.SubprocessError) as error:
        return {**machine, "compiler": None, "library": f"no compiler: {error}"}
    others = [path for path in library.parent.glob("recurrence_*.so") if path != library]
    built = "there" if is_whole(library) else "damaged" if library.exists() else "not yet compiled"
    return {**machine, "compiler": compiler(), "library": built, "path": str(library), "others": len(others)}


if __name__ == "__main__":
    if sys.argv[1:] == ["--build"]:
        # All works without a compiler, more slowly.
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            build()
    else:
        print(json.dumps(state()))
