"""Training by two processes, and by one with batches of twice the size."""

import json
import subprocess
import sys

import pytest

from tests.shared import PROJECT
from tests.training_config.configs import overrides

CONFIG = PROJECT / "training_config" / "babi" / "ga_coref_gru.jsonnet"

TRAINED = {"dataset_reader.max_instances": 4, "trainer.num_epochs": 2, "model.dropout": 0.0, "evaluate_on_test": False}


def train(folder, more):
    options = overrides(CONFIG, task=2, more={**TRAINED, **more})
    command = [sys.executable, "-m", "allennlp_coref_rc", "train", str(CONFIG), "-s", str(folder), "-o", options]
    finished = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT)
    assert finished.returncode == 0, finished.stderr[-3000:]
    return json.loads((folder / "metrics.json").read_text())


def test_two_processes_are_as_one_with_batches_of_twice_the_size(tmp_path):
    one = train(tmp_path / "one", {"data_loader": {"batch_size": 4}})
    two = train(tmp_path / "two", {"data_loader": {"batch_size": 2}, "distributed": {"cuda_devices": [-1, -1]}})
    for name in ("training_accuracy", "validation_accuracy", "best_epoch"):
        assert one[name] == two[name], name
    assert one["training_loss"] == pytest.approx(two["training_loss"], rel=1e-5)
