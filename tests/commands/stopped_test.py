"""Ctrl-C, SIGTERM, kill -9 or a full disk: commands say how to go on, and end with the same results."""

import hashlib
import itertools
import json
import multiprocessing
import os
import re
import signal
import tarfile
import time
import zipfile
from contextlib import nullcontext, suppress

import psutil
import pytest
import requests
import torch

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.annotation_runs.run import PRELOADED
from allennlp_coref_rc.annotation_runs.unfinished_output import UnfinishedOutput
from allennlp_coref_rc.common.stopping import Terminated, terminable, uninterrupted
from allennlp_coref_rc.data import downloads
from tests.commands import annotators  # noqa: F401  registers one
from tests.data.downloads_test import CONTENT, Server, server  # noqa: F401  a fixture
from tests.stops import STATUS, Moments, files_of_at_most, fork, status_of, stopping
from tests.training_config.configs import write_small

GO_ON = "the same command{} resumes with the remaining documents\n"

REASON = {
    "int": "\ncoref-rc: stopped; ",
    "term": "\ncoref-rc: stopped; ",
    "full": "no space is left on the disk; free space, then ",
}


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestAnnotate:
    @pytest.fixture
    def texts(self, tmp_path):
        path = tmp_path / "texts.txt"
        path.write_text(
            "".join(f"Mary saw {name} . Mary left .\n" for name in ("Bill", "Ann", "Bob", "Tim", "Joe"))
        )
        return path

    @pytest.fixture
    def words(self, texts):
        return ["annotate", "--annotator", "troubled_by_ann", "--workers", "0", "--chunk-size", "3", texts]

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", STATUS)
    def test_stopped_at_a_moment_it_goes_on(self, words, kind, tmp_path, capsys):
        whole = tmp_path / "whole"
        status_of([*words, whole / "out.jsonl"])
        stops = 0
        # Every third moment is enough: kill -9 is tried at all of them.
        for at in itertools.count(list(STATUS).index(kind), 3):
            folder, force = tmp_path / str(at), ["--force"] * (at % 2)
            with stopping(kind, at) as moments:
                capsys.readouterr()
                status = status_of([*words, folder / "out.jsonl", *force])
            if not moments.stopped:
                assert status == 0
                break
            stops += 1
            assert status == STATUS[kind]
            assert capsys.readouterr().err.endswith(
                REASON[kind] + GO_ON.format(" without --force" * bool(force))
            )
            if kind == "full":
                # There are no half-written files.
                whole_files = r"(^|/)(lock|plan\.json|\d{6}\.jsonl|out.*)$"
                assert all(re.search(whole_files, name) for name in contents(folder))
            again = status_of([*words, folder / "out.jsonl"])
            assert again == 0 or "out.jsonl is there already" in capsys.readouterr().err
            assert contents(folder) == contents(whole), at
        assert stops > 5

    @pytest.mark.slow
    @pytest.mark.parametrize("size", [0, 900])
    def test_a_disk_that_fills(self, words, size, tmp_path, capsys):
        whole, folder = tmp_path / "whole", tmp_path / "folder"
        status_of([*words, whole / "out.jsonl"])
        capsys.readouterr()
        with files_of_at_most(size):
            assert status_of([*words, folder / "out.jsonl"]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"coref-rc: {folder}/out.jsonl.unfinished/") and error.count("\n") == 1
        expected = "it would become larger than a file may be here; free space, then the same command resumes"
        assert expected in error
        assert status_of([*words, folder / "out.jsonl"]) == 0
        assert contents(folder) == contents(whole)

    @pytest.mark.parametrize("name", ["folder", "file/out", "out"])
    def test_an_output_that_cannot_be_written_is_found_before_any_work(
        self, words, name, tmp_path, monkeypatch, capsys
    ):
        (tmp_path / "folder").mkdir()
        (tmp_path / "file").touch()
        (tmp_path / "out.failed.jsonl").mkdir()
        monkeypatch.setattr(UnfinishedOutput, "__enter__", lambda self: pytest.fail("it begins"))
        before = contents(tmp_path)
        assert status_of([*words, tmp_path / name, "--force"]) == 2
        expected = {
            "folder": "folder: found a directory, expected a file\n",
            "file/out": "file/out: found that {}/file is not a folder, expected one to write it to\n",
            "out": "out.failed.jsonl: found a directory, expected a file\n",
        }
        assert capsys.readouterr().err.endswith(expected[name].format(tmp_path))
        assert contents(tmp_path) == before and not os.path.isfile("/dev/null")


class TestDownload:
    @pytest.fixture
    def words(self, server, tmp_path, monkeypatch):  # noqa: F811
        file = downloads.File("a.bin", server.url(), len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
        data_set = downloads.DataSet("some", "something", "free", "https://x", ("a.bin",), (file,))
        monkeypatch.setattr(downloads, "DATA_SETS", (data_set,))
        return ["data", "download", "some", "--folder", tmp_path]

    @pytest.mark.parametrize("kind", ["kill", "int", "term"])
    def test_stopped_after_some_pieces_it_goes_on(self, words, server, kind, tmp_path, monkeypatch, capsys):  # noqa: F811
        pieces = requests.Response.iter_content

        def stopped(response, size):
            for piece in pieces(response, size):
                moments.pass_one()
                yield piece

        moments = Moments(kind, 4)
        with monkeypatch.context() as patch:
            patch.setattr(requests.Response, "iter_content", stopped)
            if kind == "kill":
                assert fork(lambda: status_of(words))
            else:
                assert status_of(words) == STATUS[kind]
                error = capsys.readouterr().err
                assert error.endswith("\ncoref-rc: stopped; the same command resumes the download\n")
        have = (tmp_path / "some" / "a.bin.part").stat().st_size
        assert 3 * downloads.CHUNK <= have <= 4 * downloads.CHUNK
        assert status_of(words) == 0
        assert contents(tmp_path / "some") == {"a.bin": CONTENT}
        assert server.requests[-1] == ("/a.bin", f"bytes={have}-")

    def test_a_disk_that_fills(self, words, server, tmp_path, capsys):  # noqa: F811
        with files_of_at_most(300_000):
            assert status_of(words) == 1
        part = tmp_path / "some" / "a.bin.part"
        reason = "it would become larger than a file may be here; run this again to resume"
        expected = f"some: incomplete. {part}: {reason}\n"
        assert capsys.readouterr().out.endswith(expected)
        assert part.stat().st_size == 300_000
        assert status_of(words) == 0
        assert contents(tmp_path / "some") == {"a.bin": CONTENT}
        assert server.requests[-1] == ("/a.bin", "bytes=300000-")


@pytest.mark.slow
def test_a_training_stopped_in_each_way_comes_to_the_results_of_one_that_was_not(tmp_path, capsys):
    small = write_small(tmp_path, "ga_coref_gru", num_epochs=3, checkpointer={"type": "exact"})
    run, whole = (["train", small, "-s", tmp_path / name] for name in ("run", "whole"))
    assert status_of(whole) == 0

    def stopped(kind, at, *more):
        """Before or after one of the files of weights is written, two at the end of each epoch."""
        capsys.readouterr()
        with stopping(kind, at, [(torch, "save")]):
            return status_of([*run, *more]), capsys.readouterr().err

    def half_files():
        """
        The files that are not whole. None should be: nothing is left of files whose writing failed, and an
        archive gets its name when it is whole.
        """
        return [path.name for path in (tmp_path / "run").glob("*.t*") if not is_whole(path)]

    go_on = "the same command with --recover resumes the training\n"
    assert fork(lambda: stopped("kill", 5))
    left = sorted(path.name for path in (tmp_path / "run").glob("*_e2_*"))
    assert left == ["model_state_e2_b0.th.part", "model_state_e2_b0.th.part.lock"]
    status, error = stopped("term", 7, "--recover")
    assert status == 143 and error.endswith(
        f"coref-rc: stopped; {tmp_path}/run/model.tar.gz has the best model so far; {go_on}"
    )
    assert not half_files() and not list((tmp_path / "run").glob("*.part*"))
    status, error = stopped("int", 5, "--recover")
    assert status == 130 and error.endswith(f"{tmp_path}/run/model.tar.gz has the best model so far; {go_on}")
    with files_of_at_most(1_000_000):
        status, error = stopped("full", 99, "--recover")
    reason = (
        f"coref-rc: {tmp_path}/run: a file of weights could not be written; no space may be left on the disk"
    )
    assert (status, error) == (2, f"{reason}; free space, then {go_on}")
    assert not half_files()
    # Nothing is lost: training still goes on after its first epoch.
    assert len(list((tmp_path / "run").glob("training_state_*.th"))) == 2
    assert status_of([*run, "--recover"]) == 0
    assert metrics(tmp_path / "run") == metrics(tmp_path / "whole")
    one, other = (torch.load(tmp_path / name / "best.th") for name in ("run", "whole"))
    assert one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def in_a_session(errors, words):
    os.setsid()
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
    main([str(word) for word in words])


def processes_of(session):
    found = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("command, number", [("annotate", 5), ("train", 3)])
def test_workers_that_start_end_with_the_command(command, number, tmp_path):
    """SIGTERM comes when the command has so many processes. They are it, workers, and what starts these."""
    if command == "train":
        small = write_small(tmp_path, "bi_gru", num_epochs=1000)
        words = ["train", small, "-s", tmp_path / "run", "-o", '{"data_loader.num_workers": 3}']
    else:
        (tmp_path / "texts.txt").write_text("Mary left .\n" * 1000)
        words = ["annotate", tmp_path / "texts.txt", tmp_path / "out.jsonl", "--workers", "3"]
        words += ["--annotator", "exact_match_coref", "--chunk-size", "1"]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    process = context.Process(target=in_a_session, args=(tmp_path / "errors", words))
    process.start()
    while len(processes_of(process.pid)) < number:
        assert process.is_alive()
        time.sleep(0.005)
    process.terminate()
    process.join()
    assert process.exitcode == 143
    assert not psutil.wait_procs(processes_of(process.pid), timeout=60)[1]
    errors = (tmp_path / "errors").read_text()
    assert "Traceback" not in errors and "Error" not in errors
    assert "coref-rc: stopped" in errors and "the same command" in errors


def metrics(folder):
    found = json.loads((folder / "metrics.json").read_text())
    return {key: value for key, value in found.items() if "memory" not in key and "duration" not in key}


def is_whole(path):
    return tarfile.is_tarfile(path) if path.suffix == ".gz" else zipfile.is_zipfile(path)


@pytest.mark.parametrize("uninterruptedly", [False, True])
def test_a_fork_ends_at_once(uninterruptedly):
    """Such as the processes that load data, which their parent ends by this signal while they start."""
    with terminable():
        with pytest.raises(Terminated), uninterrupted() if uninterruptedly else nullcontext():
            assert fork(lambda: os.kill(os.getpid(), signal.SIGTERM))
            os.kill(os.getpid(), signal.SIGTERM)
            assert uninterruptedly
        assert fork(lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
