"""The documentation's pages and fenced blocks, the parsers of commands, and classes that need a page."""

import re
import sys
from functools import lru_cache
from unittest.mock import patch

from allennlp import commands as allennlp_commands
from allennlp.common import Registrable
from allennlp.common.plugins import import_plugins

from allennlp_coref_rc.__main__ import build_parser
from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_own
from allennlp_coref_rc.reproduction.figures import drawings  # noqa: F401  registers drawings
from tests.shared import PROJECT

PAGES = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])


def name(page):
    return page.relative_to(PROJECT).as_posix()


def blocks(page, language):
    """The texts of the fenced blocks in a language; those in none, "", are what a screen or a file shows."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def python_files(page):
    """The blocks of Python that are files, by the names in line 1, and the others as one program."""
    named = {block: re.match(r"# (\w+\.py)\n", block) for block in blocks(page, "python")}
    files = {match[1]: block for block, match in named.items() if match}
    return files, "\n".join(block for block, match in named.items() if not match)


def own_registered_classes():
    """The base class, the registered name and the path of each class that the package registers."""
    register_own()
    import_plugins()
    return {
        (base.__name__, registered, f"{subclass.__module__}.{subclass.__name__}")
        for base, subclasses in Registrable._registry.items()
        for registered, (subclass, _) in subclasses.items()
        if subclass.__module__.startswith("allennlp_coref_rc.")
    }


@lru_cache(maxsize=None)
def parser(of_allennlp):
    """That of our commands, or of AllenNLP's, which is made where a command is parsed."""
    if not of_allennlp:
        return build_parser()
    with patch.object(sys, "argv", ["coref-rc"]):
        return allennlp_commands.parse_args("coref-rc")[0]
