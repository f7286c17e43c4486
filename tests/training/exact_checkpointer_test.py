import json
import os

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.training import Checkpointer

from tests.shared import PROJECT
from tests.training_config.configs import BABI

CONFIG = PROJECT / "training_config" / "babi" / "ga_coref_gru.jsonnet"

EPOCHS = 4


class Killed(Exception):
    pass


def train(folder, checkpointer, recover=False):
    overrides = {
        "dataset_reader.folder": str(BABI),
        "dataset_reader.task": 6,
        "trainer.num_epochs": EPOCHS,
        "trainer.checkpointer": {"type": checkpointer},
        # So that the first epoch is the best.
        "trainer.validation_metric": "-accuracy",
        "model.dropout": 0.5,
        "trainer.cuda_device": -1,
    }
    params = Params.from_file(str(CONFIG), overrides)
    train_model(params, str(folder), recover=recover)
    metrics = json.loads((folder / "metrics.json").read_text())
    return {key: value for key, value in metrics.items() if "memory" not in key and "duration" not in key}


def train_killed(folder, checkpointer, epoch, monkeypatch):
    """Killed when the checkpoint of an epoch is written, and its best weights are not yet."""
    save = Checkpointer.maybe_save_checkpoint

    def save_and_die(self, trainer, epochs, batches):
        saved = save(self, trainer, epochs, batches)
        if epochs == epoch and batches == 0:
            raise Killed
        return saved

    with monkeypatch.context() as patched:
        patched.setattr(Checkpointer, "maybe_save_checkpoint", save_and_die)
        with pytest.raises(Killed):
            train(folder, checkpointer)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    return train(folder, "exact"), torch.load(folder / "best.th")


@pytest.mark.parametrize("epoch", range(1, EPOCHS + 1))
def test_a_run_killed_and_recovered_comes_to_the_results_of_an_undisturbed_one(
    undisturbed, tmp_path, monkeypatch, epoch
):
    train_killed(tmp_path / "run", "exact", epoch, monkeypatch)
    assert train(tmp_path / "run", "exact", recover=True) == undisturbed[0]
    best = torch.load(tmp_path / "run" / "best.th")
    assert best.keys() == undisturbed[1].keys()
    assert all(torch.equal(weights, undisturbed[1][name]) for name, weights in best.items())


def test_the_checkpoints_change_nothing_of_the_results(undisturbed, tmp_path):
    assert train(tmp_path / "run", "default") == undisturbed[0]


def test_allennlps_own_checkpoints_come_to_other_results(undisturbed, tmp_path, monkeypatch):
    train_killed(tmp_path / "run", "default", 3, monkeypatch)
    assert train(tmp_path / "run", "default", recover=True) != undisturbed[0]


def test_a_file_that_was_being_written_does_not_matter(undisturbed, tmp_path, monkeypatch):
    train_killed(tmp_path / "run", "exact", 3, monkeypatch)
    for name in ("model", "training"):
        path = tmp_path / "run" / f"{name}_state_e3_b0.th"
        os.truncate(path, path.stat().st_size // 2)
    assert train(tmp_path / "run", "exact", recover=True) == undisturbed[0]
