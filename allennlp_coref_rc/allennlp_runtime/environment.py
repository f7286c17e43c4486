"""
Names the packages that are missing or do not fit, before AllenNLP fails on them with an obscure error.

Run as a program, this file prints the problems, even if the package itself cannot be imported.
"""

import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

Version = tuple[int, ...]

REQUIREMENTS = (
    ("allennlp", ">=2.10.1,<2.11", "it is the release this package extends"),
    ("allennlp-models", ">=2.10.1,<2.11", "it is the release this package extends"),
    ("torch", ">=2.6", "older ones can run code that is in a file of weights"),
    ("torchvision", ">=0.15", "allennlp imports it"),
    ("transformers", ">=4.48,<4.49", "ModernBERT is in 4.48, and allennlp imports AdamW, which is gone from 4.49 on"),
    ("huggingface-hub", "<1.0", "allennlp's helpers import what is gone from 1.0 on"),
    ("cached-path", "<1.8", "1.8 needs huggingface-hub 1"),
    ("setuptools", ">=68,<81", "py-rouge, which allennlp-models needs, imports pkg_resources"),
    ("spacy", ">=3.8", "its tokenizer and word lists are used"),
    ("inflect", ">=7.2", "it joins singular and plural, and checks types by typeguard"),
)
"""
The distribution, the versions that work, and the reason. `setup.cfg` and the overrides have these bounds too, and some
that are only tested with; a test compares them.
"""


def problems() -> list[str]:
    """The problems, one a line."""
    lines = []
    for name, bounds, reason in REQUIREMENTS:
        needs = f"needs {bounds.replace(',', ' and ')} ({reason})"
        try:
            installed = version(name)
        except PackageNotFoundError:
            lines.append(f"{name} is missing: {needs}")
            continue
        if not _is_within(installed, bounds):
            lines.append(f"{name} {installed} does not work: {needs}")
    if not lines and not _fits(_numbers(version("torchvision")), _numbers(version("torch"))):
        lines.append(
            f"torchvision {version('torchvision')} does not work beside torch {version('torch')}: needs 0.15, 0.16, or "
            "the release that goes with that torch (allennlp imports it, and from 0.17 on it imports only beside its "
            "own torch)"
        )
    if find_spec("_jsonnet") is None:
        lines.append("_jsonnet is missing: install jsonnet (without it AllenNLP reads .jsonnet files as plain JSON)")
    if find_spec("pkg_resources") is None:
        lines.append(
            "pkg_resources is missing: install setuptools<81 (py-rouge, which allennlp-models needs, imports it)"
        )
    return lines


def check_environment() -> None:
    """Raises an `ImportError` that names all problems, except in `coref-rc environment`, which prints them."""
    lines = problems()
    if lines and sys.argv[1:2] != ["environment"]:
        raise ImportError(
            "allennlp_coref_rc cannot run in this environment:\n"
            + "".join(f"  - {problem}\n" for problem in lines)
            + "`coref-rc environment` shows all versions. `make install` in a clone of the project sets up an "
            "environment that works."
        )


def _fits(torchvision: Version, torch: Version) -> bool:
    """Whether torchvision can be imported beside torch: release 0.(n + 15) belongs to torch 2.n."""
    return torchvision < (0, 17) or torchvision[1] == torch[1] + 15


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
    return all(
        numbers >= _numbers(bound[2:]) if bound.startswith(">=") else numbers < _numbers(bound[1:])
        for bound in bounds.split(",")
    )


if __name__ == "__main__":
    for problem in problems():
        print(problem)
    sys.exit(bool(problems()))
