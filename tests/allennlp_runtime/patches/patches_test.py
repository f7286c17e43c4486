"""The table of patches, and that AllenNLP is patched nowhere else."""

import ast
import warnings
from importlib.util import find_spec, module_from_spec
from pkgutil import resolve_name

import pytest

from allennlp_coref_rc.allennlp_runtime.patches import PATCHES, patch_allennlp
from tests.shared import PROJECT

PACKAGE = PROJECT / "allennlp_coref_rc"

OUTSIDE = sorted(set(PACKAGE.rglob("*.py")) - set((PACKAGE / "allennlp_runtime").rglob("*.py")))

CHANGES = ("patch", "patch.object", "patch.multiple", "setattr", "wrapt.wrap_function_wrapper")

HOOKS = ("wrapt.when_imported", "wrapt.register_post_import_hook")


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.function)
def test_what_the_table_names_is_there(patch):
    assert find_spec(patch.module)
    assert callable(resolve_name(f"allennlp_coref_rc.{patch.function}"))
    path, name = patch.test.split("::")
    tree = ast.parse((PROJECT / "tests" / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_table_has_every_patch():
    functions = {
        f"allennlp_runtime.patches.{path.stem}:{node.name}"
        for path in (PACKAGE / "allennlp_runtime" / "patches").glob("[!_]*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    assert functions and functions <= {patch.function for patch in PATCHES}


def root(node):
    """The `a` of `a.b.c`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def changes(tree):
    """The lines that change what is imported from AllenNLP, or that wait for its modules."""
    nodes = list(ast.walk(tree))
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    theirs = {
        (alias.asname or alias.name).partition(".")[0]
        for node in imports
        for alias in node.names
        if (node.module if isinstance(node, ast.ImportFrom) else alias.name).partition(".")[0] == "allennlp"
    }
    for node in nodes:
        if isinstance(node, ast.Call) and node.args:
            function, target = ast.unparse(node.func), node.args[0]
            named = isinstance(target, ast.Constant) and str(target.value).startswith("allennlp.")
            if (function in CHANGES and (named or root(target) in theirs)) or (function in HOOKS and named):
                yield node.lineno
        if isinstance(node, ast.Assign):
            # AllenNLP's commands set its settings too. Their names are in capitals.
            yield from (
                node.lineno
                for target in node.targets
                if isinstance(target, ast.Attribute) and root(target) in theirs and not target.attr.isupper()
            )


@pytest.mark.parametrize(
    "line",
    [
        "from allennlp.commands import train; train.train_model = None",
        "from allennlp import commands; patch.object(commands.train, 'train_model', None)",
        "from allennlp.models import Model as M; setattr(M, 'forward', None)",
        "patch('allennlp.commands.train.train_model')",
        "wrapt.when_imported('allennlp.nn.util')(print)",
    ],
)
def test_a_patch_elsewhere_is_seen(line):
    assert list(changes(ast.parse(line))) == [1]


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_allennlp_is_patched_only_here(path):
    assert not list(changes(ast.parse(path.read_text(encoding="utf-8"))))


def test_imports_of_allennlp_say_nothing_about_pictures(monkeypatch):
    """Torchvision's module is run again by its own name: another process would take seconds to import it."""
    monkeypatch.setattr("wrapt.register_post_import_hook", lambda function, module: None)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        patch_allennlp()
        spec = find_spec("torchvision.io.image")
        spec.loader.exec_module(module_from_spec(spec))
    assert not [warning for warning in given if warning.category is UserWarning]
