import gc
import importlib
import inspect
import json
import os
import pickle
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from typing import Optional

import pytest

from allennlp_coref_rc.allennlp_runtime.lazy_imports import LazyModule, lazy_imports, quick_imports

FILES = {
    "heavy/__init__.py": "from heavy import part\n\ndef double(number):\n    return 2 * number\n",
    "heavy/part.py": "class Part:\n    size = 3\n\nTABLE = {'a': 1}\n\ndef name():\n    return Part.__name__\n",
    "outer/__init__.py": "",
    "outer/heavy.py": "VALUE = 1\n",
}


@pytest.fixture(autouse=True)
def heavy(tmp_path, monkeypatch):
    """Packages whose modules are imported anew in each test."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in list(sys.modules):
        if name.partition(".")[0] in ("heavy", "outer"):
            del sys.modules[name]


def is_imported():
    heavy = [module for name, module in sys.modules.items() if name.partition(".")[0] == "heavy"]
    return any(type(module) is not LazyModule for module in heavy)


@pytest.fixture
def placeholders():
    """What a module that is imported within `lazy_imports` holds."""
    with lazy_imports(["heavy"]):
        import heavy
        import heavy.part as part
        from heavy import double
        from heavy.part import TABLE, Part, name
    assert not is_imported()
    return heavy, part, double, Part, TABLE, name


@pytest.mark.parametrize(
    "use",
    [
        lambda heavy, part, double, Part, TABLE, name: heavy.part.name() == "Part",
        lambda heavy, part, double, Part, TABLE, name: part.Part.size == 3,
        lambda heavy, part, double, Part, TABLE, name: double(2) == 4,
        lambda heavy, part, double, Part, TABLE, name: Part.size == 3 and isinstance(Part(), Part),
        lambda heavy, part, double, Part, TABLE, name: TABLE["a"] == 1,
        lambda heavy, part, double, Part, TABLE, name: pickle.loads(pickle.dumps(name)) is part.name,
        lambda heavy, part, double, Part, TABLE, name: issubclass(subclass(Part), part.Part),
    ],
)
def test_what_is_used_is_imported(use, placeholders):
    assert use(*placeholders) and is_imported()


def subclass(base):
    class Subclass(base):
        pass

    return Subclass


def test_a_fork_imports_what_it_uses(placeholders):
    _, _, double, *_ = placeholders
    child = os.fork()
    if not child:
        os._exit(double(21))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42 and not is_imported()


def test_annotations_and_inspection_import_nothing():
    with lazy_imports(["heavy"]):
        from heavy.part import Part

        def function(part: Optional[Part] = None) -> list[Part]: ...

        inspect.signature(function)
        inspect.getmodule(function)
        assert find_spec("heavy").origin.endswith("__init__.py") and find_spec("heavy.part")
        assert find_spec("heavy.nothing") is None
        assert metadata.version("pytest") == pytest.__version__
    assert not is_imported()


def test_only_real_modules_are_left_behind(placeholders):
    import heavy

    assert type(heavy) is not LazyModule
    assert heavy is importlib.import_module("heavy") and heavy.double(1) == 2


def test_a_module_within_another_package():
    with lazy_imports(["outer.heavy"]):
        import outer
        from outer import heavy

        assert type(heavy) is LazyModule
    assert not hasattr(outer, "heavy") and heavy.VALUE == 1 == outer.heavy.VALUE


def test_what_is_used_at_once_is_imported_at_once():
    with lazy_imports(["heavy"]):
        from heavy import double

        assert double(2) == 4
        import heavy

        assert type(heavy) is not LazyModule


def test_imported_and_missing_packages_stay_as_they_are():
    import heavy

    with lazy_imports(["heavy", "nothing_of_this_name"]):
        import heavy.part

        assert type(heavy.part) is not LazyModule
        with pytest.raises(ModuleNotFoundError):
            import nothing_of_this_name  # noqa: F401
        with pytest.raises(ModuleNotFoundError):
            import heavy.nothing


ALLENNLP = """
import json, sys
from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.allennlp_runtime.lazy_imports import LazyAttribute, LazyModule, SELDOM_USED
from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_own
from allennlp_coref_rc.common.errors import ConfigurationError

main(["annotate", "texts.txt", "annotated.jsonl", "--annotator", "exact_match_coref"])
register_own()
imported = [name for name in SELDOM_USED if name in sys.modules]
holders = [n for n, m in sys.modules.items() if {type(v) for v in vars(m).values()} & {LazyAttribute, LazyModule}]

import torch
from allennlp.common import checks
from allennlp.data import image_loader
from allennlp.data.data_loaders import data_collator
from allennlp.modules.transformer import activation_layer
from allennlp.training.metrics import Auc, SpearmanCorrelation

auc, spearman = Auc(), SpearmanCorrelation()
auc(torch.tensor([0.1, 0.9]), torch.tensor([0, 1]))
spearman(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 4.0, 9.0]))
print(json.dumps({
    "imported": imported,
    "holders": holders,
    "same error": checks.ConfigurationError is ConfigurationError,
    "auc": auc.get_metric(),
    "spearman": spearman.get_metric(),
    "activation": type(activation_layer.ActivationLayer(2, 2, "relu").act_fn).__name__,
    "collator": data_collator.DataCollatorForLanguageModeling.__name__,
    "loader": type(image_loader.TorchImageLoader()).__name__,
}))
"""


@pytest.mark.slow
def test_allennlp_works_without_what_it_seldom_uses(tmp_path):
    """In a process of its own, in which a command imports AllenNLP for the first time."""
    (tmp_path / "texts.txt").write_text("Ann slept.")
    ran = subprocess.run([sys.executable, "-c", ALLENNLP], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    facts = json.loads(ran.stdout.splitlines()[-1])
    assert facts.pop("imported") == []
    holders = {name.partition(".")[0] for name in facts.pop("holders")}
    assert holders == {"allennlp", "spacy", "transformers"}
    assert facts == {
        "same error": True,
        "auc": 1.0,
        "spearman": pytest.approx(1.0),
        "activation": "ReLU",
        "collator": "DataCollatorForLanguageModeling",
        "loader": "TorchImageLoader",
    }


@pytest.fixture
def garbage_collection():
    gc.enable()
    yield
    gc.enable()


@pytest.mark.usefixtures("garbage_collection")
def test_searches_stop_and_go_on():
    with pytest.raises(ImportError), quick_imports():
        assert not gc.isenabled()
        import nothing_of_this_name  # noqa: F401
    assert gc.isenabled()
    gc.disable()
    with quick_imports():
        pass
    assert not gc.isenabled()


@pytest.mark.usefixtures("garbage_collection")
def test_what_was_imported_is_set_aside_and_nothing_is_where_nothing_was(tmp_path, monkeypatch):
    (tmp_path / "module_of_one_test.py").write_text("VALUES = [[i] for i in range(1000)]\n")
    monkeypatch.syspath_prepend(tmp_path)
    frozen = gc.get_freeze_count()
    with quick_imports():
        import json  # noqa: F401  is imported already
    assert gc.get_freeze_count() == frozen
    with quick_imports():
        import module_of_one_test  # noqa: F401
    assert gc.get_freeze_count() >= frozen + 1000
