import bz2
import gzip
import io
import lzma
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from glob import glob
from typing import IO, Any, Optional, Union

from allennlp_coref_rc.common.errors import ConfigurationError

COMPRESSED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
"""The functions that open compressed files, by the suffixes of their names."""

SIGNATURES = {".gz": b"\x1f\x8b", ".bz2": b"BZh91AY&SY", ".xz": b"\xfd7zXZ\x00"}
"""
How compressed files begin. Those that AllenNLP has downloaded into its cache have names without suffixes.
"""

UNREADABLE = {"zip": b"PK\x03\x04", "Zstandard": b"\x28\xb5\x2f\xfd", "7z": b"7z\xbc\xaf\x27\x1c"}
"""How files begin that are compressed in other ways."""

STDOUT = 1
"""The file descriptor of standard output."""

DAMAGES = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""The errors that damaged files raise when they are read."""


def bare(path: str) -> str:
    """A path without the suffix of a compressed file."""
    name, suffix = os.path.splitext(path)
    return name if suffix in COMPRESSED else path


def is_among(path: str, others: Iterable[str]) -> bool:
    """Whether a path leads to the file or folder of another one."""
    return os.path.realpath(path) in map(os.path.realpath, others)


def named_paths(arguments: Iterable[str]) -> dict[str, str]:
    """
    The paths by name, from arguments NAME=PATH. Without NAME, it is that of the file up to its first dot, and
    of a FOLDER/model.tar.gz that of the folder.
    """
    paths: dict[str, str] = {}
    for argument in arguments:
        name, path = _named_path(argument)
        if name is None:
            folder, file = os.path.split(os.path.abspath(path))
            name = os.path.basename(folder) if file == "model.tar.gz" else file.partition(".")[0]
        if not name or not path or name in paths:
            raise ConfigurationError(
                f"found the argument {argument!r}, expected NAME=PATH with a name of its own"
            )
        paths[name] = path
    return paths


def named_lists(arguments: Iterable[str]) -> dict[str, list[str]]:
    """
    The files by name, from arguments NAME=PATH, in which PATH may be a pattern. A name may have several.
    Without NAME, the path is the name.
    """
    lists: dict[str, list[str]] = {}
    for argument in arguments:
        name, pattern = _named_path(argument)
        paths = [pattern] if os.path.exists(pattern) else sorted(glob(pattern)) or [pattern]
        for path in paths:
            files = lists.setdefault(path if name is None else name, [])
            if is_among(path, files):
                raise ConfigurationError(f"{path}: found it twice, expected every file of a reader once")
            files.append(path)
    return lists


def _named_path(argument: str) -> tuple[Optional[str], str]:
    name, equals, path = argument.partition("=")
    return (name, path) if equals and not os.path.exists(argument) else (None, argument)


def local_path(path: str) -> str:
    """
    The local file or folder of a path, or of an address, whose file AllenNLP downloads into its cache. A
    local path needs no cache, since the user may not be able to write to it.
    """
    if os.path.exists(path):
        refuse_special(path)
        return path
    from allennlp.common.file_utils import cached_path

    try:
        return str(cached_path(path))
    except (FileNotFoundError, ValueError) as error:
        raise ConfigurationError(f"{path}: no such file") from error


@contextmanager
def known_as(address: str, path: str) -> Iterator[None]:
    """Within this, errors name the address of a file that was downloaded, and not its path in the cache."""
    try:
        yield
    except ConfigurationError as error:
        if address == path:
            raise
        raise ConfigurationError(str(error).replace(path, address)) from error


@contextmanager
def open_text(
    path: str, limit: int = -1, newline: str = "\n", encoding: str = "utf-8-sig"
) -> Iterator[Iterator[str]]:
    """
    Opens a text file, plain or compressed (gzip, bzip2, xz), and gives its lines. Lines of more than `limit`
    characters come in pieces; by default there is no limit. A line ends with "\\n" or "\\r\\n", which becomes
    "\\n". If `newline` is `""`, line ends stay, and a "\\r" ends a line too. By default the text is in UTF-8,
    and a byte order mark at the start, as programs on Windows write it, is left out. A missing file, a
    directory, a device, a pipe, damaged data, or text of another encoding raises a `ConfigurationError` that
    names the file (and the line).
    """
    check_is_file(path)
    with _open(path, "rt", _compression(path), encoding=encoding, newline=newline) as file:
        yield _decoded(path, file, limit, newline)


def check_writable(path: str) -> None:
    """
    Raises a `ConfigurationError` if no file could be written at a path, in a folder that need not exist yet.
    """
    if os.path.isdir(path):
        raise ConfigurationError(f"{path}: found a directory, expected a file")
    there = os.path.abspath(path)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if there != os.path.abspath(path) and not os.path.isdir(there):
        raise ConfigurationError(f"{path}: found that {there} is not a folder, expected one to write it to")
    if not os.access(there, os.W_OK):
        raise ConfigurationError(
            f"{path}: found that this user may not write to {there}, expected another place"
        )


def byte_lines(path: str) -> Iterator[bytes]:
    """The lines of a text file as bytes, so that a line that is not UTF-8 does not stop the others."""
    check_is_file(path)
    number = 0
    with _open(path, "rb", _compression(path)) as file:
        try:
            for line in file:
                number += 1
                yield line
        except DAMAGES as error:
            raise _damaged(path, number, error) from error


def decoded(line: bytes) -> str:
    """
    The text of a line, without a byte order mark. A line that is not UTF-8 raises a `ConfigurationError`.
    """
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(_not_text(error)) from error


def check_is_file(path: str) -> None:
    if os.path.isdir(path):
        raise ConfigurationError(f"{path}: found a directory, expected a file")
    if not os.path.exists(path):
        raise ConfigurationError(f"{path}: no such file")
    refuse_special(path)


def refuse_special(path: Union[str, os.PathLike]) -> None:
    """
    Raises a `ConfigurationError` for a device, which may have no end, and for a pipe, whose content is gone
    when it is opened a second time, as files are whose form is not known yet.
    """
    if _is_special(path):
        raise ConfigurationError(f"{os.fspath(path)}: found a device or a pipe, expected a file")


def _is_special(path: Union[str, os.PathLike]) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _open(path: str, mode: str, suffix: str, **options: Any) -> IO[Any]:
    return COMPRESSED.get(suffix, open)(path, mode, **options)


def _compression(path: str) -> str:
    """
    The suffix of a file to be read. If its name has none, the file's first bytes tell whether it is
    compressed.
    """
    suffix = os.path.splitext(path)[1]
    if suffix in COMPRESSED:
        return suffix
    with open(path, "rb") as file:
        beginning = file.read(max(map(len, SIGNATURES.values())))
    for name, signature in UNREADABLE.items():
        if beginning.startswith(signature):
            raise ConfigurationError(
                f"{path}, line 1: found {name}, expected text, plain or in gzip, bzip2 or xz"
            )
    return next((suffix for suffix, signature in SIGNATURES.items() if beginning.startswith(signature)), "")


def _not_text(error: UnicodeDecodeError) -> str:
    byte, encoding = error.object[error.start : error.start + 1].hex(), error.encoding.upper()
    return f"found the byte 0x{byte}, which is not {encoding}; expected {encoding} text"


def _damaged(path: str, number: int, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"{path}, after line {number}: found damaged data ({error}), expected a whole file"
    )


def _decoded(path: str, file: IO[str], limit: int, newline: str) -> Iterator[str]:
    number = 0
    try:
        for line in iter(partial(file.readline, limit), ""):
            if newline and line.endswith("\r"):
                line += file.read(1)
            number += line.endswith("\n")
            yield f"{line[:-2]}\n" if newline and line.endswith("\r\n") else line
    except UnicodeDecodeError as error:
        # Text is decoded in chunks, so that earlier lines of this chunk have not been counted yet.
        number += 1 + error.object[: error.start].count(b"\n")
        raise ConfigurationError(f"{path}, line {number}: {_not_text(error)}") from error
    except DAMAGES as error:
        raise _damaged(path, number, error) from error


@contextmanager
def whole_file(path: str) -> Iterator[str]:
    """
    The path of a new file in the same folder, which takes the given name when it is complete, and else is
    removed. If several processes do this for one path, it has one of their files. The file to which a link
    leads is replaced. A device or a pipe is its own path, and an open file (/dev/stdout) is written to where
    it stands.
    """
    target = destination(path)
    if is_in_place(target):
        with _in_place(target) as part:
            yield part
        return
    folder, name = os.path.split(os.path.abspath(target))
    try:
        descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=os.path.splitext(name)[0] + ".")
    except OSError as error:
        error.filename = path
        raise
    os.close(descriptor)
    try:
        yield temporary
        with open(temporary, "rb") as written:
            # Otherwise a power failure could leave the name without the content.
            os.fsync(written.fileno())
        mask = os.umask(0)  # The only way to read it.
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except BaseException as error:
        # If Ctrl-C came right after the renaming, the temporary file is gone.
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, temporary):
            # The disk may be full, for instance. The user knows the file by this name.
            error.filename, error.filename2 = path, None
        raise


@contextmanager
def atomic_write(path: str) -> Iterator[IO[str]]:
    """
    Opens a UTF-8 text file that appears when complete, compressed as its name says, always to the same bytes.
    """
    suffix = os.path.splitext(path)[1]
    opened = _gzip_writer if suffix == ".gz" else partial(_open, mode="wt", suffix=suffix, encoding="utf-8")
    with whole_file(path) as part, opened(part) as file:
        yield file


def write_text(path: Union[str, os.PathLike], text: str) -> None:
    with atomic_write(os.fspath(path)) as file:
        file.write(text)


@contextmanager
def partial_path(path: Union[str, os.PathLike], kept: bool = False) -> Iterator[str]:
    """
    PATH.part, for code that writes a large file by itself. The file takes its own name when it is complete.
    The part of a killed process, or if `kept` of an interrupted one, stays until the next process, one at a
    time, replaces it.
    """
    target = destination(path)
    if is_in_place(target):
        with _in_place(target) as part:
            yield part
        return
    part, name = f"{target}.part", os.fspath(path)
    in_use = ConfigurationError(f"{name}: another process is writing it, expected a file of its own")
    with locked(f"{part}.lock", name, in_use):
        if os.path.islink(part):
            os.unlink(part)  # It would be written through, and then take the file's name.
        try:
            yield part
            os.replace(part, target)
        except BaseException as error:
            if not (kept and isinstance(error, KeyboardInterrupt)):
                with suppress(FileNotFoundError):
                    os.unlink(part)
            raise


@contextmanager
def locked(lock_path: str, path: str, in_use: ConfigurationError, needed: bool = True) -> Iterator[None]:
    """
    Holds the lock of a path, whose own file is there only until then. Raises `in_use` if another process
    holds it. Where there can be no locks, that is an error, or if it is not `needed` nothing is locked.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(lock_path)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise in_use from error
    except OSError as error:
        if needed:
            error.filename = path
            raise
        with suppress(OSError):
            os.unlink(lock_path)
        yield
        return
    try:
        yield
    finally:
        os.unlink(lock_path)
        lock.release()


@contextmanager
def _gzip_writer(path: str) -> Iterator[IO[str]]:
    # gzip.open would put the time and the temporary name into the file.
    with (
        open(path, "wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8") as file,
    ):
        yield file


def destination(path: Union[str, os.PathLike]) -> str:
    """The path to which links lead. A file can take its name, unless it `is_in_place`."""
    return os.fspath(path) if is_in_place(path) else os.path.realpath(path)


def is_in_place(path: Union[str, os.PathLike]) -> bool:
    """Whether a path leads to a device, a pipe or this process's standard output, which no file may replace."""
    return _is_special(path) or _is_stdout(path)


def _is_stdout(path: Union[str, os.PathLike]) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(STDOUT))
    except OSError:
        # There is no such file, or standard output is closed.
        return False


@contextmanager
def _in_place(path: str) -> Iterator[str]:
    """
    A path to write to for one that `is_in_place`. If standard output is a regular file, as after `> log`, the
    content comes after what is there already, as opening the file again would start at its beginning.
    """
    if _is_special(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        part = os.path.join(folder, "part")
        yield part
        print(end="", flush=True)
        with open(part, "rb") as source, open(os.dup(STDOUT), "wb") as file:
            shutil.copyfileobj(source, file)
