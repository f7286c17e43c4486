"""
Names the packages that are missing or do not fit, before AllenNLP fails on them with an obscure error.

Run as a program, this file prints the problems, even if the package itself cannot be imported.
"""

import os
import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from operator import eq, ge, lt

Version = tuple[int, ...]

REQUIREMENTS = (
    ("allennlp", "==2.10.1", "it is the release this package extends"),
    ("allennlp-models", "==2.10.1", "it is the release this package extends"),
    ("torch", ">=2.6", "older ones can run code that is in a file of weights"),
    ("torchvision", ">=0.15", "allennlp imports it"),
    ("transformers", ">=4.48", "ModernBERT is in 4.48"),
    ("setuptools", ">=68,<81", "py-rouge, which allennlp-models needs, imports pkg_resources"),
    ("spacy", ">=3.8.8", "older lemmatizers ignore which words exist"),
    ("inflect", ">=7.2", "it joins singular and plural, and checks types by typeguard"),
)
"""The distribution, the versions that work, and the reason. A test compares them with `setup.cfg`."""


def problems() -> list[str]:
    lines = []
    for name, bounds, reason in REQUIREMENTS:
        needs = f"needs {bounds.replace(',', ' and ')} ({reason})"
        try:
            installed = version(name)
        except PackageNotFoundError:
            lines.append(f"{name} is missing: {needs}; {install_command(name, bounds)}")
            continue
        if not _is_within(installed, bounds):
            lines.append(f"{name} {installed} does not work: {needs}; {install_command(name, bounds)}")
    if not lines and (bounds := _torch_of_torchvision()) and not _is_within(version("torch"), bounds):
        lines.append(
            f"torchvision {version('torchvision')} does not work beside torch {version('torch')}: it needs torch "
            f"{bounds} (allennlp imports it); install a torchvision for that torch, or 0.16.2 with any torch"
        )
    if find_spec("_jsonnet") is None:
        lines.append("_jsonnet is missing: install jsonnet (without it AllenNLP reads .jsonnet files as plain JSON)")
    if find_spec("pkg_resources") is None:
        lines.append("pkg_resources is missing: install setuptools<81 (py-rouge of allennlp-models imports it)")
    return lines


def install_command(name: str, bounds: str) -> str:
    """The command that installs a package within bounds. AllenNLP requires versions that do not exist any more."""
    return f"pip install {'--no-deps ' if name.startswith('allennlp') else ''}'{name}{bounds}'"


def check_environment() -> None:
    """Raises an `ImportError` that names all problems; commands but `environment` print them and exit with status 2."""
    lines = problems()
    if not lines or sys.argv[1:2] == ["environment"]:
        return
    message = "".join(["allennlp_coref_rc cannot run in this environment:\n", *(f"  - {line}\n" for line in lines)])
    message += "coref-rc environment shows all versions. `make install` in a clone sets up a new environment."
    if is_command():
        print(f"coref-rc: {message}", file=sys.stderr)
        sys.exit(2)
    raise ImportError(message)


def is_command() -> bool:
    """Whether this process is `coref-rc` or `python -m allennlp_coref_rc`."""
    # While a package is imported for `python -m`, this is all that `sys.argv` begins with.
    module = sys.argv[0] == "-m" and "allennlp_coref_rc" in sys.orig_argv
    return module or os.path.basename(sys.argv[0]) == "coref-rc"


def _torch_of_torchvision() -> str:
    """The releases of torch that the installed torchvision needs, by its metadata; "" for any, as up to 0.16."""
    if _numbers(version("torchvision")) < (0, 17):
        return ""
    needed = (re.fullmatch(r"torch *\(?([<>=!,.\w+ ]+)\)?", line) for line in requires("torchvision") or ())
    return next((match.group(1).replace(" ", "") for match in needed if match), "")


def _numbers(text: str) -> Version:
    numbers = []
    for part in text.split("+")[0].split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)


def _is_within(installed: str, bounds: str) -> bool:
    """Whether a version is within bounds such as ">=4.48,<4.49". The package `packaging` may not be installed."""
    numbers = _numbers(installed)
    compare = {">=": ge, "==": eq, "<": lt}
    parts = re.findall(r"(>=|==|<)([\d.]+)", bounds)
    return all(compare[sign](numbers, _numbers(bound)) for sign, bound in parts)


if __name__ == "__main__":
    for problem in problems():
        print(problem)
    sys.exit(bool(problems()))
