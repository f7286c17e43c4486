import sys

import pytest
from allennlp.common import Params, Registrable, plugins
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.allennlp_runtime import lazy_registry

BASE = """
from allennlp.common import Registrable, plugins


class Base(Registrable):
    pass
"""

SUBCLASS = """
from {package}.base import Base


@Base.register("{name}")
class Subclass(Base):
    pass
"""


@pytest.fixture
def base(tmp_path, monkeypatch):
    """A registrable class of a package like ours, beside modules that register subclasses."""
    package = tmp_path / "package_of_classes"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "base.py").write_text(BASE)
    for name in ("first", "second"):
        (package / f"{name}.py").write_text(SUBCLASS.format(package=package.name, name=name))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(lazy_registry, "PACKAGE", package.name)
    monkeypatch.setattr(lazy_registry, "SOURCES", ())
    from package_of_classes.base import Base

    yield Base
    for name in list(sys.modules):
        if name.partition(".")[0] == package.name:
            del sys.modules[name]


def test_a_name_imports_the_module_that_registers_it(base):
    assert base.by_name("second").__module__ == "package_of_classes.second"
    assert base.list_available() == ["second"] and "package_of_classes.first" not in sys.modules
    assert lazy_registry.is_registered(base, "first") and base.list_available() == ["second", "first"]


@pytest.mark.parametrize("params", ["first", {"type": "first"}], ids=repr)
def test_a_config_imports_the_module_of_its_type(base, params):
    built = base.from_params(params if isinstance(params, str) else Params(params))
    assert type(built).__module__ == "package_of_classes.first" and base.list_available() == ["first"]


def test_a_name_that_nothing_registers(base):
    assert not lazy_registry.is_registered(base, "third")
    for build in (base.by_name, base.from_params):
        with pytest.raises(ConfigurationError, match="third"):
            build("third")


def test_sources_are_asked_in_order_until_the_name_is_there(base, monkeypatch):
    asked = []

    def source(name):
        def register():
            asked.append(name)
            base.register(name, exist_ok=True)(type(name, (base,), {}))

        return register

    monkeypatch.setattr(lazy_registry, "SOURCES", tuple(map(source, ["own", "other", "another"])))
    assert base.by_name("other").__name__ == "other" and asked == ["own", "other"]
    assert issubclass(base, Registrable)


def test_plugins_are_imported_without_allennlp_models(monkeypatch):
    imported = []
    monkeypatch.setattr(
        "allennlp.common.util.import_module_and_submodules", lambda name, *_: imported.append(name)
    )
    monkeypatch.setattr(lazy_registry, "IMPORTED", set())
    for _ in range(2):
        plugins.import_plugins()
    assert imported == ["allennlp", "allennlp_semparse", "allennlp_server"]
