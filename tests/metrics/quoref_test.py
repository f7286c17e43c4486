import pytest

from allennlp_coref_rc.metrics.quoref import QuorefMetric

CASES = [
    # Prediction, spans of the answer, exact match, F1.
    ("the Edda Moss!", ["edda moss"], 1, 1),
    # Precision 1, recall 1/2: 2/3, rounded.
    ("Moss", ["Edda Moss"], 0, 0.67),
    # One of two spans is found: (1 + 0) / 2.
    ("Edda Moss", ["Edda Moss", "Tom"], 0, 0.5),
    (["Tom", "Edda Moss"], ["Edda Moss", "Tom"], 1, 1),
    # The best sum counts, 2/3 for each of the three, and not the best single pair (1 + 0).
    (["a1 b1", "b1 c1", "c1 a1"], ["a1", "b1", "c1"], 0, 0.67),
    # Numbers have to agree in one, else nothing counts.
    ("300 letters", ["4,200 letters"], 0, 0),
    ([], ["Tom"], 0, 0),
]


@pytest.mark.parametrize("prediction, reference, exact_match, f1", CASES)
def test_cases_by_hand(prediction, reference, exact_match, f1):
    expected = {"exact_match": exact_match, "f1": f1}
    assert QuorefMetric.of_question(prediction, reference) == expected


def test_means_over_the_questions():
    metric = QuorefMetric()
    assert metric.get_metric() == {"exact_match": 0, "f1": 0}
    for case in CASES:
        metric([case[0]], [case[1]])
    assert metric.get_metric() == pytest.approx(
        {name: sum(case[i] for case in CASES) / len(CASES) for i, name in ((2, "exact_match"), (3, "f1"))}
    )
