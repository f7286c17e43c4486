"""Checks of single options. `owner` is the registered name, or the part of a config, that has the option `key`."""

import inspect
from collections.abc import Collection
from typing import Any, Optional, Union

from allennlp_coref_rc.common.errors import ConfigurationError


def check_number(owner: str, key: str, value: Optional[int], least: int = 1) -> None:
    if value is not None and value < least:
        raise ConfigurationError(f"{owner}: {key} is {value}, expected {least} or more")


def check_choice(owner: str, key: str, value: Any, choices: Collection[str]) -> None:
    if value not in choices:
        raise ConfigurationError(f"{owner}: {key} is {value!r}, expected one of {', '.join(choices)}")


def check_tensor(owner: str, key: str, tensor: Any, shape: tuple[Union[int, str], ...], device: Any = None) -> None:
    """
    Raises a `ConfigurationError` unless it is a dense tensor of this shape, in which a name stands for any size, on the
    `device` of the others.
    """
    kind = str(getattr(tensor, "layout", type(tensor).__name__))
    if kind != "torch.strided" or tensor.device.type == "meta":
        found = "on the device meta" if kind == "torch.strided" else kind
        raise ConfigurationError(f"{owner}: {key} is {found}, expected a dense tensor with values")
    if len(tensor.shape) != len(shape) or any(isinstance(b, int) and a != b for a, b in zip(tensor.shape, shape)):
        expected = str(tuple(shape)).replace("'", "")
        raise ConfigurationError(f"{owner}: {key} has shape {tuple(tensor.shape)}, expected {expected}")
    if device is not None and tensor.device != device:
        raise ConfigurationError(f"{owner}: {key} is on {tensor.device}, expected {device}, where the others are")


def takes_null(parameter: inspect.Parameter) -> bool:
    """Whether a parameter may be `None`, by its type or its default."""
    kind, default = parameter.annotation, parameter.default
    return kind in (Any, parameter.empty) or default is None or type(None) in getattr(kind, "__args__", ())
