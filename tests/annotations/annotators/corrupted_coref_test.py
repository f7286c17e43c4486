import random
from itertools import chain

import pytest

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import CorruptedCoref, ExactMatchCoref
from allennlp_coref_rc.annotations.clusters import random_clusters, remove_mentions, replace_mentions

STORY = "Mary went to the office . Bill got the milk there . mary got the Office milk . Where is Mary ?"

# The seed 13370 draws these for the story. Results that are reported depend on it.
RANDOM = [[(8, 9), (10, 11), (21, 22)], [(0, 1), (13, 14)], [(14, 15), (19, 20)]]
REMOVED = [[(0, 1), (20, 21)], [(4, 5), (15, 16)]]


def corrupted(**options):
    return CorruptedCoref(ExactMatchCoref(), **options)


def many(num_words, mentions):
    return AnnotatedText([f"name{i}" for _ in range(mentions) for i in range(num_words)])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_the_share_of_mentions_is_removed(share):
    text = many(num_words=10, mentions=200)
    clean = ExactMatchCoref().annotate(text).clusters
    kept = corrupted(remove_mentions=share).annotate(text).clusters
    assert len(kept) == 10
    assert all(set(some) < set(every) for some, every in zip(kept, clean))
    # Five standard deviations of a binomial distribution of 2000 mentions.
    tolerance = 5 * (share * (1 - share) / 2000) ** 0.5
    assert sum(map(len, kept)) / 2000 == pytest.approx(1 - share, abs=tolerance)
    # No part of the text is spared.
    for part in range(4):
        mentions = [mention for mention in chain(*kept) if part * 500 <= mention[0] < (part + 1) * 500]
        assert len(mentions) / 500 == pytest.approx(1 - share, abs=2 * tolerance)


def test_nothing_and_everything_can_be_removed():
    text = AnnotatedText(STORY.split())
    clean = ExactMatchCoref().annotate(text)
    assert corrupted(remove_mentions=0.0).annotate(text) == clean
    assert corrupted(remove_mentions=1.0).annotate(text).clusters == []


def test_what_is_left_of_a_cluster_with_one_mention_goes_too():
    text = many(num_words=200, mentions=2)
    kept = corrupted(remove_mentions=0.5).annotate(text).clusters
    assert {len(cluster) for cluster in kept} == {2}
    assert 25 <= len(kept) <= 75


def test_random_clusters_keep_number_and_sizes_and_share_no_token():
    text = AnnotatedText(STORY.split())
    clean = ExactMatchCoref().annotate(text).clusters
    seen = set()
    for seed in range(60):
        clusters = corrupted(random_clusters=True, seed=seed).annotate(text).clusters
        assert [len(cluster) for cluster in clusters] == [len(cluster) for cluster in clean]
        mentions = list(chain(*clusters))
        assert len(set(mentions)) == len(mentions)
        assert all(stop == start + 1 for start, stop in mentions)
        assert all(cluster == sorted(cluster) for cluster in clusters)
        seen.update(start for start, _ in mentions)
    assert seen == set(range(len(text)))


@pytest.mark.parametrize("share", [0.0, 0.2, 0.7, 1.0])
def test_a_share_of_the_mentions_is_replaced_by_tokens_that_no_mention_has(share):
    text = AnnotatedText([f"name{i}" for _ in range(200) for i in range(10)] + ["."] * 1000)
    clean = ExactMatchCoref().annotate(text).clusters
    clusters = corrupted(replace_mentions=share).annotate(text).clusters
    assert [len(cluster) for cluster in clusters] == [200] * 10
    assert all(cluster == sorted(cluster) for cluster in clusters)
    mentions = list(chain(*clusters))
    assert len(set(mentions)) == len(mentions)
    assert all(stop == start + 1 and stop <= len(text) for start, stop in mentions)
    new = [mention for cluster, before in zip(clusters, clean) for mention in set(cluster) - set(before)]
    # A mention may become one of its own cluster again: of 10 clusters in 3000 tokens, a 15th at most.
    tolerance = 5 * (share * (1 - share) / 2000) ** 0.5
    assert share * 14 / 15 - 2 * tolerance <= len(new) / 2000 <= share + tolerance
    # Only the mentions that are left cannot be drawn. Tokens of no mention, and those of replaced mentions,
    # can.
    if share == 1.0:
        assert sum(start >= 2000 for start, _ in mentions) / 2000 == pytest.approx(1 / 3, abs=0.05)


def test_replaced_mentions_of_a_text_too_short_for_them():
    assert replace_mentions([[(0, 2), (1, 3)], [(0, 3)]], 1.0, 2, random.Random(1)) == [[(0, 1), (1, 2)]]
    assert replace_mentions([[(0, 1)], []], 0.0, 1, random.Random(1)) == [[(0, 1)]]
    assert replace_mentions([], 0.5, 0, random.Random(1)) == []


def test_random_clusters_of_a_text_too_short_for_them():
    clusters = random_clusters([[(0, 1)] * 3, [(0, 2)] * 2], 4, random.Random(1))
    assert [len(cluster) for cluster in clusters] == [3, 1]
    assert sorted(chain(*clusters)) == [(i, i + 1) for i in range(4)]
    assert random_clusters([[(0, 1)] * 2, [(0, 1)] * 2], 2, random.Random(1)) == [[(0, 1), (1, 2)]]
    assert remove_mentions([[(0, 1), (1, 2)], [(2, 3)]], 0.0, random.Random(1)) == [[(0, 1), (1, 2)]]


@pytest.mark.parametrize(
    "options", [{"remove_mentions": 0.5}, {"replace_mentions": 0.5}, {"random_clusters": True}]
)
def test_corruption_is_the_same_in_whatever_order_texts_are_read(options):
    texts = [AnnotatedText((f"start{i} " + STORY).split()) for i in range(8)]
    one, other = corrupted(**options), corrupted(**options)
    forward = [one.annotate(text).clusters for text in texts]
    backward = [other.annotate(text).clusters for text in reversed(texts)]
    assert forward == backward[::-1]
    # What is drawn depends on the text and on the seed.
    assert len({str(clusters) for clusters in forward}) > 4
    seeds = {str(corrupted(seed=seed, **options).annotate(texts[0]).clusters) for seed in range(8)}
    assert len(seeds) > 4


def test_corruption_does_not_change_between_versions():
    text = AnnotatedText(STORY.split())
    assert corrupted(random_clusters=True).annotate(text).clusters == RANDOM
    assert corrupted(remove_mentions=0.3).annotate(text).clusters == REMOVED


def test_without_an_annotator_it_is_the_text_s_own_clusters_that_are_corrupted():
    text = ExactMatchCoref().annotate(AnnotatedText(STORY.split()))
    assert CorruptedCoref().annotate(text) == text
    options = {"remove_mentions": 0.3, "random_clusters": True}
    found = CorruptedCoref(**options).annotate(text)
    assert found == corrupted(**options).annotate(AnnotatedText(STORY.split()))
    assert CorruptedCoref(**options).annotate(AnnotatedText([])).clusters == []
