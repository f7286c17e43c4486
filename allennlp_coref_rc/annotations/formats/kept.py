from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.malformed import LeaveOut

Item = TypeVar("Item")
Made = TypeVar("Made")


def kept(make: Callable[[Item], Made], items: Iterable[Item], leave_out: LeaveOut) -> Iterator[Made]:
    """What is made of each item, without those on which `make` raises a `ConfigurationError`."""
    for item in items:
        try:
            made = make(item)
        except ConfigurationError as error:
            leave_out(error)
        else:
            yield made
