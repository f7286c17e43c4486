"""
Imports packages when they are first used. AllenNLP imports torchvision, scikit-learn and others whenever it
is imported. They take longer than AllenNLP, and most commands use none of them.
"""

import atexit
import gc
import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Optional

SELDOM_USED = (
    "nltk pandas peft scipy.stats sklearn spacy.cli torchvision transformers.data "
    "transformers.models.bert.modeling_bert"
).split()
"""
Packages that AllenNLP and the packages below it import at the top of modules, but use only inside functions.
"""


@contextmanager
def lazy_imports(names: Sequence[str] = SELDOM_USED) -> Iterator[None]:
    """
    Within this, `import` makes placeholders of these packages and all modules in them, unless they are
    imported already. A placeholder imports its package when the package is used. Afterwards, `import` gives
    the packages themselves.
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        yield
        return
    finder = _Finder(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        finder.stop(*names)


@contextmanager
def quick_imports() -> Iterator[None]:
    """
    Disables garbage collection, a fifth of the time of importing AllenNLP, and a second at the end of a
    process.
    """
    enabled, before = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > before:
            gc.freeze()
        if enabled:
            gc.enable()


@atexit.register
def collect_triton() -> None:
    """Triton's bindings report all objects that are not collected at the end of a process as leaks."""
    if "triton" in sys.modules:
        gc.unfreeze()


class LazyAttribute:
    """
    Stands for an attribute of a module that is not imported yet. It can be called, subclassed, indexed and
    pickled, and used in annotations and in `isinstance`, but not in an `except` clause.
    """

    def __init__(self, module: "LazyModule", *names: str) -> None:
        self._module, self._names = module, names

    def _load(self) -> Any:
        return reduce(getattr, self._names, self._module.load())

    def __getattr__(self, name: str) -> Any:
        if not self._module.is_lazy():
            return getattr(self._load(), name)
        if name.startswith("__"):
            raise AttributeError(name)
        return LazyAttribute(self._module, *self._names, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._load()(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._load()[key]

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self._load(),)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self._load())

    def __reduce__(self) -> Any:
        return _attribute, (self._module.__name__, *self._names)


def _attribute(module: str, *names: str) -> Any:
    return reduce(getattr, names, importlib.import_module(module))


class LazyModule(ModuleType):
    """Stands for a module that is not imported yet."""

    def is_lazy(self) -> bool:
        return self.__loader__.package(self.__name__) is not None  # type: ignore[union-attr]

    def load(self) -> ModuleType:
        self.__loader__.stop(self.__name__)  # type: ignore[union-attr]
        return importlib.import_module(self.__name__)

    def __getattr__(self, name: str) -> Any:
        if self.is_lazy():
            if not name.startswith("__"):
                return LazyAttribute(self, name)
            if name not in ("__all__", "__version__"):
                # Python's imports, `inspect` and others ask each module for such names.
                raise AttributeError(name)
        return getattr(self.load(), name)


class _Finder(MetaPathFinder, Loader):
    def __init__(self, names: Sequence[str]) -> None:
        self._names = set(names)

    def package(self, module: str) -> Optional[str]:
        """The lazy package that a module belongs to."""
        return next((name for name in self._names if _is_in(module, name)), None)

    def stop(self, *modules: str) -> None:
        """Imports the packages of these modules as usual from now on."""
        for package in filter(None, map(self.package, modules)):
            self._names.discard(package)
            for name, module in list(sys.modules.items()):
                if isinstance(module, LazyModule) and _is_in(name, package):
                    del sys.modules[name]
                    parent, _, child = name.rpartition(".")
                    if parent in sys.modules and vars(sys.modules[parent]).get(child) is module:
                        delattr(sys.modules[parent], child)

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[ModuleSpec]:
        spec = PathFinder.find_spec(name, path) if self.package(name) else None
        if spec is None:
            return None
        lazy = ModuleSpec(name, self, origin=spec.origin)
        lazy.submodule_search_locations = spec.submodule_search_locations
        return lazy

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return LazyModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to execute yet."""


def _is_in(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")
