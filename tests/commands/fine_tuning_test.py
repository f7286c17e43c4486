"""The commands that fine-tune base-sized transformers, with tiny ones of the same width."""

import json
import os
import re
import shlex
import shutil
import sys

import pytest
from allennlp import commands
from allennlp.common import Params
from allennlp.common.params import with_overrides
from allennlp.data import Vocabulary
from allennlp.models import Model

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.config_check.check import check_config
from allennlp_coref_rc.metrics.narrativeqa import NarrativeQaMetric
from allennlp_coref_rc.metrics.quoref import QuorefMetric
from allennlp_coref_rc.models.heads import SpanHead, TagHead
from allennlp_coref_rc.modules.seq2seq_encoders import DASSA, CorefGRU, MageGRU
from allennlp_coref_rc.reproduction.condition_files import CONDITIONS, read_conditions
from allennlp_coref_rc.reproduction.runs import _load
from tests import tiny_transformers
from tests.json_lines import read_lines
from tests.shared import PROJECT

pytestmark = pytest.mark.slow

TRANSFORMERS = {
    "answerdotai/ModernBERT-base": ("modernbert", 1024),
    "roberta-base": ("roberta", 512),
    "bert-base-cased": ("bert", 512),
}
"""By name, the architecture and the longest text of a transformer."""

QUOREF = PROJECT / "tests" / "fixtures" / "quoref" / "dev.json"

LAYERS = {"": type(None), "coref": DASSA, "coref_gru": CorefGRU, "mage_gru": MageGRU}
"""The class of the layer above the transformer's, by what names of rows end with."""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("transformers")
    sizes = {"hidden_size": 768, "num_hidden_layers": 1, "initializer_range": 0.02}
    return {
        name: tiny_transformers.make(
            architecture, folder / architecture, max_position_embeddings=length, **sizes
        )
        for name, (architecture, length) in TRANSFORMERS.items()
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with data, and conditions that take these for the whole data sets."""
    folder = tmp_path_factory.mktemp("fine_tuning")
    text = (PROJECT / CONDITIONS / "transformers.yaml").read_text()
    (folder / "transformers.yaml").write_text(re.sub(r"(csv|json): \d+", r"\1: 1", text))
    (folder / "data" / "quoref").mkdir(parents=True)
    for name in ("train", "dev"):
        shutil.copy(QUOREF, folder / "data" / "quoref" / f"quoref-{name}-v0.1.json")
    for name in ("qaps.csv", "third_party/wikipedia/summaries.csv"):
        path = folder / "data" / "narrativeqa" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("document_id")
    return folder


def rows(folder):
    """The rows that need a GPU."""
    tables = read_conditions(str(folder / "transformers.yaml"))
    return [condition for table in tables for condition in table.conditions if condition.needs]


@pytest.fixture
def printed(folder, capsys, monkeypatch):
    """What `coref-rc reproduce --dry-run` prints: the words of the commands of each row."""
    monkeypatch.chdir(folder)
    capsys.readouterr()
    main(["reproduce", "--conditions", "transformers.yaml", "--seeds", "1", "--dry-run"])
    lines = [shlex.split(line) for line in capsys.readouterr().out.splitlines()]
    starts = [line[: line.index("allennlp_coref_rc") + 1] for line in lines]
    assert all(start[-3:] == [sys.executable, "-m", "allennlp_coref_rc"] for start in starts)
    words = [line[len(start) :] for line, start in zip(lines, starts)]
    names = [condition.name for condition in rows(folder)]
    assert len(words) == 2 * len(names)
    return dict(zip(names, zip(words[::2], words[1::2])))


def test_printed_commands_are_those_of_the_models_that_rows_say(printed, folder, tiny, monkeypatch):
    monkeypatch.setattr(commands, "import_plugins", lambda: None)  # They take seconds.
    for condition in rows(folder):
        name, (train, predict) = condition.name.split(".")[-1], printed[condition.name]
        parsed = []
        for words in (train, predict):
            monkeypatch.setattr(sys, "argv", ["coref-rc", *words])
            parsed.append(commands.parse_args("coref-rc")[1])
        assert parsed[1].archive_file == os.path.join(parsed[0].serialization_dir, "model.tar.gz")
        values = with_overrides(_load(parsed[0].param_path), json.loads(parsed[0].overrides))
        assert not check_config(values)

        (transformer,) = (
            one for one in TRANSFORMERS if one.lower().split("/")[-1].startswith(name.split("_")[0])
        )
        assert f"the weights of {transformer}" in condition.needs
        readers = values["dataset_reader"], values["validation_dataset_reader"]
        named = [
            values["model"]["transformer"],
            *(reader["token_indexers"]["transformer"] for reader in readers),
        ]
        assert [part["model_name"] for part in named] == [transformer] * 3
        assert values["model"]["transformer"]["max_length"] == TRANSFORMERS[transformer][1]

        values["model"]["transformer"]["model_name"] = tiny[transformer]
        model = Model.from_params(Params(values["model"]), vocab=Vocabulary())
        tagger, layer = name.endswith("_tags"), name.removesuffix("_tags").partition("_")[2]
        assert type(model.head) is (TagHead if tagger else SpanHead)
        assert values["dataset_reader"].get("tag_answers", False) == tagger
        assert type(getattr(model._layer, "_encoder", None)) is LAYERS[layer]
        assert type(model.head._metric) is (QuorefMetric if "quoref" in condition.name else NarrativeQaMetric)


def test_a_printed_command_runs_with_nothing_but_another_transformer(printed, folder, tiny):
    for words in printed["transformers.quoref.roberta_coref_tags"]:
        main([word.replace("roberta-base", tiny["roberta-base"]) for word in words])
    (path,) = folder.rglob("all_predictions.jsonl")
    predictions = read_lines(path)
    assert [prediction["id"] for prediction in predictions] == ["d1", "d2", "d3"]
    assert all({"answers", "answer", "exact_match", "f1"} <= prediction.keys() for prediction in predictions)
    (path,) = folder.rglob("metrics.json")
    metrics = json.loads(path.read_text())
    expected = sum(p["f1"] for p in predictions) / len(predictions)
    assert metrics["best_validation_f1"] == pytest.approx(expected)


def test_without_a_gpu_they_are_left_out(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit, match="1"):
        main(["reproduce", "--conditions", "transformers.yaml", "--table", "*.quoref"])
    said = capsys.readouterr()
    assert "0 of 0 runs finished" in said.out and said.err.count("[no GPU]") == 11
    assert "quoref.bert: a run needs a GPU, and the weights of bert-base-cased; add --gpus" in said.err
    for way in ("--list", "--report"):
        main(["reproduce", "--conditions", "transformers.yaml", "--table", "*.quoref", way])
        assert ": a run needs a GPU, and the weights of bert-base" in capsys.readouterr().out
