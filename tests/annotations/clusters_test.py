from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations.clusters import relevant_clusters
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
