from types import SimpleNamespace

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.training import RestartBelow, StopAbove
from tests.training.exact_checkpointer_test import train, train_killed

NEVER = {"type": "restart_below", "value": 0.0, "epochs": 1}
AFTER_TWO = {"type": "restart_below", "value": 1.1, "epochs": 2}


ADAM = {"type": "adam", "lr": 0.0}
MULTI = {
    "type": "multi",
    "optimizers": {"default": ADAM, "words": ADAM},
    "parameter_groups": [[["embedder"], {"optimizer_name": "words"}]],
}


def weights_after(folder, epochs):
    return torch.load(folder / f"model_state_e{epochs}_b0.th")


def state_after(folder, epochs):
    return torch.load(folder / f"training_state_e{epochs}_b0.th", weights_only=False)


@pytest.mark.slow
def test_a_metric_that_is_high_enough_changes_nothing(tmp_path):
    found = train(tmp_path / "with", "exact", callbacks=[NEVER])
    assert found == train(tmp_path / "without", "exact", callbacks=[])


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", [ADAM, MULTI], ids=lambda optimizer: optimizer["type"])
def test_after_a_restart_the_weights_are_other_random_ones_and_the_optimizer_knows_nothing(
    tmp_path, optimizer
):
    still = {"optimizer": optimizer, "callbacks": [AFTER_TWO], "keep": 9}
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
    before, after = (state_after(tmp_path, epochs)["optimizer"] for epochs in (1, 2))
    each = [f"{name}_optimizer" for name in optimizer.get("optimizers", ())]
    assert all(one["state"] for one in ([before[name] for name in each] or [before]))
    assert not any(one["state"] for one in ([after[name] for name in each] or [after]))


@pytest.mark.slow
def test_weights_of_before_a_restart_are_never_the_best(tmp_path):
    # `train` chooses by "-accuracy": of all epochs it would choose the first.
    metrics = train(tmp_path, "exact", callbacks=[AFTER_TWO], keep=9)
    assert metrics["best_epoch"] >= 2
    best = torch.load(tmp_path / "best.th")
    chosen = weights_after(tmp_path, metrics["best_epoch"] + 1)
    assert all(torch.equal(weights, best[name]) for name, weights in chosen.items())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return train(tmp_path_factory.mktemp("undisturbed") / "run", "exact", callbacks=[AFTER_TWO])


@pytest.mark.slow
@pytest.mark.parametrize("epoch", [2, 3, 4])
def test_a_run_that_is_killed_restarts_as_an_undisturbed_one(undisturbed, tmp_path, monkeypatch, epoch):
    train_killed(tmp_path / "run", "exact", epoch, monkeypatch, callbacks=[AFTER_TWO])
    assert train(tmp_path / "run", "exact", recover=True, callbacks=[AFTER_TWO]) == undisturbed


def test_epochs_are_counted_from_the_restart_and_the_count_outlives_a_break(monkeypatch):
    restarts = []
    monkeypatch.setattr(RestartBelow, "_restart", lambda self, trainer: restarts.append(epoch))
    callback, trainer = RestartBelow("", 0.3, 3), SimpleNamespace(_num_epochs=99)
    for epoch, accuracy in enumerate([0.1, 0.2, 0.1, 0.1, 0.1]):
        callback.on_epoch(trainer, {"validation_accuracy": accuracy}, epoch)
    assert restarts == [2]
    gone_on = RestartBelow("", 0.3, 3)
    gone_on.load_state_dict(callback.state_dict())
    for epoch, accuracy in enumerate([0.2, 0.2, 0.3, 0.1, 0.1, 0.1], start=5):
        gone_on.on_epoch(trainer, {"validation_accuracy": accuracy}, epoch)
    assert restarts == [2, 5]


@pytest.mark.parametrize("num_epochs, restarts", [(3, []), (5, []), (6, [2]), (9, [2, 5])])
def test_new_weights_have_as_many_epochs_again(monkeypatch, num_epochs, restarts):
    found = []
    monkeypatch.setattr(RestartBelow, "_restart", lambda self, trainer: found.append(epoch))
    callback = RestartBelow("", 0.3, 3)
    for epoch in range(num_epochs):
        callback.on_epoch(SimpleNamespace(_num_epochs=num_epochs), {"validation_accuracy": 0.1}, epoch)
    assert found == restarts


@pytest.mark.parametrize(
    "found, message",
    [
        ({"_distributed": True}, "found several processes, expected a training without"),
        ({"_moving_average": object()}, "found a moving average, expected a training without"),
        ({"_metric_tracker": SimpleNamespace(_patience=2)}, "found trainer.patience 2, expected 3 or more"),
        ({}, "found no .*config.json, expected the config of the training"),
        ({"config": True}, "found weights from an archive"),
    ],
)
def test_what_a_restart_cannot_begin_anew_is_refused(tmp_path, found, message):
    tracker = SimpleNamespace(_patience=None)
    (tmp_path / "config.json").write_text('{"model": {"type": "from_archive"}}')
    trainer = {"_distributed": False, "_moving_average": None, "_metric_tracker": tracker, **found}
    if not found:
        (tmp_path / "config.json").unlink()
    with pytest.raises(ConfigurationError, match=f"restart_below: {message}"):
        RestartBelow(str(tmp_path), 0.3, 3).on_start(SimpleNamespace(**trainer))


@pytest.mark.parametrize("callback", [RestartBelow, StopAbove])
def test_no_epochs_are_refused(callback):
    with pytest.raises(ConfigurationError, match="epochs is 0, expected 1 or more"):
        callback("", value=0.5, epochs=0)


def test_a_metric_that_there_is_not_is_named():
    with pytest.raises(ConfigurationError, match="found no metric validation_f1, .* training_loss"):
        metrics = {"training_loss": 1.0, "epoch": 0, "training_duration": "0:00:01"}
        RestartBelow("", 0.5, 3, "validation_f1").on_epoch(None, metrics, 0)
