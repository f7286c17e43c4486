"""Configs of archives that need no trust (all experiments here), and the keys that are checked."""

import inspect
import json

import allennlp.fairness
import pytest
from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError
from allennlp.common.from_params import infer_method_params
from allennlp.common.params import evaluate_file

from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_allennlp_models, register_own
from allennlp_coref_rc.safe_archives.archived_config import (
    NAMES_A_FILE,
    NO_FILES,
    ONLY_READ,
    SPACY_MODELS,
    read_config,
)
from tests.shared import PROJECT
from tests.training_config.configs import configs, load, name_of

NOT_BUILT = {
    *("LearningRateScheduler", "MomentumScheduler", "Optimizer", "Predictor", "TrainModel", "Trainer"),
    *("Checkpointer", "InfluenceInterpreter", "Subcommand", "TrainerCallback"),
}
"""Kinds that are never built of an archive."""

PACKAGES = {allennlp.__name__, "allennlp_models", "allennlp_coref_rc"}
"""Which packages register classes for users."""


@pytest.fixture(scope="module")
def parameters():
    """
    All parameters of registered classes: the package of the class, and the name and type of the parameter.
    What other tests have registered is left out.
    """
    register_own()
    register_allennlp_models()
    found = set()
    for base, classes in list(Registrable._registry.items()):
        if base.__name__ not in NOT_BUILT:
            for cls, constructor in classes.values():
                package = cls.__module__.partition(".")[0]
                if package not in PACKAGES:
                    continue
                method = getattr(cls, constructor) if constructor else cls.__init__
                for parameter in infer_method_params(cls, method).values():
                    found.add((package, parameter.name, str(parameter.annotation)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("config", configs(), ids=name_of)
def test_archives_of_all_experiments_need_no_trust(config):
    data = json.dumps(load(config).as_dict(quiet=True)).encode()
    read_config("model.tar.gz", data, trust=False)


def test_archives_of_bundled_stories_need_no_trust():
    """That of `make train`, as it is: the tests above put folders of their own in its place."""
    config = json.loads(evaluate_file(str(PROJECT / "training_config" / "babi" / "quick_start.jsonnet")))
    assert config["dataset_reader"]["folder"] == "bundled://simulated"
    read_config("model.tar.gz", json.dumps(config).encode(), trust=False)


def test_names_of_files_are_known_by_their_keys(parameters):
    """By hand, of all parameters that AllenNLP 2.10.1, allennlp-models 2.10.1 and this package have."""
    refused = {name for _, name, _ in parameters if NAMES_A_FILE.fullmatch(name) and name not in ONLY_READ}
    expected = """
        archive_file base_tarball_path data_dir data_path directory equalize_word_pairs_file evalb_directory_path
        evalb_param_filename feature_cache_dir image_dir model_name_or_path options_file override_weights_file
        pretrained_file pretrained_files seed_word_pairs_file seed_words_file serialization_dir srl_eval_path
        target_pretrain_file unfiltered_tarball_path weight_file weights_file_path weights_path
    """
    assert refused == set(expected.split())


def test_keys_that_only_read_are_of_this_package(parameters):
    found = {(package, name) for package, name, _ in parameters if name in ONLY_READ}
    assert found == {("allennlp_coref_rc", name) for name in ONLY_READ}


def test_keys_that_name_no_files_take_texts_and_no_paths(parameters):
    found = {name: kind for _, name, kind in parameters if name in NO_FILES}
    assert NO_FILES - found.keys() == {"type"} | {"regexes", "batch_sampler"} - found.keys()
    assert not [name for name, kind in found.items() if "Path" in kind]
    assert not NO_FILES & {"answer_vocab", "vocab", *ONLY_READ}
    assert not [*filter(NAMES_A_FILE.fullmatch, NO_FILES)]


def test_options_that_are_passed_on_are_known_by_their_keys(parameters):
    passed_on = {name for _, name, kind in parameters if "dict[str, Any]" in kind} - {"overrides", "reader"}
    assert all(name.endswith("kwargs") for name in passed_on), passed_on


def test_spacy_models_are_known_by_their_keys(parameters):
    import allennlp.data.tokenizers.spacy_tokenizer as tokenizer

    assert {"language", "spacy_model"} == set(SPACY_MODELS) <= {name for _, name, _ in parameters}
    assert "language" in inspect.signature(tokenizer.SpacyTokenizer).parameters


@pytest.mark.parametrize(
    "part",
    [
        {"tokenizer": {"type": "spacy", "language": "spacy"}},
        {"tokenizer_kwargs": {"max_length": 512, "add_prefix_space": True}},
        {"tokenizer_kwargs": None, "srl_eval_path": None},
        {"model_name": "SpanBERT/spanbert-large-cased"},
        {"annotator": {"type": "precomputed", "path": "parses/*.json", "format": "corenlp"}},
        {"readers": {"file": {"type": "annotated_babi", "folder": "data"}}},
        {"min_count": {"tokens_file": 3}},
        {"annotator": {"type": "connective_discourse", "connectives": {"as if": "Comparison.Similarity"}}},
        {"end_tokens": ["...", "/"], "regularizer": {"regexes": [[".*", {"type": "l2"}]]}},
    ],
)
def test_what_is_harmless_is_taken(part):
    data = json.dumps({"dataset_reader": {"type": "x", **part}, "model": {"type": "y"}}).encode()
    read_config("model.tar.gz", data, trust=False)


@pytest.mark.parametrize(
    "part", ["dataset_reader", "validation_dataset_reader", "model", "data_loader", "evaluation"]
)
def test_every_part_that_is_built_is_looked_at(part):
    config = {"dataset_reader": "x", "model": "y", part: {"a": [{"b": {"some_path": "/x"}}]}}
    data = json.dumps(config).encode()
    with pytest.raises(ConfigurationError, match=f'found {part}.a.b.some_path: "/x" in its config'):
        read_config("model.tar.gz", data, trust=False)


@pytest.mark.parametrize("key", ["initializer", "pretrained_file"])
def test_what_a_list_hides_is_looked_at(key):
    """AllenNLP removes these keys from objects within objects alone."""
    config = {"dataset_reader": "x", "model": {"a": [{key: {"weights_path": "/x"}}]}}
    data = json.dumps(config).encode()
    with pytest.raises(ConfigurationError, match="weights_path"):
        read_config("model.tar.gz", data, trust=False)
    config["model"] = {"a": config["model"]["a"][0]}
    data = json.dumps(config).encode()
    read_config("model.tar.gz", data, trust=False)


@pytest.mark.parametrize("text", ["/x/a", "a.tgz", "a!b", "~x", "..", "a\\b", "here"])
@pytest.mark.parametrize("key", ["answer_vocab", "anything_else"])
@pytest.mark.parametrize(
    "wrap", [lambda item: item, lambda item: [item], lambda item: {"connectives": {"y": item}}]
)
def test_a_text_that_may_name_a_file_needs_a_key_that_is_known(wrap, key, text, tmp_path, monkeypatch):
    """Even if there is no such file yet: what the hub's cache will have is known beforehand."""
    (tmp_path / "here").write_text("x")
    monkeypatch.chdir(tmp_path)
    reader = {"type": "gqa", "image_dir": None, key: text}
    data = json.dumps({"dataset_reader": {"type": "x", "a": wrap(reader)}, "model": "y"}).encode()
    with pytest.raises(ConfigurationError, match="may be the name of a file"):
        read_config("model.tar.gz", data, trust=False)
    read_config("model.tar.gz", data, trust=True)
