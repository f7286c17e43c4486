"""What spares launches on a GPU, and waiting for it."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import torch

T = TypeVar("T")


def once(mask: torch.Tensor, objects: Sequence[Any], setting: Hashable, make: Callable[[], T]) -> T:
    """
    What `make` returns, which is made once for a mask. The encoders of all layers get the same mask of their text, so
    what they all need of a batch is not made in each layer. `objects` (by their identity) and `setting` are what it
    depends on beside the mask; it must not depend on parameters. A tensor that was changed is another one.
    """
    tensors = [mask, *(x for x in objects if isinstance(x, torch.Tensor))]
    if any(tensor.is_inference() for tensor in tensors):
        # Whether these have changed is not known.
        return make()
    made = mask.__dict__.setdefault("made_once", {})
    key = setting, *(tensor._version for tensor in tensors), *map(id, objects)
    if key not in made:
        # The objects are kept, so that their ids are not given to others.
        made[key] = objects, make()
    return made[key][1]


def copied_to(device: torch.device, tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the CPU on a device. A GPU copies it while the processor goes on."""
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)
