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
_blank = re.compile(r"[ \t\n\r]+")
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
    ("FILE, line 1, object 3"). Only the current piece of the file is in memory, even if the file is a single
    line. `leave_out` gets the error of a damaged object that is not in a list, after which the next line that
    begins with an object is read.
    """
    with open_text(path, PIECE) as pieces:
        text = _Text(path, pieces)
        in_list = text.peek() == "["
        objects = _objects_of_list(text) if in_list else _objects(text, leave_out=leave_out)
        for number, (line, value) in enumerate(objects, start=1):
            yield f"{path}, line {line}, object {number}", value
        if in_list:
            text.expect("", "nothing after ']'")


def read_json_object(path: str) -> dict[str, Any]:
    """The only object of a file. Anything else raises a `ConfigurationError`."""
    values = [value for _, value in read_json_objects(path)]
    if len(values) > 1:
        raise ConfigurationError(f"{path}: found {len(values)} objects, expected one")
    return values[0]


def read_listed_objects(path: str, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of the list under a `key` of a file's only object, as those of `read_json_objects`."""
    with open_text(path, PIECE) as pieces:
        text = _Text(path, pieces)
        has_key = False
        text.expect("{", f"an object with the key {key!r}")
        text.skip()
        while text.peek() != "}":
            text.expect('"', "a key")
            name = text.value()
            text.expect(":", "':'")
            text.skip()
            if name != key:
                text.value()
            elif has_key:
                raise ConfigurationError(f"{path}, line {text.line}: found the key {key!r} a second time")
            else:
                has_key = True
                text.expect("[", f"a list of objects after {key!r}")
                for number, (line, value) in enumerate(_objects_of_list(text)):
                    yield f"{path}, line {line}, {key}[{number}]", value
            if text.peek() != "}":
                text.expect(",", "',' or '}'")
                text.skip()
                text.expect('"', "a key")
        text.skip()
        text.expect("", "nothing after '}'")
        if not has_key:
            raise ConfigurationError(
                f"{path}, line {text.line}: found no key {key!r}, expected a list of objects"
            )


def _objects_of_list(text: "_Text") -> Iterator[tuple[int, dict[str, Any]]]:
    text.skip()
    yield from _objects(text, "]")
    text.skip()


def _objects(
    text: "_Text", end: str = "", leave_out: LeaveOut = refuse
) -> Iterator[tuple[int, dict[str, Any]]]:
    """One or more objects with their lines, up to the sign `end` or, if it is empty, the end of the file."""
    first = True
    while first or text.peek() != end:
        if end and not first:
            text.expect(",", f"',' or {end!r}")
            text.skip()
        first = False
        line = text.line
        try:
            text.expect("{", "an object")
            line, value = text.line, text.value()
        except ConfigurationError as error:
            leave_out(error)
            text.skip_to_object()
        else:
            yield line, value


class _Text:
    """A text that comes in pieces. Only the part that is not read yet is kept."""

    def __init__(self, path: str, pieces: Iterator[str]) -> None:
        self._path = path
        self._pieces = pieces
        self._text = ""
        self._position = 0
        self.line = 1

    def peek(self) -> str:
        """The next character that is not blank; an empty string at the end of the file."""
        while True:
            if blank := _blank.match(self._text, self._position):
                self._advance(blank.end())
            if self._position < len(self._text):
                return self._text[self._position]
            if not self._fill():
                return ""

    def skip(self) -> None:
        self._advance(self._position + 1)

    def skip_to_object(self) -> None:
        """Goes to the next line that begins with "{", or to the end of the file."""
        while (found := self._text.find("\n{", self._position)) < 0:
            self._advance(max(self._position, len(self._text) - 1))
            if not self._fill():
                found = len(self._text) - 1
                break
        self._advance(found + 1)

    def expect(self, sign: str, name: str) -> None:
        if self.peek() != sign:
            text = repr(self._text[self._position :][:40]) if self.peek() else "the end of the file"
            raise ConfigurationError(f"{self._path}, line {self.line}: found {text}, expected {name}")

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._position)
                if isinstance(value, (int, float)) and end >= len(self._text) - ESCAPE:
                    # More of its digits may follow.
                    end -= self._position
                    if self._fill():
                        continue
                if _has_half(value, self._text, self._position, end):
                    raise ConfigurationError(f"{self._path}, line {self.line}: {HALF}")
                self._advance(end)
                return value
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - ESCAPE
                if is_cut and self._fill():
                    continue
                around = self._text[max(0, error.pos - 20) :][:40]
                raise self._damaged(f"{error.msg} in {around!r}", error.pos) from error
            except (ValueError, RecursionError) as error:
                raise self._damaged(str(error), self._position) from error

    def _damaged(self, what: str, position: int) -> ConfigurationError:
        line = self.line + self._text.count("\n", self._position, position)
        return ConfigurationError(
            f"{self._path}, line {line}: found damaged JSON ({what}), expected an object"
        )

    def _advance(self, position: int) -> None:
        self.line += self._text.count("\n", self._position, position)
        self._position = position

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
