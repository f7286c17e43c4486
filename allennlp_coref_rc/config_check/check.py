"""
Checks the config of an experiment before any data are read: names that are not registered, unknown keys,
values of a wrong type, devices and files that are missing.

The check follows a config along the signatures of constructors, as AllenNLP's `FromParams` does. Where it
cannot, it says nothing: a missed error shows later, but a false alarm would stop a good run.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Any, Optional

from allennlp_coref_rc.common.hub_addresses import is_hub_address
from allennlp_coref_rc.common.messages import counted, excerpt
from allennlp_coref_rc.config_check.walk import GIVEN, ConfigWalk, Problem, join

SEEDS = ("random_seed", "numpy_seed", "pytorch_seed")

OTHER_KEYS = (*SEEDS, "distributed", "include_in_archive", "evaluation", "type")
"""Keys at the top of a config that the training loop does not take."""

ONE_OR_MORE = (
    "batch_size max_instances num_epochs num_gradient_accumulation_steps patience step_size summary_interval"
).split()

RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(ONE_OR_MORE, (1, inf)),
    "decay": (0, 1),
    "keep_most_recent_by_count": (0, inf),
    "numpy_seed": (0, 2**32 - 1),
    "pytorch_seed": (-(2**63), 2**64 - 1),
}
"""
By key, the least and the greatest number. With others, AllenNLP fails late, without the key, or trains
nonsense.
"""

FILES = ("pretrained_file", "weights_file_path", "directory")
"""
Keys of files that AllenNLP reads only after the data. A path may also be a URL, or "(archive)#file in it".
"""

REGEXES = ("no_grad", "prevent_regexes", "regexes")
"""
Keys of lists of regular expressions, or of pairs that begin with one. AllenNLP uses them only when it trains.
"""


def check_config(params: dict[str, Any], devices: bool = True, files: bool = True) -> list[str]:
    """The errors in a config, one a line: the dotted key, what was found, and what was expected."""
    problems = _walk(params)
    if devices:
        problems += missing_devices(params)
    if files:
        missing = ((key, missing_data(reader, path)) for key, reader, path in data_paths(params))
        problems += [(key, problem) for key, problem in missing if problem]
        problems += [
            (key, f"{path}: no such file")
            for key, path in named(params, FILES)
            if isinstance(path, str) and "://" not in path and path[:1] != "(" and not os.path.exists(path)
        ]
    return grouped(problems + _settings(params))


def _walk(params: Mapping[str, Any]) -> list[Problem]:
    """The errors on the walk through a config from its top."""
    from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_own

    register_own()
    from allennlp.commands.train import TrainModel

    walk = ConfigWalk()
    loop = {key: value for key, value in params.items() if key == "type" or key not in OTHER_KEYS}
    # Another training loop may give its constructors other arguments.
    walk.object(TrainModel, loop, "", None if "type" in params else GIVEN, others=OTHER_KEYS)
    return walk.problems


def check_object(base: type, params: dict[str, Any], key: str) -> list[str]:
    """
    The errors in the config of one object, such as an annotator. Messages have `key` before the object's
    keys.
    """
    walk = ConfigWalk()
    walk.object(base, params, key, None)
    return grouped(walk.problems)


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
    there = (
        "no GPU that PyTorch can use" if not number else f"{counted(number, 'GPU')}, the first of which is 0"
    )
    expected = "-1, the processor" if not number else f"-1, the processor, or up to {number - 1}"
    devices = named(params, ("cuda_device", "cuda_devices"))
    flat = [
        (key, one) for key, device in devices for one in (device if isinstance(device, list) else [device])
    ]
    return [
        (key, f"found {device}, but this machine has {there}; expected {expected}")
        for key, device in flat
        if isinstance(device, int) and not isinstance(device, bool) and device >= number
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

    from allennlp_coref_rc.common.errors import ConfigurationError

    if "://" in path and not is_hub_address(path):
        return None
    # Other parts are costly to build and have nothing to do with files.
    simple = {k: v for k, v in reader.items() if not isinstance(v, (Mapping, list)) and k != "annotator"}
    try:
        cls = DatasetReader.resolve_class_name(str(reader.get("type")))[0]
        if not hasattr(cls, "find"):
            own = cls.__module__.partition(".")[0] in ("allennlp", "allennlp_coref_rc", "allennlp_models")
            plain = os.sep in path and "://" not in path and not set(path) & set("*?[]!,")
            return f"{path}: no such file" if own and plain and not os.path.exists(path) else None
        built: Any = DatasetReader.from_params(Params(simple))
    except Exception:  # The whole reader is built later, and what is wrong with it shows then.
        return None
    try:
        built.find(path)
    except ConfigurationError as error:
        return str(error)
    return None


def _settings(params: Mapping[str, Any]) -> list[Problem]:
    """Mistakes that AllenNLP finds only after it has read the data or trained the model."""
    problems = []
    trainer = params.get("trainer")
    if isinstance(trainer, Mapping):
        metrics = trainer.get("validation_metric", [])
        for metric in [metrics] if isinstance(metrics, str) else metrics if isinstance(metrics, list) else []:
            if isinstance(metric, str) and metric[:1] not in ("+", "-"):
                expected = f"+{metric} if more of it is better, or -{metric}"
                problems.append(
                    ("trainer.validation_metric", f"found {excerpt(metric)}, expected {expected}")
                )
        device = trainer.get("cuda_device")
        if isinstance(device, str):
            problems.append(
                ("trainer.cuda_device", f"found {excerpt(device)}, expected a number; -1 is the processor")
            )
    for key in SEEDS:
        if params.get(key) is not None and type(params[key]) is not int:
            problems.append((key, f"found {excerpt(params[key])}, expected a whole number"))
    for key, number in named(params, tuple(RANGES)):
        least, most = RANGES[key.rpartition(".")[2]]
        if type(number) in (int, float) and not least <= number <= most:
            problems.append(
                (key, f"found {number}, expected {least} {'or more' if most == inf else f'to {most}'}")
            )
    for key, patterns in named(params, REGEXES):
        for number, item in enumerate(patterns if isinstance(patterns, list) else []):
            pattern = item[0] if isinstance(item, list) and item else item
            try:
                re.compile(pattern if isinstance(pattern, str) else "")
            except re.error as error:
                text = f"found {excerpt(pattern)}, expected a regular expression ({error})"
                problems.append((join(key, str(number)), text))
    if params.get("datasets_for_vocab_creation") == [] and "vocabulary" not in params:
        problems.append(
            ("datasets_for_vocab_creation", 'found [], expected some of "train", "validation" and "test"')
        )
    distributed = params.get("distributed")
    if isinstance(distributed, Mapping):
        devices = distributed.get("cuda_devices")
        if not isinstance(devices, list) or (len(devices) < 2 and distributed.get("num_nodes", 1) < 2):
            text = f"found {excerpt(devices)}, expected a list of two devices or more"
            problems.append(("distributed.cuda_devices", text))
    return problems
