"""
Packs attention into few bytes: the largest weights of each row, in 8 bits, as text that a page's script can
read.
"""

import base64
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy

BUDGET = 330_000

ROW, WEIGHT = 4, 4
"""
The number of characters for a row (its scale and the number of its weights) and for each of its weights.
"""

MIN_KEPT, MAX_KEPT = 3, 255
"""The fewest and the most weights of a row that are stored, if rows are stored at all."""

LEVELS = 255
"""The integer for the largest weight of a row. Smaller weights are rounded to integers below."""

SCALES = 2**16 - 1


class Block(NamedTuple):
    """The weights from the tokens `rows` to the tokens `columns`. Shape: (num_rows, num_columns)."""

    rows: Sequence[int]
    columns: Sequence[int]
    weights: numpy.ndarray


class AttentionMap(NamedTuple):
    """The weights from `height` tokens to `width` tokens. Those in no block are 0."""

    height: int
    width: int
    blocks: list[Block]

    def average(self) -> numpy.ndarray:
        """The average weight that each token gets from the tokens that can attend to it. Shape: (width,)."""
        total, number = numpy.zeros(self.width), numpy.zeros(self.width)
        for _, columns, weights in self.blocks:
            total[columns] += weights.sum(axis=0)
            number[columns] += len(weights)
        return total / numpy.maximum(1, number)

    def has_rows(self) -> bool:
        """Whether each token has a row of its own, and not all tokens the same one."""
        return sum(len(rows) for rows, _, _ in self.blocks) == self.height


def pack_numbers(numbers: Union[Sequence[float], numpy.ndarray]) -> dict[str, Any]:
    """Numbers of 0 or more, as `values` of 8 bits, where 255 stands for `most`."""
    most = float(max(numbers, default=0)) or 1.0
    values = numpy.rint(LEVELS * numpy.asarray(numbers, dtype=float) / most).astype("u1")
    return {"most": most, "values": _text(values)}


def pack(maps: Sequence[AttentionMap], budget: int = BUDGET) -> tuple[list[dict[str, Any]], float]:
    """
    Packs maps so that all of them together have about `budget` characters at most. Returns the packed maps,
    and the share of their attention that is in the stored weights.

    A packed map has the `average` weight that each column gets, as `pack_numbers` makes it. If there is room
    for its rows, it also has their `scales` (16 bits each; 65535 stands for 1), how many weights of each are
    stored (`counts`, 8 bits) and, one row after the other, their `columns` (16 bits) and `weights` (8 bits;
    255 stands for the scale of the row). All are in base64, little-endian.
    """
    room = budget - sum(2 * attention.width for attention in maps)
    rows = [attention.height if attention.has_rows() else 0 for attention in maps]
    stored = 0
    while stored < len(maps) and sum(rows[: stored + 1]) * (ROW + MIN_KEPT * WEIGHT) <= room:
        stored += 1
    left = (room - sum(rows[:stored]) * ROW) // WEIGHT
    most = min(MAX_KEPT, max(MIN_KEPT, left // max(1, sum(rows[:stored]))))
    packed, kept, whole = [], 0.0, 0.0
    for i, attention in enumerate(maps):
        values: dict[str, Any] = {"average": pack_numbers(attention.average())}
        if i < stored and rows[i]:
            more, weight = _pack_rows(attention, most)
            values.update(more)
            kept += weight
            whole += sum(float(weights.sum()) for _, _, weights in attention.blocks)
        packed.append(values)
    return packed, kept / whole if whole else 0.0


def _pack_rows(attention: AttentionMap, kept: int) -> tuple[dict[str, str], float]:
    scales = numpy.ones(attention.height)
    kept_weights: list[Optional[tuple[numpy.ndarray, numpy.ndarray]]] = [None] * attention.height
    weight = 0.0
    for rows, columns, weights in attention.blocks:
        positions, largest = numpy.asarray(columns), weights.max(axis=1, initial=0.0).clip(0, 1)
        scales[rows] = scale = numpy.ceil(largest * SCALES).clip(1, SCALES)
        levels = numpy.rint(LEVELS * weights * SCALES / scale[:, None]).clip(0, LEVELS)
        chosen = numpy.argpartition(-weights, min(kept, len(columns)) - 1, axis=1)[:, :kept]
        best = numpy.take_along_axis(levels, chosen, axis=1)
        weight += (best * scale[:, None]).sum() / LEVELS / SCALES
        # Weights that are rounded to 0 are not stored.
        for row, at, values in zip(rows, chosen, best):
            at, values = at[values > 0], values[values > 0]
            kept_weights[row] = positions[at], values
    pairs = [pair or (numpy.zeros(0), numpy.zeros(0)) for pair in kept_weights]
    return {
        "scales": _text(scales.astype("<u2")),
        "counts": _text(numpy.array([len(at) for at, _ in pairs]).astype("u1")),
        "columns": _text(numpy.concatenate([at for at, _ in pairs]).astype("<u2")),
        "weights": _text(numpy.concatenate([values for _, values in pairs]).astype("u1")),
    }, weight


def _text(values: numpy.ndarray) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")
