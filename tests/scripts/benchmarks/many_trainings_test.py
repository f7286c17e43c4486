import contextlib
import json
import os
import tempfile

import pytest

from allennlp_coref_rc.common.errors import ConfigurationError

pytestmark = pytest.mark.slow


def open_files():
    """The names of open files, also of those that are deleted."""
    for number in os.listdir("/proc/self/fd"):
        # One is that of the list itself.
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(f"/proc/self/fd/{number}")


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="Linux alone lists a process's open files here")
def test_a_training_leaves_no_file_open_and_no_process(call, load, monkeypatch, tmp_path):
    many_trainings = load("many_trainings")
    monkeypatch.setitem(many_trainings.DATA, "max_instances", 2)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = many_trainings.State.now().processes
    header, row = call("many_trainings", "babi/quick_start", "--trainings", 1, "--json", tmp_path / "rows.json")
    assert header[:7] == ["trainings", "MiB", "growth", "files", "threads", "processes", "objects"] and row[0] == "1"
    (found,) = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert found["processes"] <= before and found["files"] > 0
    assert not [name for name in open_files() if str(tmp_path) in name]


def test_rows_and_growth(call, load, monkeypatch):
    many_trainings, files = load("many_trainings"), []

    def train(config, overrides, folder):
        files.append(os.open(folder / "0.json", os.O_RDONLY))
        return {"loss": 1.0}

    monkeypatch.setattr(many_trainings, "train", train)
    monkeypatch.setattr(many_trainings, "resident", lambda: (100 + 4 * len(files)) * 2**20)
    _, first, second = call("many_trainings", "babi/quick_start", "--trainings", 5, "--every", 4)
    assert first[:3] == ["1", "104.0", "+0.0"] and second[:3] == ["4", "116.0", "+12.0"]
    assert int(second[3]) == int(first[3]) + 3 and second[-1] == "4.000"
    for file in files:
        os.close(file)


def test_trainings_that_come_to_something_else_are_an_error(call, load, monkeypatch):
    many_trainings, losses = load("many_trainings"), iter((1.0, 2.0))
    monkeypatch.setattr(many_trainings, "train", lambda *_: {"loss": next(losses)})
    monkeypatch.setattr(many_trainings.State, "now", lambda: many_trainings.State(1, 1, 1, 1, 1))
    with pytest.raises(ConfigurationError, match="training 2 has the metrics {'loss': 2.0}, expected {'loss': 1.0}"):
        call("many_trainings", "babi/quick_start", "--trainings", 2)
