import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.playground.cluster_edits import Mention, add, drop, merge, split

LENGTH = 6

CLUSTERS = [[(0, 1), (4, 6)], [(1, 3)], [(2, 3), (3, 4), (5, 6)]]

SPANS = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, LENGTH)).filter(lambda span: span[0] < span[1])

SOME_CLUSTERS = st.lists(
    st.lists(SPANS, min_size=1, max_size=4, unique=True).map(sorted), min_size=1, max_size=4
)


def sets(clusters):
    return sorted(sorted(cluster) for cluster in clusters)


def test_merged_clusters_stand_where_the_first_of_them_stood():
    assert merge(CLUSTERS, [2, 0]) == [[(0, 1), (2, 3), (3, 4), (4, 6), (5, 6)], [(1, 3)]]


def test_split_mentions_of_several_clusters_become_one():
    chosen = [Mention(2, (5, 6)), Mention(0, (0, 1))]
    assert split(CLUSTERS, chosen) == [[(4, 6)], [(1, 3)], [(2, 3), (3, 4)], [(0, 1), (5, 6)]]


def test_a_cluster_that_loses_its_last_mention_is_gone():
    assert drop(CLUSTERS, [Mention(1, (1, 3)), Mention(0, (4, 6))]) == [[(0, 1)], [(2, 3), (3, 4), (5, 6)]]


def test_a_mention_is_added_to_a_cluster_once_and_in_order_or_becomes_a_new_one():
    assert add(CLUSTERS, [(0, 2), (0, 1)], 1) == [CLUSTERS[0], [(0, 1), (0, 2), (1, 3)], CLUSTERS[2]]
    assert add(CLUSTERS, [(3, 4), (0, 1)]) == [*CLUSTERS, [(0, 1), (3, 4)]]


@settings(max_examples=50, deadline=None)
@given(SOME_CLUSTERS, st.data())
def test_edits_keep_other_mentions_and_make_valid_clusters(clusters, data):
    before = copy.deepcopy(clusters)
    mentions = [Mention(i, span) for i, cluster in enumerate(clusters) for span in cluster]
    chosen = data.draw(st.lists(st.sampled_from(mentions), min_size=1, unique=True))
    spans = {mention.span for mention in chosen}
    left = [
        [span for span in cluster if Mention(i, span) not in chosen] for i, cluster in enumerate(clusters)
    ]
    left = [cluster for cluster in left if cluster]
    assert sets(drop(clusters, chosen)) == sets(left)
    assert sets(split(clusters, chosen)) == sets([*left, spans])
    results = [drop(clusters, chosen), split(clusters, chosen), add(clusters, list(spans))]
    indices = {mention.cluster for mention in chosen}
    if len(indices) > 1:
        joint = {span for i in indices for span in clusters[i]}
        others = [cluster for i, cluster in enumerate(clusters) if i not in indices]
        results.append(merge(clusters, indices))
        assert sets(results[-1]) == sets([*others, joint])
    for result in results:
        assert all(cluster and cluster == sorted(set(cluster)) for cluster in result)
        AnnotatedText(["x"] * LENGTH, clusters=result)
    assert clusters == before
