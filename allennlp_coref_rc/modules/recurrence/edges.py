from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import torch

NO_SOURCE = -1
"""The source position that stands for "nothing": a state of zeros."""


Slice = tuple[int, int, int]
"""Where the slice of a state that a relation carries begins and ends, and where in m_t it is added."""


class Edges(NamedTuple):
    """
    The edges of one relation: which earlier states each token reads, and which slice of them.

    # Parameters

    sources : `torch.LongTensor`
        Shape: (batch_size, sequence_length, edges). Positions in the sequence, or `sequence_length + i` for
        row `i` of the memory, or `NO_SOURCE`. A source counts as `NO_SOURCE` if it is masked, or if it does
        not come before the token (after the token, when reading in reverse).
    weights : `torch.FloatTensor`
        Shape: (batch_size, sequence_length, edges).
    start, stop : `int`
        The slice of the state that this relation carries.
    to : `int`, optional (default = `start`)
        Where this slice is added to m_t: at `[to, to + stop - start)`.
    """

    sources: torch.Tensor
    weights: torch.Tensor
    start: int
    stop: int
    to: Optional[int] = None

    @property
    def carried(self) -> Slice:
        return self.start, self.stop, self.start if self.to is None else self.to


def sequential_sources(
    mask: torch.Tensor, reverse: bool = False, start: Optional[torch.Tensor] = None
) -> torch.Tensor:
    """
    The sources of the sequential edges: for each token the nearest unmasked one before it (after it, in
    reverse).

    # Parameters

    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length).
    reverse : `bool`, optional (default = `False`)
    start : `torch.LongTensor`, optional (default = `None`)
        Shape: (batch_size,). The source of the first token read, by default `NO_SOURCE`.

    # Returns

    `torch.LongTensor`
        Shape: (batch_size, sequence_length, 1).
    """
    length = mask.size(1)
    if reverse:
        mirrored = sequential_sources(mask.flip(1)).flip(1)
        sources = torch.where(mirrored == NO_SOURCE, mirrored, length - 1 - mirrored)
    else:
        positions = torch.arange(length, device=mask.device).expand_as(mask)
        latest = torch.where(mask, positions, NO_SOURCE).cummax(dim=1).values
        sources = torch.nn.functional.pad(latest, (1, 0), value=NO_SOURCE)[:, :-1].unsqueeze(-1)
    if start is not None:
        sources = torch.where(sources == NO_SOURCE, start.view(-1, 1, 1), sources)
    return sources


def joined(parts: Sequence[torch.Tensor]) -> torch.Tensor:
    """
    Tensors side by side in the last dimension. If they are what a tensor was split into, that one is not
    copied.
    """
    if len(parts) == 1:
        return parts[0]
    whole, sizes = parts[0]._base, [part.size(-1) for part in parts]
    if whole is None or whole.dim() == 0 or whole.size(-1) != sum(sizes):
        return torch.cat(list(parts), dim=-1)
    pairs = zip(parts, whole.split(sizes, dim=-1))
    is_split = all(part._base is whole and _place(part) == _place(own) for part, own in pairs)
    return whole if is_split else torch.cat(list(parts), dim=-1)


def _place(view: torch.Tensor) -> tuple[Any, ...]:
    return view.storage_offset(), view.shape, view.stride()
