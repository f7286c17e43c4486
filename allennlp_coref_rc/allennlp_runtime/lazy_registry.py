"""
Lets AllenNLP find the classes that this package registers, and imports them only when a name asks for one.

AllenNLP finds a class by its name only if its module is imported, but importing all modules of this package,
or of allennlp-models, takes seconds. So an unknown name first imports the module of that name beside the base
class, if that is ours, then all of this package, then allennlp-models.
"""

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Optional
from unittest.mock import patch

from allennlp_coref_rc.allennlp_runtime.lazy_imports import lazy_imports, quick_imports
from allennlp_coref_rc.common.errors import ConfigurationError

PACKAGE = __name__.partition(".")[0]

REGISTERING = ("annotations.annotators", "data", "metrics", "models", "modules", "predictors", "training")


@lru_cache(maxsize=None)
def register_own() -> None:
    """Imports every module of this package that registers classes, but not those with private names."""
    import_allennlp()
    for name in REGISTERING:
        _import_all(f"{PACKAGE}.{name}")


@lru_cache(maxsize=None)
def register_allennlp_models() -> None:
    """
    Imports allennlp-models, if it is installed, as AllenNLP's plugin loader does, but without the network.
    """
    import nltk

    # One of its modules downloads NLTK's data when it is imported.
    download, nltk.download = nltk.download, lambda *args, **kwargs: False
    try:
        _import_all("allennlp_models")
    except ModuleNotFoundError as error:
        if error.name != "allennlp_models":
            raise
    finally:
        nltk.download = download


def import_allennlp() -> None:
    """Imports all modules of AllenNLP that register classes, without the packages that it seldom uses."""
    with quick_imports(), lazy_imports():
        import allennlp.commands  # noqa: F401

        _import_once("allennlp", {*NO_CLASSES})


def import_plugins() -> None:
    """Imports AllenNLP and the user's plugins, but allennlp-models only when a name needs it."""
    import_allennlp()
    from allennlp.common import plugins

    plugins.import_plugins()


def import_packages(names: Iterable[str]) -> None:
    """Imports the packages that `--include-package` names, with all of their modules."""
    from allennlp.common.util import import_module_and_submodules

    for name in names:
        try:
            import_module_and_submodules(name)
            INCLUDED.setdefault(name)
        except ModuleNotFoundError as error:
            # A module that is missing within the package is an error of another kind.
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            raise ConfigurationError(f"--include-package {name}: no such package") from error


INCLUDED: dict[str, None] = {}
"""The packages that `import_packages` has imported. Processes that work for this one need them too."""

NO_CLASSES = ("allennlp.common.cached_transformers", "allennlp.sanity_checks", "allennlp.tools")
"""Modules of AllenNLP that register no class and take long to import."""

IMPORTED: set[str] = set()


def _import_once(name: str, exclude: Optional[set[str]] = None) -> None:
    """
    AllenNLP's `import_module_and_submodules`, once in a process, with the folders of packages listed only
    once.
    """
    from allennlp.common.util import import_module_and_submodules

    if name not in IMPORTED:
        importlib.invalidate_caches()
        with patch.object(importlib, "invalidate_caches"):
            import_module_and_submodules(name, exclude)
        IMPORTED.add(name)


def import_each_plugin_once(plugins: Any) -> None:
    """Changes AllenNLP's module of plugins: allennlp-models is imported only when a name needs it."""
    plugins.DEFAULT_PLUGINS = tuple(name for name in plugins.DEFAULT_PLUGINS if name != "allennlp_models")
    plugins.import_module_and_submodules = _import_once


SOURCES: tuple[Callable[[], None], ...] = (register_own, register_allennlp_models)
"""The functions that may register a name that AllenNLP does not know, in order."""


def is_registered(base: Any, name: str) -> bool:
    """
    Whether a subclass of `base` is registered with the name, after importing as much as needed to find it.
    """
    from allennlp.common import Registrable

    for source in (None, lambda: _import_named(base, name), *SOURCES):
        if source is not None:
            source()
        if name in Registrable._registry[base]:
            return True
    return False


def install(registrable: Any) -> None:
    """
    Changes AllenNLP's module `registrable`, which is given: the module of a name is imported before AllenNLP
    looks for the name, be it in a program (`resolve_class_name`) or under `type` in a config (`from_params`).
    """
    from allennlp.common.from_params import is_base_registrable

    from_params = registrable.FromParams.from_params.__func__
    resolve_class_name = registrable.Registrable.resolve_class_name.__func__

    @functools.wraps(from_params)
    def import_and_build(
        cls: Any, params: Any, constructor_to_call: Any = None, *args: Any, **extras: Any
    ) -> Any:
        name = params if isinstance(params, str) else getattr(params, "params", {}).get("type")
        if constructor_to_call is None and isinstance(name, str) and is_base_registrable(cls):
            is_registered(cls, name)
        return from_params(cls, params, constructor_to_call, *args, **extras)

    @functools.wraps(resolve_class_name)
    def import_and_resolve(cls: Any, name: str) -> Any:
        is_registered(cls, name)
        return resolve_class_name(cls, name)

    registrable.FromParams.from_params = classmethod(import_and_build)
    registrable.Registrable.resolve_class_name = classmethod(import_and_resolve)


def _import_named(base: Any, name: str) -> None:
    package = base.__module__.rpartition(".")[0]
    if package.partition(".")[0] == PACKAGE and not name.startswith("_"):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if module.name.rpartition(".")[2] == name:
                importlib.import_module(module.name)


def _import_all(name: str) -> None:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        if not module.name.rpartition(".")[2].startswith("_") and module.name not in sys.modules:
            importlib.import_module(module.name)
