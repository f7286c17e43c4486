from fractions import Fraction

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


# Key, response, and recall and precision of MUC, B-cubed and CEAF (entities), as fractions, where the test cases of
# CoNLL's reference scorer (Pradhan et al., 2014) give them. Each letter is a mention.
REFERENCE = {
    "A1": ("a bc def", "a bc def", ("1", "1"), ("1", "1"), ("1", "1")),
    "A2": ("a bc def", "a de", ("1/3", "1"), ("7/18", "1"), ("3/5", "9/10")),
    "A3": ("a bc def", "a bcx defy z", ("1", "3/5"), ("1", "55/108"), ("31/35", "93/140")),
    "A4": ("a bc def", "a bcx dy z", ("1/3", "1/3"), ("5/9", "17/42"), ("11/15", "11/20")),
    "A5": ("a bc def", "a bcxB dy z", ("1/3", "1/4"), ("5/9", "5/16"), ("31/45", "31/60")),
    "A6": ("a bc def", "a bcx dy Bz", ("1/3", "1/4"), ("5/9", "17/48"), ("11/15", "11/20")),
    "A10": ("a bc def", "a b c d e f", ("0", "0"), ("1/2", "1"), None),
    "A11": ("a bc def", "abcdef", ("1", "3/5"), ("1", "7/18"), None),
    "A12": ("a bc def", "a x y c d e z", ("0", "0"), ("13/36", "4/7"), None),
    "A13": ("a bc def", "axycdez", ("1/3", "1/6"), ("17/36", "6/49"), None),
    "D1": ("12345 67 89ABC", "12345 6789ABC", ("1", "9/10"), ("1", "16/21"), None),
    "E1": ("12345 67 89ABC", "1234589ABC 67", ("1", "9/10"), ("1", "7/12"), None),
    "F1": ("ABCD", "AB CD", ("2/3", "1"), None, None),
    "G1": ("AB CD", "ABCD", ("1", "2/3"), None, None),
    "J1": ("ABC", "AC", ("1/2", "1"), None, None),
    "K1": ("BCDEGHJ", "ABC DEF GHI", ("1/2", "1/2"), None, None),
    "L1": ("ABC DEFG", "AB CD FGH", ("2/5", "1/2"), None, None),
    "M1": ("abcdef", "abcdef", ("1", "1"), ("1", "1"), ("1", "1")),
    "N1": ("a b c d e f", "a b c d e f", ("0", "0"), ("1", "1"), ("1", "1")),
}


def lettered(clusters):
    return [[(ord(letter), ord(letter) + 1) for letter in cluster] for cluster in clusters.split()]


@pytest.mark.parametrize("case", REFERENCE)
def test_scores_are_those_of_the_reference_scorer(case):
    key, response, *expected = REFERENCE[case]
    scores = evaluate_coref.conll_scores([(lettered(response), lettered(key))], "credited")
    for name, values in zip(("MUC", "B-cubed", "CEAF"), expected):
        if values:
            recall, precision = (float(Fraction(value)) for value in values)
            assert scores[name][:2] == pytest.approx((precision, recall)), name


def test_links_are_counted_by_the_kind_of_the_later_mention():
    tokens = "Anne met the old man from Leeds . He saw her . The man left .".split()
    gold = [[(0, 1), (10, 11)], [(2, 7), (8, 9), (12, 14)], [(6, 7)]]
    kinds = {span: evaluate_coref.kind_of_mention(tokens, span) for cluster in gold for span in cluster}
    assert [kinds[span] for span in sorted(kinds)] == ["name", "nominal", "name", "pronoun", "pronoun", "nominal"]
    # "her" is rightly linked, "He" to the wrong one, and "The man" to nothing.
    predicted = [[(0, 1), (8, 9)], [(10, 11)], [(12, 14)]]
    scores = evaluate_coref.link_scores([(tokens, predicted, gold)])
    assert scores == {"name": (0, 0, 0), "nominal": (0, 0, 0), "pronoun": (0, 0, 0)}
    predicted = [[(0, 1), (10, 11)], [(6, 7), (8, 9)]]
    scores = evaluate_coref.link_scores([(tokens, predicted, gold)])
    assert scores == {"name": (0, 0, 0), "nominal": (0, 0, 0), "pronoun": (1 / 2, 1 / 2, 1 / 2)}
