import builtins
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Optional, TypeVar, Union

from allennlp_coref_rc.common.checks import is_within, range_of
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import read_json_objects
from allennlp_coref_rc.common.malformed import with_errors
from allennlp_coref_rc.common.messages import excerpt
from allennlp_coref_rc.common.schema import String, mismatch, validated

T = TypeVar("T")


class JsonValue:
    """
    A JSON value that knows its place. A missing value, or a value of an unexpected type, raises a
    `ConfigurationError` with this place: "FILE, line 2: found 3 at sentences[0].tokens, expected a list".
    """

    def __init__(self, value: Any, place: str = "", path: str = "") -> None:
        self.value = value
        self.place = place
        self.path = path

    def error(self, expected: str) -> ConfigurationError:
        if isinstance(self.value, ConfigurationError):
            return self.value
        return mismatch(excerpt(self.value), expected, self.place, self.path)

    def __getitem__(self, key: str) -> "JsonValue":
        if not isinstance(self.value, dict) or key not in self.value:
            raise self.error(f"an object with the key {key!r}")
        return JsonValue(self.value[key], self.place, f"{self.path}.{key}" if self.path else key)

    def get(self, key: str) -> Optional["JsonValue"]:
        """The value under a key; `None` if it is missing or null."""
        if not isinstance(self.value, dict):
            raise self.error("an object")
        return None if self.value.get(key) is None else self[key]

    def items(self) -> list[tuple[str, "JsonValue"]]:
        if not isinstance(self.value, dict):
            raise self.error("an object")
        return [(key, self[key]) for key in self.value]

    def list(self) -> list["JsonValue"]:
        if not isinstance(self.value, (list, tuple)):
            raise self.error("a list")
        return [JsonValue(value, self.place, f"{self.path}[{i}]") for i, value in enumerate(self.value)]

    def listed(self, key: str) -> builtins.list["JsonValue"]:
        """The items of the list under a key; none if it is missing or null."""
        value = self.get(key)
        return [] if value is None else value.list()

    def to(self, type_: type[T]) -> T:
        """The value as a type of `schema` or pydantic, such as `String` or `list[String]`."""
        if isinstance(self.value, ConfigurationError):
            raise self.value
        return validated(type_, self.value, self.place, self.path)

    def text(self) -> Union[str, builtins.list[str]]:
        """A text: a string, or a list of its tokens."""
        if not isinstance(self.value, (str, list, tuple)):
            raise self.error("a text or a list of its tokens")
        return self.to(String) if isinstance(self.value, str) else self.to(list[String])

    def integer(self, minimum: int = 0, maximum: Optional[int] = None) -> int:
        if type(self.value) is not int or not is_within(self.value, minimum, maximum):
            raise self.error(f"an integer, {range_of(minimum, maximum)}")
        return self.value

    def number(self, maximum: Optional[int] = None) -> float:
        if type(self.value) not in (int, float) or not is_within(self.value, 0, maximum):
            raise self.error(f"a number, {range_of(0, maximum)}")
        return float(self.value)

    def choice(self, choices: Sequence[str]) -> str:
        if self.value not in choices:
            raise self.error(f"one of {', '.join(choices)}")
        return self.value

    def span(self, length: int) -> tuple[int, int]:
        """A list [start, end) of token positions in a text of `length` tokens."""
        values = self.list()
        if len(values) == 2:
            start, stop = (value.integer(maximum=length) for value in values)
            if start < stop:
                return start, stop
        raise self.error(f"[start, end) with 0 <= start < end <= {length}")


def read_json(path: str) -> Iterator[JsonValue]:
    """
    The objects of a file, which is a single object, a list of objects, or has an object on each line. In
    place of a damaged line there is its error, which any use of it raises.
    """
    for item in with_errors(partial(read_json_objects, path)):
        yield JsonValue(item, path) if isinstance(item, ConfigurationError) else JsonValue(item[1], item[0])
