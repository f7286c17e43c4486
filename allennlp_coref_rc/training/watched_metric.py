"""What callbacks that watch a metric share. `callback` is the name of one, for the message of an error."""

from typing import Any, Dict

from allennlp_coref_rc.common.errors import ConfigurationError


def metric_value(metrics: Dict[str, Any], name: str, callback: str) -> float:
    """A metric of an epoch. If there is no number of this name, that raises a `ConfigurationError`."""
    numbers = {key: value for key, value in metrics.items() if isinstance(value, (int, float))}
    if name not in numbers:
        raise ConfigurationError(f"{callback}: found no metric {name}, expected one of {', '.join(numbers)}")
    return numbers[name]
