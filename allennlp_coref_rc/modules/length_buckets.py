from collections.abc import Sequence

SAVED = 0.25
"""The share of its tokens, padding included, that a split must save a batch."""

SMALLEST = 8
"""The fewest texts of a bucket."""


def length_buckets(lengths: Sequence[int]) -> list[list[int]]:
    """
    Splits a batch into buckets that need less padding, as long as a split saves a quarter of the tokens. Gives the
    indices of the texts in each bucket. The buckets, and the texts in a bucket, are in order of length, the shortest
    first.
    """
    return _split(sorted(range(len(lengths)), key=lengths.__getitem__), lengths)


def _split(texts: list[int], lengths: Sequence[int]) -> list[list[int]]:
    number, longest = len(texts), lengths[texts[-1]] if texts else 0
    places = range(SMALLEST, number - SMALLEST + 1)
    saved = {place: place * (longest - lengths[texts[place - 1]]) for place in places}
    place = max(saved, key=saved.__getitem__, default=0)
    if not place or saved[place] < SAVED * number * longest:
        return [texts]
    return _split(texts[:place], lengths) + _split(texts[place:], lengths)
