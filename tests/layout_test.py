"""
Which module may import which: never upwards, never in a circle, and nothing heavy where a command must start
at once.
"""

import ast
import subprocess
import sys
from fnmatch import fnmatchcase
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.shared import PROJECT

PACKAGE = "allennlp_coref_rc"

FLOORS = [
    ["common"],
    ["safe_archives"],
    ["allennlp_runtime"],
    ["annotations", "metrics", "training"],
    ["data"],
    ["modules"],
    ["models", "predictors", "pages"],
    ["config_check"],
    ["annotation_runs", "reproduction"],
    ["api"],
    ["playground"],
    ["commands"],
    ["__init__", "__main__"],
    ["scripts"],
]
"""From the bottom up. A module imports from its own room and from lower floors."""

HEAVY = {"allennlp", "allennlp_models", "inflect", "nltk", "spacy", "torch", "transformers"}

LIGHT = (
    "",
    "common*",
    "annotations*",
    "commands*",
    "data.babi*",
    "data.corpora.cnn_dailymail",
    "metrics.answer_scores",
    "metrics.overlap",
    "metrics.ptb_tokens",
    "pages*",
    "api*",
    "reproduction.figures.[cqr]*",
    "reproduction.significance",
    "safe_archives*",
)
"""Patterns of modules that must import nothing heavy, so that commands that need no more start at once."""

NOT_LIGHT = {
    *("annotations.annotators", "annotations.spacy_components", "annotations.spacy_docs"),
    "commands.allennlp_predict",
}


@lru_cache(maxsize=None)
def modules():
    """The files of all modules by their names; scripts are modules of `scripts`."""
    found = {}
    for path in [*PROJECT.glob(f"{PACKAGE}/**/*.py"), *PROJECT.glob("scripts/**/*.py")]:
        name = ".".join(path.relative_to(PROJECT).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


@lru_cache(maxsize=None)
def imports(module, inside_functions):
    """The modules that a module imports, by their full names."""
    found = set()
    waiting = [ast.parse(modules()[module].read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{modules()[module]}, line {node.lineno}: found a relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found.add(name if name in modules() else node.module)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
        elif inside_functions or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def own(names):
    return {name for name in names if name in modules()}


def room(module):
    """ "data" of "allennlp_coref_rc.data.fields" """
    parts = module.split(".")
    return "scripts" if parts[0] == "scripts" else (*parts, "__init__")[1]


def light_modules():
    names = [module.partition(".")[2] for module in sorted(modules()) if module.partition(".")[0] == PACKAGE]
    light = [name for name in names if any(fnmatchcase(name, pattern) for pattern in LIGHT)]
    assert all(any(fnmatchcase(name, pattern) for name in light) for pattern in LIGHT)
    return [
        f"{PACKAGE}.{name}".strip(".")
        for name in light
        if not any(f"{name}.".startswith(f"{heavy}.") for heavy in NOT_LIGHT)
    ]


def heavy_path(start, allowed=()):
    """
    The modules on the way from a module to the first heavy import that it causes, packages on the way
    included; not to an import of the `allowed` modules.
    """
    seen, waiting = set(), [(start,)]
    while waiting:
        path = waiting.pop(0)
        parts = path[-1].split(".")
        if parts[0] in HEAVY:
            if path[-1].startswith(allowed):
                continue
            return path
        for end in range(1, len(parts) + 1):
            module = ".".join(parts[:end])
            if module in modules() and module not in seen:
                seen.add(module)
                waiting.extend((*path, name) for name in sorted(imports(module, inside_functions=False)))
    return None


def test_every_room_has_a_floor():
    assert {room(module) for module in modules()} == {name for floor in FLOORS for name in floor}


def test_no_import_runs_upwards():
    heights = {name: height for height, floor in enumerate(FLOORS) for name in floor}
    upwards = [
        f"{module} imports {name}"
        for module in modules()
        for name in own(imports(module, inside_functions=True))
        if room(name) != room(module) and heights[room(name)] >= heights[room(module)]
    ]
    assert not upwards


def test_nothing_imports_the_tests():
    """Scripts are below them."""
    importing = {
        name for name in modules() if any(f"{one}.".startswith("tests.") for one in imports(name, True))
    }
    assert not importing


def test_no_imports_run_in_a_circle():
    graph = {module: own(imports(module, inside_functions=True)) - {PACKAGE, module} for module in modules()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


@pytest.mark.parametrize("module", light_modules())
def test_light_modules_import_nothing_heavy(module):
    path = heavy_path(module)
    assert path is None, " imports ".join(path or ())


@pytest.mark.parametrize(
    "module, allowed",
    [
        # Every program that makes a pipeline of spaCy imports the first.
        ("annotations.spacy_components", ("spacy.",)),
        ("annotations.annotators.coref.sieve.sieve_coref", ("allennlp.common",)),
    ],
)
def test_components_of_spacy_import_only_what_they_need(module, allowed):
    path = heavy_path(f"{PACKAGE}.{module}", allowed)
    assert path is None, " imports ".join(path or ())


def test_only_private_modules_import_what_only_extras_install():
    """`--include-package` imports all others, also where there are no extras."""
    extras = set("fastcoref coreferee maverick datasets tensorboard wandb streamlit playwright".split())

    def is_private(module):
        return module.rpartition(".")[2].startswith("_") and not module.endswith("__")

    def found(module):
        names = imports(module, inside_functions=False)
        return {name for name in names if name.partition(".")[0] in extras}.union(
            *(found(name) for name in own(names) if is_private(name))
        )

    wrong = {name: found(name) for name in modules() if room(name) != "scripts" and not is_private(name)}
    assert not any(wrong.values()), wrong
    assert found(f"{PACKAGE}.playground._app")


def test_light_modules_load_nothing_heavy():
    """What other packages import in their turn is seen only when it happens."""
    lines = [
        "import importlib, sys",
        f"for name in {light_modules()!r}: importlib.import_module(name)",
        f"print(*sorted({{name.partition('.')[0] for name in sys.modules}} & {HEAVY!r}))",
    ]
    ran = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, cwd=PROJECT
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == ""
