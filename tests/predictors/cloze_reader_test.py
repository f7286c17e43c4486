import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.predictors import Predictor

from tests.models.ga_reader_test import build

STORY = "Bill took the milk there. Bill went to the park. Fred moved to the office."
QUESTION = "Where is the milk?"


@pytest.fixture(scope="module")
def predictor():
    model, _, reader = build()
    return Predictor.by_name("cloze_reader")(model.eval(), reader)


def test_answers_unlabelled_text_and_says_why(predictor):
    output = predictor.predict_json({"passage": STORY, "question": QUESTION})
    assert output["answer"] == max(output["candidate_probabilities"], key=output["candidate_probabilities"].get)
    assert len(output["attention"]) == len(output["passage_tokens"]) == 18
    assert output["question_tokens"] == ["@begin", "Where", "is", "the", "milk", "?", "@end"]
    # Both of "Bill", and "milk" in passage and question.
    assert sorted(output["clusters"]) == [[[0, 1], [6, 7]], [[3, 4], [22, 23]]]
    assert "gold" not in output and "loss" not in output


def test_statements_are_taken_as_a_list_too(predictor):
    as_text = predictor.predict_json({"passage": STORY, "question": QUESTION})
    as_list = predictor.predict_json({"passage": STORY.replace(". ", ".\n").split("\n"), "question": QUESTION})
    assert as_text == as_list


def test_candidates_and_clusters_may_be_given(predictor):
    output = predictor.predict_json(
        {
            "passage": STORY,
            "question": QUESTION,
            "candidates": ["park", "O'Neil's office", "moon"],
            "clusters": [[[0, 1], [9, 11]]],
        }
    )
    assert set(output["candidate_probabilities"]) == {"park", "O'Neil's office", "moon"}
    assert output["candidate_probabilities"]["moon"] < 1e-5
    assert output["clusters"] == [[[0, 1], [9, 11]]]


def test_batches_agree_with_single_questions(predictor):
    inputs = [
        {"passage": STORY, "question": QUESTION},
        {"passage": "Fred went to the park.", "question": "Where is Fred?"},
    ]
    for single, batched in zip([predictor.predict_json(i) for i in inputs], predictor.predict_batch_json(inputs)):
        assert single["answer"] == batched["answer"]
        assert single["attention"] == pytest.approx(batched["attention"], abs=1e-5)


@pytest.mark.parametrize(
    "inputs, message",
    [
        ({"passage": STORY}, "expected the key 'question'"),
        ({"passage": "", "question": QUESTION}, "found an empty passage"),
        ({"passage": STORY, "question": QUESTION, "clusters": [[[0, 99]]]}, r"mention of cluster 0 \[0, 99\)"),
        (
            {"passage": STORY, "question": QUESTION, "clusters": [[0, 1]]},
            r"clusters: found \[\[0, 1\]\], expected lists of",
        ),
        ({"passage": STORY, "question": QUESTION, "candidates": "park"}, "candidates: found 'park', expected a list"),
        ({"passage": STORY, "question": QUESTION, "candidates": []}, r"candidates: found \[\], expected a list of one"),
        ({"passage": 3, "question": QUESTION}, "passage: found 3, expected a text or a list"),
        ({"passage": [STORY, 3], "question": QUESTION}, "passage: found 3 in the list, expected texts"),
        ({"passage": STORY, "question": QUESTION, "candidates": [{}]}, "candidates: found {} in the list, expected"),
        ([STORY, QUESTION], r"found \[.* as input, expected an object"),
    ],
)
def test_bad_input_is_named(predictor, inputs, message):
    with pytest.raises(ConfigurationError, match=message):
        predictor.predict_json(inputs)
