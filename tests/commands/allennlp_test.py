"""AllenNLP's own commands, as a user types them."""

import json
import tarfile

import pytest

from tests import tiny_transformers
from tests.safe_archives.crafted import DATA, entry, make_folder, pack_with
from tests.shared import PROJECT
from tests.training_config.configs import overrides

pytestmark = pytest.mark.slow

CONFIG = PROJECT / "training_config" / "babi" / "ga_coref_gru.jsonnet"


@pytest.fixture(scope="module")
def allennlp(run_command):
    def allennlp(*arguments, folder, check=True, module="allennlp"):
        result = run_command(module, *arguments, folder=folder)
        assert not check or result.returncode == 0, result.stderr[-3000:]
        return result

    return allennlp


@pytest.fixture(scope="module")
def trained(allennlp, tmp_path_factory):
    """A folder outside the clone with a model trained in it."""
    folder = tmp_path_factory.mktemp("elsewhere")
    words = "train", CONFIG, "-s", "run", "-o", overrides(CONFIG), "--include-package", "allennlp_coref_rc"
    allennlp(*words, folder=folder)
    return folder


def test_train(trained):
    metrics = json.loads((trained / "run" / "metrics.json").read_text())
    assert {"best_validation_accuracy", "best_validation_accuracy_official", "test_accuracy"} <= set(metrics)
    assert (trained / "run" / "model.tar.gz").exists()


@pytest.mark.parametrize("module", ["allennlp", "allennlp_coref_rc"])
def test_overrides_are_used(module, allennlp, tmp_path):
    """Without them there are no data."""
    one_question = overrides(CONFIG, more={"dataset_reader.max_instances": 1})
    words = CONFIG, "-o", one_question, "--include-package", "allennlp_coref_rc"
    counted = allennlp("count-instances", *words, folder=tmp_path, module=module)
    assert "contains 1 instances" in counted.stdout
    allennlp("build-vocab", CONFIG, "words.tar.gz", *words[1:], folder=tmp_path, module=module)
    with tarfile.open(tmp_path / "words.tar.gz") as archive:
        words = archive.extractfile("tokens.txt").read().decode().split()
    assert {"julie", "milk"} < set(words)


def test_predict_in_the_clone_without_naming_the_package(allennlp, trained):
    inputs = trained / "inputs.jsonl"
    inputs.write_text(json.dumps({"passage": "Bill went to the park.", "question": "Where is Bill?"}) + "\n")
    output = trained / "predictions.jsonl"
    archive = trained / "run" / "model.tar.gz"
    allennlp("predict", archive, inputs, "--output-file", output, "--silent", folder=PROJECT)
    prediction = json.loads(output.read_text())
    assert prediction["answer"] in prediction["candidate_probabilities"]
    assert prediction["passage_tokens"] == ["Bill", "went", "to", "the", "park", "."]


def test_models_of_allennlp_have_transformers(allennlp, tmp_path):
    lines = '{"text": "Mary slept .", "label": "a"}\n{"text": "Bill", "label": "b"}\n'
    (tmp_path / "data.jsonl").write_text(lines)
    name = tiny_transformers.make("bert", tmp_path / "bert")
    words = {"type": "pretrained_transformer", "model_name": name}
    reader = {"type": "text_classification_json", "tokenizer": words, "token_indexers": {"tokens": words}}
    config = {
        "dataset_reader": reader,
        "train_data_path": "data.jsonl",
        "model": {
            "type": "basic_classifier",
            "text_field_embedder": {"token_embedders": {"tokens": words}},
            "seq2vec_encoder": {"type": "boe", "embedding_dim": tiny_transformers.HIDDEN_SIZE},
        },
        "data_loader": {"batch_size": 2},
        "trainer": {"num_epochs": 1, "optimizer": "adam", "cuda_device": -1},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    allennlp("train", "config.json", "-s", "run", "--include-package", "allennlp_coref_rc", folder=tmp_path)
    assert "training_loss" in json.loads((tmp_path / "run" / "metrics.json").read_text())


def test_nothing_is_unpacked_elsewhere(allennlp, tmp_path):
    """The command has bound functions of AllenNLP before it imports the plugin."""
    escaping = entry(str(tmp_path / "written")), b"x"
    archive = pack_with(make_folder(tmp_path / "run"), tmp_path / "model.tar.gz", escaping)
    words = "evaluate", archive, DATA, "--include-package", "allennlp_coref_rc"
    ran = allennlp(*words, folder=tmp_path, check=False)
    assert ran.returncode
    assert "ConfigurationError: " in ran.stderr and "is outside of the archive" in ran.stderr
    assert not (tmp_path / "written").exists()
