import contextlib
import csv
import json
import os
import tempfile

import pytest

from scripts.benchmarks import made_up, soak
from scripts.benchmarks.harness import Disagreement

pytestmark = pytest.mark.slow


@pytest.fixture
def few_questions(monkeypatch):
    sizes = {"annotated_cnn_dailymail": (120, 120, 40), "annotated_narrativeqa": (60, 10, 120)}
    monkeypatch.setattr(made_up, "SIZES", sizes)


@pytest.mark.parametrize("config, questions", [("cnn/ga_mage_gru_16", "24"), ("narrativeqa/dassa_coref_feats", "12")])
def test_an_epoch(call, few_questions, config, questions):
    rows = call("soak", "epoch", config, "--share", 0.2, "--instances-in-memory", 8, "--rows", 4)
    assert rows[-1]["epoch"] == questions and len(rows) <= 5
    assert float(rows[-1]["highest MiB"].replace(",", "")) > 50


def test_an_epoch_that_misses_questions(call, few_questions, monkeypatch):
    monkeypatch.setattr(soak, "write", lambda *arguments: (made_up.write(*arguments)[0], 30))
    with pytest.raises(Disagreement, match="the epoch has 24 questions, expected 30"):
        call("soak", "epoch", "cnn/ga_mage_gru_16", "--share", 0.2)


def test_texts_repeat_but_each_story_and_question_has_a_word_of_its_own(few_questions, monkeypatch, tmp_path):
    monkeypatch.setattr(made_up, "TEXTS", 3)
    path, questions = made_up.write("annotated_narrativeqa", tmp_path)
    assert (path, questions) == (str(tmp_path / "train"), 60)
    with open(tmp_path / "qaps.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["question"].split()[-1] for row in rows}) == 60 and len({row["document_id"] for row in rows}) == 10
    path, _ = made_up.write("annotated_cnn_dailymail", tmp_path)
    with open(path) as lines:
        words = [set(json.loads(line)["passage"].split()) for line in lines]
    for i, own in enumerate(words):
        assert len(own - words[(i + 3) % 120]) == 1
    assert len({made_up.own_word(i) for i in range(2000)}) == 2000


def test_the_slope_is_that_of_the_second_half():
    resident = [5, 50, 90, 100, 107, 114, 121, 128]
    assert soak.slope([(2 * i, value) for i, value in enumerate(resident, start=1)]) == pytest.approx(3.5)


def test_a_reader_whose_files_are_not_made_up(fails):
    message = fails("soak", "epoch", "lambada/ga_gru")
    assert "found the reader 'annotated_lambada'" in message and "annotated_cnn_dailymail" in message


def open_files():
    """The names of open files, also of those that are deleted."""
    for number in os.listdir("/proc/self/fd"):
        # One is that of the list itself.
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(f"/proc/self/fd/{number}")


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="Linux alone lists a process's open files here")
def test_a_training_leaves_no_file_open_and_no_process(call, monkeypatch, tmp_path):
    monkeypatch.setitem(soak.DATA, "max_instances", 2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = len(soak.psutil.Process().children(recursive=True))
    (row,) = call("soak", "trainings", "babi/quick_start", "--trainings", 1)
    assert int(row["processes"]) <= before and int(row["files"]) > 0
    assert not [name for name in open_files() if str(tmp_path) in name]


def test_rows_and_growth(call, monkeypatch):
    files = []

    def train(config, folder):
        files.append(os.open(os.devnull, os.O_RDONLY))
        return {"loss": 1.0}

    monkeypatch.setattr(soak, "train", train)
    monkeypatch.setattr(soak, "resident", lambda: 100.0 + 4 * len(files))
    first, *_, last = call("soak", "trainings", "babi/quick_start", "--trainings", 8, "--rows", 2)
    assert (first["trainings"], first["MiB"]) == ("1", "104") and (last["trainings"], last["MiB"]) == ("8", "132")
    assert int(last["files"]) == int(first["files"]) + 7 and last["slope"] == "4"
    for file in files:
        os.close(file)


def test_trainings_that_come_to_something_else(call, monkeypatch):
    losses = iter((1.0, 2.0))
    monkeypatch.setattr(soak, "train", lambda *_: {"loss": next(losses)})
    with pytest.raises(Disagreement, match="training 2 .*'loss': 2.0.*'loss': 1.0"):
        call("soak", "trainings", "babi/quick_start", "--trainings", 2)
