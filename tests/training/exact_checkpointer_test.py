import json
import os

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.training import Checkpointer

from allennlp_coref_rc.training import ExactCheckpointer
from tests.shared import PROJECT
from tests.training_config.configs import BABI

pytestmark = pytest.mark.slow

CONFIG = PROJECT / "training_config" / "babi" / "ga_coref_gru.jsonnet"

EPOCHS = 4


class Killed(Exception):
    pass


def train(folder, checkpointer, recover=False, keep=2, shuffle=False, **more):
    overrides = {
        "dataset_reader.folder": str(BABI),
        "dataset_reader.task": 6,
        "trainer.num_epochs": EPOCHS,
        "trainer.checkpointer": {"type": checkpointer, "keep_most_recent_by_count": keep},
        # So that the first epoch is the best.
        "trainer.validation_metric": "-accuracy",
        "model.dropout": 0.5,
        "trainer.cuda_device": -1,
        "validation_data_loader.shuffle": shuffle,
        **{f"trainer.{key}": value for key, value in more.items()},
    }
    params = Params.from_file(str(CONFIG), overrides)
    train_model(params, str(folder), recover=recover)
    metrics = json.loads((folder / "metrics.json").read_text())
    return {key: value for key, value in metrics.items() if "memory" not in key and "duration" not in key}


def train_killed(folder, checkpointer, epoch, monkeypatch, saving=True, **options):
    """Killed when the checkpoint of an epoch is written and its best weights are not; or just before."""
    save = Checkpointer.maybe_save_checkpoint

    def save_and_die(self, trainer, epochs, batches):
        killed = epochs == epoch and batches == 0
        saved = save(self, trainer, epochs, batches) if saving or not killed else False
        if killed:
            raise Killed
        return saved

    with monkeypatch.context() as patched:
        patched.setattr(Checkpointer, "maybe_save_checkpoint", save_and_die)
        with pytest.raises(Killed):
            train(folder, checkpointer, **options)


def weights_of(folder):
    return {name: weights.tolist() for name, weights in torch.load(folder / "best.th").items()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    return train(folder, "exact"), weights_of(folder)


@pytest.mark.parametrize("epoch", range(1, EPOCHS + 1))
def test_a_run_killed_and_recovered_comes_to_the_results_of_an_undisturbed_one(
    undisturbed, tmp_path, monkeypatch, epoch
):
    train_killed(tmp_path / "run", "exact", epoch, monkeypatch)
    assert train(tmp_path / "run", "exact", recover=True) == undisturbed[0]
    assert weights_of(tmp_path / "run") == undisturbed[1]


def test_shuffled_validation_data_do_not_matter(tmp_path, monkeypatch):
    undisturbed = train(tmp_path / "undisturbed", "exact", shuffle=True)
    train_killed(tmp_path / "run", "exact", 3, monkeypatch, shuffle=True)
    assert train(tmp_path / "run", "exact", recover=True, shuffle=True) == undisturbed
    assert weights_of(tmp_path / "run") == weights_of(tmp_path / "undisturbed")


def test_the_checkpoints_change_nothing_of_the_results(undisturbed, tmp_path):
    assert train(tmp_path / "run", "default") == undisturbed[0]


def test_a_file_that_was_being_written_does_not_matter(undisturbed, tmp_path, monkeypatch):
    train_killed(tmp_path / "run", "exact", 3, monkeypatch)
    for name in ("model", "training"):
        path = tmp_path / "run" / f"{name}_state_e3_b0.th"
        os.truncate(path, path.stat().st_size // 2)
    assert train(tmp_path / "run", "exact", recover=True) == undisturbed[0]


def test_a_run_killed_again_and_again_does_not_begin_anew(undisturbed, tmp_path, monkeypatch):
    load, epochs = ExactCheckpointer.load_checkpoint, []

    def load_and_count(self):
        checkpoint = load(self)
        epochs.append(checkpoint.trainer_state["epochs_completed"])
        return checkpoint

    train_killed(tmp_path / "run", "exact", 3, monkeypatch)
    monkeypatch.setattr(ExactCheckpointer, "load_checkpoint", load_and_count)
    for saving in (False, True, False):
        train_killed(tmp_path / "run", "exact", 3, monkeypatch, saving, recover=True)
    assert train(tmp_path / "run", "exact", recover=True) == undisturbed[0]
    assert epochs == [2, 2, 2, 2]


def test_a_moving_average_goes_on(tmp_path, monkeypatch):
    recoverable = {"type": "recoverable_exponential", "decay": 0.9}
    average = {"moving_average": recoverable, "validation_metric": "+accuracy"}
    expected = train(tmp_path / "undisturbed", "exact", **average)
    train_killed(tmp_path / "run", "exact", 3, monkeypatch, **average)
    assert train(tmp_path / "run", "exact", recover=True, **average) == expected
    assert weights_of(tmp_path / "run") == weights_of(tmp_path / "undisturbed")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"moving_average": {"type": "exponential"}}, "moving_average: found a type .* expected recoverable"),
        ({"keep": 1}, "keep_most_recent_by_count: found 1, expected 2 or more"),
    ],
)
def test_what_it_could_not_go_on_with_is_refused(tmp_path, options, message):
    with pytest.raises(ConfigurationError, match=message):
        train(tmp_path / "run", "exact", **options)
