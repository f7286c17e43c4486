import builtins
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Optional, Union

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import half_of_pair, read_json_objects
from allennlp_coref_rc.common.malformed import with_errors
from allennlp_coref_rc.common.messages import excerpt


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
        prefix = f"{self.place}: " if self.place else ""
        where = f" at {self.path}" if self.path else ""
        return ConfigurationError(f"{prefix}found {excerpt(self.value)}{where}, expected {expected}")

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

    def strings(self) -> builtins.list[str]:
        are_strings = isinstance(self.value, (list, tuple)) and all(
            isinstance(value, str) for value in self.value
        )
        # At once, which is faster.
        if are_strings and not half_of_pair.search("".join(self.value)):
            return list(self.value)
        return [value.string() for value in self.list()]

    def string(self) -> str:
        if not isinstance(self.value, str) or half_of_pair.search(self.value):
            raise self.error("a string")
        return self.value

    def text(self) -> Union[str, builtins.list[str]]:
        """A text: a string, or a list of its tokens."""
        if not isinstance(self.value, (str, list, tuple)):
            raise self.error("a text or a list of its tokens")
        return self.string() if isinstance(self.value, str) else self.strings()

    def name(self) -> str:
        """A string, or an integer as one."""
        return str(self.value) if type(self.value) is int else self.string()

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.error("true or false")
        return self.value

    def integer(self, minimum: int = 0, maximum: Optional[int] = None) -> int:
        good = isinstance(self.value, int) and not isinstance(self.value, bool) and self.value >= minimum
        if not good or maximum is not None and self.value > maximum:
            limit = "or more" if maximum is None else f"to {maximum}"
            raise self.error(f"an integer, {minimum} {limit}")
        return self.value

    def number(self) -> float:
        return self._up_to(sys.float_info.max, "a number, 0 or more")

    def fraction(self) -> float:
        return self._up_to(1, "a number from 0 to 1")

    def _up_to(self, maximum: float, expected: str) -> float:
        if (
            not isinstance(self.value, (int, float))
            or isinstance(self.value, bool)
            or not 0 <= self.value <= maximum
        ):
            raise self.error(expected)
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
