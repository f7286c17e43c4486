"""The shell commands of the documentation, other than those of coref-rc: they could be given."""

import configparser
import re
import shlex
import subprocess

import pytest

from scripts.benchmarks import __main__ as benchmarks
from tests.documented import PAGES, blocks, name
from tests.shared import PROJECT


def lines_of(block):
    """The commands of a block, a line each, as words; those of loops are without their loops."""
    joined = re.sub(r'"\{.*?\}"', "OVERRIDES", block.replace("\\\n", " "), flags=re.DOTALL)
    for line in joined.splitlines():
        words = shlex.split(re.sub(r"^ *(\w+=\S+ )*", "", line), comments=True)
        if words and words[0] not in ("done", "done;", "for"):
            yield words


def check_python(words):
    if words[:2] != ["-m", "scripts.benchmarks"]:
        check_script(words)
        return
    benchmarks.options(words[2:]).parse_args(words[2:])


def check_script(words):
    """`python scripts/….py …` or `python -m …`"""
    path = words[0]
    if path == "-c":
        compile(words[1], path, "exec")
        return
    if path == "-m":
        module = words[1].replace(".", "/")
        path = f"{module}/__main__.py" if (PROJECT / module).is_dir() else f"{module}.py"
    assert (PROJECT / path).is_file(), path
    source = (PROJECT / path).read_text()
    for option in [word for word in words if word.startswith("--")]:
        assert re.search(rf'"(--)?{option[2:]}"', source), f"{path}: {option}"


def check_uv(words):
    extras = [word[2:-1] for word in words if word.startswith(".[")]
    settings = configparser.ConfigParser()
    settings.read(PROJECT / "setup.cfg")
    assert all(extra in settings["options.extras_require"] for extra in extras)
    assert "--overrides" not in words or (PROJECT / words[words.index("--overrides") + 1]).is_file()


def check_make(words):
    (target,) = words
    assert re.search(rf"^{target}:", (PROJECT / "Makefile").read_text(), flags=re.MULTILINE)


def check_nothing(words):
    """Commands of no part of this project, and of coref-rc, which documentation_test.py parses."""


CHECKS = {
    **dict.fromkeys("coref-rc dask echo head hf source ssh tail".split(), check_nothing),
    "make": check_make,
    "pip": check_uv,
    "python": check_python,
    "uv": check_uv,
}


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "bash")], ids=name)
def test_commands_of_a_page_can_be_given(page):
    for block in blocks(page, "bash"):
        subprocess.run(["bash", "-n"], input=block, text=True, check=True)
        for words in lines_of(block):
            CHECKS[words[0]](words[1:])
