"""Data sets in the form of the Hugging Face hub give what the official files give."""

import csv
import io
import json
import tarfile

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from allennlp_coref_rc.annotations import read_documents
from allennlp_coref_rc.common.hub_addresses import is_hub_address, parse_address
from allennlp_coref_rc.config_check.check import missing_data
from allennlp_coref_rc.data.dataset_readers import (
    AnnotatedBabiReader,
    AnnotatedLambadaReader,
    AnnotatedNarrativeQaReader,
    AnnotatedQuorefReader,
    AnnotatedSquadReader,
    AnnotatedWikiHopReader,
)
from allennlp_coref_rc.data.hub_rows import read_rows
from tests.data.dataset_readers.reader_assertions import flat, left_out
from tests.safe_archives.crafted import changed, make_folder, refusal, run
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures"
LAMBADA = FIXTURES / "lambada" / "valid.txt"
WIKIHOP = FIXTURES / "wikihop" / "dev.json"
QUOREF = FIXTURES / "quoref" / "train.json"
SQUAD = FIXTURES / "squad" / "dev-v2.0.json"
NARRATIVEQA = FIXTURES / "narrativeqa"

try:
    import datasets
except ImportError:
    datasets = None

needs_datasets = pytest.mark.skipif(datasets is None, reason="the package datasets cannot be imported")


def lambada_rows():
    return [{"text": line.strip(), "domain": "None"} for line in LAMBADA.read_text().splitlines()]


def wikihop_rows():
    keys = "query", "supports", "candidates", "answer", "id", "annotations"
    return [{key: item[key] for key in keys} for item in json.loads(WIKIHOP.read_text())]


ANSWER = ("text", "answer_start")


def squad_rows(path):
    """A row for each question, as the hub has them: without `is_impossible`."""
    return [
        {
            "id": question["id"],
            "title": article.get("title", ""),
            "context": paragraph["context"],
            "question": question["question"],
            "answers": {key: [answer[key] for answer in question["answers"]] for key in ANSWER},
        }
        for article in json.loads(path.read_text())["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]


def narrativeqa_rows(split):
    with open(NARRATIVEQA / "third_party" / "wikipedia" / "summaries.csv", newline="") as file:
        summaries = {row["document_id"]: row for row in csv.DictReader(file)}
    with open(NARRATIVEQA / "qaps.csv", newline="") as file:
        questions = [row for row in csv.DictReader(file) if row["set"] == split]

    def both(row, name):
        return {"text": row[name], "tokens": row[f"{name}_tokenized"].split()}

    return [
        {
            "document": {
                "id": row["document_id"],
                "kind": "movie",
                "summary": both(summaries[row["document_id"]], "summary"),
                "text": "The whole story.",
            },
            "question": both(row, "question"),
            "answers": [both(row, "answer1"), both(row, "answer2")],
        }
        for row in questions
    ]


def saved(rows, folder):
    """A folder of `save_to_disk` with a split `validation`."""
    split = datasets.Dataset.from_list(rows)
    datasets.DatasetDict({"train": split.select([0]), "validation": split}).save_to_disk(str(folder))
    return f"hf://{folder}?split=validation"


def contents(instances, vocab):
    """All fields as numbers and metadata, without ids, which name the file where the data have none."""
    found = []
    for instance in instances:
        instance.index_fields(vocab)
        values = flat(instance.as_tensor_dict())
        values = {name: x.tolist() if torch.is_tensor(x) else x for name, x in values.items()}
        found.append({name: value for name, value in values.items() if name != ".metadata.id"})
    return found


CASES = {
    "lambada": (AnnotatedLambadaReader, {}, lambada_rows, LAMBADA),
    "wikihop": (AnnotatedWikiHopReader, {}, wikihop_rows, WIKIHOP),
    "quoref": (AnnotatedQuorefReader, {"tag_answers": True}, lambda: squad_rows(QUOREF), QUOREF),
    "squad": (AnnotatedSquadReader, {}, lambda: squad_rows(SQUAD), SQUAD),
    "narrativeqa": (AnnotatedNarrativeQaReader, {}, lambda: narrativeqa_rows("train"), NARRATIVEQA / "train"),
}
CASES["raw"] = (AnnotatedNarrativeQaReader, {"text": "raw"}, *CASES["narrativeqa"][2:])


@needs_datasets
@pytest.mark.parametrize("case", CASES)
def test_rows_give_what_official_files_give(case, tmp_path):
    cls, options, rows, official = CASES[case]
    address = saved(rows(), tmp_path / "saved")
    for keep_skipped in (False, True):
        reader = cls(keep_skipped=keep_skipped, **options)
        instances = list(reader.read(str(official)))
        skipped = reader.report.skipped
        vocab = Vocabulary.from_instances(instances)
        expected = contents(instances, vocab)
        assert len(expected) > 1 and len(expected[0]) > 5
        assert contents(reader.read(address), vocab) == expected
        assert reader.report.skipped == skipped


@needs_datasets
def test_documents_of_rows_are_those_of_files(tmp_path):
    """With the titles of their articles; their ids are made of other names."""
    address = saved(squad_rows(QUOREF), tmp_path / "saved")
    files, rows = (list(AnnotatedQuorefReader().documents(path)) for path in (str(QUOREF), address))
    assert [document.data for _, document in rows] == [document.data for _, document in files]
    assert [document.data["title"] for _, document in rows] == ["The lighthouse", "The lighthouse", "Dukes"]


@needs_datasets
def test_forms_of_local_data(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    data = datasets.Dataset.from_list([{"text": text} for text in "abc"])
    data.save_to_disk(str(tmp_path / "single"))
    (tmp_path / "parquet").mkdir()
    data.to_parquet(str(tmp_path / "parquet" / "train-00000-of-00001.parquet"))
    data.select([1]).to_parquet(str(tmp_path / "parquet" / "validation-00000-of-00001.parquet"))
    monkeypatch.chdir(tmp_path)
    for address, expected in (
        (saved([{"text": "d"}, {"text": "e"}], tmp_path / "dict"), "de"),
        (f"hf://{tmp_path}/single", "abc"),
        ("hf://./parquet?split=train", "abc"),
        ("hf://./parquet?split=validation", "b"),
        ("hf://./parquet?split=train[1:]+validation", "bcb"),
        ("hf://./parquet/train-00000-of-00001.parquet", "abc"),
        ("hf://./parquet/train-00000-of-00001.parquet?split=train[:2]", "ab"),
    ):
        rows = list(read_rows(address, ["text"]))
        assert [row["text"].value for row in rows] == list(expected), address
        assert [row.place for row in rows] == [f"{address}, row {number}" for number in range(len(expected))]


@pytest.mark.parametrize(
    "address, message",
    [
        ("hf://owner/name", "hf://owner/name: found no split, expected hf://OWNER/NAME?split=SPLIT"),
        ("hf://owner/name?split=train&splits=x", "found 'splits=x', expected each of split, name, revision"),
        ("hf:///nowhere/at/all?split=train", "hf:///nowhere/at/all?split=train: no such file or folder"),
    ],
)
def test_mistakes_in_addresses(address, message):
    with pytest.raises(ConfigurationError) as error:
        parse_address(address)
    assert message in str(error.value)
    # The check before a training says the same.
    assert message in missing_data({"type": "annotated_squad"}, address)


def test_files_of_the_hub_are_files():
    assert not is_hub_address("hf://owner/name/train.json") and not is_hub_address("train.json")
    assert is_hub_address("hf://owner/name") and is_hub_address("hf://squad?split=train")


def test_options_of_an_address():
    found = parse_address("hf://owner/name?name=plain&split=train+validation&revision=refs/convert/parquet")
    assert found[1:] == ("owner/name", False, "train+validation", "plain", "refs/convert/parquet")


@needs_datasets
def test_mistakes_name_the_data_set_the_split_and_the_row(tmp_path):
    rows = squad_rows(QUOREF)
    rows[1]["answers"] = {"text": ["a", "b"], "answer_start": [0]}
    address = saved(rows[:2], tmp_path / "saved")
    error = left_out(AnnotatedQuorefReader(), address)
    assert error.startswith(f"{address}, row 1: ") and "expected 2 places, as many as answers.text" in error


@needs_datasets
def test_other_data_sets_are_named(tmp_path):
    address = saved(lambada_rows(), tmp_path / "saved")
    test = address.replace("validation", "test")
    cases = (
        (AnnotatedSquadReader(), address, "found the columns text, domain, expected also 'context'"),
        (AnnotatedLambadaReader(), test, "found no such split, expected one of train"),
    )
    for reader, address, message in cases:
        with pytest.raises(ConfigurationError, match=message) as error:
            list(reader.read(address))
        assert str(error.value).startswith(f"{address}: ")


def test_a_reader_of_files_says_so():
    with pytest.raises(ConfigurationError) as error:
        list(AnnotatedBabiReader().read("hf://owner/name?split=train"))
    assert "hf://owner/name?split=train: annotated_babi reads files alone" in str(error.value.__cause__)


@pytest.mark.skipif(datasets is not None, reason="the package datasets is there")
def test_a_missing_package_is_named():
    with pytest.raises(ConfigurationError, match="the package datasets cannot be imported"):
        list(AnnotatedSquadReader().read("hf://owner/name?split=train"))


@needs_datasets
@pytest.mark.slow
def test_commands_take_addresses(tmp_path, capsys):
    reader = {"type": "annotated_lambada"}
    archive = changed(make_folder(tmp_path / "babi"), tmp_path / "run", {"dataset_reader": reader})
    address = saved(lambada_rows(), tmp_path / "saved")
    status, out, err = run(capsys, "evaluate", archive, address, "--output-file", tmp_path / "metrics.json")
    assert status == 0, err
    run(capsys, "evaluate", archive, LAMBADA, "--output-file", tmp_path / "expected.json")
    found = json.loads((tmp_path / "metrics.json").read_text())
    assert found == json.loads((tmp_path / "expected.json").read_text())

    output = tmp_path / "predictions.jsonl"
    status, _, err = run(capsys, "predict", archive, address, "--use-dataset-reader", "--output-file", output)
    assert status == 0, err
    assert len(output.read_text().splitlines()) == 5

    annotated = tmp_path / "annotated.jsonl"
    words = ["annotate", address, annotated, "--annotator", "exact_match_coref", "--workers", 0]
    assert "expected also --reader" in refusal(capsys, *words)
    status, _, err = run(capsys, *words, "--reader", json.dumps(reader))
    assert status == 0, err
    assert len(list(read_documents(str(annotated)))) == 7

    for command in (["evaluate", archive], ["predict", "--use-dataset-reader", archive]):
        assert refusal(capsys, *command, "hf://owner/name").startswith("hf://owner/name: found no split")


@needs_datasets
@pytest.mark.parametrize("name", ["{0}_q/written", "{0}/../written"])
def test_a_file_that_is_a_tar_file_is_unpacked_nowhere_else(name, tmp_path, monkeypatch):
    """`datasets` unpacks it whatever its name, and takes a folder for another whose name begins alike."""
    from datasets.utils.file_utils import hash_url_to_filename

    extracted = tmp_path / "downloads" / "extracted"
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path))
    monkeypatch.setattr("datasets.config.DOWNLOADED_DATASETS_PATH", str(extracted.parent))
    monkeypatch.setattr("datasets.config.EXTRACTED_DATASETS_PATH", str(extracted))
    for harmful in (False, True):
        path = tmp_path / f"stranger_{harmful}" / "data" / "train.jsonl"
        path.parent.mkdir(parents=True)
        escape = [f"../{name.format(hash_url_to_filename(str(path)))}"] if harmful else []
        with tarfile.open(path, "w:gz") as archive:
            for member in ["train.jsonl", *escape]:
                content = json.dumps({"text": "Zoë left ."}).encode()
                info = tarfile.TarInfo(member)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        address = f"hf://{path.parent.parent}?split=train"
        if not harmful:
            assert len(list(read_rows(address, ["text"]))) == 1
        else:
            extracted_before = {str(file) for file in extracted.rglob("*")}
            with pytest.raises(ConfigurationError, match="outside of the archive"):
                list(read_rows(address, ["text"]))
            assert {str(file) for file in extracted.rglob("*") if file.suffix != ".lock"} <= extracted_before
    assert not list(tmp_path.rglob("written"))
