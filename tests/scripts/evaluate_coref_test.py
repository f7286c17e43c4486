import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scripts.scripts import load_script

evaluate_coref = load_script("evaluate_coref")


@st.composite
def clusterings(draw):
    numbers = draw(st.lists(st.integers(0, 3), max_size=8))
    clusters = [[(i, i + 1) for i, number in enumerate(numbers) if number == n] for n in range(4)]
    return [cluster for cluster in clusters if cluster]


def without_singletons(clusters):
    return [cluster for cluster in clusters if len(cluster) > 1]


@given(clusterings(), clusterings())
@settings(max_examples=100, derandomize=True, deadline=None)
def test_without_singletons_all_ways_to_count_them_are_the_same(predicted, gold):
    pairs = [(without_singletons(predicted), without_singletons(gold))]
    scores = [evaluate_coref.conll_scores(pairs, way) for way in ("without", "kept", "credited")]
    for other in scores[1:]:
        for name, values in scores[0].items():
            assert other[name] == pytest.approx(values)


@given(clusterings(), clusterings())
@settings(max_examples=100, derandomize=True, deadline=None)
def test_singletons_are_left_out_with_the_annotated_ones(predicted, gold):
    left_out = evaluate_coref.conll_scores([(predicted, without_singletons(gold))], "kept")
    assert evaluate_coref.conll_scores([(predicted, gold)], "without") == left_out


def test_singletons_that_were_found_are_credited():
    clusters = [[(0, 1), (2, 3)], [(1, 2)], [(4, 5)]]
    assert evaluate_coref.conll_scores([(clusters, clusters)], "credited")["average"] == pytest.approx((1, 1, 1))
    scores = evaluate_coref.conll_scores([([[(0, 1)], [(2, 3)]], clusters)], "credited")
    # Of B-cubed's four mentions two are found, each with half of its cluster; of three clusters one is matched, to 2/3.
    assert scores["B-cubed"][:2] == pytest.approx((1, 1 / 4))
    assert scores["CEAF"][:2] == pytest.approx((2 / 3 / 2, 2 / 3 / 3))
