"""Each subject that compares competitors, at a small size, and with values that disagree."""

import json

import pytest

from allennlp_coref_rc.annotations.annotators import SieveCoref
from scripts.benchmarks import made_up, recurrence, start, updates
from tests.shared import PROJECT

pytestmark = pytest.mark.slow

FIXTURES = PROJECT / "tests" / "fixtures"
QUICK = ["--rounds", 1, "--warm-up", 0]
LAYER = ["recurrence", "--shape", 2, 5, 8, "--clusters", 2, *QUICK]
BATCH = ["--batch", 2, "--words", 30, *QUICK]


def test_recurrence(call):
    rows = call(*LAYER)
    layers = [(name, backend) for name in ("C-GRU", "MAGE") for backend in ("plain", "cpp")]
    layers = [("torch.nn.GRU", ""), ("torch.nn.LSTM", ""), *layers]
    passes = ("forward", "forward+backward")
    expected = [(x, *y) for x in passes for y in layers]
    assert [(row["passes"], row["layer"], row["backend"]) for row in rows] == expected
    assert rows[0]["ratio"] == "1" and "MiB" in rows[0]


@pytest.mark.parametrize("layer", ["C-GRU", "GRU"])
def test_a_backend_that_computes_something_else(fails, monkeypatch, layer):
    original = recurrence.Task.recurrence

    def wrong(task, competitor, coref):
        off = 1e-2 if competitor.backend == "cpp" and competitor.layer == layer else 0
        return original(task, competitor, coref) * (1 + off)

    monkeypatch.setattr(recurrence.Task, "recurrence", wrong)
    message = fails(*LAYER)
    assert "no figures" in message and "backend='cpp'" in message and "differs from" in message


@pytest.fixture
def few_stories(monkeypatch, tmp_path):
    lines = (made_up.SIMULATED / "qa2_train.txt").read_text().splitlines(keepends=True)
    (tmp_path / "qa2_train.txt").write_text("".join(lines[:40]))
    monkeypatch.setattr(made_up, "SIMULATED", tmp_path)


def test_updates_of_readers_of_stories_beside_a_gru(call, few_stories):
    rows = call("updates", "torch.nn.GRU", "babi/quick_start", "--tokens", 20, "--amp", "bfloat16", *BATCH)
    ours = [("babi/quick_start", ""), ("babi/quick_start", "bfloat16")]
    assert [(row["model"], row["variant"]) for row in rows] == [("torch.nn.GRU", ""), *ours]


def test_updates_of_span_readers_beside_those_of_allennlp_models(call):
    """Also with the config of allennlp-models' model, which is made from ours."""
    names = ["allennlp_qanet", "narrativeqa/dassa_sdp_exp"]
    rows = call("updates", *names, "--tokens", 12, "--no-memory", *BATCH)
    assert [row["model"] for row in rows] == names and "MiB" not in rows[0]


def test_updates_of_cloze_readers(call, fails, monkeypatch):
    words = ["updates", "lambada_development/ga_gru+coref_gru", "--tokens", 9, "--no-memory", *BATCH]
    assert [row["variant"] for row in call(*words)] == [""]
    loss = updates.Experiment.loss
    monkeypatch.setattr(updates.Experiment, "loss", lambda self, inputs: loss(self, inputs) + bool(self.amp))
    assert "variant='bfloat16'" in fails(*words, "--amp", "bfloat16")
    assert "nowhere.jsonnet: no such file" in fails("updates", "nowhere.jsonnet")


def test_readers(call, tmp_path):
    config = tmp_path / "reader.jsonnet"
    config.write_text("{ dataset_reader: { type: 'annotated_lambada', wrap_question: false }, model: {} }")
    lambada, babi = FIXTURES / "lambada" / "valid.txt", FIXTURES / "babi" / "qa1_test.txt"
    rows = call("readers", config, lambada, json.dumps({"type": "annotated_babi"}), babi, "--rounds", 2)
    # Of the texts that are kept, every word but the answer, and the placeholder.
    texts = lambada.read_text().splitlines()
    words = sum(len(texts[i].split()) for i in (0, 1, 2, 5, 6))
    assert [(row["file"], row["questions"]) for row in rows] == [(str(lambada), "5"), (str(babi), "3")]
    assert rows[0]["tokens"] == str(words)


def test_annotators(call, fails, monkeypatch, tmp_path):
    (tmp_path / "a.txt").write_text("Mary sat . She slept .\n")
    (tmp_path / "b.txt").write_text("John sat . He slept .\n\nJohn left .")
    rows = {row["annotator"]: row for row in call("annotators", tmp_path, *QUICK)}
    assert {(row["documents"], row["tokens"]) for row in rows.values()} == {("2", "15")}
    assert rows["sieve_coref"]["clusters"] == "2" and rows["entity_marker_coref"]["clusters"] == "0"
    config = '{"type": "sieve_coref", "include_singletons": true}'
    (row,) = call("annotators", tmp_path / "b.txt", "--annotator", config, "--documents", 1, *QUICK)
    assert [row[name] for name in ("annotator", "documents", "tokens")] == [config, "1", "6"]
    (tmp_path / "none").mkdir()
    (tmp_path / "empty.txt").write_text("\n")
    assert "--annotator {" in fails("annotators", tmp_path, "--annotator", "{")
    assert "found no documents" in fails("annotators", tmp_path / "none", "--annotator", "sieve_coref")
    assert "found no documents" in fails("annotators", tmp_path / "empty.txt", "--annotator", "sieve_coref")
    monkeypatch.setattr(SieveCoref, "annotate_batch", lambda _, texts: list(texts))
    message = fails("annotators", tmp_path / "a.txt", "--annotator", "sieve_coref")
    assert "no figures" in message and "sieve_coref: documents have other annotations" in message


def test_start(call, fails, monkeypatch):
    """Real runs find what they need in the inputs that are written for them."""
    # Importing AllenNLP takes seconds; here the others are compared with Python's own start.
    monkeypatch.setattr(start, "FIRST", "import json")
    chosen = ["coref-rc --help", *start.COMMANDS[-4:-1]]
    rows = call("start", *QUICK, "--only", *chosen)
    assert [row["command"] for row in rows] == ["import json", *chosen]
    assert rows[0]["ratio"] == "1"
    message = fails("start", *QUICK, "--only", "coref-rc draw nothing")
    assert "no figures" in message and "ended with status 2" in message


@pytest.mark.slow
@pytest.mark.parametrize("config", ["cnn/ga_gru+coref_gru", "wikihop/ga_coref_gru"])
def test_loading(call, config):
    """A second process finds what the first one has prepared, and has the same batches."""
    first, second = call("loading", config, "--questions", 3, "--batches", 2)
    assert (first["process"], second["process"]) == ("the first", "another")
    for row in (first, second):
        batches, size = (float(row[name].replace(",", "")) for name in ("batches/s", "bytes a token"))
        assert int(row["questions"]) == 3 and batches > 0 and size > 0
