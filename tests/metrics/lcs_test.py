import numpy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.metrics.lcs import lcs_length, lcs_lengths

words = st.lists(st.sampled_from("abcd"), max_size=12)


def by_the_book(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            table[i + 1][j + 1] = table[i][j] + 1 if a[i] == b[j] else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@settings(derandomize=True, deadline=None, max_examples=200)
@given(words, words)
def test_the_length_is_that_of_the_dynamic_programme(a, b):
    assert lcs_length(a, b) == lcs_length(b, a) == by_the_book(a, b)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(a=words, b=words, times=st.sampled_from([1, 5, 6, 7, 16, 20]), seed=st.integers(0, 99))
@example(a=list("abcdabcdabcd"), b=list("dcba"), times=16, seed=0)
def test_many_selections_are_as_one_by_one_however_long(a, b, times, seed):
    # 12 words 20 times are more than the 64 that fit into a number.
    a = a * times
    windows = numpy.random.default_rng(seed).integers(-1, len(b), size=(7, 9))
    expected = [lcs_length(a, [b[i] for i in window if i >= 0]) for window in windows]
    assert lcs_lengths(a, b, windows).tolist() == expected


def test_rows_of_exactly_64_bits_are_not_lost_to_overflow():
    for length in (63, 64, 65):
        a = ["x"] * length
        assert lcs_lengths(a, a, numpy.arange(length)[None]).tolist() == [length]
