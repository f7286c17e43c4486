"""What callbacks that watch a metric share. `callback` is the name of one, for the message of an error."""

from typing import Any, Dict

from allennlp_coref_rc.common.errors import ConfigurationError


def check_epochs(epochs: int, callback: str) -> None:
    """Raises a `ConfigurationError` unless there are one or more."""
    if epochs < 1:
        raise ConfigurationError(f"{callback}: found epochs {epochs}, expected 1 or more")


def metric_value(metrics: Dict[str, Any], name: str, callback: str) -> float:
    """A metric of an epoch. If there is no number of this name, that raises a `ConfigurationError`."""
    numbers = {key: value for key, value in metrics.items() if isinstance(value, (int, float))}
    if name not in numbers:
        raise ConfigurationError(f"{callback}: found no metric {name}, expected one of {', '.join(numbers)}")
    return numbers[name]
