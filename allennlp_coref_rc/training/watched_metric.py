"""Functions for callbacks that watch a metric. `callback` is the registered name of one, for error messages."""

from typing import Any

from allennlp_coref_rc.common.errors import ConfigurationError


def metric_value(metrics: dict[str, Any], name: str, callback: str) -> float:
    """The value of a metric. Raises a `ConfigurationError` if `metrics` has no number of this name."""
    numbers = {key: value for key, value in metrics.items() if isinstance(value, (int, float))}
    if name not in numbers:
        raise ConfigurationError(f"{callback}: found no metric {name}, expected one of {', '.join(numbers)}")
    return numbers[name]
