from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import ModuleType
from typing import Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.extras import install_command


def is_installed(package: str) -> bool:
    return find_spec(package) is not None


def import_optional(package: str, release: str, distribution: Optional[str] = None) -> ModuleType:
    """
    Imports a package that is installed with the extra of its name. A `ConfigurationError` names the extra if
    the package is missing or if its version does not begin with `release`. `distribution` is the name under
    which it is installed, if this differs.
    """
    how = f"install it with {install_command(package)}"
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
