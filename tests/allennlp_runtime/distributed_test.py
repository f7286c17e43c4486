"""Training by two processes, and by one with batches of twice the size; evaluation of unequal shares."""

import json
import re
from collections import Counter
from unittest import mock

import pytest
import torch
from allennlp.common import Params
from allennlp.data import DataLoader, DatasetReader
from allennlp.models import load_archive
from allennlp.training.util import evaluate

from allennlp_coref_rc.allennlp_runtime import lockstep_evaluation
from allennlp_coref_rc.allennlp_runtime.lockstep_evaluation import LockstepBatches
from allennlp_coref_rc.annotations import write_documents
from allennlp_coref_rc.commands import allennlp
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.dataset_readers.document_reader import DocumentReader
from allennlp_coref_rc.metrics.answer_accuracy import AnswerAccuracy
from allennlp_coref_rc.metrics.narrativeqa import NarrativeQaMetric
from allennlp_coref_rc.modules.qanet_block import QanetBlock
from tests.processes import run_in_processes
from tests.training_config.configs import CONFIGS, FIXTURES, SPLITS, load_small, overrides

CONFIG = CONFIGS / "babi" / "ga_coref_gru.jsonnet"

TRAINED = {"dataset_reader.max_instances": 4, "trainer.num_epochs": 2, "model.dropout": 0.0}

TWO = {"cuda_devices": [-1, -1]}


def train(folder, config, options="{}"):
    allennlp.run(["train", str(config), "-s", str(folder), "-o", options])
    return json.loads((folder / "metrics.json").read_text())


@pytest.mark.slow
def test_two_processes_are_as_one_with_batches_of_twice_the_size(tmp_path, capfd):
    small = {"data_loader": {"batch_size": 2}, "distributed": TWO}
    large = {"data_loader": {"batch_size": 4}}
    one = train(tmp_path / "one", CONFIG, overrides(CONFIG, more={**TRAINED, **large}))
    capfd.readouterr()
    two = train(tmp_path / "two", CONFIG, overrides(CONFIG, more={**TRAINED, **small}))
    screen = capfd.readouterr()
    for name in ("training_accuracy", "validation_accuracy", "test_accuracy_official", "best_epoch"):
        assert one[name] == two[name], name
    for name in ("training_loss", "test_loss"):
        assert one[name] == pytest.approx(two[name], rel=1e-5)
    # Only the first process prints.
    assert re.findall(r"^ *(\d/\d) ", screen.out, re.MULTILINE) == ["1/2", "2/2"] and screen.err == ""


@pytest.fixture
def forked(monkeypatch):
    """Processes that train together begin as copies of this one: they need not import everything again."""

    def spawn(function, args, nprocs):
        torch.multiprocessing.start_processes(_alone, (function, args), nprocs, start_method="fork")

    monkeypatch.setattr(torch.multiprocessing, "spawn", spawn)


def _alone(rank, function, args):
    # Copies have none of the threads of the original.
    torch.set_num_threads(1)
    function(rank, *args)


@pytest.fixture
def counted(monkeypatch):
    """Metrics tell how many questions they have seen."""
    numbers = {
        AnswerAccuracy: lambda it: int(it._counts[2]),
        NarrativeQaMetric: lambda it: it._sums[0].item(),
    }
    for metric, number in numbers.items():
        monkeypatch.setattr(metric, "get_metric", _with_number(metric.get_metric, number))


def _with_number(get_metric, number):
    return lambda self, reset=False: {"questions": number(self), **get_metric(self, reset)}


@pytest.mark.slow
@pytest.mark.parametrize("config", ["babi/ga_coref_gru", "narrativeqa/dassa_sdp_exp"])
@pytest.mark.usefixtures("forked", "counted")
def test_two_processes_evaluate_every_question_as_one_does(config, tmp_path, monkeypatch):
    params = load_small(CONFIGS / f"{config}.jsonnet")
    # Three questions for validation: two of one process, one of the other; those of NarrativeQA are of one
    # story.
    params["data_loader"] = params["validation_data_loader"] = {"batch_size": 1}
    params["distributed"] = TWO
    params["evaluate_on_test"] = True
    if "narrativeqa" in config:
        for reader in ("dataset_reader", "validation_dataset_reader"):
            params[reader]["text"] = "tokenized"
        # Each process drops layers of its own, of which it then has no gradients to share.
        for layer in ("phrase_layer", "modeling_layer"):
            params["model"][layer]["layer_dropout_undecayed_prob"] = 0.9
        monkeypatch.setattr(
            QanetBlock, "_no_gradients", counting(QanetBlock._no_gradients, tmp_path / "dropped")
        )
    params.to_file(str(tmp_path / "config.json"))
    metrics = train(tmp_path / "two", tmp_path / "config.json")
    assert {split: metrics[f"{split}_questions"] for split in SPLITS[1:]} == {"validation": 3, "test": 2}
    if "narrativeqa" in config:
        dropped = Counter((tmp_path / "dropped").read_text().split())
        assert len(dropped) == 2

    archive = load_archive(tmp_path / "two" / "model.tar.gz")
    for split, name in (("validation", "best_validation_"), ("test", "test_")):
        loader = DataLoader.from_params(
            archive.config.duplicate()["validation_data_loader"],
            reader=archive.validation_dataset_reader,
            data_path=archive.config[f"{split}_data_path"],
        )
        loader.index_with(archive.model.vocab)
        expected = evaluate(archive.model, loader)
        # PyTorch sums the processes' losses in single precision.
        assert metrics[f"{name}loss"] == pytest.approx(expected.pop("loss"), rel=1e-6)
        assert {key: metrics[name + key] for key in expected} == pytest.approx(expected, rel=1e-12, abs=0)


def counting(method, path):
    """The method, which also writes a line with the process's rank."""

    def counted(self):
        with open(path, "a") as file:
            print(torch.distributed.get_rank(), file=file)
        return method(self)

    return counted


def _no_share(rank):
    with pytest.raises(ConfigurationError, match="found no question for a batch of any process"):
        list(LockstepBatches([]))
    assert len(list(LockstepBatches([torch.ones(1)] * rank))) == rank


def test_processes_together_need_a_question():
    run_in_processes(2, _no_share)


def _unequal_shares(rank, at_once, exchanges):
    lockstep_evaluation.AT_ONCE = at_once
    lockstep_evaluation._of_all = counted = mock.Mock(wraps=lockstep_evaluation._of_all)
    metric = AnswerAccuracy()
    shares = LockstepBatches(
        [[0, 1, 4][rank] * [torch.tensor([True, False, False])], [torch.tensor([True])] * 2][rank == 1]
    )
    for correct in shares:
        metric(correct)
    assert shares.complete(metric.get_metric()) == {"accuracy": 6 / 14, "accuracy_official": 6 / 14}
    assert counted.call_count == exchanges


@pytest.mark.parametrize("at_once, exchanges", [(16, 1), (3, 2), (2, 3)])
def test_shares_of_no_batch_of_two_and_of_four(at_once, exchanges):
    run_in_processes(3, _unequal_shares, at_once, exchanges)


READERS = (
    ({"type": "annotated_babi", "folder": str(FIXTURES / "babi"), "task": 2}, "train"),
    ({"type": "annotated_cnn_dailymail"}, FIXTURES / "cnn_dailymail" / "questions" / "training"),
    ({"type": "annotated_lambada"}, FIXTURES / "lambada" / "valid.txt"),
    ({"type": "annotated_narrativeqa", "text": "tokenized"}, FIXTURES / "narrativeqa" / "train"),
    ({"type": "annotated_quoref"}, FIXTURES / "quoref" / "train.json"),
    ({"type": "annotated_squad"}, FIXTURES / "quoref" / "train.json"),
    ({"type": "annotated_who_did_what"}, FIXTURES / "who_did_what" / "Strict" / "val.xml"),
    ({"type": "annotated_wikihop"}, FIXTURES / "wikihop" / "dev.json"),
    (
        {
            "type": "annotated_texts",
            "format": "conll_2012",
            "token_indexers": {"transformer": {"type": "single_id"}},
        },
        FIXTURES / "annotators" / "propbank_ewt" / "train",
    ),
)
"""All of this package, each with a file."""


def _questions(params, path):
    reader = DatasetReader.from_params(Params(dict(params)))
    return sorted(
        str(
            [getattr(field, "tokens", getattr(field, "metadata", None)) for field in instance.fields.values()]
        )
        for instance in reader.read(path)
    )


def _read_share(rank, files, folder):
    for i, (params, path) in enumerate(files):
        (folder / f"{i}_{rank}.json").write_text(json.dumps(_questions(params, path)))


def test_two_processes_read_each_question_once(tmp_path):
    files = [(params, str(path)) for params, path in READERS]
    for params, path in files[:]:
        reader = DatasetReader.from_params(Params(dict(params)))
        if not isinstance(reader, DocumentReader):
            continue
        documents = (reader.to_document(item) for _, item in reader.read_items(reader.find(path), path))
        files.append((params, str(tmp_path / f"{params['type']}.jsonl")))
        write_documents(files[-1][1], documents, {"reader": params["type"]})
    run_in_processes(2, _read_share, files, tmp_path)
    for i, (params, path) in enumerate(files):
        shares = [json.loads((tmp_path / f"{i}_{rank}.json").read_text()) for rank in range(2)]
        assert all(shares) and sorted(sum(shares, [])) == _questions(params, path), path
