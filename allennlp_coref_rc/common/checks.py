from allennlp_coref_rc.common.errors import ConfigurationError


def check_number(owner: str, key: str, value: int) -> None:
    """Raises a `ConfigurationError` if the value is less than 1."""
    if value < 1:
        raise ConfigurationError(f"{owner}: {key} is {value}, expected 1 or more")
