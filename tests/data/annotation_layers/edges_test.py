import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.data.annotation_layers.edge_layers import coref_sources, split_sources, swapped_spans
from allennlp_coref_rc.data.annotation_layers.edges import FIRST_MENTION, OTHER_SEQUENCE
from tests.annotations.texts import clusters

READ, WRITE = ("all", "first"), ("all", "last")


def reads(cluster, token, read):
    return any(token == start if read == "first" else start <= token < stop for start, stop in cluster)


def writes(cluster, token, write):
    return any(token == stop - 1 if write == "last" else start <= token < stop for start, stop in cluster)


def simulate(the_clusters, order, length, reads_now, writes_now):
    """
    A memory with a slot for each cluster, which remembers the token that wrote last. Each token first reads
    all its slots, and then writes to them.
    """
    slots = [FIRST_MENTION] * len(the_clusters)
    sources = [[] for _ in range(length)]
    for token in order:
        for i, cluster in enumerate(the_clusters):
            if reads_now(cluster, token):
                sources[token].append(slots[i])
        for i, cluster in enumerate(the_clusters):
            if writes_now(cluster, token):
                slots[i] = token
    return sources


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("write", WRITE)
@settings(derandomize=True, deadline=None, max_examples=150)
@given(data=st.data())
def test_sources_are_those_of_a_memory_with_a_slot_per_cluster(read, write, data):
    length = data.draw(st.integers(1, 8))
    some = data.draw(clusters(length))

    def reader(cluster, token):
        return reads(cluster, token, read)

    def writer(cluster, token):
        return writes(cluster, token, write)

    assert coref_sources(some, length, read, write) == {
        "antecedents": simulate(some, range(length), length, reader, writer),
        "descendants": simulate(some, reversed(range(length)), length, writer, reader),
    }


@settings(derandomize=True, deadline=None, max_examples=200)
@given(data=st.data())
def test_split_sources_name_the_same_tokens(data):
    length = data.draw(st.integers(1, 8))
    boundary = data.draw(st.integers(0, length))
    source = st.one_of(st.just(FIRST_MENTION), st.integers(0, length - 1))
    sources = data.draw(st.lists(st.lists(source, max_size=3), min_size=length, max_size=length))
    first, second = split_sources(sources, boundary)
    assert (len(first), len(second)) == (boundary, length - boundary)

    own = list(range(boundary)), list(range(boundary, length))
    for half, (mine, other) in zip((first, second), (own, own[::-1])):
        for token, marked in zip(mine, half):
            decoded = [
                s if s == FIRST_MENTION else mine[s] if s >= 0 else other[OTHER_SEQUENCE - s] for s in marked
            ]
            assert decoded == sources[token]


def test_spans_of_a_small_text_whose_second_sequence_comes_first():
    # Three tokens and three: spans of the first, up to its end, of the second, from its beginning, and of
    # both.
    expected = [(3, 5), (4, 6), (5, 6), (1, 3), (0, 1), (0, 2)]
    assert swapped_spans([(0, 2), (1, 3), (4, 6), (3, 4), (2, 5)], 6, 3) == expected
