import json
import os
from types import SimpleNamespace

import pytest

from scripts.benchmarks import runs, worker


@pytest.mark.slow
def test_parts_of_train_in_a_process_of_its_own(call, tmp_path):
    overrides = {"dataset_reader.max_instances": 2, "trainer.num_epochs": 1}
    words = ["--rounds", 1, "train", "babi/quick_start", "-s", tmp_path / "run", "-o", json.dumps(overrides)]
    rows = {row["part"]: row for row in call("runs", *words)}
    assert list(rows) == [*worker.PARTS, "whole"]
    none = {part for part, row in rows.items() if float(row["processor s"]) == 0}
    assert none <= {"outputs", "other"} and rows["forward"]["questions/s"] == ""
    assert float(rows["whole"]["questions/s"]) > 0 and float(rows["whole"]["training_loss"]) > 0


@pytest.fixture
def started(monkeypatch, tmp_path):
    """Two source trees: which it was, and its words. In the older one a part takes twice as long."""
    started = []

    def process(command, env, **options):
        factor = 1 if env["PYTHONPATH"].split(os.pathsep)[0] == str(runs.THIS) else 2
        started.append((factor, command[4:]))
        parts = {"imports": [4.0, 4.0], "reading": [factor] * 2, "files": [0.0, 0.0]}
        parts["whole"] = [4.0 + factor] * 2
        values = {"training_loss": 1.5 if factor == 1 or "train" not in command else 1.6}
        answer = {"status": 0, "parts": parts, "questions": 30, "resident": 2**20, "values": values}
        return SimpleNamespace(stdout="" if "broken.tar.gz" in command else json.dumps(answer))

    monkeypatch.setattr(runs.subprocess, "run", process)
    (tmp_path / "allennlp_coref_rc").mkdir()
    return started


def test_source_trees_take_turns(call, fails, started, tmp_path):
    rows = call("runs", "--beside", tmp_path, "--rounds", 2, "predict", "model.tar.gz", "--silent")
    assert started == [(factor, ["predict", "model.tar.gz", "--silent"]) for factor in (2, 1, 2, 1)]
    reading = {row["tree"]: row for row in rows if row["part"] == "reading"}
    assert reading[str(tmp_path)]["processor s"] == "2" and reading[str(tmp_path)]["ratio"] == "1"
    assert reading[str(runs.THIS)]["ratio"] == "0.5" and reading[str(runs.THIS)]["share"] == "0.2"
    assert rows[-1]["part"] == "whole"
    assert rows[-1]["questions/s"] == "30" and rows[-1]["training_loss"] == "1.5"
    message = fails("runs", "--beside", tmp_path, "train", "babi/quick_start")
    assert "no figures" in message and "training_loss 1.5" in message and "1.6" in message
    assert "failed, with status none" in fails("runs", "evaluate", "broken.tar.gz")
    expected = "found no folder allennlp_coref_rc"
    assert expected in fails("runs", "--beside", tmp_path / "none", "evaluate", "a.tar.gz")
