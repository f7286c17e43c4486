import json

import pytest
import wrapt

from tests.archives import untrained_archive
from tests.models.ga_reader_test import BABI
from tests.training_config.configs import load as load_config


@pytest.fixture
def seconds(load, monkeypatch):
    """Seconds of the parts of a command in this process. AllenNLP's classes are put back at the end."""
    timed = load("timed_command")

    def wrap(owner, name, wrapper):
        monkeypatch.setattr(owner, name, wrapt.FunctionWrapper(getattr(owner, name), wrapper))

    def time(watch, owner, name, part):
        def timed_call(original, _, args, kwargs):
            with watch.part(part):
                return original(*args, **kwargs)

        wrap(owner, name, timed_call)

    monkeypatch.setattr(load("stopwatch").Stopwatch, "time", time)
    monkeypatch.setattr(timed.wrapt, "wrap_function_wrapper", wrap)

    def run(*command):
        found = timed.measure(list(map(str, command)))
        assert found["status"] == 0 and list(found["seconds"]) == list(timed.PARTS)
        return found["questions"], {part for part, seconds in found["seconds"].items() if seconds > 0}

    return run


@pytest.mark.slow
def test_parts_of_predict(seconds, tmp_path):
    archive, output = untrained_archive(tmp_path / "model"), tmp_path / "answers.jsonl"
    questions, parts = seconds("predict", archive, "test", "--use-dataset-reader", "--output-file", output)
    assert questions == len(output.read_text().splitlines()) > 0
    assert {"reading", "annotating", "indexing", "batches", "evaluation", "outputs", "files"} <= parts
    assert not parts & {"vocabulary", "forward", "backward", "optimizer"}


def test_parts_of_train(seconds, tmp_path):
    config = tmp_path / "config.json"
    load_config(BABI / "bi_gru.jsonnet", 2, {"trainer.num_epochs": 1}).to_file(str(config))
    questions, parts = seconds("train", config, "-s", tmp_path / "run")
    assert questions > 0
    assert {"reading", "vocabulary", "indexing", "batches", "forward", "backward", "optimizer", "files"} <= parts
    assert "evaluation" in parts and "outputs" not in parts


def test_source_trees_take_turns(load, call, fails, monkeypatch, tmp_path):
    whole_runs = load("whole_runs")
    turns = []

    def answer(command, env, **more):
        factor = 1 if env["PYTHONPATH"] == str(whole_runs.TREE) else 2
        turns.append((factor, command[2:]))
        found = {"status": 0, "questions": 30, "seconds": {"imports": 4.0, "reading": 1.0 * factor, "files": 0.0}}
        return type("Process", (), {"stdout": json.dumps(found) if command[3] == "predict" else ""})

    monkeypatch.setattr(whole_runs.subprocess, "run", answer)
    header, *rows = call("whole_runs", "--beside", tmp_path, "--rounds", 2, "predict", "model.tar.gz", "--silent")
    assert [factor for factor, _ in turns] == [1, 2, 1, 2] and turns[0][1] == [
        "1",
        "predict",
        "model.tar.gz",
        "--silent",
    ]
    assert header == ["part", "s", "share", "beside, s", "ratio"]
    rows = {part: rest for part, *rest in rows}
    assert rows["reading"] == ["1.00 (1.00–1.00)", "0.20", "2.00 (2.00–2.00)", "0.50 (0.50–0.50)"]
    assert rows["whole"][0] == "5.00 (5.00–5.00)" and rows["questions a second"][0] == "30.00 (30.00–30.00)"
    assert "the command failed" in fails("whole_runs", "evaluate", "model.tar.gz")
