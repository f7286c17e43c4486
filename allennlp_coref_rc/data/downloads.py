"""Downloads the data sets from where their authors publish them."""

import gzip
import hashlib
import os
import shutil
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Optional

import requests
from tqdm import tqdm

CHUNK = 1 << 16
"""The number of bytes that are read at once. If a connection breaks, the unfinished chunk is lost."""

PERMANENT = range(400, 500)
"""Status codes for which trying again does not help, except those in `TEMPORARY`."""

TEMPORARY = frozenset({408, 425, 429})
"""Status codes among `PERMANENT` for which trying again may help."""

DAMAGES = (tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, EOFError, zlib.error, RuntimeError)
"""The errors of damaged archives; zipfile raises a `RuntimeError` for a password or compression that it cannot have."""


class DownloadError(Exception):
    """Says what went wrong, and what to do about it."""


@dataclass(frozen=True)
class File:
    """
    A file of a data set.

    # Parameters

    name : `str`
        Its path in the data set's folder. An archive is in the folder `downloads` instead.
    url : `str`, optional (default = `None`)
        Its address. Without one, the user has to put the file there by hand.
    size : `int`, optional (default = `None`)
        Its size in bytes, if it is known.
    sha256 : `str`, optional (default = `None`)
        Its checksum, if it is known.
    folder : `str`, optional (default = `""`)
        The only folder of an archive that is unpacked.
    """

    name: str
    url: Optional[str] = None
    size: Optional[int] = None
    sha256: Optional[str] = None
    folder: str = ""


@dataclass(frozen=True)
class DataSet:
    """
    A data set.

    # Parameters

    name : `str`
        Its name, which is that of its folder too.
    holds : `str`
        What is in it, in words.
    licence : `str`
    page : `str`
        The address of a page about it.
    contents : `tuple[str, ...]`
        The files and folders that it has when it is complete.
    files : `tuple[File, ...]`, optional (default = `()`)
        The files to download; all of them are needed.
    archives : `tuple[File, ...]`, optional (default = `()`)
        Archives that hold the data set; one of them is enough. The first that is available is used.
    by_hand : `str`, optional (default = `""`)
        What the user has to do, if no program can fetch it.
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


_NARRATIVEQA = "https://raw.githubusercontent.com/deepmind/narrativeqa/master/"
_SQUAD = "https://rajpurkar.github.io/SQuAD-explorer/dataset/"
_SPLITS = tuple(f"questions/{split}" for split in ("training", "validation", "test"))
_DRIVE = "Google Drive lets no program fetch it: open the page, follow its link"

DATA_SETS = (
    DataSet(
        name="babi",
        holds="bAbI tasks v1.2 (Weston et al. 2015), all 20, in en-valid and other folders",
        licence="CC BY 3.0",
        page="https://research.fb.com/downloads/babi/",
        contents=tuple(f"en-valid/qa{n}_{split}.txt" for n in range(1, 21) for split in ("train", "valid", "test")),
        archives=(
            # The original host answers 404. This is ParlAI's copy, by the same authors.
            File(
                name="babi.tar.gz",
                url="https://dl.fbaipublicfiles.com/parlai/babi/babi.tar.gz",
                size=19_212_062,
                sha256="f7f0bee187efca0d81c3daac1b162cda4eb7f9505dee5ad6846eabbed3dbf92e",
                folder="tasks_1-20_v1-2",
            ),
            File(
                name="babi_tasks_1-20_v1-2.tar.gz",
                url="https://s3.amazonaws.com/text-datasets/babi_tasks_1-20_v1-2.tar.gz",
                size=11_745_123,
                folder="tasks_1-20_v1-2",
            ),
        ),
    ),
    DataSet(
        name="wikihop",
        holds="WikiHop of QAngaroo v1.1 (Welbl et al. 2018): 43,738 and 5,129 questions",
        licence="CC BY-SA 3.0",
        page="https://qangaroo.cs.ucl.ac.uk/",
        contents=("train.json", "dev.json"),
        archives=(
            File(
                name="qangaroo_v1.1.zip",
                size=339_843_061,
                sha256="2f512869760cdad76a022a1465f025b486ae79dc5b8f0bf3ad901a4caf2d3050",
                folder="qangaroo_v1.1/wikihop",
            ),
        ),
        by_hand=f"{_DRIVE} (https://drive.google.com/uc?id=1ytVZ4AhubFDOEL7o7XrIRIyhU8g9wvKA)",
    ),
    DataSet(
        name="lambada",
        holds="LAMBADA (Paperno et al. 2016): 4,869 and 5,153 passages, and the novels to train on",
        licence="CC BY 4.0",
        page="https://zenodo.org/record/2630551",
        contents=("lambada_development_plain_text.txt", "lambada_test_plain_text.txt"),
        archives=(
            File(
                name="lambada-dataset.tar.gz",
                url="https://zenodo.org/record/2630551/files/lambada-dataset.tar.gz",
                size=334_527_694,
                sha256="8fbe499096ddbdcbbd0cac406861b5026fb451d15b8fe04e0e4f3d082f2ad5d7",
            ),
        ),
    ),
    DataSet(
        name="cnn",
        holds="CNN's questions (Hermann et al. 2015): 380,298, 3,924 and 3,198",
        licence="texts are CNN's",
        page="https://cs.nyu.edu/~kcho/DMQA/",
        contents=_SPLITS,
        archives=(File(name="cnn.tgz", folder="cnn"),),
        by_hand=f'{_DRIVE} "Questions" of CNN (not the stories)',
    ),
    DataSet(
        name="dailymail",
        holds="the Daily Mail's questions (Hermann et al. 2015): 879,450, 64,835 and 53,182",
        licence="texts are the Daily Mail's",
        page="https://cs.nyu.edu/~kcho/DMQA/",
        contents=_SPLITS,
        archives=(File(name="dailymail.tgz", folder="dailymail"),),
        by_hand=f'{_DRIVE} "Questions" of the Daily Mail (not the stories)',
    ),
    DataSet(
        name="who_did_what",
        holds="Who-did-What (Onishi et al. 2016): 127,786 (strict) or 185,978 (relaxed), 10,000 and 10,000 questions",
        licence="texts of LDC's English Gigaword",
        page="https://tticnlp.github.io/who_did_what/",
        contents=tuple(f"{kind}/{split}.xml" for kind in ("Strict", "Relaxed") for split in ("train", "val", "test")),
        by_hand="it is made from LDC's English Gigaword, which needs a licence: the page says how",
    ),
    DataSet(
        name="narrativeqa",
        holds="NarrativeQA (Kocisky et al. 2018) on summaries: 32,747, 3,461 and 10,557 questions",
        licence="Apache-2.0; summaries: Wikipedia, CC BY-SA",
        page="https://github.com/deepmind/narrativeqa",
        contents=("documents.csv", "qaps.csv", "third_party/wikipedia/summaries.csv"),
        files=(
            File(
                name="documents.csv",
                url=_NARRATIVEQA + "documents.csv",
                size=341_683,
                sha256="6dffa4cc0b5c9963fe3a097c87f04aa7767da36627500cc7a0d69e2405e1144a",
            ),
            File(
                name="qaps.csv",
                url=_NARRATIVEQA + "qaps.csv",
                size=11_475_505,
                sha256="990b02af0b5280de210f0e6b80f43b3fab80dc6de630c4d5059a1b7131c26e38",
            ),
            File(
                name="third_party/wikipedia/summaries.csv",
                url=_NARRATIVEQA + "third_party/wikipedia/summaries.csv",
                size=10_821_085,
                sha256="87d12b849219015c4fe717e95c707671d802c181145e8ba2acc11dff23ea7c75",
            ),
        ),
    ),
    DataSet(
        name="quoref",
        holds="Quoref (Dasigi et al. 2019): 19,399 and 2,418 questions; answers of the test set are not published",
        licence="CC BY 4.0",
        page="https://allenai.org/data/quoref",
        contents=("quoref-train-v0.1.json", "quoref-dev-v0.1.json"),
        archives=(
            File(
                name="quoref-train-dev-v0.1.zip",
                url="https://quoref-dataset.s3-us-west-2.amazonaws.com/train_and_dev/quoref-train-dev-v0.1.zip",
                size=5_078_438,
                sha256="aacde0863c04ba6e9ab46995ea844a5b0c6cea58a77ab6fd86a128e33a3ad8fb",
                folder="quoref-train-dev-v0.1",
            ),
        ),
    ),
    DataSet(
        name="squad",
        holds="SQuAD (Rajpurkar et al. 2016, 2018): 1.1, 87,599 and 10,570 questions; 2.0, 130,319 and 11,873",
        licence="CC BY-SA 4.0",
        page="https://rajpurkar.github.io/SQuAD-explorer/",
        contents=("train-v1.1.json", "dev-v1.1.json", "train-v2.0.json", "dev-v2.0.json"),
        files=(
            File(
                name="train-v1.1.json",
                url=_SQUAD + "train-v1.1.json",
                size=30_288_272,
                sha256="3527663986b8295af4f7fcdff1ba1ff3f72d07d61a20f487cb238a6ef92fd955",
            ),
            File(
                name="dev-v1.1.json",
                url=_SQUAD + "dev-v1.1.json",
                size=4_854_279,
                sha256="95aa6a52d5d6a735563366753ca50492a658031da74f301ac5238b03966972c9",
            ),
            File(
                name="train-v2.0.json",
                url=_SQUAD + "train-v2.0.json",
                size=42_123_633,
                sha256="68dcfbb971bd3e96d5b46c7177b16c1a4e7d4bdef19fb204502738552dede002",
            ),
            File(
                name="dev-v2.0.json",
                url=_SQUAD + "dev-v2.0.json",
                size=4_370_528,
                sha256="80a5225e94905956a6446d296ca1093975c4d3b3260f1d6c8f68bc2ab77182d8",
            ),
        ),
    ),
    DataSet(
        name="glove",
        holds="GloVe word vectors of 6 billion tokens (Pennington et al. 2014), 50 to 300 dimensions",
        licence="PDDL 1.0",
        page="https://nlp.stanford.edu/projects/glove/",
        contents=tuple(f"glove.6B.{dimension}d.txt" for dimension in (50, 100, 200, 300)),
        archives=(
            File(
                name="glove.6B.zip",
                url="https://nlp.stanford.edu/data/glove.6B.zip",
                size=862_182_613,
                sha256="617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
            ),
        ),
    ),
)


def get(data_set: DataSet, folder: Path, attempts: int = 5, wait: float = 1.0) -> None:
    """
    Downloads what a data set lacks, or raises a `DownloadError`.

    # Parameters

    data_set : `DataSet`
    folder : `Path`
        The folder of all data sets. Archives that the user has fetched are in its subfolder `downloads`.
    attempts : `int`, optional (default = `5`)
        The number of consecutive attempts without progress after which a file is given up.
    wait : `float`, optional (default = `1.0`)
        Seconds to wait after the first attempt that fails. They double with each further one.
    """
    if not data_set.missing(folder):
        return
    for file in data_set.files:
        path = folder / data_set.name / file.name
        if path.exists():
            _verify_by_hand(file, path)
        else:
            _get_file(data_set, file, path, attempts, wait)
    failures = []
    for archive in data_set.archives:
        try:
            _get_archive(data_set, archive, folder, attempts, wait)
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


def _get_file(data_set: DataSet, file: File, path: Path, attempts: int, wait: float) -> None:
    advice = f"Put the file at {path} and run this again. More: {data_set.page}"
    if file.url is None:
        raise DownloadError(f"{data_set.by_hand}.\n{advice}")
    try:
        download(file, path, attempts, wait)
    except DownloadError as error:
        raise DownloadError(f"{error}\nIf this repeats, get {path.name} elsewhere. {advice}") from error


def _get_archive(data_set: DataSet, archive: File, folder: Path, attempts: int, wait: float) -> None:
    path = folder / "downloads" / archive.name
    by_hand = path.exists()
    if by_hand:
        _verify_by_hand(archive, path)
    else:
        _get_file(data_set, archive, path, attempts, wait)
    unpack(data_set, archive, path, folder)
    if not by_hand:
        path.unlink()


def download(file: File, path: Path, attempts: int = 5, wait: float = 1.0) -> None:
    """
    Downloads a file. Until it is complete and verified, it is called `NAME.part`. The next attempt or run resumes
    it, if the server allows that. `get` describes `attempts` and `wait`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    failed = 0
    while True:
        before = _size(part)
        try:
            _fetch(file, part)
            break
        except requests.RequestException as error:
            failed = 1 if _size(part) > before else failed + 1
            if failed >= attempts:
                raise DownloadError(
                    f"{file.url}: {error}\n{_size(part):,} bytes are in {part}; run this again to resume"
                ) from error
            time.sleep(wait * 2 ** (failed - 1))
        except OSError as error:
            # The disk may be full, for instance. Another source of the file would not help.
            error.filename = error.filename or str(part)
            raise
    try:
        verify(file, part)
    except DownloadError as error:
        part.unlink()
        raise DownloadError(f"{file.url}: {error}. It is removed; run this again to download it again") from error
    os.replace(part, path)


def _fetch(file: File, part: Path) -> None:
    if file.url is None:
        raise DownloadError(f"{file.name}: found no address of it, expected one to fetch it from")
    have = _size(part)
    if file.size is not None and have >= file.size:
        # Either it is complete and only needs its name, or it belongs to another file. The checksum tells which.
        return
    # If the server compressed the file, we could not ask for a part of it.
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={have}-"} if have else {})}
    with requests.get(file.url, headers=headers, stream=True, timeout=(10, 60)) as response:
        if response.status_code == 416:
            # The server's file is as long as ours, or shorter. We cannot tell which.
            part.unlink()
            raise requests.ConnectionError("the server's file is not longer than what is here: starting over")
        if response.status_code in PERMANENT and response.status_code not in TEMPORARY:
            raise DownloadError(f"{file.url}: the server answers {response.status_code} ({response.reason})")
        response.raise_for_status()
        resumed = response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        if response.status_code == 206 and not resumed:
            part.unlink(missing_ok=True)
            raise requests.ConnectionError("the server sends another part than was asked for: starting over")
        have = have if response.status_code == 206 else 0
        length = response.headers.get("Content-Length", "")
        total = have + int(length) if length.isdecimal() else file.size
        with (
            open(part, "ab" if have else "wb") as output,
            tqdm(desc=file.name, total=total, initial=have, unit="B", unit_scale=True, unit_divisor=1024) as progress,
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
            found = hashlib.file_digest(opened, "sha256").hexdigest()
        if found != file.sha256:
            raise DownloadError(f"{path}: found the SHA-256 {found}, expected {file.sha256}")


def _verify_by_hand(file: File, path: Path) -> None:
    try:
        verify(file, path)
    except DownloadError as error:
        raise DownloadError(f"{error}. Remove it and run this again") from error


def unpack(data_set: DataSet, archive: File, path: Path, folder: Path) -> None:
    """Unpacks the archive's folder into the data set's folder. If anything fails, nothing is unpacked."""
    target = folder / data_set.name
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{data_set.name}.") as temporary:
        unpacked = Path(temporary, data_set.name)
        unpacked.mkdir()
        try:
            with _members(path) as members:
                for name, open_member in tqdm(members, desc=f"{archive.name}: unpacking", unit=" files"):
                    _extract(name, open_member, archive, unpacked)
        except DAMAGES as error:
            found = (str(error) or type(error).__name__).splitlines()[0]
            raise DownloadError(f"{path}: found a damaged archive ({found}). Remove it and run this again") from error
        missing = data_set.missing(Path(temporary))
        if missing:
            inside = PurePosixPath(archive.folder, missing[0])
            raise DownloadError(f"{path}: found no {inside} in it, expected {data_set.holds}")
        target.mkdir(parents=True, exist_ok=True)
        for entry in unpacked.iterdir():
            if (target / entry.name).is_dir():
                raise DownloadError(f"{target / entry.name}: found a folder that is not complete: move it away")
        for entry in sorted(unpacked.iterdir()):
            os.replace(entry, target / entry.name)


@contextmanager
def _members(path: Path) -> Iterator[Iterator[tuple[str, Callable[[], IO[bytes]]]]]:
    # Only files are unpacked, since links could lead out of the folder. Permissions are not needed here.
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as opened:
            yield ((info.filename, partial(opened.open, info)) for info in opened.infolist() if not info.is_dir())
    else:
        with tarfile.open(path) as opened:
            yield ((info.name, partial(_open_file, opened, info)) for info in opened if info.isfile())
            # The checksum is at the end of the compressed file, after the end of the archive.
            while opened.fileobj.read(CHUNK):
                pass


def _open_file(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    file = archive.extractfile(info)
    if file is None:
        raise tarfile.TarError(f"{info.name} is not a regular file")
    return file


def _extract(name: str, open_member: Callable[[], IO[bytes]], archive: File, folder: Path) -> None:
    place = PurePosixPath(name)
    if place.is_absolute() or ".." in place.parts or "\\" in name:
        raise DownloadError(f"{archive.name}: found {name!r} in it, which would be unpacked elsewhere: don't use it")
    if not place.is_relative_to(archive.folder):
        return
    target = folder / place.relative_to(archive.folder)
    target.parent.mkdir(parents=True, exist_ok=True)
    with open_member() as source, open(target, "wb") as output:
        shutil.copyfileobj(source, output)


def describe(data_set: DataSet, folder: Path) -> str:
    """The lines about a data set that `--list` prints."""
    files = data_set.files or data_set.archives[:1]
    sizes = [file.size for file in files if file.size]
    size = f"{sum(sizes) / 1e6:,.1f} MB" if sizes else "size unknown"
    how = "by hand" if data_set.by_hand else "automatic"
    missing = data_set.missing(folder)
    state = "complete" if not missing else "not here" if len(missing) == len(data_set.contents) else "incomplete"
    lines = [f"{data_set.name}: {data_set.holds}", f"    {size}; {how}; {data_set.licence}; {data_set.page}; {state}"]
    return "\n".join(lines)
