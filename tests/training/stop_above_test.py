from types import SimpleNamespace

import pytest
from allennlp.common import Params
from allennlp.training.callbacks import TrainerCallback

from allennlp_coref_rc.training import StopAbove
from tests.training.exact_checkpointer_test import EPOCHS, train
from tests.training_config.configs import CONFIGS

pytestmark = pytest.mark.slow


def epochs(folder, recover=False, **stop):
    return train(folder, "default", recover, callbacks=[{"type": "stop_above", **stop}])["epoch"] + 1


def test_training_ends_when_a_metric_is_above_the_value(tmp_path):
    assert epochs(tmp_path / "reached", value=-0.1) == 1
    assert epochs(tmp_path / "not_reached", value=1.0) == EPOCHS
    assert epochs(tmp_path / "other_metric", value=1e-9, metric="training_loss") == 1


def test_what_was_reached_before_is_not_forgotten(tmp_path):
    epochs(tmp_path / "run", value=-0.1)
    # AllenNLP trains an epoch before it asks whether to stop.
    assert epochs(tmp_path / "run", recover=True, value=-0.1) == 2


@pytest.fixture
def trainer():
    return SimpleNamespace(_metric_tracker=SimpleNamespace(_patience=None))


def test_epochs_above_the_value_are_counted_and_the_count_outlives_a_break(trainer):
    stop, gone_on = (StopAbove("", 0.5, epochs=3) for _ in range(2))
    for accuracy in (0.6, 0.4, 0.7, 0.5):
        stop.on_epoch(trainer, {"validation_accuracy": accuracy}, 0)
    gone_on.load_state_dict(stop.state_dict())
    gone_on.on_start(trainer)
    assert trainer._metric_tracker._patience is None
    stop.forget()
    stop.on_epoch(trainer, {"validation_accuracy": 0.6}, 0)
    assert trainer._metric_tracker._patience is None
    gone_on.on_epoch(trainer, {"validation_accuracy": 0.6}, 0)
    assert trainer._metric_tracker._patience == 0


ABOVE_THE_LEAST = [(4.0, None), (2.0, None), (2.59, None), (2.61, 0)]
"""Losses, and the patience after each: training ends where one is 30 % above the least."""


@pytest.mark.parametrize(
    "config, metric, epochs",
    [
        ("babi/ga_coref_gru", "accuracy", [(0.99, None), (1.0, 0)]),
        ("wikihop/ga_gru_1k", "loss", ABOVE_THE_LEAST),
        ("lambada/ga_gru", "loss", ABOVE_THE_LEAST),
    ],
)
def test_configs_train_until_bAbI_is_solved_or_the_loss_has_risen(config, metric, epochs, trainer):
    params = Params.from_file(str(CONFIGS / f"{config}.jsonnet")).as_dict()
    stop = TrainerCallback.from_params(Params(params["trainer"]["callbacks"][-1]), serialization_dir="")
    for value, patience in epochs:
        stop.on_epoch(trainer, {f"validation_{metric}": value}, 0)
        assert trainer._metric_tracker._patience == patience
