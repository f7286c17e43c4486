from collections.abc import Sequence

import numpy


def lcs_length(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence of two sequences."""
    places = _places(a)
    row = full = (1 << len(a)) - 1
    for item in b:
        matched = row & places.get(item, 0)
        row = ((row + matched) | (row - matched)) & full
    return len(a) - row.bit_count()


def lcs_lengths(a: Sequence[str], b: Sequence[str], windows: numpy.ndarray) -> numpy.ndarray:
    """
    The lengths of the longest common subsequences of `a` and each of many selections of items of `b`,
    computed together. A row of the dynamic programme is a number in which each 0 bit stands for a step up
    (Hyyrö, 2004).

    `windows`, of shape (num_windows, width), has positions in `b`, one selection a row; -1 is padding. The
    result has the shape (num_windows,).
    """
    # Sums of 64 bits may overflow, but only bits that are not used are lost. Longer rows are Python's
    # integers.
    dtype = numpy.uint64 if len(a) <= 64 else object
    places = _places(a)
    matches = numpy.array([places.get(item, 0) for item in b] + [0], dtype=dtype)
    full = numpy.array((1 << len(a)) - 1, dtype=dtype)
    rows = numpy.full(len(windows), full, dtype=dtype)
    for column in matches[windows.T]:
        matched = rows & column
        rows = ((rows + matched) | (rows - matched)) & full
    if dtype is object:
        return numpy.array([len(a) - row.bit_count() for row in rows], dtype=int)
    return len(a) - numpy.unpackbits(rows.view(numpy.uint8)).reshape(len(rows), 64).sum(axis=1, dtype=int)


def _places(items: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for i, item in enumerate(items):
        places[item] = places.get(item, 0) | 1 << i
    return places
