from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations.clusters import largest_clusters, positions, relevant_clusters
from tests.annotations.texts import clusters, spans


@settings(derandomize=True, deadline=None, max_examples=300)
@given(clusters=clusters(8), wanted=st.lists(spans(8), max_size=3), regions=st.lists(spans(8), max_size=2))
def test_relevant_clusters_contain_a_span_or_begin_in_a_region(clusters, wanted, regions):
    expected = []
    for cluster in clusters:
        contains = any(set(range(*span)) <= set(range(*mention)) for mention in cluster for span in wanted)
        begins = any(start in range(*region) for start, _ in cluster for region in regions)
        if contains or begins:
            expected.append(cluster)
    assert relevant_clusters(clusters, wanted, regions) == expected


def test_positions_are_in_order():
    """Also where a set of the same numbers is not."""
    cluster = [(16, 17), (9, 11), (2, 4), (1, 3)]
    assert positions(cluster) == [1, 2, 3, 9, 10, 16]
    assert positions(cluster, "first") == [1, 2, 9, 16]
    assert positions(cluster, "last") == [2, 3, 10, 16]


def test_the_largest_clusters_stay_in_their_order():
    one, two, other, three = ([(i, i + 1)] * size for i, size in enumerate((1, 2, 2, 3)))
    clusters = [one, two, other, three]
    assert largest_clusters(clusters, 2) == [two, three]
    assert largest_clusters(clusters, 3) == [two, other, three]
    assert largest_clusters(clusters, 0) == []
    for most in (4, 9, None):
        assert largest_clusters(clusters, most) == clusters
