"""Splits of which no question can be used, and shares of a file of which none can."""

import json

import pytest
from allennlp.common import Params
from allennlp.data import DataLoader, DatasetReader, Vocabulary

from allennlp_coref_rc.common.errors import ConfigurationError

GOOD = {
    "passage": "Ann met Bo.",
    "question": "@placeholder met Bo.",
    "candidates": ["Ann", "Bo"],
    "answer": "Ann",
}

REFUSED = {**GOOD, "candidates": ["Cy", "Di"], "answer": "Cy"}

MALFORMED = {"passage": "Ann."}

REASON = (
    "found no question that can be used, expected one or more; 2 of 2 questions are skipped: the answer is not in the "
    "passage"
)

LOADERS = {
    "prepared": ({"type": "prepared"}, REASON),
    "AllenNLP's": ({}, REASON),
    "lazy": ({"max_instances_in_memory": 4}, REASON),
    "workers": ({"num_workers": 2}, "found no question for a batch, expected one or more"),
    "lazy workers": ({"num_workers": 2, "max_instances_in_memory": 4}, "found no question for a batch"),
}


def loader(path, lines, **options):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    reader = DatasetReader.from_params(Params({"type": "annotated_cloze"}))
    made = DataLoader.from_params(Params({"batch_size": 4, **options}), reader=reader, data_path=str(path))
    made.index_with(Vocabulary())
    return made


@pytest.mark.parametrize("kind", LOADERS)
def test_no_split_is_empty(tmp_path, kind):
    options, message = LOADERS[kind]
    path = tmp_path / "split.jsonl"
    with pytest.raises(ConfigurationError, match=f"^{path}: {message}"):
        list(loader(path, [REFUSED] * 2, **options))
    # A process may have nothing but what is malformed.
    (batch,) = loader(path, [GOOD, MALFORMED], **options)
    assert len(batch["metadata"]) == 1


def test_no_batch_is_an_error_too(tmp_path):
    with pytest.raises(ConfigurationError, match="found no question for a batch"):
        list(loader(tmp_path / "split.jsonl", [GOOD], drop_last=True))
