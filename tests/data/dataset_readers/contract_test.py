"""What holds of every reader of a data set."""

import json
from copy import deepcopy

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader

from allennlp_coref_rc.common.errors import ConfigurationError
from tests.data.dataset_readers.reader_assertions import check_annotated_file, check_shards, check_workers
from tests.training_config.configs import FIXTURES

CASES = [
    ("annotated_babi", "babi/qa2_train.txt", {}),
    ("annotated_cnn_dailymail", "cnn_dailymail/questions/training", {"permute_entities": True}),
    ("annotated_lambada", "lambada/valid.txt", {}),
    ("annotated_lambada", "lambada/valid.txt", {"keep_skipped": True}),
    ("annotated_narrativeqa", "narrativeqa/train", {}),
    ("annotated_quoref", "quoref/train.json", {"tag_answers": True}),
    ("annotated_who_did_what", "who_did_what/Strict/train.xml", {}),
    ("annotated_wikihop", "wikihop/train.json", {"seed": 5}),
    ("annotated_wikihop", "wikihop/dev.json", {"seed": 5}),
    ("annotated_wikihop", "wikihop/training.json", {}),
]

# A paragraph alone, which cannot be shared out, and annotated passages, which have no source.
SQUAD = ("annotated_squad", "squad/dev-v2.0.json")
SOURCELESS = ("annotated_wikihop", "wikihop/training.json")

ANNOTATORS = {
    "annotated_cnn_dailymail": {"type": "exact_match_coref", "entities": [f"@entity{i}" for i in range(200)]}
}


def build(name, annotates=True, **options):
    if annotates:
        options["annotator"] = ANNOTATORS.get(name, "exact_match_coref")
    params = {"type": name, "annotation_layers": {"coref": "coref_edges"}, **options}
    return DatasetReader.from_params(Params(deepcopy(params)))


of_every_reader = pytest.mark.parametrize("name, path, options", CASES)


@pytest.mark.parametrize("name, path, options", [*CASES, (*CASES[0][:2], {"max_instances": 3})])
def test_two_workers_give_the_same_instances(name, path, options):
    check_workers(lambda: build(name, **options), str(FIXTURES / path))


@of_every_reader
def test_processes_share_out_the_instances(name, path, options, monkeypatch):
    check_shards(lambda: build(name, **options), str(FIXTURES / path), monkeypatch)


@of_every_reader
def test_annotated_files_give_what_raw_ones_give(name, path, options, tmp_path):
    plain = build(name, annotates=False, **options)
    check_annotated_file(build(name, **options), plain, str(FIXTURES / path), str(tmp_path / "a.jsonl.gz"))


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


@pytest.mark.parametrize("name, path", sorted({case[:2] for case in [*CASES, SQUAD]} - {SOURCELESS}))
def test_passages_keep_their_source(name, path):
    """So that nothing is lost when they are annotated."""
    check_source(name, FIXTURES / path)


def test_line_breaks_are_kept(tmp_path):
    passage = "Ann didn't meet Bo.\n\n> She  left."
    question = {"passage": passage, "question": "@placeholder left.", "candidates": ["Ann", "Bo"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(question))
    assert check_source("annotated_cloze", tmp_path / "a.jsonl") == passage


@pytest.mark.parametrize(
    "name, option, value",
    [
        *(("babi", "task", task) for task in (0, 21)),
        *(("babi", "answer_type", kind) for kind in ("span", "")),
        ("narrativeqa", "text", "cooked"),
        ("narrativeqa", "oracle", "worst"),
        ("wikihop", "subset", "single"),
        ("wikihop", "max_clusters", -1),
    ],
)
def test_bad_options_are_refused(name, option, value):
    with pytest.raises(ConfigurationError, match=f"annotated_{name}: {option} is {value!r}, expected"):
        build(f"annotated_{name}", **{option: value})
