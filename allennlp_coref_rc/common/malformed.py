"""
What is done with the malformed parts of a file: by default the file is refused, or each of them costs itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, Union

from allennlp_coref_rc.common.errors import ConfigurationError

LeaveOut = Callable[[ConfigurationError], object]
"""Gets the error of a malformed part, which is then left out."""

Lost = Mapping[str, Any]
"""What is known of a lost question: its `id`, and its `input` as the file has it."""

Item = TypeVar("Item")
Made = TypeVar("Made")


class Malformed(ConfigurationError):
    """
    The error of a part of a data set, with the questions that it costs, by default one of which nothing is
    known.
    """

    def __init__(self, message: str, lost: Sequence[Lost] = ({},)) -> None:
        super().__init__(message)
        self.lost = lost

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.lost)


def lost_question(value: Any) -> Lost:
    """The `id` of a question, if it has one, and its value in the file as `input`."""
    id = value.get("id") if isinstance(value, dict) else None
    return {**({} if id is None else {"id": id}), "input": value}


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
