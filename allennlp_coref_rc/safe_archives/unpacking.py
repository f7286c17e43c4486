import gzip
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Optional, Union, cast

from allennlp_coref_rc.common.errors import ConfigurationError

MAX_FILES = 10_000
"""Each file counts together with the folders in its name, since unpacking makes them too."""

ALWAYS = 2**30
"""Any archive may unpack to this many bytes, however small it is."""

RATIO = 20
"""Each byte of an archive may unpack to this many more bytes. Weights hardly shrink, and vocabularies to a third."""

BLOCK = 2**20


@contextmanager
def extracted_archive(resolved_archive_file: Union[str, os.PathLike], cleanup: bool = True) -> Iterator[str]:
    """
    Takes the place of AllenNLP's function of this name. It unpacks an archive into a temporary folder and gives that
    folder, which it removes in the end if `cleanup` is true. If the archive holds what it should not, it raises a
    `ConfigurationError` and leaves nothing behind.
    """
    folder = tempfile.mkdtemp()
    try:
        unpack(os.fspath(resolved_archive_file), folder)
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if cleanup:
        shutil.rmtree(folder, ignore_errors=True)


def unpack(path: str, folder: str) -> None:
    """
    Unpacks a compressed tar file. It raises a `ConfigurationError` if the file has anything but files and folders
    (links may lead elsewhere), names outside of the folder, more than `MAX_FILES` files and folders, or more bytes than
    `ALWAYS` plus `RATIO` times its own size.
    """
    with _opened(path) as (stream, archive):
        for member in _checked(path, stream, archive):
            archive.extract(member, folder, filter="data")
        while stream.read(BLOCK):
            pass  # The end of the file has a checksum of the whole, which is checked when it is read.


def read_member(path: str, name: str) -> Optional[bytes]:
    """The content of a file in an archive, without unpacking any other; `None` if there is no such file."""
    with _opened(path) as (stream, archive):
        for member in _checked(path, stream, archive):
            if os.path.normpath(member.name) == name and member.isfile():
                return cast(IO[bytes], archive.extractfile(member)).read()
    return None


def damaged(path: str, reason: object) -> ConfigurationError:
    return ConfigurationError(f"{path}: found a damaged archive ({reason}), expected one of coref-rc train")


@contextmanager
def _opened(path: str) -> Iterator[tuple["_Limited", tarfile.TarFile]]:
    try:
        with _Limited(path) as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
            yield stream, archive
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
        raise damaged(path, error) from error


class _Limited(gzip.GzipFile):
    """A compressed file that is read up to its limit, even if a header asks for more."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "rb")
        self._path = path
        self._limit = ALWAYS + RATIO * os.path.getsize(path)

    def read(self, size: Optional[int] = -1) -> bytes:
        # A negative size, which a header may have, means everything.
        self.check(self.tell() + size if size is not None and size >= 0 else self._limit + 1)
        return super().read(size)

    def check(self, end: int) -> None:
        """Raises a `ConfigurationError` if this position is behind the limit."""
        if end > self._limit:
            raise ConfigurationError(
                f"{self._path}: found more than {self._limit:,} bytes to unpack, too many for an archive of this "
                "size; if that is right, unpack it by hand (tar) and give the folder in its place"
            )


def _checked(path: str, stream: _Limited, archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """The members of an archive. One that may not be unpacked raises a `ConfigurationError`."""
    number = 0
    for member in archive:
        number += 1 + member.name.count("/")
        if number > MAX_FILES:
            raise ConfigurationError(f"{path}: found more than {MAX_FILES:,} files and folders, expected a few")
        if not (member.isfile() or member.isdir()) or member.issparse() or member.size < 0:
            kind = "link" if member.issym() or member.islnk() else "special file"
            raise ConfigurationError(
                f"{path}: found the {kind} {member.name!r}, expected files and folders alone; nothing of it is used"
            )
        if member.name.startswith(("/", "\\")) or ".." in member.name.replace("\\", "/").split("/"):
            raise ConfigurationError(
                f"{path}: found the name {member.name!r}, which is outside of the archive; nothing of it is used"
            )
        stream.check(member.offset_data + member.size)
        yield member
