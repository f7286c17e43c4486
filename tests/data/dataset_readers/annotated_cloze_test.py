import json

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader

from tests.data.dataset_readers.reader_assertions import (
    check_annotated_file,
    check_shards,
    check_workers,
    left_out,
    metadata,
    tokens,
    write,
)

ITEMS = [
    {
        "passage": f"Ann Ray met Bo in {place}. Bo left.",
        "question": "It was @placeholder who left.",
        "candidates": ["Bo", "Ann Ray"],
        "answer": "Ann Ray",
        "id": str(i),
    }
    for i, place in enumerate(["Rome", "Oslo", "Bern", "Graz"])
]


def reader(**arguments):
    return DatasetReader.from_params(Params({"type": "annotated_cloze", **arguments}))


def annotating():
    layers = {"coref": {"type": "coref_edges"}}
    return reader(annotator={"type": "exact_match_coref"}, annotation_layers=layers)


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "my.jsonl", "".join(json.dumps(item) + "\n" for item in ITEMS))


def test_the_object_of_a_line(path):
    instance = next(iter(reader().read(path)))
    assert tokens(instance["passage"]) == "Ann Ray met Bo in Rome . Bo left .".split()
    assert tokens(instance["question"]) == "@begin It was @placeholder who left . @end".split()
    assert instance["cloze"].sequence_index == 3 and instance["answer"].label == 1
    (values,) = metadata([instance])
    assert (values["id"], values["candidates"], values["answer"]) == ("0", ["Bo", "Ann Ray"], "Ann Ray")
    given = {key: value for key, value in ITEMS[0].items() if key != "id"}
    made = reader().text_to_instance(**given)
    assert made["answer"].label == 1 and tokens(made["question"]) == tokens(instance["question"])


def test_what_may_be_missing_and_what_may_be_there(tmp_path):
    path = tmp_path / "my.json"
    clusters = [[[0, 1], [2, 3]]]
    item = {"passage": ["Ann", "met", "Bo"], "question": ["@placeholder"], "candidates": ["Ann"]}
    item["clusters"] = clusters
    path.write_text(json.dumps([item, {**item, "id": 7, "mood": "good"}]))
    found = list(reader(wrap_question=False).read(str(path)))
    assert [values["id"] for values in metadata(found)] == ["my.json:1", "7"]
    assert "answer" not in found[0].fields and metadata(found)[0]["clusters"] == [[(0, 1), (2, 3)]]


def test_an_answer_has_the_name_of_its_candidate():
    """Predictions call it so."""
    given = {"passage": "Bo saw St. Petersburg.", "question": "Bo saw @placeholder."}
    candidates = {"candidates": ["St.Petersburg", "Bo"], "answer": "St. Petersburg"}
    made = reader().text_to_instance(**given, **candidates)
    (values,) = metadata([made])
    assert made["answer"].label == 0 and values["answer"] == values["candidates"][0] == "St.Petersburg"


def test_an_answer_has_the_tokens_of_its_candidate():
    """The tokenizer would split it in another way."""
    given = {"passage": ["He", "left", "New-York", "."], "question": ["He", "left", "@placeholder"]}
    made = reader().text_to_instance(**given, candidates=[["Rome"], ["New-York"]], answer="New-York")
    assert made["answer"].label == 1 and metadata([made])[0]["answer"] == "New-York"


@pytest.mark.parametrize(
    "change, message",
    [
        ({"passage": 3}, "found 3 at passage, expected a text"),
        ({"question": "Who left?"}, "found the question '@begin Who left"),
        ({"candidates": None}, "found a question without candidates"),
        ({"answer": "Cy"}, "found the answer 'Cy', expected one of the candidates"),
    ],
)
def test_a_malformed_line_costs_itself_alone(tmp_path, change, message):
    path = write(tmp_path / "my.jsonl", f"{json.dumps(ITEMS[0])}\n{json.dumps({**ITEMS[1], **change})}\n")
    found = left_out(reader(), path)
    assert found.startswith(f"{path}, object 2: ") and message.lower() in found.lower()


def test_contract(path, tmp_path, monkeypatch):
    check_workers(annotating, path)
    check_shards(reader, path, monkeypatch)
    without = reader(annotation_layers={"coref": {"type": "coref_edges"}})
    check_annotated_file(annotating(), without, path, str(tmp_path / "annotated.jsonl"))
