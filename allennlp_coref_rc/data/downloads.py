"""Downloads the data sets from where their authors publish them."""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Optional

import requests
from requests.adapters import HTTPAdapter
from tqdm import tqdm
from urllib3.util import Retry

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.schema import read_yaml
from allennlp_coref_rc.safe_archives import unpacking

CHUNK = 1 << 16
"""The number of bytes that are read at once. If a connection breaks, the unfinished chunk is lost."""

RETRIES = Retry(
    4,
    backoff_factor=1,
    status_forcelist=[408, 425, 429, 500, 502, 503, 504],
    respect_retry_after_header=False,
)
"""How often a server that does not answer, or that answers with one of these codes, is asked again."""


class DownloadError(Exception):
    """Says what went wrong, and what to do about it."""


@dataclass(frozen=True)
class File:
    """
    A file of a data set, or an archive, of which only `folder` is unpacked. `name` is its path in the data
    set's folder. Without a URL, the user has to put it there by hand. Size and checksum are verified if they
    are known.
    """

    name: str
    url: Optional[str] = None
    size: Optional[int] = None
    sha256: Optional[str] = None
    folder: str = ""


@dataclass(frozen=True)
class DataSet:
    """
    A data set. `name` is that of its folder too, `holds` says what is in it, and `page` is the address of a
    page about it. `contents` are the files and folders that it has when it is complete. All `files` are
    needed, but only the first of the `archives` that is available. `by_hand` is what the user has to do, if
    no program can fetch it.
    """

    name: str
    holds: str
    licence: str
    page: str
    contents: tuple[str, ...]
    files: tuple[File, ...] = ()
    archives: tuple[File, ...] = ()
    by_hand: str = ""

    def missing(self, folder: Path) -> list[str]:
        """The contents that are missing. `folder` has the folders of all data sets."""
        return [name for name in self.contents if not (folder / self.name / name).exists()]


DATA_SETS = read_yaml(str(Path(__file__).with_name("data_sets.yaml")), tuple[DataSet, ...])


def get(data_set: DataSet, folder: Path) -> None:
    """
    Downloads what a data set lacks, or raises a `DownloadError`. `folder` is that of all data sets; archives
    that the user has fetched are in its subfolder `downloads`.
    """
    for file in data_set.files:
        path = folder / data_set.name / file.name
        if path.exists():
            _verify_by_hand(file, path)
        else:
            _get_file(data_set, file, path)
    if not data_set.missing(folder):
        return
    failures = []
    for archive in data_set.archives:
        try:
            _get_archive(data_set, archive, folder)
            break
        except DownloadError as error:
            failures.append(str(error))
    else:
        if failures:
            raise DownloadError("\n".join(failures))
    missing = data_set.missing(folder)
    if missing:
        raise DownloadError(
            f"{data_set.by_hand} ({data_set.page}). Put these into {folder / data_set.name}: {', '.join(missing)}"
        )


def _get_file(data_set: DataSet, file: File, path: Path) -> None:
    advice = f"Put the file at {path} and run this again. More: {data_set.page}"
    if file.url is None:
        raise DownloadError(f"{data_set.by_hand}.\n{advice}")
    try:
        download(file, path)
    except DownloadError as error:
        raise DownloadError(f"{error}\nIf this repeats, get {path.name} elsewhere. {advice}") from error


def _get_archive(data_set: DataSet, archive: File, folder: Path) -> None:
    path = folder / "downloads" / archive.name
    by_hand = path.exists()
    if by_hand:
        _verify_by_hand(archive, path)
    else:
        _get_file(data_set, archive, path)
    unpack(data_set, archive, path, folder)
    if not by_hand:
        path.unlink()


def download(file: File, path: Path) -> None:
    """Downloads a file, `NAME.part` until it is complete and verified, which the next run resumes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        _fetch(file, part)
    except requests.RequestException as error:
        raise DownloadError(
            f"{file.url}: {error}\n{_size(part):,} bytes are in {part}; run this again to resume"
        ) from error
    except OSError as error:
        # The disk may be full, for instance. Another source of the file would not help.
        error.filename = error.filename or str(part)
        raise
    try:
        verify(file, part)
    except DownloadError as error:
        part.unlink()
        raise DownloadError(
            f"{file.url}: {error}. It is removed; run this again to download it again"
        ) from error
    os.replace(part, path)


def _fetch(file: File, part: Path) -> None:
    if file.url is None:
        raise DownloadError(f"{file.name}: found no address of it, expected one to fetch it from")
    have = _size(part)
    if file.size is not None and have >= file.size:
        # Either it is complete and only needs its name, or it belongs to another file. The checksum tells
        # which.
        return
    # If the server compressed the file, we could not ask for a part of it.
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={have}-"} if have else {})}
    with requests.Session() as session:
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=RETRIES))
        with session.get(file.url, headers=headers, stream=True, timeout=(10, 60)) as response:
            _save(file, response, part, have)


def _save(file: File, response: requests.Response, part: Path, have: int) -> None:
    """Writes the body of an answer behind what we `have` of the file, or anew if it begins the file."""
    is_part = response.status_code == 206
    begins = response.headers.get("Content-Range", "").partition("-")[0]
    if response.status_code == 416 or is_part and begins != f"bytes {have}":
        # The server's file is not longer than ours, or the server sends another part than was asked for.
        part.unlink(missing_ok=True)
        raise requests.ConnectionError(
            "what is here is not the beginning of the server's file; it is removed"
        )
    if not response.ok:
        raise DownloadError(f"{file.url}: the server answers {response.status_code} ({response.reason})")
    have = have if is_part else 0
    length = response.headers.get("Content-Length", "")
    total = have + int(length) if length.isdecimal() else file.size
    with (
        open(part, "ab" if have else "wb") as output,
        tqdm(
            desc=file.name, total=total, initial=have, unit="B", unit_scale=True, unit_divisor=1024
        ) as progress,
    ):
        for chunk in response.iter_content(CHUNK):
            output.write(chunk)
            progress.update(len(chunk))
    if total is not None and _size(part) < total:
        raise requests.ConnectionError(f"the connection ended after {_size(part):,} of {total:,} bytes")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def verify(file: File, path: Path) -> None:
    """Raises a `DownloadError` unless a file has the size and the checksum that it should have."""
    size = _size(path)
    if file.size is not None and size != file.size:
        raise DownloadError(f"{path}: found {size:,} bytes, expected {file.size:,}")
    if file.sha256 is not None:
        with open(path, "rb") as opened:
            checksum = hashlib.file_digest(opened, "sha256").hexdigest()
        if checksum != file.sha256:
            raise DownloadError(f"{path}: found the SHA-256 {checksum}, expected {file.sha256}")


def _verify_by_hand(file: File, path: Path) -> None:
    try:
        verify(file, path)
    except DownloadError as error:
        raise DownloadError(f"{error}. Remove it and run this again") from error


def unpack(data_set: DataSet, archive: File, path: Path, folder: Path) -> None:
    """Unpacks the archive's folder into the data set's folder. If anything fails, nothing is unpacked."""
    target = folder / data_set.name
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{data_set.name}.") as temporary:
        try:
            unpacking.unpack(str(path), temporary, unpacking.DATA)
        except ConfigurationError as error:
            raise DownloadError(f"{error}. Remove it and run this again") from error
        unpacked = Path(temporary, archive.folder)
        for name in data_set.contents:
            if not (unpacked / name).exists():
                inside = PurePosixPath(archive.folder, name)
                raise DownloadError(f"{path}: found no {inside} in it, expected {data_set.holds}")
        target.mkdir(parents=True, exist_ok=True)
        for entry in unpacked.iterdir():
            if (target / entry.name).is_dir():
                raise DownloadError(
                    f"{target / entry.name}: found a folder that is not complete: move it away"
                )
        for entry in sorted(unpacked.iterdir()):
            os.replace(entry, target / entry.name)


def describe(data_set: DataSet, folder: Path) -> str:
    """The lines about a data set that `--list` prints."""
    files = data_set.files or data_set.archives[:1]
    sizes = [file.size for file in files if file.size]
    size = f"{sum(sizes) / 1e6:,.1f} MB" if sizes else "size unknown"
    how = "by hand" if data_set.by_hand else "automatic"
    missing = data_set.missing(folder)
    state = (
        "complete" if not missing else "not here" if len(missing) == len(data_set.contents) else "incomplete"
    )
    return (
        f"{data_set.name}: {data_set.holds}\n    {size}; {how}; {data_set.licence}; {data_set.page}; {state}"
    )
