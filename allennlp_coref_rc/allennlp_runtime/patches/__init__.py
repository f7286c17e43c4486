"""
`patches.csv` is the table of all changes that this package makes to AllenNLP 2.10.1 while AllenNLP is
imported. Only `console` and `atomic_outputs` change it too, while a command of `coref-rc` runs. AllenNLP is
no longer maintained, so no release of it will need fewer. Changes to other packages are in the table too.
"""

import csv
import warnings
from pathlib import Path
from typing import NamedTuple

import wrapt


class Patch(NamedTuple):
    """A change of a module."""

    module: str
    function: str
    """The function that is given the module and changes it, as "module:function" in this package."""
    why: str
    """The effect of its absence."""
    unneeded: str
    """The versions of other packages that do not need it. "" if there are none."""
    test: str
    """The test that fails without it, as "file::function" in `tests/`."""


with open(Path(__file__).with_name("patches.csv"), encoding="utf-8", newline="") as _file:
    PATCHES = tuple(Patch(**row) for row in csv.DictReader(_file))

IRRELEVANT = (
    ("Failed to load image Python extension", r"torchvision\."),
    ("pkg_resources is deprecated", r"rouge\."),
)
"""Warnings about features that this package does not use, and the modules that give them."""


def patch_allennlp() -> None:
    """Changes the modules of the table, those that are imported already and those that will be."""
    package = __name__.partition(".")[0]
    for message, warning_module in IRRELEVANT:
        warnings.filterwarnings("ignore", message, UserWarning, warning_module)
    for patch in PATCHES:
        wrapt.register_post_import_hook(f"{package}.{patch.function}", patch.module)
