from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Optional

from allennlp_coref_rc.common.errors import ConfigurationError


def import_optional(package: str, release: str, distribution: Optional[str] = None) -> ModuleType:
    """
    Imports a package that is installed with the extra of its name. A `ConfigurationError` names the extra if the
    package is missing or if its version does not begin with `release`. `distribution` is the name under which it is
    installed, if this differs.
    """
    how = f"install it, in the clone, with uv pip install --python .venv/bin/python --editable '.[{package}]'"
    try:
        module = import_module(package)
    except ImportError as error:
        raise ConfigurationError(f"{package} can't be imported ({error}); {how}") from error
    try:
        installed = version(distribution or package)
    except PackageNotFoundError:
        return module
    if f"{installed}.".startswith(f"{release}."):
        return module
    raise ConfigurationError(f"{package}: found version {installed}, expected {release}; {how}")
