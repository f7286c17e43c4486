from importlib import import_module
from types import ModuleType

from allennlp_coref_rc.common.errors import ConfigurationError


def import_optional(package: str, extra: str) -> ModuleType:
    """Imports a package that is installed with an extra. If it is missing, a `ConfigurationError` names the extra."""
    try:
        return import_module(package)
    except ImportError as error:
        raise ConfigurationError(
            f"{package} can't be imported ({error}); install it, in the clone, with uv pip install --python "
            f".venv/bin/python --editable '.[{extra}]'"
        ) from error
