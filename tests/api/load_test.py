import copy
import dataclasses
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest
from allennlp.predictors import Predictor

import allennlp_coref_rc
from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.api.load import BUNDLED
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.babi.babi_files import read_babi
from allennlp_coref_rc.data.dataset_readers.annotated_babi import BUNDLED_FOLDER

STORY = "Bill took the milk there. Bill went to the park. Fred moved to the office."
QUESTION = "Where is the milk?"


def test_an_answer_is_that_of_predict(archive, reader):
    output = Predictor.from_path(archive, import_plugins=False).predict_json(
        {"passage": STORY, "question": QUESTION}
    )
    answer = reader.answer(STORY, QUESTION)
    assert answer.output == output
    assert answer.answer == output["answer"]
    assert answer.candidates == output["candidate_probabilities"]
    assert list(answer.candidates.values()) == sorted(answer.candidates.values(), reverse=True)
    assert answer.probability == max(answer.candidates.values())
    assert answer.attention == list(zip(answer.passage_tokens, output["attention"]))
    assert answer.explanations is None and answer.spans == [] and answer.warnings == []
    assert repr(answer).startswith(f"Answer: {answer.answer}, probability 0.")


def test_clusters_are_spans_strings_and_characters(reader):
    answer = reader.answer(STORY, QUESTION)
    assert sorted(answer.clusters) == [[(0, 1), (6, 7)], [(3, 4), (22, 23)]]
    assert sorted(answer.cluster_texts) == [["Bill", "Bill"], ["milk", "milk"]]
    assert [(0, 4), (26, 30)] in answer.cluster_characters and [(14, 18), None] in answer.cluster_characters
    assert answer._repr_html_().count("Bill") >= 2


def test_changed_clusters_change_the_answer(reader):
    answer = reader.answer(STORY, QUESTION)
    assert reader.answer(STORY, QUESTION, clusters=answer.clusters) == answer
    split = reader.answer(STORY, QUESTION, clusters=[])
    assert split.clusters == [] and split.candidates != answer.candidates


def test_a_passage_with_annotations_keeps_them(reader):
    passage = allennlp_coref_rc.annotate(STORY, {"type": "exact_match_coref", "entities": ["there", "the"]})
    answer = reader.answer(passage, QUESTION)
    assert answer.cluster_texts[: len(passage.clusters)] == passage.cluster_texts == [["the", "the", "the"]]
    # The reader's own annotator links the question to the only "milk".
    assert answer.cluster_texts[len(passage.clusters) :] == [["milk", "milk"]]
    assert [
        STORY[start:end] for start, end in answer.text.offsets[: answer.boundary]
    ] == answer.passage_tokens
    assert answer.text.text == STORY and set(answer.text.offsets[answer.boundary :]) == {
        (len(STORY), len(STORY))
    }
    bare = dataclasses.replace(passage, text=None, offsets=None)
    expected = dataclasses.replace(answer.text, text=None, offsets=None)
    assert dataclasses.replace(answer, text=expected) == reader.answer(bare, QUESTION)


def test_mentions_of_the_question_join_the_clusters_of_a_passage(reader):
    text = AnnotatedText(["Bill", "took", "the", "milk", ".", "It", "fell", "."], clusters=[[(2, 4), (5, 6)]])
    answer = reader.answer(text, QUESTION)
    assert answer.cluster_texts == [["the milk", "It", "milk"]]
    assert answer.cluster_characters is None and text.clusters == [[(2, 4), (5, 6)]]


def test_what_was_attended_to_is_told_on_request(reader):
    plain, explained = reader.answer(STORY, QUESTION), reader.answer(STORY, QUESTION, explain=True)
    assert {"gating"} <= {attention["kind"] for attention in explained.explanations}
    assert explained.answer == plain.answer and reader.answer(STORY, QUESTION) == plain


def test_a_predictor_that_explains_goes_on_and_threads_do_not_disturb(reader):
    predictor = copy.copy(reader.predictor)
    predictor.set_explain(True)
    try:
        assert not reader.answer(STORY, QUESTION).explanations
        predictor.answer({"passage": STORY, "question": QUESTION})
        assert predictor.predict_json({"passage": STORY, "question": QUESTION})["explanations"]
    finally:
        predictor.set_explain(False)
    with ThreadPoolExecutor(2) as threads:
        wanted = [bool(i % 2) for i in range(40)]
        answers = threads.map(lambda explain: reader.answer(STORY, QUESTION, explain=explain), wanted)
        assert [bool(answer.explanations) for answer in answers] == wanted


@pytest.mark.parametrize(
    "path, message", [(3, "found 3, expected the path"), ("none.tar.gz", "no such archive")]
)
def test_what_is_no_archive_is_named(path, message):
    with pytest.raises(ConfigurationError, match=message):
        allennlp_coref_rc.load(path)


def test_the_reader_that_comes_with_the_package(tmp_path):
    """The first question after an installation. Imports say nothing, such as about packaging."""
    passage = "Mary got the football. John went to the kitchen. She went to the garden."
    answer = f"allennlp_coref_rc.load().answer({passage!r}, 'Where is the football?')"
    program = f"import allennlp_coref_rc, rouge; print({answer})"
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.startswith("Answer: garden, probability 0.9") and "cluster: Mary, She" in done.stdout
    assert done.stderr == ""


def test_those_that_come_with_the_package_are_as_good_as_their_card_says():
    questions = list(islice(read_babi(str(BUNDLED_FOLDER / "qa2_test.txt")), 100))
    card = (Path(BUNDLED["GRU"]).parent / "CARD.md").read_text()
    assert sum(os.path.getsize(path) for path in BUNDLED.values()) < 1_000_000
    for name, path in BUNDLED.items():
        reader = allennlp_coref_rc.load(path)
        right = sum(
            reader.answer(" ".join(asked.statements), asked.question).answer == asked.answer
            for asked in questions
        )
        (accuracy,) = re.findall(rf"^\| {name} \| (.*) \|$", card, re.MULTILINE)
        assert abs(right / 100 - float(accuracy)) < 0.05, (name, right)
