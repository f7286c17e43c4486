"""
AllenNLP takes any dotted name in a config for a class or function, imports it and calls it, even
`subprocess.Popen`. Within `only_registered`, it accepts only names of registered classes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from allennlp_coref_rc.common.errors import ConfigurationError

HINT = "add --trust if you trust whoever made it, as it can then run any program"

_only_registered: ContextVar[bool] = ContextVar("only_registered", default=False)


class NotRegistered(Exception):
    """
    A name in a config is not registered. This is not a `ConfigurationError`, since AllenNLP passes over those
    where a value may have one of several types.
    """


@contextmanager
def only_registered(source: str) -> Iterator[None]:
    """
    Within this, a dotted name in a config raises a `ConfigurationError`, which begins with the config's
    source.
    """
    token = _only_registered.set(True)
    try:
        yield
    except NotRegistered as error:
        raise ConfigurationError(f"{source}: {error}") from error
    finally:
        _only_registered.reset(token)


def install(registrable: Any) -> None:
    """Changes AllenNLP's `Registrable`, given its module."""
    original = registrable.Registrable.resolve_class_name.__func__

    def resolve_class_name(cls: Any, name: str) -> Any:
        if _only_registered.get() and "." in name and name not in cls.list_available():
            raise NotRegistered(
                f"found {name!r} in its config where a {cls.__name__} is expected; only registered names "
                f"are used; {HINT}"
            )
        return original(cls, name)

    registrable.Registrable.resolve_class_name = classmethod(resolve_class_name)
