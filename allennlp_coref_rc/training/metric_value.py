from typing import Any, Dict

from allennlp_coref_rc.common.errors import ConfigurationError


def metric_value(metrics: Dict[str, Any], name: str, callback: str) -> float:
    """A metric of an epoch, for the callback of this name. If there is none, that raises a `ConfigurationError`."""
    if name not in metrics:
        raise ConfigurationError(f"{callback}: found no metric {name}, expected one of {', '.join(metrics)}")
    return metrics[name]
