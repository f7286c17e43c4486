"""
Checks values from files and users by pydantic models. A `ConfigurationError` says what is wrong and where:
"FILE, line 3: found 3 at tables.a.rows[2], expected a string".
"""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce
from typing import Annotated, Any, Optional, TypeVar, Union

import yaml
from annotated_types import MaxLen
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Strict,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.common.messages import excerpt

T = TypeVar("T")

Key = Union[str, int]

String = Annotated[str, Strict(), MaxLen(sys.maxsize)]
"""A text that UTF-8 can encode. Pydantic looks for halves of surrogate pairs only if it counts characters."""

Name = Annotated[String, BeforeValidator(lambda value: str(value) if type(value) is int else value)]
"""A string, or an integer as one."""

PHRASES = {
    "bool_type": "true or false",
    "dataclass_type": "an object",
    "dict_type": "an object",
    "model_type": "an object",
    "int_type": "an integer",
    "missing": "the key {key!r}",
    "tuple_type": "a list",
    "model_attributes_type": "an object",
    "string_unicode": "a string",
    "unexpected_keyword_argument": "no such key",
}
"""
By the type of one of pydantic's errors, what was expected. Other texts are made from pydantic's message.
"""


class Schema(BaseModel):
    """
    A model whose values have the annotated types already: `1` is no string, `"1"` and `true` are no integers.
    It refuses unknown keys, unless a subclass has `model_config = ConfigDict(extra="ignore")`.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, content: Any) -> Any:
        if isinstance(content, dict) and cls.model_config["extra"] == "forbid":
            for key in content:
                if key not in cls.model_fields:
                    raise InvalidValue(
                        f"one of {', '.join(cls.model_fields)}", found=f"the unknown key {excerpt(key)}"
                    )
        return content


class InvalidValue(ValueError):
    """
    Raised by validators of models. `keys` lead from the value that is validated to the wrong one, which is
    shown by its beginning in JSON unless `found` describes it.
    """

    def __init__(self, expected: str, *keys: Key, found: Optional[str] = None) -> None:
        super().__init__(expected)
        self.keys = keys
        self.found = found


def one_of(choices: Iterable[str]) -> AfterValidator:
    """Annotates a type that has some values only: `Annotated[str, one_of(("mean", "best"))]`."""

    def check(value: str) -> str:
        if value not in choices:
            raise InvalidValue(f"one of {', '.join(choices)}")
        return value

    return AfterValidator(check)


def numbers(text: Any) -> list[int]:
    """The numbers that a text such as "1-3,5" stands for. Another text raises an `InvalidValue`."""
    chosen: list[int] = []
    for part in str(text).split(","):
        match = re.fullmatch(r"\s*(\d{1,6})(?:-(\d{1,6}))?\s*", part)
        if not match or int(match[1]) > int(match[2] or match[1]):
            raise InvalidValue("numbers such as 1-3,5")
        chosen.extend(range(int(match[1]), int(match[2] or match[1]) + 1))
    return list(dict.fromkeys(chosen))


Numbers = Annotated[
    list[int], BeforeValidator(lambda value: value if isinstance(value, list) else numbers(value))
]
"""A list of integers, or a text that stands for one."""


def validated(
    type_: type[T], value: Any, place: Union[str, Callable[[Sequence[Key]], str]] = "", inside: str = ""
) -> T:
    """
    The value as a `type_`, such as a `Schema` or `list[int]`. `place` says where it comes from ("FILE, line
    3"), or gives this for the path of a wrong value. `inside` is the path of the value itself.
    """
    try:
        return _adapter(type_).validate_python(value)
    except ValidationError as error:
        details: Any = error.errors(include_url=False)[0]
        keys, wrong, expected = _keys(details["loc"], value), details["input"], _expected(details)
        found = excerpt(wrong)
        reason = details.get("ctx", {}).get("error")
        if isinstance(reason, InvalidValue):
            keys += reason.keys
            found = reason.found or excerpt(reduce(_inside, reason.keys, wrong))
        elif details["type"] == "missing":
            keys.pop()
        raise mismatch(
            found, expected, place(keys) if callable(place) else place, path(keys, inside)
        ) from error


def mismatch(found: str, expected: str, place: str, path: str) -> ConfigurationError:
    prefix, where = f"{place}: " if place else "", f" at {path}" if path else ""
    return ConfigurationError(f"{prefix}found {found}{where}, expected {expected}")


def read_yaml(file: str, type_: type[T]) -> T:
    """
    The content of a YAML file as a `type_`. Keys are strings, even if they look like numbers, and differ.
    """
    with open_text(file) as lines:
        loader = _Loader("".join(lines))
    try:
        root = loader.get_single_node()
        value = loader.construct_document(root) if root else None
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        # PyYAML raises all of these, for instance for a tag that does not fit its value (`!!bool x`).
        raise ConfigurationError(f"{file}: {error}") from error
    return validated(type_, value, lambda keys: f"{file}, line {_line(root, keys)}")


def path(keys: Sequence[Key], before: str = "") -> str:
    """A path in the usual notation, after another one: `rows[2].name`."""
    parts = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return "".join((before, *parts)).removeprefix(".")


_adapter: Callable[[Any], TypeAdapter[Any]] = lru_cache(maxsize=None)(TypeAdapter)


def _keys(location: Sequence[Key], value: Any) -> list[Key]:
    """The path of a wrong value, without the names that pydantic gives to the alternatives of a union."""
    keys: list[Key] = []
    for i, key in enumerate(location):
        if isinstance(key, int) or isinstance(value, dict) and (key in value or i == len(location) - 1):
            keys.append(key)
            value = _inside(value, key)
    return keys


def _inside(value: Any, key: Key) -> Any:
    try:
        return value[key]
    except (LookupError, TypeError):
        return getattr(value, str(key), None)


def _expected(details: dict[str, Any]) -> str:
    if "error" in details.get("ctx", {}):
        return str(details["ctx"]["error"])
    last = details["loc"][-1] if details["loc"] else ""
    if details["type"] == "missing" and isinstance(last, int):
        return "more items"
    if details["type"] in PHRASES:
        return PHRASES[details["type"]].format(key=last)
    if details["type"].startswith(("greater", "less")):
        return details["msg"].replace("Input should be", "a number")
    expected = details["msg"].partition(" should ")[2].partition(" after validation")[0]
    return expected.removeprefix("be ").removeprefix("have ").replace("a valid ", "a ")


def _line(node: Any, keys: Sequence[Key]) -> int:
    """The line of the value with this path, or of the innermost value around it that the file has."""
    line = node.start_mark.line + 1 if node else 1
    for key in keys:
        # The own keys of a mapping come after those that it merges.
        pairs = node.value if isinstance(node, yaml.MappingNode) else enumerate(getattr(node, "value", ()))
        inner = [(k, v) for k, v in pairs if (k if isinstance(k, int) else k.value) == key]
        if not inner:
            break
        key_node, node = inner[-1]
        line = (node if isinstance(key_node, int) else key_node).start_mark.line + 1
    return line


class _Loader(yaml.SafeLoader):
    """Makes keys strings. It refuses a key that occurs twice, since the first value would be lost."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        # This adds the keys that "<<" merges.
        self.flatten_mapping(node)
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, (str, int, float)):
                raise yaml.constructor.ConstructorError(
                    None, None, f"found the key {key!r}", key_node.start_mark
                )
            if str(key) in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"found the key {key!r} twice", key_node.start_mark
                )
            seen.add(str(key))
        return {str(key): value for key, value in super().construct_mapping(node, deep).items()}
