from typing import List, NamedTuple, Optional, Tuple

import torch
from torch.nn.functional import pad, scaled_dot_product_attention

MAX_GROUPS = 2**15
"""More groups in one call are too many for CUDA's kernels."""


class Bucket(NamedTuple):
    """
    Groups of similar size.

    # Parameters

    groups : `int`
        How many.
    size : `int`
        Of the largest of them.
    is_member : `torch.BoolTensor`, optional
        Shape: (groups, 1, 1, size). False where a group is smaller than the largest; `None` if all are of one size.
    """

    groups: int
    size: int
    is_member: Optional[torch.BoolTensor]


class Scopes:
    """
    Attention within scopes, at the price of the scopes: the tokens that a head shows to each other are brought together
    in groups, and groups of similar size attend in one call. What lies in different scopes is never multiplied.

    # Parameters

    numbers : `torch.LongTensor`
        Shape: (batch_size, sequence_length, heads). For each head the number of the scope that a token is in; less than
        one if it is in none.
    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length). Masked tokens are in no group: they attend to nothing, and nothing attends
        to them.
    join_unannotated : `bool`, optional (default = `False`)
        Whether the tokens of a text that are in no scope are one scope together. If false each stretch of them is one.
    """

    def __init__(self, numbers: torch.LongTensor, mask: torch.BoolTensor, join_unannotated: bool = False) -> None:
        # Shape: (batch_size, heads, sequence_length)
        numbers = numbers.transpose(1, 2).clamp(min=0)
        rows = torch.arange(numbers.numel(), device=mask.device).view(mask.size(0), mask.size(1), -1).transpose(1, 2)
        if not join_unannotated:
            in_none = numbers == 0
            begins = in_none & ~pad(in_none, (1, -1))
            numbers = torch.where(in_none, -begins.cumsum(dim=-1), numbers)
        sequences = torch.arange(mask.size(0) * numbers.size(1), device=mask.device).view(*numbers.shape[:2], 1)
        lowest, highest = (-mask.size(1), int(numbers.max()) if numbers.numel() else 0)
        keys = sequences * (highest - lowest + 1) + numbers - lowest
        exist = mask.unsqueeze(1).expand_as(keys)
        keys, order = keys[exist].sort(stable=True)
        self._arrange(rows[exist][order], keys.unique_consecutive(return_counts=True)[1], rows.numel())

    def _arrange(self, rows: torch.LongTensor, sizes: torch.LongTensor, num_rows: int) -> None:
        """`rows` are group by group, `sizes` the numbers of them in each."""
        starts = sizes.cumsum(dim=0) - sizes
        self._buckets: List[Bucket] = []
        all_members = [rows[:0]]
        # Where each row's output is among those of all buckets; the first of them, zero, is that of rows in no group.
        self._places = rows.new_zeros(num_rows)
        end = 1
        for low, high in _ranges(int(sizes.max()) if len(sizes) else 0):
            chosen = ((sizes > low) & (sizes <= high)).nonzero().squeeze(-1)
            for groups in chosen.split(MAX_GROUPS) if len(chosen) else ():
                places = torch.arange(int(sizes[groups].max()), device=rows.device)
                is_member = places < sizes[groups].unsqueeze(-1)
                # In a smaller group the first member fills the places that are left.
                members = rows[starts[groups].unsqueeze(-1) + places * is_member]
                full = bool(is_member.all())
                self._buckets.append(Bucket(*members.shape, None if full else is_member[:, None, None, :]))
                all_members.append(members.flatten())
                slots = torch.arange(end, end + members.numel(), device=rows.device).view_as(members)
                self._places[members[is_member]] = slots[is_member]
                end += members.numel()
        # Positions in (batch_size, sequence_length, heads), bucket by bucket and group by group.
        self._rows = torch.cat(all_members)

    def attend(self, projected: torch.Tensor) -> torch.Tensor:
        """
        Scaled dot product attention, each head within its scopes.

        # Parameters

        projected : `torch.Tensor`
            Shape: (batch_size, sequence_length, heads, 3, head_dim). Queries, keys and values.

        # Returns

        `torch.Tensor`
            Shape: (batch_size, sequence_length, heads, head_dim). Zero where masked.
        """
        grouped = projected.flatten(0, 2).index_select(0, self._rows)
        outputs = [projected.new_zeros(1, projected.size(-1))]
        for (groups, size, is_member), tokens in zip(
            self._buckets, grouped.split([b.groups * b.size for b in self._buckets])
        ):
            attended = scaled_dot_product_attention(
                *tokens.view(groups, 1, size, *tokens.shape[1:]).unbind(3), attn_mask=is_member
            )
            outputs.append(attended.flatten(0, 2))
        return torch.cat(outputs).index_select(0, self._places).view(*projected.shape[:3], -1)


def _ranges(largest: int) -> List[Tuple[int, int]]:
    """Ranges of sizes, (0, 32], (32, 64], (64, 128], … up to the largest."""
    bounds = [0, 32]
    while bounds[-1] < largest:
        bounds.append(2 * bounds[-1])
    return list(zip(bounds, bounds[1:]))
