from functools import cached_property
from inspect import getmembers_static
from typing import Any


class LoadsLater:
    """
    Loads what it needs, such as models, when it first needs it, as cached properties. These are not sent to
    other processes, each of which loads them itself.
    """

    def prepare(self) -> None:
        """
        Loads the cached properties of this object and of the annotators that it contains, so that a missing
        model is one error, before the first text.
        """
        for name in self._loaded():
            getattr(self, name)
        for value in list(vars(self).values()):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, LoadsLater):
                    part.prepare()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in self._loaded()}

    def _loaded(self) -> set[str]:
        members = getmembers_static(type(self), lambda member: isinstance(member, cached_property))
        return {name for name, _ in members}
