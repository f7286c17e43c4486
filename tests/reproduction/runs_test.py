import json
import os
from dataclasses import replace

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.reproduction.execution import execute
from allennlp_coref_rc.reproduction.runs import ERROR, MODEL, RESULT, Run
from tests.shared import PROJECT
from tests.training_config.configs import BABI

pytestmark = pytest.mark.slow

CONFIG = str(PROJECT / "training_config" / "babi" / "bi_gru.jsonnet")

OVERRIDES = {"dataset_reader.folder": str(BABI), "trainer.num_epochs": 1}


def test_a_finished_run_is_evaluated_on_what_it_lacks(tmp_path):
    run = Run(CONFIG, 1, 6, OVERRIDES, str(tmp_path))
    execute(run, "abc")
    metrics = run.result()["metrics"]
    assert run.finished and run.commands() == []
    more = replace(run, evaluations={"again": {}})
    assert not more.finished and [words[0] for words in more.commands()] == ["evaluate"]
    execute(more, "abc")
    assert more.finished and more.commands() == []
    found = more.result()
    assert found["metrics"]["again_accuracy"] == metrics["best_validation_accuracy"]
    assert {key: found["metrics"][key] for key in metrics} == metrics
    assert set(found["seconds"]) == {"train", "predict", "evaluate"}
    os.unlink(run.path(MODEL, "model.tar.gz"))
    with pytest.raises(ConfigurationError, match=r"model.tar.gz: no such file, expected the model.* \(once_more\)"):
        execute(replace(run, evaluations={"again": {}, "once_more": {}}), "abc")
    assert run.finished and os.path.exists(run.path(ERROR))


def test_a_result_is_of_the_data_that_it_was_made_of(tmp_path):
    (tmp_path / "train.txt").write_text("one")
    run = Run(CONFIG, 1, 6, OVERRIDES, str(tmp_path / "output"), str(tmp_path), files=["train.txt", "absent.txt"])
    os.makedirs(run.path())
    result = {"fingerprint": run.fingerprint(), "data": run.digests(), "metrics": {}}
    assert list(result["data"]) == ["train.txt"]
    with open(run.path(RESULT), "w") as file:
        json.dump(result, file)
    assert run.result() == result
    (tmp_path / "train.txt").write_text("two")
    os.utime(tmp_path / "train.txt", (1, 1))
    with pytest.raises(ConfigurationError, match="result.json: found a run on another .*train.txt than is there now"):
        run.result()
    # Where they are not at hand the result stands.
    (tmp_path / "train.txt").unlink()
    assert run.result() == result


def test_a_result_is_of_the_config_that_it_began_with(tmp_path, monkeypatch):
    config = tmp_path / "babi" / "mine.jsonnet"
    config.parent.mkdir()
    config.write_text(f"import '{CONFIG}'")
    run = Run(str(config), 1, 6, OVERRIDES, str(tmp_path / "output"))
    before, commands = run.fingerprint(), Run.commands

    def commands_and_change(self, cuda_device):
        found = commands(self, cuda_device)
        config.write_text(f"(import '{CONFIG}') {{ learning_rate:: 0.5 }}")
        os.utime(config, (1, 1))
        return found

    monkeypatch.setattr(Run, "commands", commands_and_change)
    execute(run, "abc")
    assert run.read(RESULT)["fingerprint"] == before != run.fingerprint()
