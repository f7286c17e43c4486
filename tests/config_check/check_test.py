import copy
import inspect
import json
from typing import Any, Optional, Union

import pytest
from allennlp.common import FromParams, Lazy, Params, Registrable
from allennlp.common.checks import ConfigurationError
from allennlp.training import TrainerCallback

from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_own
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.config_check.check import check_config, check_object
from allennlp_coref_rc.config_check.walk import walk_object
from tests.shared import PROJECT
from tests.training_config.configs import configs, load, name_of

CONFIG = PROJECT / "training_config" / "babi" / "ga_coref_gru.jsonnet"

ENCODERS = "model.passage_encoders.0.type"


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)


@pytest.fixture(scope="module")
def params():
    return load(CONFIG).as_dict(quiet=True)


def changed(params, key, *value):
    """A copy with a value at a dotted key, or without the key."""
    params = copy.deepcopy(params)
    *path, last = key.split(".")
    inner = params
    for name in path:
        inner = inner[int(name)] if isinstance(inner, list) else inner[name]
    if value:
        inner[last] = value[0]
    else:
        del inner[last]
    return params


@pytest.mark.slow
@pytest.mark.parametrize("config", configs(), ids=name_of)
def test_all_configs_are_good(config):
    params = load(config).as_dict(quiet=True)
    assert check_config(params) == []


def test_random_numbers_of_validation_are_not_resumed_within_an_epoch(params):
    given = changed(
        changed(params, "data_loader.batches_per_epoch", 2), "trainer.checkpointer", {"type": "exact"}
    )
    assert check_config(given) == []
    problems = check_config(
        changed(given, "validation_data_loader.batch_sampler", {"type": "bucket", "batch_size": 2})
    )
    assert any(problem.startswith("data_loader.batches_per_epoch: found 2") for problem in problems)


TOKENS = "model.text_field_embedder.token_embedders.tokens"


@pytest.mark.parametrize(
    "key, value, problem",
    [
        (ENCODERS, "coref_gruu", "for 'Seq2SeqEncoder', did you mean 'coref_gru'?"),
        (ENCODERS, "no_such.Encoder", "tried to interpret no_such.Encoder as a path to a class but unable"),
        ("dataset_reader.foldr", "data", "AnnotatedBabiReader has no such key; did you mean folder?"),
        ("trainer.num_epoch", 3, "GradientDescentTrainer has no such key; did you mean num_epochs?"),
        ("trainer.num_epochs", 3.5, "found 3.5, expected a whole number"),
        ("trainer", 3, "found 3, expected an object that describes a Trainer"),
        ("trainer.cuda_device", 0, "found 0, but this machine has no GPU that PyTorch can use; expected -1"),
        ("trainer.num_epochs", 0, "found 0, expected 1 or more"),
        ("trainer.learning_rate_scheduler", "reduce_on_plateau", 'expected "plateau"'),
        ("trainer.moving_average", {"type": "exponential", "decay": 2}, "decay: found 2, expected 0 to 1"),
        ("numpy_seed", 2**40, "found 1099511627776, expected 0 to 4294967295"),
        ("model.text_field_embedder", None, "found null, but GAReader needs it"),
        ("trainer.validation_metric", "accuracy", 'found "accuracy", expected +accuracy'),
        ("dataset_reader.annotation_layers.x", {}, "found nothing, expected the registered name of an Annot"),
        ("modle", {}, "a config has no such key; did you mean model?"),
        ("datasets_for_vocab_creation", [], "found [], expected some of"),
        ("train_data_path", "nowhere/qa2_train.txt", "nowhere/qa2_train.txt: no such file"),
        ("model.regularizer", {"regexes": [[".*", "l2"], ["(", "l2"]]}, 'regexes.1: found "(", expected'),
        ("trainer.no_grad", ["a", "*"], 'no_grad.1: found "*", expected'),
        ("distributed", {"cuda_device": [-1, -1]}, "Distributed has no such key; did you mean cuda_devices?"),
        ("evaluation", {"batch_serialiser": "x"}, "has no such key; did you mean batch_serializer?"),
        ("vocabulary", {"type": "from_files", "directory": "nowhere"}, "nowhere: no such file"),
        (f"{TOKENS}.pretrained_file", __file__, "found also the initializer"),
        ("validation_data_loader.batches_per_epoch", 2, "as test_data_path would be cut"),
        ("validation_data_loader.instances_per_epoch", 2, "as test_data_path would be cut"),
        ("train_data_path", ["a", "b"], 'found ["a", "b"], expected a path'),
    ],
)
def test_a_mistake_is_found(params, key, value, problem):
    problems = check_config(changed(params, key, value))
    assert any(problem in found for found in problems)
    assert all(found.startswith(key) for found in problems)


@pytest.mark.parametrize(
    "key, value",
    [
        ("trainer.learning_rate_scheduler", {"type": "plateau", "patience": 0}),
        ("vocabulary", {"type": "from_files", "directory": "~/words"}),
        ("vocabulary", {"type": "from_files", "directory": "model.tar.gz!vocabulary"}),
        ("trainer.callbacks", [{"type": "own", "directory": "new", "patience": 0, "decay": 2.0}]),
    ],
)
def test_keys_of_other_meaning_and_odd_paths_are_no_mistakes(params, key, value, tmp_path, monkeypatch):
    """A callback of a user has keys of other meaning."""

    class Own(TrainerCallback):
        def __init__(self, directory: str, patience: int, decay: float, **kwargs: Any) -> None:
            super().__init__(**kwargs)

    (tmp_path / "words").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setitem(Registrable._registry[TrainerCallback], "own", (Own, None))
    assert check_config(changed(params, key, value)) == []


def test_a_missing_key_is_named(params):
    assert check_config(changed(params, "model")) == ["model: found nothing, but a config needs it"]
    without = changed(params, "model.text_field_embedder")
    assert check_config(without) == ["model.text_field_embedder: found nothing, but GAReader needs it"]


def test_a_misspelt_key_is_not_missed_too(params):
    renamed = changed(changed(params, "train_data_path"), "train_data_pth", "train")
    expected = ["train_data_pth: a config has no such key; did you mean train_data_path?"]
    assert check_config(renamed) == expected


def test_the_same_mistake_is_said_once(params):
    encoders = [{**encoder, "type": "coref_gruu"} for encoder in params["model"]["passage_encoders"]]
    (problem,) = check_config(changed(params, "model.passage_encoders", encoders))
    assert problem.startswith(f"model.passage_encoders.0.type (and {len(encoders) - 1} more keys): ")


@pytest.mark.parametrize(
    "key, value, options",
    [
        ("trainer.cuda_device", 0, {"devices": False}),
        ("train_data_path", "nowhere/qa2_train.txt", {"files": False}),
        # The test set too.
        ("distributed", {"cuda_devices": [-1, -1]}, {}),
        # An older name, which the trainer looks for.
        ("trainer.run_sanity_checks", False, {}),
    ],
)
def test_what_is_no_mistake(params, key, value, options):
    assert params["evaluate_on_test"]
    assert check_config(changed(params, key, value), **options) == []


@pytest.mark.parametrize("lengths", [(16, 32), (32, 16), (None, 16), (16, None)])
def test_a_transformer_has_the_windows_of_its_indexer(params, lengths):
    kind = {"type": "pretrained_transformer_mismatched", "model_name": "roberta-base"}
    indexer, embedder, other = ({**kind, "max_length": length} for length in (*lengths, 8))
    read = changed(params, "dataset_reader.token_indexers", {"words": indexer, "others": other})
    embedders = "model.text_field_embedder.token_embedders"
    (problem,) = check_config(changed(read, embedders, {"words": embedder, "others": other}))
    found, expected = map(json.dumps, lengths[::-1])
    assert problem.startswith(f"{embedders}.words.max_length: found {found}, expected {expected}, that of")
    assert check_config(changed(read, embedders, {"words": indexer, "others": other})) == []


def test_a_gpu_that_is_there(params, monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    assert check_config(changed(params, "trainer.cuda_device", 1)) == []
    (problem,) = check_config(changed(params, "trainer.cuda_device", 2))
    assert "this machine has 2 GPUs, the first of which is 0" in problem


class Part(Registrable):
    default_implementation = "plain"


@Part.register("plain")
class Plain(Part):
    def __init__(self, size: int = 1) -> None:
        pass


@Part.register("own")
class OwnWay(Part):
    @classmethod
    def from_params(cls, params: Any, **extras: Any) -> "OwnWay":
        return cls()


class Whole(FromParams):
    def __init__(
        self,
        parts: list[Part],
        named: dict[str, Part],
        pair: tuple[int, Part],
        size_or_part: Union[int, Part],
        sizes: Union[int, list[int]] = 1,
        maybe: Optional[Part] = None,
        later: Optional[Lazy[Part]] = None,
        anything: Any = None,
        **kwargs: Any,
    ) -> None:
        self.later = later
        self.rest = dict(kwargs)


GOOD = {"parts": [{}, "plain"], "named": {"a": {"size": 2}}, "pair": [1, {}], "size_or_part": {"size": 3}}


def walked(**values):
    return list(walk_object(Whole, {**GOOD, **values}, "whole", frozenset()))


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"size_or_part": 3},
        {"sizes": [1, 2]},
        {"maybe": None, "later": None, "anything": {"type": "whatever"}},
        {"maybe": {"type": "own", "whatever": 1}},
        {"later": {"size": 2}},
        {"other": 1},
        {"sizes": None},
    ],
)
def test_what_allennlp_takes_is_let_pass(values):
    Whole.from_params(Params(copy.deepcopy({**GOOD, **values})))
    assert walked(**values) == []


@pytest.mark.parametrize(
    "values, key",
    [
        ({"parts": [{"sise": 1}]}, "whole.parts.0.sise"),
        ({"parts": 1}, "whole.parts"),
        ({"named": {"a": {"type": "x"}}}, "whole.named.a.type"),
        ({"pair": [1, 2]}, "whole.pair.1"),
        ({"size_or_part": {"size": "x"}}, "whole.size_or_part.size"),
        ({"size_or_part": "x"}, "whole.size_or_part.type"),
        ({"sizes": "x"}, "whole.sizes"),
        ({"later": {"size": "x"}}, "whole.later.size"),
        ({"mayb": {}}, "whole.mayb"),
    ],
)
def test_values_are_followed_as_allennlp_does(values, key):
    if key != "whole.mayb":
        # AllenNLP would pass it on, and the class would ignore it.
        with pytest.raises((ConfigurationError, TypeError)):
            whole = Whole.from_params(Params(copy.deepcopy({**GOOD, **values})))
            whole.later.construct()
    assert [found for found, _ in walked(**values)] == [key]


def test_a_class_without_a_constructor_takes_no_keys():
    assert check_object(Annotator, {"type": "simple_triples"}, "--annotator") == []
    (problem,) = check_object(Annotator, {"type": "simple_triples", "senses": 1}, "--annotator")
    assert problem == "--annotator.senses: SimpleTriples has no such key; it has none"


@pytest.mark.parametrize("key, is_found", [("sise", True), ("anything", False)])
def test_classes_of_others_may_take_any_key_but_a_misspelt_one(key, is_found):
    """They may look into their `**kwargs`."""

    class Theirs(Plain):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(kwargs.pop("anything", 1))

    assert any(walk_object(Theirs, {key: 1}, "theirs", frozenset())) == is_found


def test_our_classes_hand_on_what_they_do_not_know():
    """So a key that no parent has is certainly an error."""
    register_own()
    number = 0
    for names in Registrable._registry.values():
        for cls, constructor in names.values():
            for base in inspect.getmro(cls) if constructor is None else ():
                init = vars(base).get("__init__")
                if base.__module__.startswith("allennlp_coref_rc.") and init is not None:
                    parameters = inspect.signature(init).parameters.values()
                    rest = [one.name for one in parameters if one.kind == one.VAR_KEYWORD]
                    assert not rest or f"**{rest[0]})" in inspect.getsource(init), base
                    number += bool(rest)
    assert number > 20
