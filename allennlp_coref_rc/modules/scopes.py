from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

import numpy
import torch
from torch.nn.functional import scaled_dot_product_attention

from allennlp_coref_rc.modules.gpu import copied_to

MAX_GROUPS = 2**15
"""More groups in one call are too many for CUDA's kernels."""


class Bucket(NamedTuple):
    """
    Groups of similar size.

    # Parameters

    groups : `int`
        The number of groups.
    size : `int`
        The size of the largest group.
    is_member : `torch.BoolTensor`, optional
        Shape: (groups, 1, 1, size). False where a group is smaller than the largest; `None` if all are of one
        size.
    """

    groups: int
    size: int
    is_member: Optional[torch.Tensor]


class ScopeWeights(NamedTuple):
    """
    A head's attention weights within a scope.

    # Parameters

    text : `int`
        The index of the text in the batch.
    head : `int`
    tokens : `list[int]`
        The positions of the tokens in the scope.
    weights : `torch.Tensor`
        The weight that each of these tokens gives to each of them. Shape: (tokens, tokens).
    """

    text: int
    head: int
    tokens: list[int]
    weights: torch.Tensor


class Scopes:
    """
    Attention within scopes. The time depends on the sizes of the scopes, not on the length of the text: the
    tokens of a scope are gathered in a group, groups of similar size attend in one call, and nothing is
    computed for pairs of tokens from different scopes.

    # Parameters

    numbers : `torch.LongTensor`
        Shape: (batch_size, sequence_length, heads). For each head the number of the scope that a token is in,
        or a number below one if it is in none.
    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length). Masked tokens are in no group: they attend to nothing, and
        nothing attends to them.
    join_unannotated : `bool`, optional (default = `False`)
        Whether all tokens of a text that are in no scope form one scope. If false, each stretch of them forms
        one.
    """

    def __init__(self, numbers: torch.Tensor, mask: torch.Tensor, join_unannotated: bool = False) -> None:
        # With NumPy: many small operations, which wait for each other's results. One copy from the device,
        # one back; the numbers of masked tokens come negated. Shape: (batch_size, heads, length)
        numbers = numbers.clamp(min=0)
        scopes = torch.where(mask.unsqueeze(-1), numbers, ~numbers).transpose(1, 2).cpu().numpy()
        exist = scopes >= 0
        scopes = numpy.where(exist, scopes, ~scopes)
        batch_size, heads, length = scopes.shape
        if not join_unannotated:
            in_none = scopes == 0
            begins = in_none & ~numpy.pad(in_none, ((0, 0), (0, 0), (1, 0)))[..., :-1]
            scopes = numpy.where(in_none, -begins.cumsum(axis=-1), scopes)
        rows = numpy.arange(scopes.size).reshape(batch_size, length, heads).swapaxes(1, 2)
        sequences = numpy.arange(batch_size * heads).reshape(batch_size, heads, 1)
        keys = (sequences * (length + 1 + scopes.max(initial=0)) + scopes + length)[exist]
        order = keys.argsort(kind="stable")
        starts = numpy.flatnonzero(numpy.diff(keys[order], prepend=-1))
        self._arrange(
            rows[exist][order], starts, numpy.diff(starts, append=len(keys)), rows.size, mask.device
        )

    def _arrange(
        self,
        rows: numpy.ndarray,
        starts: numpy.ndarray,
        sizes: numpy.ndarray,
        num_rows: int,
        device: torch.device,
    ) -> None:
        """
        `rows` has the rows of one group after the other; `starts` and `sizes` are where the groups begin and
        how many rows they have.
        """
        self._buckets: list[Bucket] = []
        all_members = [rows[:0]]
        all_sizes = []
        shapes = []
        # The place of each row's output among the outputs of all buckets. The first output, zero, is for rows
        # in no group.
        places = numpy.zeros(num_rows, dtype=rows.dtype)
        end = 1
        for low, high in _ranges(sizes.max(initial=0)):
            chosen = numpy.flatnonzero((sizes > low) & (sizes <= high))
            for groups in (chosen[i : i + MAX_GROUPS] for i in range(0, len(chosen), MAX_GROUPS)):
                offsets = numpy.arange(sizes[groups].max())
                is_member = offsets < sizes[groups, None]
                # In a smaller group the first member fills the places that are left.
                members = rows[starts[groups, None] + offsets * is_member]
                places[members[is_member]] = end + numpy.flatnonzero(is_member)
                end += members.size
                all_members.append(members.ravel())
                all_sizes.append(sizes[groups])
                shapes.append((*members.shape, bool(is_member.all())))
        parts = [numpy.concatenate(all_members), places, *all_sizes]
        copied = copied_to(device, torch.from_numpy(numpy.concatenate(parts))).split(
            [len(part) for part in parts]
        )
        # Positions in (batch_size, sequence_length, heads), bucket by bucket and group by group.
        self._rows, self._places = copied[:2]
        for (groups, size, is_full), group_sizes in zip(shapes, copied[2:]):
            is_in = None if is_full else torch.arange(size, device=device) < group_sizes[:, None, None, None]
            self._buckets.append(Bucket(groups, size, is_in))

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
        outputs = [projected.new_zeros(1, projected.size(-1))]
        for bucket, _, (queries, keys, values) in self._grouped(projected):
            attended = scaled_dot_product_attention(queries, keys, values, attn_mask=bucket.is_member)
            outputs.append(attended.flatten(0, 2))
        return torch.cat(outputs).index_select(0, self._places).view(*projected.shape[:3], projected.size(-1))

    def weights(self, projected: torch.Tensor) -> Iterator[ScopeWeights]:
        """The attention weights of `attend`, scope by scope."""
        for bucket, rows, (queries, keys, _) in self._grouped(projected):
            scores = queries @ keys.transpose(-1, -2) / queries.size(-1) ** 0.5
            sizes = [bucket.size] * bucket.groups
            if bucket.is_member is not None:
                scores = scores.masked_fill(~bucket.is_member, -torch.inf)
                sizes = bucket.is_member.sum(dim=-1).flatten().tolist()
            for size, members, weights in zip(sizes, rows.cpu().numpy(), scores.softmax(dim=-1).squeeze(1)):
                texts, tokens, heads = numpy.unravel_index(members[:size], projected.shape[:3])
                yield ScopeWeights(int(texts[0]), int(heads[0]), tokens.tolist(), weights[:size, :size])

    def _grouped(
        self, projected: torch.Tensor
    ) -> Iterator[tuple[Bucket, torch.Tensor, Sequence[torch.Tensor]]]:
        """
        Each bucket, its members and their queries, keys and values. Shapes: (groups, size), (groups, 1, size,
        dim).
        """
        grouped = projected.flatten(0, 2).flatten(1).index_select(0, self._rows)
        sizes = [groups * size for groups, size, _ in self._buckets]
        for bucket, rows, tokens in zip(self._buckets, self._rows.split(sizes), grouped.split(sizes)):
            parts = tokens.view(bucket.groups, 1, bucket.size, -1).chunk(3, dim=-1)
            yield bucket, rows.view(bucket[:2]), parts


def _ranges(largest: int) -> list[tuple[int, int]]:
    """Ranges of sizes, (0, 32], (32, 64], (64, 128], … up to the largest."""
    bounds = [0, 32]
    while bounds[-1] < largest:
        bounds.append(2 * bounds[-1])
    return list(zip(bounds, bounds[1:]))
