"""Ways to damage a file, all drawn from a random number generator: the same seed makes the same file."""

import bz2
import gzip
import json
import lzma
import random
from collections.abc import Callable
from functools import partial
from typing import Any

Mutation = Callable[[random.Random, bytes], bytes]

PIECES = [b"\n", b"\r", b"\t", b" ", b"\0", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\xe2\x80\xa8"]
PIECES += b'" { } [ ]'.split()
PIECES += b"< > & &#0; &amp; _ -1 0 1 99 1e999 NaN null true @placeholder".split()
PIECES += [b"\\ud800", b"9" * 5000, b"[" * 5_000, b"(" * 3000, b"a" * 20_000]
PIECES += ["\u0130ß\U0001f600".encode(), b"|", b":", b","]

DEEP, HUGE = "@@deep@@", "@@huge@@"
"""For values that Python cannot write as JSON: 100,000 nested lists, a number of 5,000 digits."""

VALUES: list[Any] = [None, True, False, 0, 1, -1, 2, 7, 2**31, 2**63, 10**30]
VALUES += [0.0, 0.5, -2.5, 1e308, float("nan"), float("inf")]
VALUES += ["", " ", "x", "\0", "\ud800", "a\udfffb", "\U0001f600", "0", "@placeholder", "a\nb"]
VALUES += ["a" * 20_000, DEEP, HUGE]
VALUES += [[], [[]], [0], [0, 1], [1, 0], [-1, 0], [0, 10**6], ["a"], ["a", 1], [["a", [0, 1]]], [None]]
VALUES += [{}, {"a": 1}, {"": {}}]


def _flip(rng: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _cut(rng: random.Random, content: bytes) -> bytes:
    start = rng.randrange(len(content))
    return content[:start] + content[start + rng.choice([1, 1, 2, 5, 20, 200]) :]


def _truncate(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _insert(rng: random.Random, content: bytes) -> bytes:
    start = rng.randrange(len(content) + 1)
    own = rng.random() < 0.7
    piece = rng.choice(PIECES) if own else content[rng.randrange(len(content)) :][: rng.randrange(1, 40)]
    return content[:start] + piece + content[start:]


def _recode(rng: random.Random, content: bytes) -> bytes:
    text = content.decode(errors="replace")
    encoding = rng.choice(["utf-16", "utf-8-sig", "latin-1", "utf-32-le"])
    if rng.random() < 0.7:
        return text.encode(encoding, "replace")
    return content.replace(b"\n", rng.choice([b"\r\n", b"\r"]))


def _digits(rng: random.Random, content: bytes) -> bytes:
    places = [i for i, byte in enumerate(content) if 48 <= byte < 58]
    changed = bytearray(content)
    for place in rng.sample(places, min(len(places), rng.choice([1, 1, 2]))):
        changed[place : place + 1] = rng.choice(
            [b"0", b"1", b"5", b"9", b"-", b"", b"99", b"x", b"1.", b"\xd9\xa3"]
        )
    return bytes(changed)


def _lines(rng: random.Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    first, second = (rng.randrange(len(lines)) for _ in range(2))
    kind = rng.randrange(7)
    if kind == 0:
        lines[first], lines[second] = lines[second], lines[first]
    elif kind == 1:
        del lines[first]
    elif kind == 2:
        lines.insert(first, lines[second])
    elif kind == 3:
        lines[first] = lines[first][: rng.randrange(len(lines[first]) + 1)]
    elif kind == 4:
        lines.insert(first, b"")
    elif kind == 5:
        lines[first : first + 2] = [b"".join(lines[first : first + 2])]
    else:
        fields = lines[first].split(b"\t")
        rng.shuffle(fields)
        lines[first] = b"\t".join(fields)
    return b"\n".join(lines)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a JSON value with every key or index in it."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in _places(value[key])]


def _change_json(rng: random.Random, value: Any) -> Any:
    whole = [value]
    container, key = rng.choice(_places(whole))
    found = container[key]
    kind = rng.randrange(8)
    if kind <= 2:
        container[key] = rng.choice(VALUES)
    elif kind == 3:
        del container[key]
    elif kind == 4:
        other, name = rng.choice(_places(whole))
        container[key] = json.loads(json.dumps(other[name]))
    elif kind == 5 and isinstance(found, (int, float)):
        container[key] = found + rng.choice([-1, 1, -2, 100, 0.5])
    elif kind == 5 and isinstance(found, str):
        container[key] = rng.choice([found.upper(), found + "x", found[:-1], [found], f" {found} "])
    elif kind == 6 and isinstance(container, dict):
        container[rng.choice(["", "id", "tokens", "questions", "candidates", key.upper()])] = container.pop(
            key
        )
    elif isinstance(container, list):
        container.insert(key, rng.choice([found, rng.choice(VALUES)]))
    else:
        container[key] = [found]
    return whole[0] if whole else None


def _write(rng: random.Random, value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=rng.random() < 0.7)
    text = text.replace(f'"{DEEP}"', "[" * 100_000 + "]" * 100_000).replace(f'"{HUGE}"', "9" * 5000)
    return text.encode(errors="surrogatepass")


def _json(rng: random.Random, content: bytes) -> bytes:
    """Changes values of a JSON file, or of a line of JSON lines."""
    try:
        value = json.loads(content)
        return _write(rng, _change_json(rng, value))
    except (ValueError, RecursionError):
        lines = content.split(b"\n")
    number = rng.choice([i for i, line in enumerate(lines) if line.strip()] or [0])
    try:
        value = json.loads(lines[number])
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            value = _change_json(rng, value)
        lines[number] = _write(rng, value)
    except (ValueError, RecursionError):
        return _flip(rng, content)
    return b"\n".join(lines)


BYTES: list[Mutation] = [_flip, _cut, _truncate, _insert, _recode]

SHAPES: dict[str, list[Mutation]] = {
    "bytes": BYTES,
    "lines": [*BYTES, _digits, _digits, _lines, _lines, _lines],
    "json": [*BYTES, _digits, _lines, *[_json] * 12],
}
"""The mutations of each kind of content, as often as they are to be drawn."""

PACKERS = {".gz": partial(gzip.compress, mtime=0), ".bz2": bz2.compress, ".xz": lzma.compress}


def mutated(rng: random.Random, content: bytes, shape: str) -> bytes:
    """The content with one mutation or a few, at times none."""
    for _ in range(rng.choice([0] + [1] * 14 + [2] * 4 + [3])):
        if content:
            content = rng.choice(SHAPES[shape])(rng, content)
    return content


def packed(rng: random.Random, content: bytes) -> tuple[str, bytes]:
    """The content compressed, and as a rule damaged then, with the end of its name."""
    suffix, compress = rng.choice(sorted(PACKERS.items()))
    return suffix, mutated(rng, compress(content), "bytes")
