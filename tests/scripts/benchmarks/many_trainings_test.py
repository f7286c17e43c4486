import json
import mmap
import os

import pytest

from allennlp_coref_rc.common.errors import ConfigurationError

pytestmark = pytest.mark.slow


def test_a_training_leaves_no_file_open_and_no_process(call, load, monkeypatch, tmp_path):
    many_trainings = load("many_trainings")
    monkeypatch.setitem(many_trainings.DATA, "max_instances", 2)
    before, path = many_trainings.State.now(), tmp_path / "rows.json"
    header, row = call("many_trainings", "babi/quick_start", "--trainings", 1, "--json", path)
    assert header == [
        "trainings",
        "MiB",
        "growth",
        "files",
        "threads",
        "processes",
        "objects",
        "s a training",
        "slope, MiB",
    ]
    (found,) = json.loads(path.read_text())["rows"]
    assert (found["files"], found["processes"]) == (before.files, before.processes)


def test_rows_and_growth(call, load, monkeypatch):
    memory, files = [], []

    def train(config, overrides, folder):
        memory.append(mmap.mmap(-1, 4 * 2**20))
        for page in range(0, len(memory[-1]), mmap.PAGESIZE):
            memory[-1][page] = 1
        files.append(os.open(folder / "0.json", os.O_RDONLY))
        return {"loss": 1.0}

    monkeypatch.setattr(load("many_trainings"), "train", train)
    _, first, second = call("many_trainings", "babi/quick_start", "--trainings", 5, "--every", 4)
    assert (first[0], second[0]) == ("1", "4") and int(second[3]) == int(first[3]) + 3
    assert float(first[2]) == 0 and float(second[2]) == pytest.approx(12, abs=1)
    assert float(second[-1]) == pytest.approx(4, abs=0.5)
    for file in files:
        os.close(file)


def test_trainings_that_come_to_something_else_are_an_error(call, load, monkeypatch):
    many_trainings, losses = load("many_trainings"), iter((1.0, 2.0))
    monkeypatch.setattr(many_trainings, "train", lambda *_: {"loss": next(losses)})
    monkeypatch.setattr(many_trainings.State, "now", lambda: many_trainings.State(1, 1, 1, 1, 1))
    with pytest.raises(ConfigurationError, match="training 2 has the metrics {'loss': 2.0}, expected {'loss': 1.0}"):
        call("many_trainings", "babi/quick_start", "--trainings", 2)
