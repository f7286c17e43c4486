"""Cases worked out by hand from the published rules, and random ones beside the official program."""

import pytest
from allennlp_models.rc.tools import drop
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.metrics.aligned_spans import aligned_scores, span_words
from allennlp_coref_rc.metrics.quoref import QuorefMetric
from tests.processes import run_in_processes

CASES = [
    # Prediction, spans of the answer, exact match, F1.
    ("Edda Moss", ["Edda Moss"], 1, 1),
    ("the Edda Moss!", ["edda moss"], 1, 1),
    # A hyphen separates words. Other punctuation is removed.
    ("café owner", ["café-owner"], 1, 1),
    ("Moss 's", ["Moss's"], 0, 0),
    # Precision 1, recall 1/2: 2/3, rounded.
    ("Moss", ["Edda Moss"], 0, 0.67),
    # Words are sets: the second "New" counts no more than the first.
    ("New York New", ["New York"], 0, 1),
    # One of two spans is found: (1 + 0) / 2.
    ("Edda Moss", ["Edda Moss", "Tom"], 0, 0.5),
    (["Tom", "Edda Moss"], ["Edda Moss", "Tom"], 1, 1),
    # One predicted span too many: 1 / 2.
    (["Tom", "Ann"], ["Tom"], 0, 0.5),
    # The same span twice is not the answer, and only one of them can be paired.
    (["Tom", "Tom"], ["Tom"], 0, 0.5),
    # The best sum counts, 2/3 for each of the three, and not the best single pair (1 + 0).
    (["a1 b1", "b1 c1", "c1 a1"], ["a1", "b1", "c1"], 0, 0.67),
    # "red duke" and "red" pair to 2/3, "duke" finds none that is left; the best sum pairs red-red duke,
    # duke-red duke.
    (["Red", "Duke"], ["Red Duke"], 0, 0.33),
    # Numbers have to agree in one, else nothing counts; 4,200 is no number before its comma is gone.
    ("4,200 letters", ["4200 letters"], 1, 1),
    ("300 letters", ["4,200 letters"], 0, 0),
    ("letters", ["4,200 letters"], 0, 0),
    ("4,200 letters", ["letters"], 0, 0.67),
    ("4.50", ["4.5"], 1, 1),
    # Nothing but articles and punctuation: two empty sets agree, an empty and another do not.
    ("the", ["a"], 1, 1),
    ("the", ["Tom"], 0, 0),
    ([], ["Tom"], 0, 0),
]


@pytest.mark.parametrize("prediction, reference, exact_match, f1", CASES)
def test_cases_by_hand(prediction, reference, exact_match, f1):
    assert aligned_scores(prediction, reference) == (exact_match, f1)


texts = st.text(alphabet="aAbé1.,-' the", min_size=1, max_size=7) | st.sampled_from(
    ["nan", "1e2", "an inf", "١"]
)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(texts | st.lists(texts, min_size=1, max_size=4), st.lists(texts, min_size=1, max_size=4))
def test_scores_are_those_of_the_official_program(prediction, reference):
    assert aligned_scores(prediction, reference) == drop.get_metrics(prediction, reference)


def test_words():
    expected = (*("12.0", "year", "old", "listers", "3.0", "4200.0", "5.0"),)
    assert span_words("The 12-year-old, an A-lister's  3.0 4,200 -5") == expected


def evaluate(cases):
    metric = QuorefMetric()
    metric([case[0] for case in cases], [case[1] for case in cases])
    return metric.get_metric()


def test_means_over_the_questions():
    expected = {
        name: sum(case[i] for case in CASES) / len(CASES) for i, name in ((2, "exact_match"), (3, "f1"))
    }
    assert evaluate(CASES) == pytest.approx(expected)
    metric = QuorefMetric()
    assert metric.get_metric() == {"exact_match": 0, "f1": 0}
    for case in CASES:
        metric([case[0]], [case[1]])
    assert metric.get_metric(reset=True) == pytest.approx(expected)
    assert metric.get_metric() == {"exact_match": 0, "f1": 0}


def _two_processes(rank, metric, expected):
    mine = CASES[:3] if rank == 0 else CASES[3:]
    metric([case[0] for case in mine], [case[1] for case in mine])
    assert metric.get_metric() == pytest.approx(expected)


def test_two_processes_agree_with_one():
    run_in_processes(2, _two_processes, QuorefMetric(), evaluate(CASES))
