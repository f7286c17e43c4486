"""
Names the packages that are missing or do not fit, before AllenNLP fails on them with an obscure error.

Run as a program, this file prints the problems, even if the package itself cannot be imported.
"""

import os
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

try:
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version
except ImportError:
    if __name__ != "__main__":
        raise
    sys.exit(
        "packaging is missing: found nothing of what setup.cfg requires; `make install` in a clone installs it"
    )

APART = ("allennlp==2.10.1", "allennlp-models==2.10.1")
"""What is installed without what it requires, as its bounds have no version for today's Python."""


def problems() -> list[str]:
    lines = []
    for one in requirements():
        needed = str(one.specifier) or "any version"
        try:
            # Later versions than setup.cfg allows may work. Without these bounds they do not.
            lowest = SpecifierSet(",".join(str(bound) for bound in one.specifier if bound.operator[0] != "<"))
            if lowest.contains(installed := version(one.name), prereleases=True):
                continue
            found = f"{installed} does not work"
        except PackageNotFoundError:
            found = "is missing"
        command = f"pip install {'--no-deps ' if str(one) in APART else ''}'{one}'"
        lines.append(f"{one.name} {found}: needs {needed}; {command}")
    if not lines and not (bounds := _torch_of_torchvision()).contains(version("torch"), prereleases=True):
        lines.append(problem_of_torchvision(f"it needs torch {bounds}"))
    if find_spec("_jsonnet") is None:
        lines.append(
            "_jsonnet is missing: install jsonnet (without it AllenNLP reads .jsonnet files as plain JSON)"
        )
    if find_spec("pkg_resources") is None:
        lines.append(
            "pkg_resources is missing: install setuptools<81 (py-rouge of allennlp-models imports it)"
        )
    return lines


def problem_of_torchvision(why: str) -> str:
    """The message that torchvision does not fit torch, with the command that installs another one."""
    torch, _, build = version("torch").partition("+")
    command = f"uv pip install --reinstall-package torchvision torch=={torch} torchvision"
    if build:
        command = f"UV_TORCH_BACKEND={build} {command}"
    if sys.version_info < (3, 12):
        command = "pip install --no-deps torchvision==0.16.2, which goes with any torch"
    found = f"torchvision {version('torchvision')} does not work beside torch {version('torch')}"
    return f"{found}: {why} (allennlp and transformers import it); {command}"


def requirements() -> list[Requirement]:
    """AllenNLP, and what this package requires by its installed metadata, without extras."""
    try:
        ours = requires("allennlp_coref_rc") or []
    except PackageNotFoundError:
        # A clone can be used without being installed.
        ours = []
    found = map(Requirement, [*APART, *ours])
    return [one for one in found if not one.marker or one.marker.evaluate({"extra": ""})]


def check_environment() -> None:
    """
    Raises an `ImportError` that names all problems; commands but `environment` print them and exit with
    status 2.
    """
    lines = problems()
    if not lines or sys.argv[1:2] == ["environment"]:
        return
    message = "".join(
        ["allennlp_coref_rc cannot run in this environment:\n", *(f"  - {line}\n" for line in lines)]
    )
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


def _torch_of_torchvision() -> SpecifierSet:
    """
    The releases of torch that the installed torchvision needs, by its metadata; up to 0.16 it takes any.
    """
    needed = map(
        Requirement,
        requires("torchvision") or () if Version(version("torchvision")) >= Version("0.17") else (),
    )
    return next((one.specifier for one in needed if one.name == "torch"), SpecifierSet())


if __name__ == "__main__":
    for problem in problems():
        print(problem)
    sys.exit(bool(problems()))
