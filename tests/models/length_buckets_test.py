"""Batches are answered in parts that need less padding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_coref_rc.models.ga_reader import SMALLEST, length_buckets


def padded(parts, lengths):
    return sum(len(part) * max(lengths[i] for i in part) for part in parts if part)


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=60))
def test_parts_have_every_text_once_and_go_from_short_to_long(lengths):
    parts = length_buckets(lengths)
    order = [i for part in parts for i in part]
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[i] for i in order] == sorted(lengths)
    assert min(map(len, parts)) >= min(SMALLEST, len(lengths))
    # Each further part saves a quarter of the part before it.
    assert padded(parts, lengths) <= len(lengths) * max(lengths) - (len(parts) - 1) * SMALLEST / 4


@pytest.mark.parametrize(
    "lengths, sizes",
    [
        ([7] * 100, [100]),
        ([10] * 50 + [1000] * 8, [50, 8]),
        ([10] * 50 + [1000] * 7, [49, 8]),
        ([1, 1000] * 7, [14]),
        ([90] * 50 + [100] * 50, [100]),
        ([10] * 20 + [100] * 20 + [1000] * 20, [20, 20, 20]),
    ],
)
def test_a_batch_is_split_where_that_saves_a_quarter(lengths, sizes):
    assert list(map(len, length_buckets(lengths))) == sizes
