"""Training by two processes, and by one with batches of twice the size."""

import json

import pytest
from allennlp.commands.train import train_model_from_file

from tests.shared import PROJECT
from tests.training_config.configs import overrides

CONFIG = PROJECT / "training_config" / "babi" / "ga_coref_gru.jsonnet"

TRAINED = {"dataset_reader.max_instances": 4, "trainer.num_epochs": 2, "model.dropout": 0.0, "evaluate_on_test": False}


def train(folder, more):
    options = overrides(CONFIG, task=2, more={**TRAINED, **more})
    train_model_from_file(CONFIG, folder, options, include_package=["allennlp_coref_rc"])
    return json.loads((folder / "metrics.json").read_text())


@pytest.mark.slow
def test_two_processes_are_as_one_with_batches_of_twice_the_size(tmp_path):
    one = train(tmp_path / "one", {"data_loader": {"batch_size": 4}})
    two = train(tmp_path / "two", {"data_loader": {"batch_size": 2}, "distributed": {"cuda_devices": [-1, -1]}})
    for name in ("training_accuracy", "validation_accuracy", "best_epoch"):
        assert one[name] == two[name], name
    assert one["training_loss"] == pytest.approx(two["training_loss"], rel=1e-5)
