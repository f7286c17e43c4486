import logging
import os
from typing import Any

from allennlp.common import Params
from allennlp.models import Model
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.training.stop_above import StopAbove, metric_value

logger = logging.getLogger(__name__)


@TrainerCallback.register("restart_below")
class RestartBelow(TrainerCallback):
    """
    Restarts training with other random weights when a metric has stayed below a value. Some tasks are learnt
    from most random weights, and never from others. The new weights are initialised as the config says. The
    restart is part of the run and adds no epochs to it: the numbers of epochs and the learning rate continue.
    The state of the optimizer, the patience and `stop_above` are reset. The best epoch is one after the last
    restart. Not in the papers.

    Registered as a `TrainerCallback` with name "restart_below".

    # Parameters

    value : `float`
        The value that the metric has to reach.
    epochs : `int`
        How many epochs it may take. After a restart it may take as many again. If fewer are left, there is no
        restart.
    metric : `str`, optional (default = `"validation_accuracy"`)
        Its name in AllenNLP's `metrics_epoch_0.json`.

    # Raises

    `ConfigurationError`
        If `epochs` is less than 1, if the trainer's `patience` is less than `epochs`, if there is no such
        metric, if the training has a moving average or several processes, or if its folder has no
        `config.json`.
    """

    def __init__(
        self, serialization_dir: str, value: float, epochs: int, metric: str = "validation_accuracy"
    ) -> None:
        super().__init__(serialization_dir)
        check_number("restart_below", "epochs", epochs)
        self._value = value
        self._epochs = epochs
        self._metric = metric
        self._best = float("-inf")
        self._since_start = 0
        self._config = os.path.join(serialization_dir, "config.json")

    def on_start(self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any) -> None:
        for used, name in (
            (trainer._distributed, "several processes"),
            (trainer._moving_average, "a moving average"),
        ):
            if used:
                raise ConfigurationError(f"restart_below: found {name}, expected a training without")
        patience = trainer._metric_tracker._patience
        # It is 0 where `stop_above` ends a training.
        if patience and patience < self._epochs:
            raise ConfigurationError(
                f"restart_below: found trainer.patience {patience}, expected {self._epochs} or more, as its epochs: "
                "otherwise training may end before it restarts"
            )
        if not os.path.exists(self._config):
            raise ConfigurationError(
                f"restart_below: found no {self._config}, expected the config of the training"
            )
        if Params.from_file(self._config)["model"].get("type") == "from_archive":
            raise ConfigurationError(
                "restart_below: found weights from an archive, which are no other after a restart; expected random ones"
            )

    def on_epoch(
        self, trainer: GradientDescentTrainer, metrics: dict[str, Any], epoch: int, *args: Any, **kwargs: Any
    ) -> None:
        self._best = max(self._best, metric_value(metrics, self._metric, "restart_below"))
        self._since_start += 1
        enough_left = trainer._num_epochs - (epoch + 1) >= self._epochs
        if self._best < self._value and self._since_start >= self._epochs and enough_left:
            logger.warning(
                "After epoch %d: %s has been at most %.3g in %d epochs, below %g. Training restarts with other weights",
                epoch + 1,
                self._metric,
                self._best,
                self._since_start,
                self._value,
            )
            self._restart(trainer)
            self._best, self._since_start = float("-inf"), 0

    def _restart(self, trainer: GradientDescentTrainer) -> None:
        """
        Runs before the epoch's checkpoint is saved, so that a training that resumes from it has the new
        weights.
        """
        params = Params.from_file(self._config)
        new = Model.from_params(
            params["model"], vocab=trainer.model.vocab, serialization_dir=self.serialization_dir
        )
        trainer.model.load_state_dict(new.state_dict())
        # AllenNLP's optimizer "multi" holds several optimizers.
        for optimizer in getattr(trainer.optimizer, "optimizers", {"": trainer.optimizer}).values():
            optimizer.state.clear()
        for callback in trainer._callbacks:
            if isinstance(callback, StopAbove):
                callback.forget()
        tracker = trainer._metric_tracker
        forgotten = {"best_so_far": None, "epochs_with_no_improvement": 0, "is_best_so_far": False}
        tracker.load_state_dict({**tracker.state_dict(), **forgotten})

    def state_dict(self) -> dict[str, Any]:
        return {"best": self._best, "since_start": self._since_start}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._best, self._since_start = state_dict["best"], state_dict["since_start"]
