"""
Finds tensors that a module makes on the CPU although its inputs are on another device. This works on a
machine with only a CPU.
"""

from contextlib import contextmanager

import pytest
import torch
from torch.overrides import TorchFunctionMode

FACTORIES = {
    getattr(torch, name)
    for name in "arange empty eye full linspace ones rand randint randn randperm scalar_tensor zeros".split()
}
"""They make tensors on the CPU unless they are told a device."""

COPIES = {torch.tensor, torch.as_tensor, torch.Tensor.cpu, torch.Tensor.cuda}


class Copies(TorchFunctionMode):
    """Notes the names of functions that make tensors on the CPU unasked, or copy between devices."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        devices = [value for value in (*args[1:], *kwargs.values()) if isinstance(value, (str, torch.device))]
        made = function in FACTORIES and "device" not in kwargs
        if made or function in COPIES or (function is torch.Tensor.to and devices):
            self.names.append(function.__name__)
        return function(*args, **kwargs)


@contextmanager
def copies():
    """The names of such functions that are called meanwhile, in order."""
    from_numpy = torch.from_numpy
    with Copies() as found, pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            torch, "from_numpy", lambda array: (found.names.append("from_numpy"), from_numpy(array))[1]
        )
        yield found.names
