import math
from typing import Any

from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError


def metric_value(metrics: dict[str, Any], name: str, callback: str) -> float:
    """
    The value of a metric for a `callback`. Raises a `ConfigurationError` if `metrics` has no number of this
    name.
    """
    numbers = {key: value for key, value in metrics.items() if isinstance(value, (int, float))}
    if name not in numbers:
        raise ConfigurationError(f"{callback}: found no metric {name}, expected one of {', '.join(numbers)}")
    return numbers[name]


@TrainerCallback.register("stop_above")
class StopAbove(TrainerCallback):
    """
    Ends training when a metric is above a value: an accuracy, since a solved task needs no more epochs, or a
    loss that has risen again. The authors' code of Coref-GRU (Dhingra et al., NAACL 2018) does the first on
    bAbI, after the first such epoch, and the second on WikiHop and LAMBADA, 30 % above the minimum.

    Registered as a `TrainerCallback` with name "stop_above".

    # Parameters

    value : `float`
        The metric has to be larger than this.
    metric : `str`, optional (default = `"validation_accuracy"`)
        Its name in AllenNLP's `metrics_epoch_0.json`.
    epochs : `int`, optional (default = `1`)
        In how many epochs the metric has to be above the value. The epochs need not follow each other. If
        there are few validation questions, a model may answer all of them in a single epoch by chance.
    of_least : `bool`, optional (default = `False`)
        `value` is a factor of the metric's least value so far, such as 1.3.

    # Raises

    `ConfigurationError`
        If `epochs` is less than 1, or if there is no such metric.
    """

    def __init__(
        self,
        serialization_dir: str,
        value: float,
        metric: str = "validation_accuracy",
        epochs: int = 1,
        of_least: bool = False,
    ) -> None:
        super().__init__(serialization_dir)
        check_number("stop_above", "epochs", epochs)
        self._value = value
        self._metric = metric
        self._epochs = epochs
        self._of_least = of_least
        self._reached = 0
        self._least = math.inf

    def on_start(self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any) -> None:
        self._stop_if_reached(trainer)

    def on_epoch(
        self, trainer: GradientDescentTrainer, metrics: dict[str, Any], *args: Any, **kwargs: Any
    ) -> None:
        found = metric_value(metrics, self._metric, "stop_above")
        self._least = min(self._least, found)
        self._reached += found > self._value * (self._least if self._of_least else 1)
        self._stop_if_reached(trainer)

    def _stop_if_reached(self, trainer: GradientDescentTrainer) -> None:
        if self._reached >= self._epochs:
            # AllenNLP has no other way to end before the last epoch.
            trainer._metric_tracker._patience = 0

    def forget(self) -> None:
        """Forgets all epochs, as other weights begin."""
        self._reached, self._least = 0, math.inf

    def state_dict(self) -> dict[str, Any]:
        return {"reached": self._reached, "least": self._least}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._reached = state_dict["reached"]
        self._least = state_dict.get("least", math.inf)
