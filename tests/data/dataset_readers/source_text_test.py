"""Documents of data sets have the source text of their passage, so that nothing is lost when they are annotated."""

import json

import pytest
from allennlp.data import DatasetReader

from tests.training_config.configs import FIXTURES

PATHS = {
    "annotated_babi": "babi/qa2_train.txt",
    "annotated_cnn_dailymail": "cnn_dailymail/questions/test",
    "annotated_lambada": "lambada/valid.txt",
    "annotated_narrativeqa": "narrativeqa/train",
    "annotated_quoref": "quoref/train.json",
    "annotated_squad": "squad/dev-v2.0.json",
    "annotated_who_did_what": "who_did_what/Strict/test.xml",
    "annotated_wikihop": "wikihop/train.json",
}


def check_source(name, path):
    documents = [document for _, document in DatasetReader.by_name(name)().documents(str(path))]
    assert documents
    for document in documents:
        text, length = document.text, document.parts[0]
        assert [text.text[start:end] for start, end in text.offsets[:length]] == text.tokens[:length]
        # There is nothing of the question in it.
        assert not text.text[text.offsets[length - 1][1] :].strip()
        assert all(start == end for start, end in text.offsets[length:])
    return documents[0].text.text


@pytest.mark.parametrize("name", PATHS)
def test_passages_keep_their_source(name):
    check_source(name, FIXTURES / PATHS[name])


def test_line_breaks_are_kept(tmp_path):
    passage = "Ann didn't meet Bo.\n\n> She  left."
    question = {"passage": passage, "question": "@placeholder left.", "candidates": ["Ann", "Bo"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(question))
    assert check_source("annotated_cloze", tmp_path / "a.jsonl") == passage
