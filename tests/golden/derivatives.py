"""The derivatives in golden files, as make_golden.py writes them."""

from collections.abc import Iterable, Mapping
from typing import Any

import torch

Leaves = dict[str, torch.Tensor]


def leaves(golden: Mapping[str, Any], names: Iterable[str]) -> Leaves:
    """Arrays of a file as tensors by which a loss has derivatives."""
    return {name: torch.tensor(golden[name], requires_grad=True) for name in names}


def difference(golden: Mapping[str, Any], by: Leaves, loss: torch.Tensor) -> float:
    """The largest difference between the derivatives of a loss and those in the file."""
    gradients = dict(zip(by, torch.autograd.grad(loss, list(by.values()))))
    places = zip(golden["grad_of"], golden["grad_at"], golden["grad"])
    return max(
        abs(gradients[str(name)].flatten()[place].item() - expected) for name, place, expected in places
    )
