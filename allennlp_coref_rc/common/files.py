import bz2
import gzip
import io
import lzma
import os
import tempfile
import zlib
from contextlib import contextmanager
from functools import partial
from typing import IO, Any, Dict, Iterable, Iterator, Optional

from allennlp_coref_rc.common.errors import ConfigurationError

COMPRESSED: Dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
"""What opens files, by the ends of their names."""


def named_paths(arguments: Iterable[str]) -> Dict[str, str]:
    """
    Paths by name of arguments NAME=PATH; one that is the path of a file, or has no "=", has the name of the file, less the
    ending.
    """
    paths: Dict[str, str] = {}
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not equals or os.path.exists(argument):
            name, path = os.path.basename(argument).partition(".")[0], argument
        if not name or not path or name in paths:
            raise ConfigurationError(f"found the argument {argument!r}, expected NAME=PATH with a name of its own")
        paths[name] = path
    return paths


@contextmanager
def open_text(path: str, limit: int = -1, newline: Optional[str] = None) -> Iterator[Iterator[str]]:
    """
    Opens a UTF-8 text file, plain or compressed (`.gz`, `.bz2`, `.xz`), and gives its lines; those of more than `limit`
    characters, if that is not negative, in pieces. Line ends become "\\n", unless the `newline` `""` leaves them. A
    missing file, a directory, or text that is not UTF-8 raises a `ConfigurationError` that names the file (and the line).
    """
    if os.path.isdir(path):
        raise ConfigurationError(f"{path}: found a directory, expected a file")
    if not os.path.exists(path):
        raise ConfigurationError(f"{path}: no such file")
    with _open(path, "rt", newline=newline) as file:
        yield _decoded(path, file, limit)


def _open(path: str, mode: str, **options: Any) -> IO[str]:
    return COMPRESSED.get(os.path.splitext(path)[1], open)(path, mode, encoding="utf-8", **options)


def _decoded(path: str, file: IO[str], limit: int) -> Iterator[str]:
    number = 0
    try:
        for line in iter(partial(file.readline, limit), ""):
            number += line.endswith("\n")
            yield line
    except UnicodeDecodeError as error:
        found = error.object[error.start : error.start + 1].hex()
        # Text is decoded in chunks, so that earlier lines of this chunk have not been counted yet.
        number += 1 + error.object[: error.start].count(b"\n")
        raise ConfigurationError(
            f"{path}, line {number}: found the byte 0x{found}, which is not UTF-8; expected UTF-8 text"
        ) from error
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise ConfigurationError(
            f"{path}, after line {number}: found damaged data ({error}), expected a whole file"
        ) from error


@contextmanager
def atomic_write(path: str) -> Iterator[IO[str]]:
    """
    Opens a UTF-8 text file for writing that takes its place only when it is complete; compressed if its name ends so
    (`.gz`, `.bz2`, `.xz`). The same text gives the same bytes.
    """
    folder = os.path.dirname(os.path.abspath(path))
    name, suffix = os.path.splitext(os.path.basename(path))
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=name + ".", suffix=suffix)
    os.close(descriptor)
    try:
        with _gzip_writer(temporary) if suffix == ".gz" else _open(temporary, "wt") as file:
            yield file
        with open(temporary, "rb") as written:
            # Without this the name could outlive a power failure and the content not.
            os.fsync(written.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


@contextmanager
def _gzip_writer(path: str) -> Iterator[IO[str]]:
    # gzip.open would put the time and the temporary name into the file.
    with (
        open(path, "wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8") as file,
    ):
        yield file


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
