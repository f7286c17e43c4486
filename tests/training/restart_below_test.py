from types import SimpleNamespace

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.training import RestartBelow
from tests.training.exact_checkpointer_test import train, train_killed

NEVER = {"type": "restart_below", "value": 0.0, "epochs": 1}
AFTER_TWO = {"type": "restart_below", "value": 1.1, "epochs": 2}


def weights_after(folder, epochs):
    return torch.load(folder / f"model_state_e{epochs}_b0.th")


def state_after(folder, epochs):
    return torch.load(folder / f"training_state_e{epochs}_b0.th", weights_only=False)


@pytest.mark.slow
def test_a_metric_that_is_high_enough_changes_nothing(tmp_path):
    assert train(tmp_path / "with", "exact", callbacks=[NEVER]) == train(tmp_path / "without", "exact", callbacks=[])


@pytest.mark.slow
def test_after_a_restart_the_weights_are_other_random_ones_and_the_optimizer_knows_nothing(tmp_path):
    still = {"optimizer": {"type": "adam", "lr": 0.0}, "callbacks": [AFTER_TWO], "keep": 9}
    train(tmp_path, "exact", **still)
    first, second, third = (weights_after(tmp_path, epochs) for epochs in (1, 2, 3))
    assert all(torch.equal(second[name], third[name]) for name in second)
    for name, weights in first.items():
        if "bias" in name:
            assert torch.equal(weights, second[name])
        else:
            # Two draws from one distribution.
            assert not torch.equal(weights, second[name])
            assert weights.std() == pytest.approx(second[name].std(), rel=0.5)
    assert state_after(tmp_path, 1)["optimizer"]["state"] and not state_after(tmp_path, 2)["optimizer"]["state"]


@pytest.mark.slow
def test_weights_of_before_a_restart_are_never_the_best(tmp_path):
    # Training accuracy falls with new weights, and "-accuracy", by which `train` chooses, would choose the first epoch.
    metrics = train(tmp_path, "exact", callbacks=[{**AFTER_TWO, "epochs": 3}], keep=9)
    assert metrics["best_epoch"] == 3
    best = torch.load(tmp_path / "best.th")
    assert all(torch.equal(weights, best[name]) for name, weights in weights_after(tmp_path, 4).items())


@pytest.mark.slow
@pytest.mark.parametrize("epoch", [2, 3, 4])
def test_a_run_that_is_killed_restarts_as_an_undisturbed_one(tmp_path, monkeypatch, epoch):
    undisturbed = train(tmp_path / "undisturbed", "exact", callbacks=[AFTER_TWO])
    train_killed(tmp_path / "run", "exact", epoch, monkeypatch, callbacks=[AFTER_TWO])
    assert train(tmp_path / "run", "exact", recover=True, callbacks=[AFTER_TWO]) == undisturbed


def test_epochs_are_counted_from_the_restart_and_the_count_outlives_a_break(monkeypatch):
    restarts = []
    monkeypatch.setattr(RestartBelow, "_restart", lambda self, trainer: restarts.append(epoch))
    callback = RestartBelow("", 0.3, 3)
    for epoch, accuracy in enumerate([0.1, 0.2, 0.1, 0.1, 0.1]):
        callback.on_epoch(None, {"validation_accuracy": accuracy}, epoch)
    assert restarts == [2]
    gone_on = RestartBelow("", 0.3, 3)
    gone_on.load_state_dict(callback.state_dict())
    for epoch, accuracy in enumerate([0.2, 0.2, 0.3, 0.1, 0.1, 0.1], start=5):
        gone_on.on_epoch(None, {"validation_accuracy": accuracy}, epoch)
    assert restarts == [2, 5]


@pytest.mark.parametrize(
    "trainer, found",
    [({"_distributed": True}, "several processes"), ({"_moving_average": object()}, "a moving average")],
)
def test_what_a_restart_cannot_begin_anew_is_refused(trainer, found):
    trainer = SimpleNamespace(**{"_distributed": False, "_moving_average": None, **trainer})
    with pytest.raises(ConfigurationError, match=f"restart_below: found {found}, expected a training without"):
        RestartBelow("", 0.3, 3).on_start(trainer)


def test_a_metric_that_there_is_not_is_named():
    with pytest.raises(ConfigurationError, match="found no metric validation_f1, expected one of training_loss, epoch"):
        RestartBelow("", 0.5, 3, "validation_f1").on_epoch(None, {"training_loss": 1.0, "epoch": 0}, 0)
