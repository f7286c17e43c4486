"""
Files of weights hold tensors by their names and nothing else: finite numbers, of the kind that the model has.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import cut, excerpt
from allennlp_coref_rc.common.wrapping import wrapping

if TYPE_CHECKING:
    from torch import Tensor

LONGEST = 200
"""The most characters of PyTorch's message that are shown."""

EXPECTED = "expected tensors by their names alone, as torch.save(model.state_dict(), FILE) writes them"


@contextmanager
def reading_weights(path: str) -> Iterator[None]:
    """
    Within this, an error of PyTorch that reads a file of weights raises a `ConfigurationError`. PyTorch's own
    message may advise to read the file again without protection.
    """
    try:
        yield
    except (ConfigurationError, MemoryError, OSError, ValueError):
        raise
    except Exception as error:
        if type(error).__name__ == "OutOfMemoryError":
            raise
        text = " ".join(str(error).split())
        if name := re.search(r"GLOBAL (\S+)", text):
            found = f"{name.group(1)} in the weights"
        elif "TorchScript" in text:
            found = "a model of TorchScript"
        elif isinstance(error, AttributeError):
            found = "weights without names"
        else:
            found = "damaged weights" if "weights_only" in text else f"damaged weights ({cut(text, LONGEST)})"
        raise ConfigurationError(f"{path}: found {found}, {EXPECTED}") from error


def check_weights(weights: Any, own: Mapping[str, "Tensor"], source: str = "") -> None:
    """
    Raises a `ConfigurationError` if a weight is not finite, or if its kind (real, integer, boolean) is not that
    of the model's `own`: PyTorch would convert it silently. Missing weights and other shapes are left to
    PyTorch. A message begins with the `source`.
    """
    import torch

    place = source and f"{source}: "
    if not isinstance(weights, Mapping):
        raise ConfigurationError(f"{place}found weights without names, {EXPECTED}")
    for name, expected in own.items():
        found = weights.get(name)
        if not isinstance(found, torch.Tensor) or found.shape != expected.shape:
            continue
        found_kind, expected_kind = _kind(found), _kind(expected)
        if found_kind == expected_kind and not torch.isfinite(found.to(expected.dtype)).all():
            found_kind = "nan or infinity"
        if found_kind != expected_kind:
            raise ConfigurationError(
                f"{place}found {found_kind} in {name} of the weights, expected {expected_kind}"
            )


def _kind(tensor: "Tensor") -> str:
    if tensor.is_meta or str(tensor.layout) != "torch.strided":
        return "no dense tensor"
    if tensor.is_complex():
        return "complex numbers"
    if tensor.is_floating_point():
        return "real numbers"
    return "truth values" if str(tensor.dtype) == "torch.bool" else "integers"


def _check_tensors(weights: Any, path: str) -> None:
    import torch

    for name, value in weights.items():
        if not isinstance(value, torch.Tensor):
            raise ConfigurationError(f"{path}: found {excerpt(value)} as {name}, {EXPECTED}")


@wrapping("read_state_dict")
def install(original: Any, _: None, args: Any, kwargs: dict[str, Any]) -> Any:
    path = args[0] if args else kwargs["path"]
    with reading_weights(path):
        weights = original(*args, **kwargs)
        _check_tensors(weights, path)
    return weights


@wrapping("Module.load_state_dict")
def install_check(original: Any, module: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    check_weights(args[0] if args else kwargs["state_dict"], module.state_dict())
    return original(*args, **kwargs)


def install_initializer(module: Any) -> None:
    """The same for weights that training begins with."""
    _read_initial(module)
    _check_initial(module)


@wrapping("PretrainedModelInitializer.__init__")
def _read_initial(original: Any, initializer: Any, args: Any, kwargs: dict[str, Any]) -> None:
    initializer.path = args[0] if args else kwargs["weights_file_path"]
    with reading_weights(initializer.path):
        original(*args, **kwargs)
        _check_tensors(initializer.weights, initializer.path)


@wrapping("PretrainedModelInitializer.__call__")
def _check_initial(original: Any, initializer: Any, args: Any, kwargs: dict[str, Any]) -> None:
    def initialize(tensor: "Tensor", parameter_name: str, **options: Any) -> None:
        name = initializer.parameter_name_overrides.get(parameter_name, parameter_name)
        check_weights(initializer.weights, {name: tensor}, initializer.path)
        original(tensor, parameter_name=parameter_name, **options)

    initialize(*args, **kwargs)
