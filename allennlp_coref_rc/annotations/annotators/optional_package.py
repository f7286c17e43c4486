from importlib import import_module
from types import ModuleType

from allennlp_coref_rc.common.errors import ConfigurationError


def import_optional(package: str, extra: str) -> ModuleType:
    """A package that comes with an extra of this one. A `ConfigurationError` says which if it is not installed."""
    try:
        return import_module(package)
    except ImportError as error:
        raise ConfigurationError(
            f"{package} can't be imported ({error}); install it, in the clone, with uv pip install --python .venv/bin/python "
            f"--editable '.[{extra}]'"
        ) from error
