"""Unpacked files stay in their folder, and are not much larger than the archive."""

import os
import tarfile
import zipfile

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import extracted_archive

from allennlp_coref_rc.safe_archives import unpacking
from allennlp_coref_rc.safe_archives.archives import load
from tests.safe_archives.crafted import bomb, entry, load_refusal, pack, pack_with

pytestmark = pytest.mark.slow


OUTSIDE = "OUTSIDE"

ESCAPES = {
    "parent": [("../../outside/written", tarfile.REGTYPE, "")],
    "parent within": [("vocabulary/../../../outside/written", tarfile.REGTYPE, "")],
    "absolute": [("OUTSIDE/written", tarfile.REGTYPE, "")],
    "through a link": [("out", tarfile.SYMTYPE, "OUTSIDE"), ("out/written", tarfile.REGTYPE, "")],
    "link": [("x", tarfile.SYMTYPE, "/etc/hostname")],
    "link within": [("x", tarfile.SYMTYPE, "weights.th")],
    "hard link": [("x", tarfile.LNKTYPE, "/etc/hostname")],
    "pipe": [("x", tarfile.FIFOTYPE, "")],
    "device": [("x", tarfile.CHRTYPE, "")],
    "sparse": [("x", tarfile.GNUTYPE_SPARSE, "")],
}
"""Names, kinds and targets of what is in an archive too."""


@pytest.fixture(params=ESCAPES)
def escaping(request, folder, outside, tmp_path):
    def at(name):
        return name.replace("OUTSIDE", str(outside))

    infos = [(entry(at(name), kind, at(target)), b"") for name, kind, target in ESCAPES[request.param]]
    return pack_with(folder, tmp_path / "model.tar.gz", *infos)


@pytest.mark.parametrize("trust", [False, True])
def test_nothing_is_written_elsewhere(trust, escaping, outside, tmp_path):
    with pytest.raises(ConfigurationError) as error:
        load(escaping, trust=trust)
    assert str(error.value).startswith(f"{escaping}: found the ") and "nothing is used" in str(error.value)
    assert os.listdir(outside) == [] and os.listdir(tmp_path / "temporary") == []


def test_allennlp_itself_is_shielded(escaping, outside, tmp_path):
    with pytest.raises(ConfigurationError, match="nothing is used"), extracted_archive(str(escaping)):
        pass
    assert os.listdir(outside) == [] and os.listdir(tmp_path / "temporary") == []


BAD_NAMES = {
    "file in a file": ["a", "a/b"],
    "file for a folder": ["a/b", "a"],
    "long": ["a" * 300],
    "no": [""],
}
"""Names that no folder can have, or not after others."""


@pytest.mark.parametrize("names", BAD_NAMES.values(), ids=BAD_NAMES)
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_names_that_cannot_be_are_refused(kind, names, outside, tmp_path):
    archive = tmp_path / "archive"
    if kind == "tar":
        with tarfile.open(archive, "w") as file:
            for name in names:
                file.addfile(entry(name))
    else:
        with zipfile.ZipFile(archive, "w") as file:
            for name in names:
                info = zipfile.ZipInfo("x")
                info.filename = name
                file.writestr(info, "")
    with pytest.raises(ConfigurationError) as error, extracted_archive(str(archive)):
        pass
    assert str(error.value).startswith(f"{archive}: found ")
    assert str(tmp_path / "temporary") not in str(error.value)
    assert os.listdir(tmp_path / "temporary") == []


def test_what_is_whole_is_unpacked(folder, tmp_path):
    archive = pack(folder, tmp_path / "model.tar.gz")
    with extracted_archive(str(archive)) as unpacked:
        assert sorted(os.listdir(unpacked)) == ["config.json", "vocabulary", "weights.th"]
        for name in ("config.json", "weights.th", "vocabulary/tokens.txt"):
            with open(os.path.join(unpacked, name), "rb") as file:
                assert file.read() == (folder / name).read_bytes()
    assert not os.path.exists(unpacked)
    with extracted_archive(str(archive), cleanup=False) as unpacked:
        pass
    assert os.listdir(unpacked)


def test_a_small_archive_does_not_fill_the_disk(outside, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "ALWAYS", 2**20)
    archive = bomb(tmp_path / "model.tar.gz", 2**26)
    assert archive.stat().st_size < 2**17
    written = []
    monkeypatch.setattr(tarfile.TarFile, "makefile", lambda self, info, path: written.append(info.size))
    message = load_refusal(archive)
    assert "found more than" in message and "give the folder in its place" in message
    assert written == []


def test_a_large_header_does_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "ALWAYS", 2**20)
    info = entry("x", tarfile.XHDTYPE)
    info.size = 2**26
    path = tmp_path / "model.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.fileobj.write(info.tobuf())
        archive.fileobj.write(bytes(2**26))
    assert "found more than" in load_refusal(path)


@pytest.mark.parametrize(
    "names",
    [[f"x/{i}" for i in range(100)], [f"{i}/" + "x/" * 20 for i in range(5)]],
    ids=["files", "folders"],
)
def test_there_are_few_files_and_folders(names, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MODEL", unpacking.MODEL._replace(files=100))
    archive = pack_with(folder, tmp_path / "model.tar.gz", *((entry(name), b"") for name in names))
    assert "found more than 100 files and folders" in load_refusal(archive)


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_few_folders_are_in_one_another(kind, outside, tmp_path):
    """Python's own functions that make, copy and remove folders call themselves for each."""
    archive, name = tmp_path / "archive", "x/" * 2000
    with tarfile.open(archive, "w") if kind == "tar" else zipfile.ZipFile(archive, "w") as file:
        file.addfile(entry(name)) if kind == "tar" else file.writestr(name, "")
    with (
        pytest.raises(ConfigurationError, match="100 folders in one another"),
        extracted_archive(str(archive)),
    ):
        pass
    assert os.listdir(tmp_path / "temporary") == []


HEADERS = {
    "digits": (tarfile.XHDTYPE, b"1" * 4000, "256 digits in a row"),
    "digits for all": (tarfile.XGLTYPE, b"1" * 4000, "256 digits in a row"),
    "long": (tarfile.XHDTYPE, b" " * (2**20 + 1), "a header of 1,049,088 bytes"),
    "long name": (tarfile.GNUTYPE_LONGNAME, b"x" * (2**20 + 1), "a header of 1,049,088 bytes"),
    "sparse": (tarfile.XHDTYPE, b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n", "a sparse file"),
}


@pytest.mark.parametrize("kind, content, reason", HEADERS.values(), ids=HEADERS)
def test_headers_are_refused_before_they_are_parsed(kind, content, reason, folder, tmp_path):
    """Python 3.11.7 takes minutes for 400,000 digits."""
    archive = pack_with(folder, tmp_path / "model.tar.gz", (entry("x", kind), content), (entry("y"), b""))
    assert reason in load_refusal(archive)


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_negative_sizes_are_refused(kind, tmp_path):
    """Some releases of Python read them forever."""
    header = bytearray(entry("x", kind).tobuf(tarfile.GNU_FORMAT))
    header[124:136] = (2**96 - 512).to_bytes(12, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % tarfile.calc_chksums(bytes(header))[0]
    path = tmp_path / "model.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.fileobj.write(header + bytes(10 * tarfile.BLOCKSIZE))
    assert load_refusal(path).startswith(f"{path}: found ")
