import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.common.malformed import LeaveOut, refuse
from allennlp_coref_rc.common.messages import excerpt

PIECE = 2**20
"""The fewest characters that are read at a time."""

ESCAPE = 16
"""
An error so close to the end of the text read so far may only mean that a value is cut off (an escape,
`false`).
"""

_decoder = json.JSONDecoder()
_blank = re.compile(r"[ \t\n\r]*")
_escaped_half = re.compile(r"\\u[dD][89a-fA-F]")

half_of_pair = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which cannot be written as UTF-8."""

HALF = "found half of a surrogate pair (such as \\ud800), expected Unicode text"


def refuse_constant(name: str) -> Any:
    """Raises a `ConfigurationError` for a constant that Python's `json` takes, and JSON has not."""
    raise ConfigurationError(f"found {name}, expected JSON, which has finite numbers alone")


def parse_json(text: str) -> Any:
    """
    The value of a JSON text without NaN or infinity, nor half of a surrogate pair, which is not Unicode text.
    """
    try:
        value = json.loads(text, parse_constant=refuse_constant)
        has_half = _has_half(value, text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(
            f"found damaged JSON ({error.msg} at character {error.pos} of {excerpt(text)}), expected a value"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"found damaged JSON ({error}), expected a value") from error
    if has_half:
        raise ConfigurationError(HALF)
    return value


def _has_half(value: Any, text: str, start: int = 0, end: int = sys.maxsize) -> bool:
    escaped = _escaped_half.search(text, start, end)
    return bool(escaped and half_of_pair.search(json.dumps(value, ensure_ascii=False)))


def read_json_objects(path: str, leave_out: LeaveOut = refuse) -> Iterator[tuple[str, dict[str, Any]]]:
    """
    The objects of a file that is one JSON list, or has one object after the other, each with its place
    ("FILE, object 3"). Only the current piece of the file is in memory, even if the file is a single line.
    `leave_out` gets the error of a damaged object that is not in a list, after which the next line that
    begins with an object is read.
    """
    # ijson ends the process at deep lists, reads half of a surrogate pair as "?", and stops at the first error.
    with open_text(path, PIECE) as pieces:
        text = _Text(path, pieces)
        if text.peek() == "[":
            text.take("[", expected="a list")
            yield text.next_object()
            while text.take(",", "]", expected="',' or ']'") == ",":
                yield text.next_object()
            text.take("", expected="nothing after ']'")
            return
        while text.number == 0 or text.peek():
            try:
                found = text.next_object()
            except _DamagedObject as error:
                leave_out(error)
                text.skip_to_object()
            else:
                yield found


def read_json_object(path: str) -> dict[str, Any]:
    """The only object of a file. Anything else raises a `ConfigurationError`."""
    values = [value for _, value in read_json_objects(path)]
    if len(values) > 1:
        raise ConfigurationError(f"{path}: found {len(values)} objects, expected one")
    return values[0]


def read_listed_objects(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """
    The objects of the list under the key "data" of a file's only object, each with its place ("FILE, data[3]"). Of
    two equal keys, the last one counts.
    """
    content = read_json_object(path)
    if not isinstance(content.get("data"), list):
        raise ConfigurationError(f"{path}: found {excerpt(content)}, expected a list of objects under 'data'")
    for number, item in enumerate(content["data"]):
        place = f"{path}, data[{number}]"
        if not isinstance(item, dict):
            raise ConfigurationError(f"{place}: found {excerpt(item)}, expected an object")
        yield place, item


class _DamagedObject(ConfigurationError):
    """An object is damaged, and the text after it may be whole."""


class _Text:
    """A text that comes in pieces. Only the part that is not read yet is kept."""

    def __init__(self, path: str, pieces: Iterator[str]) -> None:
        self._path = path
        self._pieces = pieces
        self._text = ""
        self._position = 0
        self.number = 0

    def peek(self) -> str:
        """The next character that is not blank; an empty string at the end of the file."""
        while True:
            self._position = _blank.match(self._text, self._position).end()  # type: ignore[union-attr]
            if self._position < len(self._text) or not self._fill():
                return self._text[self._position : self._position + 1]

    def take(self, *signs: str, expected: str) -> str:
        if self.peek() not in signs:
            found = repr(self._text[self._position :][:40]) if self.peek() else "the end of the file"
            raise _DamagedObject(f"{self._place}: found {found}, expected {expected}")
        self._position += 1
        return self._text[self._position - 1 : self._position]

    def next_object(self) -> tuple[str, dict[str, Any]]:
        """The next object and its place."""
        self.number += 1
        self.take("{", expected="an object")
        self._position -= 1
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._position)
                break
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - ESCAPE
                if not (is_cut and self._fill()):
                    around = self._text[max(0, error.pos - 20) :][:40]
                    raise self._damaged(f"{error.msg} in {around!r}") from error
            except (ValueError, RecursionError) as error:
                raise self._damaged(str(error)) from error
        if _has_half(value, self._text, self._position, end):
            raise _DamagedObject(f"{self._place}: {HALF}")
        self._position = end
        return self._place, value

    def skip_to_object(self) -> None:
        """Goes to the next line that begins with "{", or to the end of the file."""
        while (found := self._text.find("\n{", self._position)) < 0:
            self._position = max(self._position, len(self._text) - 1)
            if not self._fill():
                found = len(self._text)
                break
        self._position = found

    @property
    def _place(self) -> str:
        return f"{self._path}, object {self.number}"

    def _damaged(self, what: str) -> ConfigurationError:
        return _DamagedObject(f"{self._place}: found damaged JSON ({what}), expected an object")

    def _fill(self) -> bool:
        """
        Reads at least as much as is left of the text, so that trying again and again takes little time in
        total.
        """
        parts = [self._text[self._position :]]
        self._position = 0
        wanted = max(PIECE, len(parts[0]))
        for piece in self._pieces:
            parts.append(piece)
            wanted -= len(piece)
            if wanted <= 0:
                break
        self._text = "".join(parts)
        return len(parts) > 1
