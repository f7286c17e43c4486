"""What spares launches on a GPU, and waiting for it."""

import functools
from collections.abc import Callable, Hashable, Sequence
from contextvars import ContextVar
from typing import Any, Optional, TypeVar, cast

import torch

T = TypeVar("T")
Forward = TypeVar("Forward", bound=Callable[..., Any])


_made: ContextVar[Optional[dict[Hashable, tuple[Any, Any]]]] = ContextVar("made", default=None)
"""What `once` has made in this pass, beside the objects that it depends on, whose ids stay theirs so long."""


def one_pass(forward: Forward) -> Forward:
    """Decorates a `forward`: until its end, what the layers in it ask of `once` is made once."""

    @functools.wraps(forward)
    def remembering(*args: Any, **kwargs: Any) -> Any:
        if _made.get() is not None:
            return forward(*args, **kwargs)
        token = _made.set({})
        try:
            return forward(*args, **kwargs)
        finally:
            _made.reset(token)

    return cast(Forward, remembering)


def once(mask: torch.Tensor, objects: Sequence[Any], setting: Hashable, make: Callable[[], T]) -> T:
    """
    What `make` returns, which is made once for a mask in a pass (see `one_pass`). The encoders of all layers
    get the same mask of their text, so what they all need of a batch is not made in each layer. `objects` (by
    their identity) and `setting` are what it depends on beside the mask; it must not depend on parameters.
    """
    made = _made.get()
    if made is None:
        return make()
    key = setting, id(mask), *map(id, objects)
    if key not in made:
        made[key] = (mask, objects), make()
    return made[key][1]


def spares_launches(tensor: torch.Tensor) -> bool:
    """Whether one large op takes less time than several small ones, as on a GPU."""
    return tensor.is_cuda


def in_parallel(
    given: Sequence[torch.Tensor], calls: Sequence[Callable[[], tuple[torch.Tensor, ...]]]
) -> list[tuple[torch.Tensor, ...]]:
    """
    The results of calls that do not need each other's. They read `given`, which the caller has computed. On a
    GPU, all but the first work in streams of their own: a recurrence keeps only as many multiprocessors busy
    as the batch has sequences, so that two take as long as one.
    """
    device = given[0].device
    streams = _side_streams(device, len(calls) - 1)
    if not streams:
        return [call() for call in calls]
    current, results = torch.cuda.current_stream(device), []
    for stream, call in zip(streams, calls[1:]):
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            results.append(call())
        # Their memory is given to others only when the stream has read them, in the backward pass too.
        for tensor in given:
            tensor.record_stream(stream)
    results.insert(0, calls[0]())
    for stream, result in zip(streams, results[1:]):
        current.wait_stream(stream)
        for tensor in result:
            tensor.record_stream(current)
    return results


@functools.lru_cache(maxsize=None)
def _side_streams(device: torch.device, number: int) -> list[torch.cuda.Stream]:
    # A build for CPUs has no streams, even if tests pretend that there is a GPU.
    has_streams = device.type == "cuda" and torch.version.cuda is not None
    return [torch.cuda.Stream(device) for _ in range(number)] if has_streams else []


def copied_to(device: torch.device, tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the CPU on a device. A GPU copies it while the processor goes on."""
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)
