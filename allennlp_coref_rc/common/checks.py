"""
Checks of single options. `owner` is the registered name, or the part of a config, that has the option `key`.
"""

import inspect
import sys
from collections.abc import Collection
from typing import Any, Optional

from allennlp_coref_rc.common.errors import ConfigurationError


def range_of(least: float, most: Optional[float] = None) -> str:
    """ "1 or more", "0 to 8" """
    return f"{least} or more" if most is None else f"{least} to {most}"


def is_within(value: float, least: float, most: Optional[float] = None) -> bool:
    """Whether a number is in a range. No range has infinity, NaN, or an integer that is no float."""
    return least <= value <= (sys.float_info.max if most is None else most)


def check_number(owner: str, key: str, value: Optional[int], least: int = 1) -> None:
    if value is not None and not is_within(value, least):
        raise ConfigurationError(f"{owner}: {key} is {value}, expected {range_of(least)}")


def check_choice(owner: str, key: str, value: Any, choices: Collection[str]) -> None:
    if value not in choices:
        raise ConfigurationError(f"{owner}: {key} is {value!r}, expected one of {', '.join(choices)}")


def takes_null(parameter: inspect.Parameter) -> bool:
    """Whether a parameter may be `None`, by its type or its default."""
    kind, default = parameter.annotation, parameter.default
    return kind in (Any, parameter.empty) or default is None or type(None) in getattr(kind, "__args__", ())
