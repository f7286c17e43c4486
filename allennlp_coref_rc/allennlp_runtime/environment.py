"""
Names the packages that are missing or do not fit, before AllenNLP fails on them with an obscure error.

Run as a program, this file prints the problems, even if the package itself cannot be imported.
"""

import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Optional

Version = tuple[int, ...]

REQUIREMENTS: tuple[tuple[str, Optional[Version], Optional[Version], str], ...] = (
    ("allennlp", (2, 10, 1), (2, 11), "it is the release this package extends"),
    ("allennlp-models", (2, 10, 1), (2, 11), "it is the release this package extends"),
    ("torch", (2, 6), None, "older ones can run code that is in a file of weights"),
    ("torchvision", (0, 15), None, "allennlp imports it"),
    ("transformers", (4, 48), (4, 49), "ModernBERT is in 4.48, and allennlp imports AdamW, which is gone from 4.49 on"),
    ("huggingface-hub", None, (1,), "allennlp's helpers import what is gone from 1.0 on"),
    ("cached-path", None, (1, 8), "1.8 needs huggingface-hub 1"),
    ("setuptools", (68,), (81,), "py-rouge, which allennlp-models needs, imports pkg_resources"),
    ("spacy", (3, 8), None, "its tokenizer and word lists are used"),
    ("inflect", (7, 2), None, "it joins singular and plural, and checks types by typeguard"),
)
"""The distribution, the oldest version that works, the first that does not work any more, and the reason."""


def problems() -> list[str]:
    """The problems, one a line."""
    found = []
    for name, oldest, too_new, reason in REQUIREMENTS:
        wanted = " and ".join(
            ([f">={_join(oldest)}"] if oldest else []) + ([f"<{_join(too_new)}"] if too_new else []) or ["any version"]
        )
        try:
            installed = version(name)
        except PackageNotFoundError:
            found.append(f"{name} is missing: needs {wanted} ({reason})")
            continue
        numbers = _numbers(installed)
        if (oldest and numbers < oldest) or (too_new and numbers >= too_new):
            found.append(f"{name} {installed} does not work: needs {wanted} ({reason})")
    if not found and not _fits(_numbers(version("torchvision")), _numbers(version("torch"))):
        found.append(
            f"torchvision {version('torchvision')} does not work beside torch {version('torch')}: needs 0.15, 0.16, or "
            "the release that goes with that torch (allennlp imports it, and from 0.17 on it imports only beside its "
            "own torch)"
        )
    if find_spec("_jsonnet") is None:
        found.append("_jsonnet is missing: install jsonnet (without it AllenNLP reads .jsonnet files as plain JSON)")
    if find_spec("pkg_resources") is None:
        found.append(
            "pkg_resources is missing: install setuptools<81 (py-rouge, which allennlp-models needs, imports it)"
        )
    return found


def check_environment() -> None:
    """Raises an `ImportError` that names all problems, except in `coref-rc environment`, which prints them."""
    found = problems()
    if found and sys.argv[1:2] != ["environment"]:
        raise ImportError(
            "allennlp_coref_rc cannot run in this environment:\n"
            + "".join(f"  - {problem}\n" for problem in found)
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


def _join(numbers: Version) -> str:
    return ".".join(map(str, numbers))


if __name__ == "__main__":
    for problem in problems():
        print(problem)
    sys.exit(bool(problems()))
