import pytest

from allennlp_coref_rc.metrics.answer_scores import correctness


@pytest.mark.parametrize(
    "prediction, expected",
    [
        ({"answer": "milk", "gold": "Milk"}, True),
        ({"answer": "MILK", "gold": "milk"}, True),
        ({"answer": "milk", "gold": "the milk"}, False),
        ({"answer": 2, "gold": "2"}, True),
        # There is no answer, whatever it is called.
        ({"answer": None, "gold": "None"}, False),
        ({"gold": "None"}, False),
        ({"answer": "milk", "gold": "milk", "unanswered": "none of the candidates occurs"}, False),
        ({"answer": "milk", "gold": "milk", "unanswered": ""}, True),
        # A prediction may say whether it is right.
        ({"answer": "milk", "gold": "milk", "correct": False}, False),
        ({"answer": "a man", "exact_match": 1.0}, 1.0),
        ({"correct": "yes", "answer": "milk", "gold": "milk"}, None),
        ({"answer": "milk"}, None),
        ({"answer": "The milk.", "answer_texts": ["a cup", "milk"]}, True),
        ({"answer": "cups", "answer_texts": ["a cup"], "gold": "cups"}, False),
        ({"answer": None, "answer_texts": ["none"]}, False),
        ({"answer": "5", "answer_texts": [5]}, None),
    ],
)
def test_right_answers(prediction, expected):
    assert correctness(prediction) == expected
