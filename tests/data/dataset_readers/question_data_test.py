"""Readers leave out what annotated documents may not say about a question, and name file and line."""

import json

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader

from allennlp_coref_rc.annotations import AnnotatedText, Document, write_documents
from allennlp_coref_rc.data.dataset_readers.question_data import (
    CHECKS,
    CHECKS_WITHIN_PASSAGE,
    TYPES,
    checked_questions,
)
from tests.data.dataset_readers.annotated_wikihop_test import ITEM
from tests.data.dataset_readers.reader_assertions import left_out, refusal

GARDEN = {"answer": "garden", "candidates": ["park", "garden"]}
ENTITY = {"answer": "@entity1", "candidates": ["@entity0", "@entity1"]}

GOOD = {
    "annotated_babi": {**GARDEN, "task": 1, "supporting_facts": [0]},
    "annotated_cnn_dailymail": {**ENTITY, "entities": {"@entity0": ""}},
    "annotated_lambada": {"answer": "garden", "answer_in_context": True},
    "annotated_narrativeqa": {"answers": ["garden", "park"], "span": [5, 6]},
    "annotated_quoref": {"id": "q1", "answers": ["garden", "Mary Ann"], "spans": [[5, 6], [0, 2]]},
    "annotated_squad": {"answers": ["garden", "@entity1"], "spans": [[5, 6], None], "unanswerable": False},
    "annotated_who_did_what": {"answer": "Mary Ann", "candidates": ["Mary Ann", "Bill"], "passage_id": "a"},
    "annotated_wikihop": {**GARDEN, "supports": [[0, 7]], "annotations": [["follows"]]},
}
"""By reader, what a document may say about a question."""

PASSAGE = "Mary Ann moved to @entity1 garden .".split()

QUESTION = ["@placeholder", "left"]


def write(path, name, data, parts=None):
    """A file with a good document before the one whose data is given."""
    good = Document.of(AnnotatedText(PASSAGE), AnnotatedText(QUESTION), data={"questions": [GOOD[name]]})
    other = Document(AnnotatedText(PASSAGE + QUESTION), parts or [7, 2], data)
    write_documents(str(path), [good, other], {"reader": name})
    return str(path)


def read(name, path):
    return list(DatasetReader.by_name(name)().read(path))


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("value", [5, "x", [1], {"a": 1}, [[1]], True, float("nan"), 10**30, -1])
def test_values_of_other_types_are_left_out_with_their_line(tmp_path, name, value):
    """Or read, where the value is of the right type for its key; nothing else happens."""
    outcomes = set()
    for key in GOOD[name]:
        path = write(tmp_path / f"{key}.jsonl", name, {"questions": [{**GOOD[name], key: value}]})
        reader = DatasetReader.by_name(name)()
        kept = len(list(reader.read(path)))
        messages = list(map(str, reader.report.malformed))
        assert all(message.startswith(f"{path}, line 3: ") and "expected" in message for message in messages)
        assert kept + reader.report.skipped.total() == 2
        assert reader.report.skipped["malformed"] == len(messages)
        outcomes.add("left out" if messages else "read")
    assert "left out" in outcomes


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("questions", ["none", 5, [], [5], None, {"0": {}}], ids=json.dumps)
def test_questions_have_to_be_as_many_as_there_are(tmp_path, name, questions):
    path = write(tmp_path / "a.jsonl", name, {} if questions == "none" else {"questions": questions})
    message = left_out(DatasetReader.by_name(name)(), path)
    assert message.startswith(f"{path}, line 3: data: found the question")


@pytest.mark.parametrize("name", [name for name in GOOD if "answer" in GOOD[name]])
def test_a_second_question_is_not_dropped_silently(tmp_path, name):
    path = write(tmp_path / "a.jsonl", name, {"questions": [GOOD[name], {}]}, parts=[7, 1, 1])
    message = left_out(DatasetReader.by_name(name)(), path, lost=2)
    assert "line 3: data: found 2 questions about a passage, expected one" in message


def test_a_passage_without_questions_has_no_instances(tmp_path):
    path = write(tmp_path / "a.jsonl", "annotated_narrativeqa", {"questions": []}, parts=[9])
    assert len(read("annotated_narrativeqa", path)) == 1


@pytest.mark.parametrize(
    "name", ["annotated_babi", "annotated_cnn_dailymail", "annotated_who_did_what", "annotated_wikihop"]
)
def test_an_answer_that_is_no_candidate_is_refused(tmp_path, name):
    path = write(tmp_path / "a.jsonl", name, {"questions": [{**GOOD[name], "answer": "cellar"}]})
    message = left_out(DatasetReader.by_name(name)(), path)
    assert message == f"{path}, line 3: found the answer 'cellar', expected one of the candidates"


@pytest.mark.parametrize("line", ["", "[]", '{"tokens": ["a"], "clusters": [[[0, 2]]]}', '{"tokens": ["a"'])
def test_a_line_that_is_no_document_is_left_out_and_counted(tmp_path, line, caplog):
    path = tmp_path / "a.jsonl"
    write(path, "annotated_who_did_what", {"questions": [GOOD["annotated_who_did_what"]]})
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], line, lines[2]]) + "\n")
    message = left_out(DatasetReader.by_name("annotated_who_did_what")(), str(path))
    assert message.startswith(f"{path}, line 2: ")
    assert f"{path}: 1 of 2 questions skipped: malformed" in caplog.messages
    # A file that lacks a document is refused as before.
    path.write_text("\n".join(lines[:2]) + "\n")
    message = refusal(lambda: read("annotated_who_did_what", str(path)))
    assert "found 1 documents, the header says 2" in message


@pytest.mark.parametrize("malformed", [3, [[]], [{}], [{"error": 3}]], ids=json.dumps)
def test_malformed_questions_of_a_document_are_checked(tmp_path, malformed):
    name = "annotated_squad"
    path = write(tmp_path / "a.jsonl", name, {"questions": [GOOD[name]], "malformed": malformed})
    assert "line 3: found" in left_out(DatasetReader.by_name(name)(), path)
    message = f"{path}, line 3: found 5"
    good = {"error": message, "id": "b"}
    path = write(tmp_path / "a.jsonl", name, {"questions": [GOOD[name]], "malformed": [good]})
    assert left_out(DatasetReader.by_name(name)(), path) == message


def test_an_answer_is_a_candidate_by_its_text_or_by_its_tokens(tmp_path):
    answers = {"MARY ANN": "mary ann", "Mary Ann": ["mary", "Ann"], "Ann's": ["Ann", "'s"]}
    for answer, candidate in answers.items():
        data = {"answer": answer, "candidates": [candidate]}
        path = write(tmp_path / "a.jsonl", "annotated_who_did_what", {"questions": [data]})
        assert len(list(DatasetReader.by_name("annotated_who_did_what")(keep_skipped=True).read(path))) == 2


def test_every_key_that_readers_know_is_checked():
    """All keys in the readers' own documents are known, so that no new key is forgotten."""
    assert {key for data in GOOD.values() for key in data} | {
        "no_context",
        "oracle",
        "url",
    } == TYPES.keys() | CHECKS.keys() | CHECKS_WITHIN_PASSAGE.keys()


def test_of_several_questions_the_message_says_which():
    document = Document(AnnotatedText(["a"] * 3), [1, 1, 1], {"questions": [{}, {"answers": ["a", 5]}]})
    with pytest.raises(ConfigurationError, match=r"found 5 at questions\[1\].answers\[1\]"):
        checked_questions(document)


@pytest.mark.parametrize("key", ["id", "query", "supports", "candidates", "anything"])
def test_half_of_a_surrogate_pair_in_wikihop_is_refused_with_its_place(tmp_path, key):
    half = ["\ud800"] if isinstance(ITEM.get(key), list) else "\ud800"
    path = tmp_path / "a.json"
    path.write_text(f"[{json.dumps(ITEM)},\n{json.dumps({**ITEM, key: half})}]")
    message = refusal(lambda: read("annotated_wikihop", str(path)))
    assert message.startswith(f"{path}, object 2: found half of a surrogate pair (such as \\ud800)")


def test_whole_surrogate_pairs_are_text(tmp_path):
    good = {"id": "a", "query": "part_of wheel", "answer": "\U0001f697", "candidates": ["\U0001f697"]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{**good, "supports": ["A \U0001f697 ."]}]))
    assert "\\ud83d\\ude97" in path.read_text()
    (instance,) = read("annotated_wikihop", str(path))
    assert instance["answer"].label == 0
