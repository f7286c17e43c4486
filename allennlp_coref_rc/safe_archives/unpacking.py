import bz2
import errno
import functools
import gzip
import io
import lzma
import os
import re
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, Optional, Union, cast

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import known_as, refuse_special
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.safe_archives.registered_names import HINT


class Limits(NamedTuple):
    """The limits of an archive that is unpacked."""

    files: int
    """
    The number of files. Each counts together with the folders in its name, since unpacking makes them too.
    """

    ratio: int
    """The number of bytes, in addition to `ALWAYS`, for each byte of the archive."""


MODEL = Limits(10_000, 20)
"""The limits of a model. Weights hardly shrink, and vocabularies to a third."""

DATA = Limits(2_000_000, 100)
"""
The limits of data. Daily Mail has 220,000 files; text shrinks to a third, and repetitive JSON to a thirtieth.
"""

ALWAYS = 2**30
"""Any archive may unpack to this many bytes, however small it is."""

BLOCK = 2**20

DEPTH = 100
"""The most folders in one another. What removes a folder calls itself for each folder in it."""

HEADERS = {b"K", b"L", b"X", b"g", b"x"}
"""The types of headers of any length, which hold the name, the times and so on of the member that follows."""

LONGEST_HEADER = 2**20

NOT_IN_HEADERS = re.compile(rb"\d{256}|GNU\.sparse")
"""
No name may have so many digits, and up to Python 3.11.9 `tarfile` takes a time that is quadratic in their
number. Of a sparse file, which is not unpacked, it would first read a list of any length.
"""

OPENERS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
"""The functions that open compressed files, by how these begin."""

DAMAGES = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    ValueError,
)
"""The errors of damaged archives."""

BAD_NAMES = {errno.EEXIST, errno.EISDIR, errno.ENAMETOOLONG, errno.ENOTDIR}
"""The errors of names that no file system can have, such as that of a file in a file."""


@contextmanager
def extracted_archive(resolved_archive_file: Union[str, os.PathLike], cleanup: bool = True) -> Iterator[str]:
    """
    Takes the place of AllenNLP's function of this name. It unpacks an archive into a temporary folder and
    gives that folder, which it removes in the end if `cleanup` is true. If the archive holds what it should
    not, it raises a `ConfigurationError` and leaves nothing behind.
    """
    folder = tempfile.mkdtemp()
    try:
        unpack(os.fspath(resolved_archive_file), folder, MODEL)
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if cleanup:
        shutil.rmtree(folder, ignore_errors=True)


def unpack(path: str, folder: str, limits: Limits) -> None:
    """
    Unpacks a tar file, plain or compressed, or a zip file. It raises a `ConfigurationError` if the file has
    anything but files and folders (links may lead elsewhere), names outside of the folder, or more than the
    limits allow.
    """
    bar = functools.partial(
        progress_bar, desc=f"{os.path.basename(path)}: unpacking", unit=" files", delay=1.0
    )
    with _opened(path, limits) as (stream, archive):
        if isinstance(archive, zipfile.ZipFile):
            for info in bar(_checked(path, stream, archive, limits)):
                archive.extract(info, folder)
            return
        for member in bar(_checked(path, stream, archive, limits)):
            archive.extract(member, folder, filter="data")
        while stream.read(BLOCK):
            pass  # The end of the file has a checksum of the whole, which is checked when it is read.


def read_member(path: str, name: str) -> Optional[bytes]:
    """
    The content of a file in a model's archive, without unpacking any other; `None` if there is no such file.
    """
    with _opened(path, MODEL) as (stream, archive):
        if isinstance(archive, zipfile.ZipFile):
            raise damaged(path, "a zip file")
        for member in _checked(path, stream, archive, MODEL):
            if os.path.normpath(member.name) == name and member.isfile():
                return cast(IO[bytes], archive.extractfile(member)).read()
    return None


def damaged(path: str, reason: object) -> ConfigurationError:
    return ConfigurationError(f"{path}: found a damaged archive ({reason}), expected a whole one")


_allowed: ContextVar[Optional[str]] = ContextVar("allowed", default=None)
"""Text with the only addresses that may be asked for. `None` allows all."""


@contextmanager
def without_network(allowed: str) -> Iterator[None]:
    """Within this, AllenNLP downloads no file unless its address is in the text `allowed`."""
    token = _allowed.set(allowed)
    try:
        yield
    finally:
        _allowed.reset(token)


def install(package: Any) -> None:
    """
    Changes the package `cached_path`, by which AllenNLP downloads files and unpacks archives. Its own
    unpacking lets files be written elsewhere: it follows links to links, and takes `../folder_2` for a place
    in `folder`. A local path needs no cache.
    """
    original = package.cached_path

    @functools.wraps(original)
    def cached_path(
        url_or_filename: Union[str, os.PathLike],
        cache_dir: Union[str, os.PathLike, None] = None,
        extract_archive: bool = False,
        force_extract: bool = False,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        refuse_special(url_or_filename)
        if not extract_archive and os.path.exists(url_or_filename):
            # The package would make the cache's folder, which the user may not be allowed to.
            return Path(url_or_filename)
        address, allowed = str(url_or_filename), _allowed.get()
        if "://" in address and allowed is not None and address not in allowed:
            raise ConfigurationError(
                f"found {address}, and an archive may ask for nothing on the network; {HINT}"
            )
        if not extract_archive:
            return original(url_or_filename, cache_dir, False, False, *args, **kwargs)
        name, mark, inside = address.partition("!")
        path = original(name, cache_dir, False, False, *args, **kwargs)
        with known_as(name, str(path)):
            if os.path.isfile(path) and _is_archive(str(path)):
                path = Path(_unpacked(str(path), str(cache_dir or package.get_cache_dir()), force_extract))
        if not mark:
            return path
        if not os.path.isdir(path):
            raise ValueError(f"found that {name} is no archive")
        if not os.path.exists(path / inside):
            raise FileNotFoundError(f"{inside!r} not found within {name!r}")
        return path / inside

    package.cached_path = cached_path


def install_datasets(extract: Any) -> None:
    """
    Changes the package `datasets`, which unpacks any file of a data set that is a tar file, whatever its
    name, and takes `../folder_2` for a place in `folder` too.
    """

    def unpack_data(input_path: Union[str, os.PathLike], output_path: Union[str, os.PathLike]) -> None:
        os.makedirs(output_path, exist_ok=True)
        try:
            unpack(os.fspath(input_path), os.fspath(output_path), DATA)
        except BaseException:
            # Otherwise the next process would take the folder for complete.
            shutil.rmtree(output_path, ignore_errors=True)
            raise

    extract.TarExtractor.extract = staticmethod(unpack_data)


def _unpacked(path: str, cache: str, again: bool) -> str:
    """The folder in the cache into which an archive is unpacked, once for each state of the archive."""
    from cached_path.file_lock import FileLock
    from cached_path.meta import Meta
    from cached_path.util import resource_to_filename

    state = os.stat(path)
    name = resource_to_filename(os.path.realpath(path), f"{state.st_mtime_ns} {state.st_size}")
    folder = os.path.join(os.path.expanduser(cache), f"{name}-unpacked")
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with FileLock(f"{folder}.lock", read_only_ok=True):
        if again or not os.path.isdir(folder):
            # A process that was killed may have left a part.
            part = f"{folder}.part"
            for old in (part, folder):
                shutil.rmtree(old, ignore_errors=True)
            try:
                os.mkdir(part)
                unpack(path, part, DATA)
                os.rename(part, folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
            Meta.new(os.path.realpath(path), folder, extraction_dir=True).to_file()
    return folder


def _is_archive(path: str) -> bool:
    try:
        with _opened(path, DATA):
            return True
    except _NoArchive:
        return False


class _NoArchive(ConfigurationError):
    """A file is neither a tar file nor a zip file."""


@contextmanager
def _opened(
    path: str, limits: Limits
) -> Iterator[tuple["_Limited", Union[tarfile.TarFile, zipfile.ZipFile]]]:
    """
    Opens an archive. A `_NoArchive` is raised if the file is none, and a `ConfigurationError` if it is
    damaged.
    """
    refuse_special(path)
    with open(path, "rb") as file:
        start = file.read(max(map(len, OPENERS)))
    opener: Any = next((opener for signature, opener in OPENERS.items() if start.startswith(signature)), open)
    try:
        with opener(path, "rb") as file:
            stream = _Limited(path, file, limits)
            with _archive(path, stream) as archive:
                yield stream, archive
    except (*DAMAGES, NotImplementedError, RuntimeError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise damaged(path, error) from error
    except OSError as error:
        if error.errno not in BAD_NAMES:
            raise
        raise damaged(path, error.strerror) from error


def _archive(path: str, stream: "_Limited") -> Union[tarfile.TarFile, zipfile.ZipFile]:
    try:
        return tarfile.open(fileobj=stream, mode="r:", tarinfo=_Member)
    except (*DAMAGES, OSError) as error:
        if zipfile.is_zipfile(path):
            return zipfile.ZipFile(path)
        raise _NoArchive(str(damaged(path, error))) from error


class _Member(tarfile.TarInfo):
    """A member of a tar file that says whether what is read next is one of the `HEADERS`."""

    def _proc_member(self, archive: Any) -> tarfile.TarInfo:
        archive.fileobj.is_at_header = self.type in HEADERS
        return super()._proc_member(archive)  # type: ignore[misc]


class _Limited(io.BufferedIOBase):
    """A file that is read up to its limit, even if a header asks for more."""

    is_at_header = False

    def __init__(self, path: str, file: BinaryIO, limits: Limits) -> None:
        self._path = path
        self._file = file
        self._limit = ALWAYS + limits.ratio * os.path.getsize(path)

    def read(self, size: Optional[int] = -1) -> bytes:
        # A negative size, which a header may have, means everything, and is refused.
        self.refuse_beyond_limit(self.tell() + size if size is not None and size >= 0 else self._limit + 1)
        is_header, self.is_at_header = self.is_at_header, False
        if is_header and size is not None and size > LONGEST_HEADER:
            raise damaged(self._path, f"a header of {size:,} bytes")
        content = self._file.read(-1 if size is None else size)
        if is_header and NOT_IN_HEADERS.search(content):
            raise damaged(self._path, "a header of a sparse file, or with 256 digits in a row")
        return content

    def seekable(self) -> bool:
        return True

    def seek(self, *place: int) -> int:
        return self._file.seek(*place)

    def tell(self) -> int:
        return self._file.tell()

    def refuse_beyond_limit(self, end: int) -> None:
        """Raises a `ConfigurationError` if this position, or number of bytes unpacked so far, is beyond the limit."""
        if end > self._limit:
            raise ConfigurationError(
                f"{self._path}: found more than {self._limit:,} bytes to unpack, too many for an archive of this "
                "size; if that is right, unpack it by hand and give the folder in its place"
            )


def _checked(
    path: str, stream: _Limited, archive: Union[tarfile.TarFile, zipfile.ZipFile], limits: Limits
) -> Any:
    """The members of an archive. One that may not be unpacked raises a `ConfigurationError`."""
    number = 0
    for member, name, kind, end in (
        _zip_members(archive) if isinstance(archive, zipfile.ZipFile) else _members(archive)
    ):
        number += 1 + name.count("/")
        if number > limits.files or name.count("/") > DEPTH:
            raise ConfigurationError(
                f"{path}: found more than {limits.files:,} files and folders, or {DEPTH} folders in one another, "
                "expected fewer; if that is right, unpack it by hand and give the folder in its place"
            )
        if kind:
            raise ConfigurationError(
                f"{path}: found the {kind} {name!r}, expected files and folders; nothing is used"
            )
        if not name or name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/"):
            raise ConfigurationError(
                f"{path}: found the name {name!r}, which is outside of the archive; nothing is used"
            )
        stream.refuse_beyond_limit(end)
        yield member


def _members(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, str, str, int]]:
    """
    The members of a tar file with their names and where they end. Those that are neither file nor folder also
    have the kind that they are of.
    """
    for member in archive:
        is_plain = (member.isfile() or member.isdir()) and not member.issparse() and member.size >= 0
        kind = "link" if member.issym() or member.islnk() else "special file"
        yield member, member.name, "" if is_plain else kind, member.offset_data + member.size


def _zip_members(archive: zipfile.ZipFile) -> Iterator[tuple[zipfile.ZipInfo, str, str, int]]:
    """The same of a zip file. The ends are those of the unpacked files, one after the other."""
    end = 0
    for info in archive.infolist():
        mode = stat.S_IFMT(info.external_attr >> 16)
        kind = "link" if mode == stat.S_IFLNK else "special file"
        end += info.file_size
        yield info, info.filename, "" if mode in (0, stat.S_IFREG, stat.S_IFDIR) else kind, end
