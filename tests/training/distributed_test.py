"""Training by two processes, and by one with batches of twice the size."""

import json
import re

import pytest

from allennlp_coref_rc.commands import allennlp
from tests.shared import PROJECT
from tests.training_config.configs import overrides

CONFIG = PROJECT / "training_config" / "babi" / "ga_coref_gru.jsonnet"

TRAINED = {"dataset_reader.max_instances": 4, "trainer.num_epochs": 2, "model.dropout": 0.0, "evaluate_on_test": False}


def train(folder, more):
    options = overrides(CONFIG, task=2, more={**TRAINED, **more})
    allennlp.run(["train", str(CONFIG), "-s", str(folder), "-o", options])
    return json.loads((folder / "metrics.json").read_text())


@pytest.mark.slow
def test_two_processes_are_as_one_with_batches_of_twice_the_size(tmp_path, capfd):
    one = train(tmp_path / "one", {"data_loader": {"batch_size": 4}})
    capfd.readouterr()
    two = train(tmp_path / "two", {"data_loader": {"batch_size": 2}, "distributed": {"cuda_devices": [-1, -1]}})
    screen = capfd.readouterr()
    for name in ("training_accuracy", "validation_accuracy", "best_epoch"):
        assert one[name] == two[name], name
    assert one["training_loss"] == pytest.approx(two["training_loss"], rel=1e-5)
    # They speak with one voice.
    assert re.findall(r"^ *(\d/\d) ", screen.out, re.MULTILINE) == ["1/2", "2/2"] and screen.err == ""
