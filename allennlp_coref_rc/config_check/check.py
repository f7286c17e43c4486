"""
Checks the config of an experiment before any data are read: names that are not registered, unknown keys,
values of a wrong type, devices and files that are missing.

The check follows a config along the signatures of constructors, as AllenNLP's `FromParams` does. Where it
cannot, it says nothing: a missed error shows later, but a false alarm would stop a good run.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from inspect import signature
from typing import Any, Optional

from allennlp.common import FromParams
from torch.optim.lr_scheduler import ReduceLROnPlateau

from allennlp_coref_rc.allennlp_runtime.atomic_outputs import CUTTING
from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_own
from allennlp_coref_rc.common.checks import is_within, range_of
from allennlp_coref_rc.common.config_files import load_config, type_of
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.hub_addresses import is_hub_address
from allennlp_coref_rc.common.messages import counted, excerpt
from allennlp_coref_rc.config_check.walk import GIVEN, Problem, join, walk_object

OTHER_KEYS = (
    "random_seed",
    "numpy_seed",
    "pytorch_seed",
    "distributed",
    "include_in_archive",
    "evaluation",
    "type",
)
"""Keys at the top of a config that the training loop does not take."""

RANGES: dict[str, tuple[int, Optional[int]]] = {
    "*data_loader.batch_size": (1, None),
    "*data_loader.batch_sampler.batch_size": (1, None),
    "*dataset_reader.max_instances": (1, None),
    "trainer.num_epochs": (1, None),
    "trainer.num_gradient_accumulation_steps": (1, None),
    "trainer.patience": (1, None),
    "trainer.learning_rate_scheduler.step_size": (1, None),
    "trainer.moving_average.decay": (0, 1),
    "trainer.checkpointer.keep_most_recent_by_count": (1, None),
    "numpy_seed": (0, 2**32 - 1),
    "pytorch_seed": (-(2**63), 2**64 - 1),
}
"""
By a pattern of dotted keys, the least and the greatest number. With others, AllenNLP fails late, without the
key, or trains nonsense.
"""

FILES = ("*.pretrained_file", "*.weights_file_path", "vocabulary.directory")
"""
Patterns of the keys of files that AllenNLP reads only after the data. A path may also be a URL,
"(archive)#file in it", or "archive!file in it".
"""

REGEXES = ("no_grad", "prevent_regexes", "regexes")
"""
Keys of lists of regular expressions, or of pairs that begin with one. AllenNLP uses them only when it trains.
"""


WINDOWED = ("pretrained_transformer", "pretrained_transformer_mismatched", "transformer_words")
"""Indexers and embedders that cut long texts into windows."""


class Distributed(FromParams):
    """What AllenNLP takes of `distributed`. It says nothing about other keys."""

    def __init__(
        self,
        cuda_devices: Optional[list[int]] = None,
        num_nodes: int = 1,
        primary_address: str = "127.0.0.1",
        primary_port: Optional[int] = None,
        ddp_accelerator: Any = None,
    ) -> None: ...


def check_config(params: dict[str, Any], devices: bool = True, files: bool = True) -> list[str]:
    """The errors in a config, one a line: the dotted key, what was found, and what was expected."""
    register_own()
    from allennlp.commands.train import TrainModel
    from allennlp.evaluation import Evaluator

    loop = {key: value for key, value in params.items() if key == "type" or key not in OTHER_KEYS}
    # Another training loop may give its constructors other arguments.
    problems = list(walk_object(TrainModel, loop, "", None if "type" in params else GIVEN, OTHER_KEYS))
    for key, cls in (("distributed", Distributed), ("evaluation", Evaluator)):
        if params.get(key) is not None:
            problems += walk_object(cls, params[key], key, GIVEN)
    if devices:
        problems += missing_devices(params)
    if files:
        missing = ((key, missing_data(reader, path)) for key, reader, path in data_paths(params))
        problems += [(key, problem) for key, problem in missing if problem]
        problems += [
            (key, f"{path}: no such file")
            for pattern in FILES
            for key, path in matching(params, pattern)
            if isinstance(path, str)
            and not (
                "://" in path or "!" in path or path[:1] == "(" or os.path.exists(os.path.expanduser(path))
            )
        ]
    return grouped([*problems, *no_paths(params), *_settings(params)])


def check_experiment(path: str, overrides: str = "", devices: bool = True) -> dict[str, Any]:
    """
    The values of an experiment's config. A `ConfigurationError` lists the errors in it, if there are any.
    """
    params = load_config(path, overrides)
    problems = check_config(params, devices)
    if len(problems) == 1:
        raise ConfigurationError(f"{path}: {problems[0]}")
    if problems:
        raise ConfigurationError("\n  ".join([f"{path}: found {len(problems)} errors", *problems]))
    return params


def check_object(base: type, params: dict[str, Any], key: str) -> list[str]:
    """
    The errors in the config of one object, such as an annotator. Messages have `key` before the object's
    keys.
    """
    return grouped(walk_object(base, params, key, None))


def grouped(problems: Iterable[Problem]) -> list[str]:
    """
    A line for each problem. If several keys have the same problem, such as the items of a list, it has one
    line.
    """
    keys: dict[str, list[str]] = {}
    for key, text in problems:
        keys.setdefault(text, []).append(key)
    return [
        f"{key} (and {counted(len(others), 'more key')}): {text}" if others else f"{key}: {text}"
        for text, (key, *others) in keys.items()
    ]


def missing_devices(params: Mapping[str, Any]) -> list[Problem]:
    """The GPUs that a config names and this machine does not have, each with its key."""
    import torch

    number = torch.cuda.device_count()
    there, expected = "no GPU that PyTorch can use", "-1, the processor"
    if number:
        there = f"{counted(number, 'GPU')}, the first of which is 0"
        expected += f", or up to {number - 1}"
    return [
        (key, f"found {device}, but this machine has {there}; expected {expected}")
        for key, devices in named(params, ("cuda_device", "cuda_devices"))
        for device in (devices if isinstance(devices, list) else [devices])
        if type(device) is int and device >= number
    ]


def named(value: Any, names: tuple[str, ...], key: str = "") -> Iterable[tuple[str, Any]]:
    """All values under any of the names, with their dotted keys."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in names:
                yield join(key, name), inner
            yield from named(inner, names, join(key, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from named(inner, names, join(key, str(number)))


def matching(params: Mapping[str, Any], pattern: str) -> Iterator[tuple[str, Any]]:
    """The values whose dotted keys match a pattern."""
    for key, value in named(params, (pattern.rpartition(".")[2],)):
        if fnmatchcase(key, pattern):
            yield key, value


def no_paths(params: Mapping[str, Any]) -> Iterator[Problem]:
    """Lists and the like in place of the path that a reader of this package takes."""
    paths = {key: params.get(key) for key in ("train_data_path", "validation_data_path", "test_data_path")}
    others = {key: path for key, path in paths.items() if path is not None and not isinstance(path, str)}
    if not others:
        return  # To look at all readers is to import them.
    from allennlp_coref_rc.data.dataset_readers import ReadingComprehensionReader
    from allennlp_coref_rc.data.dataset_readers.document_reader import registered_readers

    own = {name for cls, name in registered_readers().items() if issubclass(cls, ReadingComprehensionReader)}
    reader = params.get("dataset_reader")
    if isinstance(reader, dict) and reader.get("type") in own:
        for key, path in others.items():
            yield key, f"found {excerpt(path)}, expected a path"


def data_paths(params: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The keys of data in a config, each with the config of its reader and the path."""
    reader = params.get("dataset_reader")
    for split in ("train", "validation", "test"):
        path = params.get(f"{split}_data_path")
        if isinstance(path, str) and isinstance(reader, dict):
            yield f"{split}_data_path", reader, path
        reader = params.get("validation_dataset_reader") or reader


def missing_data(reader: Mapping[str, Any], path: str) -> Optional[str]:
    """
    The error in a data path of the config of a reader; `None` if there is none, or if this cannot be told.
    """
    from allennlp.common import Params
    from allennlp.data import DatasetReader

    if "://" in path and not is_hub_address(path):
        return None
    # Other parts are costly to build and have nothing to do with files.
    simple = {k: v for k, v in reader.items() if not isinstance(v, (Mapping, list)) and k != "annotator"}
    try:
        cls = DatasetReader.resolve_class_name(str(reader.get("type")))[0]
        if not hasattr(cls, "find"):
            own = cls.__module__.partition(".")[0] in ("allennlp", "allennlp_coref_rc", "allennlp_models")
            plain = os.sep in path and "://" not in path and not set(path) & set("*?[]{}!,")
            exists = os.path.exists(os.path.expanduser(path))
            return f"{path}: no such file" if own and plain and not exists else None
        built: Any = DatasetReader.from_params(Params(simple))
    except Exception:  # The whole reader is built later, and what is wrong with it shows then.
        return None
    try:
        built.find(path)
    except ConfigurationError as error:
        return str(error)
    return None


def _settings(params: Mapping[str, Any]) -> Iterator[Problem]:
    """Mistakes that AllenNLP finds only after it has read the data or trained the model."""
    for key, metrics in named(params, ("validation_metric",)):
        for metric in metrics if isinstance(metrics, list) else [metrics]:
            if isinstance(metric, str) and metric[:1] not in ("+", "-"):
                yield (
                    key,
                    f"found {excerpt(metric)}, expected +{metric} if more of it is better, or -{metric}",
                )
    for pattern, limits in RANGES.items():
        for key, number in matching(params, pattern):
            if type(number) in (int, float) and not is_within(number, *limits):
                yield key, f"found {number}, expected {range_of(*limits)}"
    for key, patterns in named(params, REGEXES):
        for number, item in enumerate(patterns if isinstance(patterns, list) else []):
            pattern = item[0] if isinstance(item, list) and item else item
            try:
                re.compile(pattern if isinstance(pattern, str) else "")
            except re.error as error:
                expected = f"expected a regular expression ({error})"
                yield join(key, str(number)), f"found {excerpt(pattern)}, {expected}"
    if params.get("evaluate_on_test") and not params.get("test_data_path"):
        yield "evaluate_on_test", "found true without a test_data_path, expected both"
    trainer, model = (_object(params.get(key)) for key in ("trainer", "model"))
    if trainer.get("patience") and not params.get("validation_data_path"):
        yield "trainer.patience", "found it without a validation_data_path, expected both"
    name = type_of(trainer.get("learning_rate_scheduler"))
    if name == "reduce_on_plateau" and "verbose" not in signature(ReduceLROnPlateau).parameters:
        expected = 'expected "plateau", as AllenNLP gives PyTorch an option that it no longer has'
        yield "trainer.learning_rate_scheduler", f"found {excerpt(name)}, {expected}"
    # Of validation data, a loader of their own may take a part.
    own = "validation_data_loader" if params.get("validation_data_loader") else ""
    whole = ["test_data_path"] if own and params.get("evaluate_on_test") else []
    cut = [key for key in (whole if own else ("validation_data_path", "test_data_path")) if params.get(key)]
    for key, value in named(params.get(own or "data_loader"), CUTTING, own or "data_loader"):
        if value and cut:
            expected = f"expected a validation_data_loader without it, as {cut[0]} would be cut"
            yield key, f"found {excerpt(value)}, {expected}"
    is_exact = type_of(trainer.get("checkpointer")) == "exact"
    shuffled = [
        key for key, value in named(params.get(own), ("batch_sampler", "shuffle", "sampler"), own) if value
    ]
    for key, value in named(params.get("data_loader"), ("batches_per_epoch",), "data_loader"):
        if value and is_exact and shuffled:
            expected = (
                f"expected none with the checkpointer exact and {shuffled[0]}, which draws random numbers"
            )
            yield key, f"found {excerpt(value)}, {expected}"
    indexers = [item for _, given in named(params, ("token_indexers",)) for item in _windowed(given)]
    for key, given in named(params, ("token_embedders",)):
        for name, embedder in _windowed(given):
            # Vectors would be those of other words.
            for length in (item.get("max_length") for other, item in indexers if other == name):
                if length != (found := embedder.get("max_length")):
                    expected = f"expected {excerpt(length)}, that of the token indexer {name!r}"
                    yield f"{join(key, name)}.max_length", f"found {excerpt(found)}, {expected}"
    initializer = model.get("initializer")
    for key, file in matching(params, "model.text_field_embedder.token_embedders.*.pretrained_file"):
        weight = f"_text_field_embedder.token_embedder_{key.split('.')[3]}.weight"
        if file and key.count(".") == 4 and isinstance(initializer, dict):
            regex = _initializer_of(weight, initializer)
            if regex is not None:
                expected = (
                    "expected none, as it draws new numbers; in configs of this package set pretrained_file::"
                )
                yield key, f"found also the initializer {excerpt(regex)}, {expected}"
    if params.get("datasets_for_vocab_creation") == [] and "vocabulary" not in params:
        expected = 'expected some of "train", "validation" and "test"'
        yield "datasets_for_vocab_creation", f"found [], {expected}"


def _initializer_of(weight: str, initializer: Mapping[str, Any]) -> Optional[str]:
    """The pattern by which an initializer sets a weight; `None` if there is none, or none that can be read."""
    patterns = [item[0] for item in initializer.get("regexes") or () if isinstance(item, list) and item]
    try:
        if any(re.search(pattern, weight) for pattern in initializer.get("prevent_regexes") or ()):
            return None
        return next((pattern for pattern in patterns if re.search(pattern, weight)), None)
    except (re.error, TypeError):
        return None


def _object(value: Any) -> dict[str, Any]:
    """The value, if it is an object, and otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def _windowed(given: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(name, item) for name, item in _object(given).items() if _object(item).get("type") in WINDOWED]
