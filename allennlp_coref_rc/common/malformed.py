"""
What is done with the malformed parts of a file: by default the file is refused, or each of them costs itself.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, Union

from allennlp_coref_rc.common.errors import ConfigurationError

LeaveOut = Callable[[ConfigurationError], object]
"""Gets the error of a malformed part, which is then left out."""

Item = TypeVar("Item")
Made = TypeVar("Made")


def refuse(error: ConfigurationError) -> None:
    """Leaves nothing out."""
    raise error


def kept(make: Callable[[Item], Made], items: Iterable[Item], leave_out: LeaveOut) -> Iterator[Made]:
    """What is made of each item, without those on which `make` raises a `ConfigurationError`."""
    for item in items:
        try:
            made = make(item)
        except ConfigurationError as error:
            leave_out(error)
        else:
            yield made


def with_errors(read: Callable[[LeaveOut], Iterable[Item]]) -> Iterator[Union[Item, ConfigurationError]]:
    """
    The items that `read` gives, and before each of them the errors of what was left out on the way to it.
    """
    errors: list[ConfigurationError] = []
    for item in read(errors.append):
        yield from errors
        errors.clear()
        yield item
    yield from errors
