import io
import json
import os

import pytest
import wrapt

from scripts.benchmarks import runs, worker
from tests.archives import untrained_archive
from tests.models.ga_reader_test import BABI
from tests.training_config.configs import load as load_config


@pytest.fixture
def seconds(monkeypatch):
    """The parts of a command in this process that took time. AllenNLP's classes are put back at the end."""

    def wrap(owner, name, wrapper):
        monkeypatch.setattr(owner, name, wrapt.FunctionWrapper(getattr(owner, name), wrapper))

    monkeypatch.setattr(worker.wrapt, "wrap_function_wrapper", wrap)

    def run(*command):
        answers = io.StringIO()
        worker.run(worker.Stopwatch(io.StringIO(), answers, epochs=False), list(map(str, command)))
        answer = json.loads(answers.getvalue())
        assert answer["status"] == 0 and list(answer["parts"]) == [*worker.PARTS, "whole"]
        return answer, {part for part, seconds in answer["parts"].items() if seconds[1] > 0}

    return run


@pytest.mark.slow
def test_parts_of_predict(seconds, tmp_path):
    archive, output = untrained_archive(tmp_path / "model"), tmp_path / "answers.jsonl"
    answer, parts = seconds("predict", archive, "test", "--use-dataset-reader", "--output-file", output)
    assert answer["questions"] == len(output.read_text().splitlines()) > 0
    assert {"reading", "annotating", "indexing", "batches", "evaluation", "outputs", "files"} <= parts
    assert not parts & {"vocabulary", "forward", "backward", "optimizer"}


@pytest.mark.slow
def test_parts_of_train(seconds, tmp_path):
    config = tmp_path / "config.json"
    load_config(BABI / "bi_gru.jsonnet", 2, {"trainer.num_epochs": 1}).to_file(str(config))
    answer, parts = seconds("train", config, "-s", tmp_path / "run")
    assert answer["questions"] > 0 and answer["values"]["training_loss"] > 0
    assert {"reading", "vocabulary", "indexing", "batches", "forward", "backward", "optimizer", "files"} <= parts
    assert "evaluation" in parts and "outputs" not in parts


@pytest.mark.slow
def test_epochs_in_a_process_of_its_own(call, tmp_path):
    overrides = {"dataset_reader.max_instances": 2, "trainer.num_epochs": 1}
    words = ["--epochs", "--rounds", 2, "train", "babi/quick_start", "-o", json.dumps(overrides)]
    rows = {row["part"]: row for row in call("runs", *words)}
    assert list(rows) == ["start", *worker.PARTS, "whole"]
    seconds = {part: float(row["processor s"].split()[0]) for part, row in rows.items()}
    assert all(seconds[part] > 0 for part in ("start", "forward", "backward", "optimizer"))
    assert rows["imports"]["share"] == "0" and float(rows["whole"]["training_loss"]) > 0


def test_time_within_a_part_counts_for_it_alone(monkeypatch):
    times = iter([(float(2**i), float(2**i)) for i in range(20)])
    monkeypatch.setattr(worker, "now", lambda: next(times))
    watch = worker.Stopwatch(io.StringIO(), io.StringIO(), epochs=False)
    watch.last = 0.0, 0.0
    with watch.part("forward"), watch.part("batches"):
        pass
    assert {part: seconds[0] for part, seconds in watch.seconds.items() if seconds[0]} == {
        "imports": 1.0,
        "forward": 1.0 + 4.0,
        "batches": 2.0,
    }


class Process:
    """Stands for a process of a source tree, in which each part takes `factor` seconds."""

    turns: list = []

    def __init__(self, command, env, **options):
        self.factor = 1 if env["PYTHONPATH"].split(os.pathsep)[0] == str(runs.THIS) else 2
        self.command, self.stdin = command, io.StringIO()
        self.stdout = self

    def readline(self):
        self.turns.append((self.factor, self.command[4:]))
        if "broken.tar.gz" in self.command:
            return ""
        parts = {"imports": [4.0, 4.0], "reading": [self.factor] * 2, "files": [0.0, 0.0]}
        parts["whole"] = [4.0 + self.factor] * 2
        loss = 1.5 if self.factor == 1 or "1.5" in self.command else 1.6
        answer = {"status": 0, "parts": parts, "questions": 30, "resident": 2**20 * len(self.turns)}
        return json.dumps({**answer, "values": {"training_loss": loss}})

    def communicate(self):
        pass


@pytest.fixture
def older(monkeypatch, tmp_path):
    monkeypatch.setattr(runs.subprocess, "Popen", Process)
    monkeypatch.setattr(Process, "turns", [])
    (tmp_path / "allennlp_coref_rc").mkdir()
    return tmp_path


def test_source_trees_take_turns(call, fails, older):
    rows = call("runs", "--beside", older, "--rounds", 2, "predict", "model.tar.gz", "--silent")
    assert [factor for factor, _ in Process.turns] == [2, 1, 2, 1]
    assert Process.turns[0][1] == ["command", "predict", "model.tar.gz", "--silent"]
    reading = {row["tree"]: row for row in rows if row["part"] == "reading"}
    assert reading[str(older)]["processor s"] == "2" and reading[str(older)]["ratio"] == "1"
    assert reading[str(runs.THIS)]["ratio"] == "0.5" and reading[str(runs.THIS)]["share"] == "0.2"
    assert rows[-1]["part"] == "whole" and rows[-1]["questions/s"] == "30" and rows[-1]["training_loss"] == "1.5"
    assert "failed with status none" in fails("runs", "evaluate", "broken.tar.gz")
    assert "found no folder allennlp_coref_rc" in fails("runs", "--beside", older / "none", "evaluate", "a.tar.gz")


def test_epochs_with_other_losses(call, fails, older):
    words = ["runs", "--epochs", "--beside", older, "--rounds", 2, "train"]
    rows = call(*words, "1.5")
    # After their starts the trees take turns.
    assert [factor for factor, _ in Process.turns] == [2, 1, 2, 1, 2, 1]
    start, *_, whole = rows[len(rows) // 2 :]
    assert (start["part"], start["processor s"], start["ratio"]) == ("start", "5", "0.833")
    assert whole["growth"] == "2"
    message = fails(*words, "1.6")
    assert "no figures" in message and "training_loss 1.5" in message and "1.6" in message
