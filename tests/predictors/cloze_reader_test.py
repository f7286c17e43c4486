import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import sanitize
from allennlp.data import Token
from allennlp.predictors import Predictor

from allennlp_coref_rc.predictors.explaining_predictor import plain
from tests.models.ga_reader_test import build

STORY = "Bill took the milk there. Bill went to the park. Fred moved to the office."
QUESTION = "Where is the milk?"
ASKED = {"passage": STORY, "question": QUESTION}


@pytest.fixture(scope="module")
def predictor():
    model, _, reader = build()
    return Predictor.by_name("cloze_reader")(model.eval(), reader)


def test_answers_unlabelled_text_and_says_why(predictor):
    output = predictor.predict_json(ASKED)
    expected = max(output["candidate_probabilities"], key=output["candidate_probabilities"].get)
    assert output["answer"] == expected
    assert len(output["attention"]) == len(output["passage_tokens"]) == 18
    assert output["question_tokens"] == ["@begin", "Where", "is", "the", "milk", "?", "@end"]
    # Both of "Bill", and "milk" in passage and question.
    assert sorted(output["clusters"]) == [[[0, 1], [6, 7]], [[3, 4], [22, 23]]]
    assert "gold" not in output and "loss" not in output


def test_statements_are_taken_as_a_list_too(predictor):
    statements = STORY.replace(". ", ".\n").split("\n")
    assert predictor.predict_json({**ASKED, "passage": statements}) == predictor.predict_json(ASKED)


def test_candidates_and_clusters_may_be_given(predictor):
    given = {"candidates": ["park", "O'Neil's office", "moon"], "clusters": [[[0, 1], [9, 11]]]}
    output = predictor.predict_json({**ASKED, **given})
    assert set(output["candidate_probabilities"]) == {"park", "O'Neil's office", "moon"}
    assert output["candidate_probabilities"]["moon"] < 1e-5
    assert output["clusters"] == [[[0, 1], [9, 11]]]


@pytest.mark.parametrize("passage", [".", "Bill left."])
def test_where_no_candidate_occurs_there_is_no_answer(predictor, passage):
    output = predictor.predict_json({"passage": passage, "question": QUESTION})
    assert output["answer"] is None
    assert output["unanswered"] == "none of the candidates occurs in the passage" == output["warnings"][0]
    assert max(output["candidate_probabilities"].values()) < 1e-6
    given = {**ASKED, "candidates": ["moon", "New York"]}
    assert predictor.predict_json(given)["answer"] is None
    # Another question of the batch changes nothing, and has no reason to give.
    batch = predictor.predict_batch_json([ASKED, {"passage": passage, "question": QUESTION}])
    assert batch[0]["answer"] and "unanswered" not in batch[0] and batch[1].keys() == output.keys()


ZELDA = {"passage": "Zelda put the trumpet in the aquarium.", "question": "Where is the trumpet?"}


def test_where_no_known_answer_occurs_unknown_words_of_the_passage_are_candidates(predictor):
    output = predictor.predict_json(ZELDA)
    # Not the words of the question, nor "put" and "in".
    given = predictor.predict_json({**ZELDA, "candidates": ["Zelda", "aquarium"]})
    same = ("answer", "candidate_probabilities", "attention")
    assert [output[key] for key in same] == [given[key] for key in same]
    assert set(output["candidate_probabilities"]) == {"Zelda", "aquarium"} and "unanswered" not in output
    assert output["warnings"] == [
        "none of the answers that the reader knows occurs in the passage; the candidates are words of the passage",
        "the reader does not know 1 of 1 content words of the question: trumpet",
        "the reader does not know 3 of 3 content words of the passage: Zelda, trumpet, aquarium",
    ]
    arabic = predictor.predict_json({"passage": "خرج بيل من البيت.", "question": QUESTION})
    assert arabic["answer"] in arabic["passage_tokens"] and arabic["warnings"]
    batch = predictor.predict_batch_json([ASKED, ZELDA, {"passage": ".", "question": QUESTION}])
    assert "warnings" not in batch[0]
    assert batch[1]["answer"] == output["answer"] and batch[2]["answer"] is None


def test_a_question_whose_answer_is_known_has_the_answer_of_evaluate(predictor):
    instance = predictor._dataset_reader.text_to_instance(**ZELDA, answer="aquarium")
    predictor._dataset_reader.apply_token_indexers(instance)
    evaluated = predictor._model.forward_on_instance(instance)
    output = predictor.predict_instance(instance)
    assert output["candidate_probabilities"] == pytest.approx(evaluated["candidate_probabilities"])
    assert "aquarium" not in output["candidate_probabilities"]
    assert output["unanswered"] == evaluated["unanswered"] and output["answer"] is None


def test_no_answer_changes_by_a_warning(predictor, monkeypatch):
    """The passage has a word that the reader does not know. The model still answers once."""
    instance = predictor._json_to_instance({"passage": f"Zelda left. {STORY}", "question": QUESTION})
    predictor._dataset_reader.apply_token_indexers(instance)
    (alone,) = predictor._model.forward_on_instances([instance])
    calls = []
    forward = predictor._model.forward
    monkeypatch.setattr(predictor._model, "forward", lambda **batch: calls.append(batch) or forward(**batch))
    (output,) = predictor.predict_batch_instance([instance])
    assert len(calls) == 1 and output["answer"] == alone["answer"]
    assert output["candidate_probabilities"] == pytest.approx(alone["candidate_probabilities"], abs=1e-6)
    assert output["attention"] == pytest.approx(alone["attention"], abs=1e-6)


def test_given_candidates_are_never_changed(predictor):
    output = predictor.predict_json({**ZELDA, "candidates": ["garden"]})
    assert output["answer"] is None and set(output["candidate_probabilities"]) == {"garden"}
    assert output["warnings"][0] == output["unanswered"]


def test_a_reader_of_classes_warns_of_unknown_words():
    model, _, reader = build(task=15)
    predictor = Predictor.by_name("cloze_reader")(model.eval(), reader)
    passage, names = "Mice are afraid of wolves.", ("mouse", "Zelda")
    inputs = [{"passage": passage, "question": f"What is {name} afraid of?"} for name in names]
    known, unknown = map(predictor.predict_json, inputs)
    assert set(known["candidate_probabilities"]) == set(unknown["candidate_probabilities"])
    assert unknown["warnings"][:1] == ["the reader does not know 1 of 1 content words of the question: Zelda"]
    assert "warnings" not in known, known


def test_texts_that_may_be_cut_are_told_of(predictor, monkeypatch):
    whole = predictor.predict_json(ASKED)
    length = len(whole["passage_tokens"])
    assert "warnings" not in whole
    monkeypatch.setattr(predictor._dataset_reader, "_max_passage_length", length - 1)
    monkeypatch.setattr(predictor._dataset_reader, "_max_question_length", len(whole["question_tokens"]) - 2)
    message = "the reader reads the {} no further than the {} tokens here"
    expected = [
        message.format("passage", length - 1),
        message.format("question", len(whole["question_tokens"])),
    ]
    assert predictor.predict_json(ASKED)["warnings"] == expected


def test_candidates_that_are_the_same_but_for_case_are_one(predictor):
    once = predictor.predict_json({**ASKED, "candidates": ["office", "park"]})["candidate_probabilities"]
    repeated = ["office", "office", "park", "OFFICE", ["Office"]]
    assert predictor.predict_json({**ASKED, "candidates": repeated})["candidate_probabilities"] == once
    assert sum(once.values()) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    "candidates, why",
    [
        (["office", "the office", "park"], "a word of several candidates counts for each"),
        (["moon"], "words that are no candidate have the rest"),
        (["office", "park"], None),
    ],
)
def test_probabilities_that_do_not_add_up_are_explained(predictor, candidates, why):
    output = predictor.predict_json({**ASKED, "candidates": candidates})
    total = sum(output["candidate_probabilities"].values())
    assert output.get("note") == (why and f"The probabilities add up to {total:.3f}; {why}.")


@pytest.mark.parametrize(
    "inputs, message",
    [
        ({"passage": STORY}, "expected the key 'question'"),
        ({**ASKED, "cluster": []}, 'found the key "cluster"; did you mean clusters?'),
        ({"passage": "", "question": QUESTION}, "found an empty passage"),
        ({**ASKED, "clusters": [[[0, 99]]]}, r"mention of cluster 0 \[0, 99\)"),
        ({**ASKED, "candidates": []}, r"found \[\] at candidates, expected a list of one"),
        ({"passage": [[1]], "question": QUESTION}, r"found 1 at passage\[0\]\[0\], expected a string"),
        ({"passage": STORY, "question": {"a": 1}}, 'found {"a": 1} at question, expected a text or a list'),
        ([STORY, QUESTION], r"found \[.*, expected an object"),
    ],
)
def test_bad_input_is_named(predictor, inputs, message):
    with pytest.raises(ConfigurationError, match=message):
        predictor.predict_json(inputs)


def test_values_become_plain_as_by_allennlp():
    values = {
        "numbers": [1, 2.5, True],
        "texts": ("a", "b"),
        "mixed": [1, None, "a", [0.5, torch.tensor(2.0)], ()],
        "set": {3},
        "tensor": torch.ones(2, 2),
        "array": numpy.arange(3),
        "number": numpy.float32(0.5),
        "truth": numpy.bool_(True),
        "token": [Token("word")],
    }
    assert repr(plain(values)) == repr(sanitize(values))
