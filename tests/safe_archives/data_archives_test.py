"""A stranger's archive of data writes nothing outside of its folder in the cache, and is unpacked once."""

import json
import multiprocessing
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import cached_path as package
import pytest
from allennlp.common import file_utils
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from allennlp_coref_rc.data.corpora.cnn_dailymail import find_questions
from allennlp_coref_rc.data.dataset_readers.annotated_cnn_dailymail import AnnotatedCnnDailyMailReader
from allennlp_coref_rc.safe_archives import unpacking
from tests.safe_archives.crafted import ESCAPES, bomb, entry, escaping_tar
from tests.shared import PROJECT

QUESTIONS = PROJECT / "tests" / "fixtures" / "cnn_dailymail" / "questions"

CODE = PROJECT / "allennlp_coref_rc"

NAMES = {"cnn.tgz": "w:gz", "x.question": "w", "cnn": "w:bz2", "cnn.tar.xz": "w:xz"}


def zipped(path, *members, folder=QUESTIONS):
    """A zip file of a folder, and members of other names and modes."""
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*.question")):
            archive.write(file, Path("cnn/questions") / file.relative_to(folder))
        for name, mode, content in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, content)
    return path


def texts(path):
    return [str(instance["passage"]) for instance in AnnotatedCnnDailyMailReader().read(str(path))]


@pytest.fixture
def unharmed(outside, tmp_path):
    """In the end, only the archive and what belongs to the cache are there."""
    yield
    assert os.listdir(outside) == [] and os.listdir(tmp_path / "temporary") == []
    assert not [path for path in tmp_path.rglob("*") if "written" in path.name or "pathtest_q" in path.name]
    assert {re.sub(r".*\.", "", name) for name in os.listdir(tmp_path / "cache")} <= {"lock"}


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_written_elsewhere(name, escape, unharmed, tmp_path):
    archive = escaping_tar(tmp_path / name, escape, QUESTIONS, NAMES[name])
    for path in (archive, f"{archive}!cnn/questions/training"):
        with pytest.raises(ConfigurationError) as error:
            find_questions(str(path))
        message = str(error.value)
        assert message.startswith(f"{archive}: found the ") and "nothing is used" in message
        assert any(repr(member) in message for member, _, _ in ESCAPES[escape])


@pytest.mark.parametrize(
    "member",
    [
        ("../pathtest_q/written", stat.S_IFREG | 0o644, "x"),
        ("/written", 0, "x"),
        ("link", stat.S_IFLNK | 0o777, "/etc"),
        ("pipe", stat.S_IFIFO | 0o644, ""),
    ],
    ids=lambda member: member[0],
)
def test_nor_by_a_zip_file(member, unharmed, tmp_path):
    archive = zipped(tmp_path / "cnn.zip", member)
    with pytest.raises(ConfigurationError) as error:
        find_questions(f"{archive}!cnn/questions/training")
    assert str(error.value).startswith(f"{archive}: found the ") and repr(member[0]) in str(error.value)


@pytest.mark.parametrize("function", [file_utils.cached_path, package.cached_path, Vocabulary.from_files])
def test_nor_by_allennlp_itself(function, unharmed, tmp_path):
    archive = escaping_tar(tmp_path / "vocabulary.tar.gz", "chained links")
    options = {"cache_dir": str(tmp_path / "cache")} if function is package.cached_path else {}
    if function != Vocabulary.from_files:
        options["extract_archive"] = True
    with pytest.raises(ConfigurationError, match="nothing is used"):
        function(str(archive), **options)


def test_nor_by_modules_that_were_imported_before(outside, tmp_path, run_command):
    """They hold AllenNLP's function already."""
    archive = escaping_tar(tmp_path / "x.tgz", "chained links")
    (tmp_path / "program.py").write_text(
        "from allennlp.data import Vocabulary\nimport allennlp_coref_rc\n"
        f"try: Vocabulary.from_files({str(archive)!r})\nexcept Exception as error: print(error)"
    )
    done = run_command("program", folder=tmp_path)
    assert "nothing is used" in done.stdout, done.stderr
    assert os.listdir(outside) == []


def test_no_code_unpacks_in_another_way():
    """Those that unpack are `unpacking` and `downloads`, which writes each file by itself."""
    found = {
        str(path.relative_to(CODE))
        for path in CODE.rglob("*.py")
        if re.search(r"extract_archive=True|\.extract(all)?\(|unpack_archive", path.read_text())
    }
    assert found == {"safe_archives/unpacking.py", "data/corpora/cnn_dailymail.py"}
    expected = "from allennlp.common.file_utils import cached_path"
    assert expected in (CODE / "data/corpora/cnn_dailymail.py").read_text()


@pytest.mark.parametrize("name", [*NAMES, "cnn.zip"])
def test_what_is_whole_is_unpacked_once(name, outside, tmp_path, monkeypatch):
    archive = tmp_path / name
    if name == "cnn.zip":
        zipped(archive)
    else:
        with tarfile.open(archive, NAMES[name]) as file:
            file.add(QUESTIONS, "cnn/questions")
    data = f"{archive}!cnn/questions/training"
    assert texts(data) == texts(QUESTIONS / "training")
    unpack, calls = unpacking.unpack, []
    monkeypatch.setattr(unpacking, "unpack", lambda *arguments: [calls.append(arguments), unpack(*arguments)])
    texts(data)
    assert not calls
    first = find_questions(data)
    os.utime(archive, (1, 1))
    assert find_questions(data) != first and len(calls) == 1
    assert file_utils.cached_path(str(archive), extract_archive=True, force_extract=True) and len(calls) == 2
    entries = file_utils._find_entries()[1]
    assert [len(entry.extraction_dirs) for entry in entries.values()] == [2]


def test_what_is_incomplete_gets_no_name(outside, tmp_path):
    """Neither what a killed process left, nor a damaged archive."""
    archive = zipped(tmp_path / "cnn.zip")
    folder = Path(file_utils.cached_path(str(archive), extract_archive=True))
    shutil.rmtree(folder)
    Path(f"{folder}.part", "cnn").mkdir(parents=True)
    assert Path(file_utils.cached_path(str(archive), extract_archive=True)) == folder
    assert sorted(os.listdir(folder)) == ["cnn"] and not os.path.exists(f"{folder}.part")
    archive = tmp_path / "damaged.tgz"
    with tarfile.open(archive, "w:gz") as file:
        file.add(QUESTIONS, "cnn/questions")
    archive.write_bytes(archive.read_bytes()[:-8] + bytes(8))
    before = set(os.listdir(tmp_path / "cache"))
    with pytest.raises(ConfigurationError) as error:
        find_questions(f"{archive}!cnn/questions/training")
    assert str(error.value).startswith(f"{archive}: found a damaged archive (CRC")
    assert all(name.endswith(".lock") for name in set(os.listdir(tmp_path / "cache")) - before)


def test_several_processes_unpack_one_archive(outside, tmp_path):
    archive = zipped(tmp_path / "cnn.zip", *((f"cnn/{i}.txt", 0, "x") for i in range(2000)))
    context = multiprocessing.get_context("fork")
    found = context.SimpleQueue()

    def unpack():
        folder = package.cached_path(archive, cache_dir=tmp_path / "cache", extract_archive=True)
        found.put((str(folder), len(os.listdir(folder / "cnn"))))

    processes = [context.Process(target=unpack) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    ((folder, files),) = {found.get() for _ in processes}
    assert folder.endswith("-unpacked") and files == 2001


def test_data_may_have_many_files_and_no_end_of_bytes(outside, tmp_path, monkeypatch):
    assert unpacking.DATA.files > 5 * 220_000
    monkeypatch.setattr(unpacking, "DATA", unpacking.Limits(100, 10))
    monkeypatch.setattr(unpacking, "ALWAYS", 2**20)
    archive = tmp_path / "many.tar"
    with tarfile.open(archive, "w") as file:
        for i in range(60):
            file.addfile(entry(f"x/{i}"))
    zeros = tmp_path / "zeros.zip"
    with zipfile.ZipFile(zeros, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("x", bytes(2**24))
    for path, reason in (
        (archive, "more than 100 files and folders"),
        (bomb(tmp_path / "zeros.tgz", 2**25), "too many for an archive of this size"),
        (zeros, "too many for an archive of this size"),
    ):
        with pytest.raises(ConfigurationError, match=reason):
            find_questions(f"{path}!x")
        assert not [name for name in os.listdir(tmp_path / "cache") if not name.endswith(".lock")]


def test_a_file_that_is_no_archive_is_itself(outside, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"passage": "a"}))
    assert file_utils.cached_path(str(file), extract_archive=True) == str(file)
    with pytest.raises(ConfigurationError, match="no archive"):
        find_questions(f"{file}!x")
    with pytest.raises(ConfigurationError, match="no such file or folder"):
        find_questions(f"{tmp_path}!x")
    assert find_questions(str(QUESTIONS / "training" / os.listdir(QUESTIONS / "training")[0])).endswith(
        ".question"
    )


def test_local_files_need_no_cache(tmp_path):
    """Where the home folder cannot be written to, everything on local files still works."""
    (tmp_path / "home").touch()
    (tmp_path / "x.txt").touch()
    program = (
        "import allennlp_coref_rc\nfrom allennlp.common.file_utils import cached_path\n"
        f"print(cached_path({str(tmp_path / 'x.txt')!r}))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "ALLENNLP_CACHE_ROOT"}
    environment["HOME"] = str(tmp_path / "home")
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, env=environment, cwd=PROJECT, capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == str(tmp_path / "x.txt"), done.stderr
