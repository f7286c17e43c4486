"""Curves of finished runs, from the folders that `allennlp train -s FOLDER` has written."""

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import read_json_object
from allennlp_coref_rc.reproduction.figures.curves import Curve

LARGEST = 1e300
"""Larger values do not count as numbers, and neither does NaN."""

X_NAME = "share of mentions removed or replaced"

SHARES = ["dataset_reader.annotator.remove_mentions", "dataset_reader.annotator.replace_mentions"]

AXES = ("epoch", "exp(-loss)")

SPLITS = ("validation", "training")


def setting(folder: Path, key: str) -> Optional[float]:
    """The number at a dotted key of a run's config, or `None` if there is none."""
    values: Any = read_object(folder, "config.json")
    *parents, last = key.split(".")
    for parent in parents:
        values = values.get(parent) if isinstance(values, dict) else None
    if not isinstance(values, dict) or values.get(last) is None:
        return None
    return number_of(folder / "config.json", values, last)


def ablation_curve(name: str, folders: Sequence[Path], metric: str, against: Sequence[str]) -> Curve:
    """
    A metric of finished runs against a setting of theirs, the only one of the dotted keys `against` that a config has.
    A run without it counts as 0. If no run has it, the curve is a level line.
    """
    points = defaultdict(list)
    settings: list[Optional[float]] = []
    for folder in folders:
        found = {key: setting(folder, key) for key in against}
        found = {key: value for key, value in found.items() if value is not None}
        if len(found) > 1:
            raise ConfigurationError(f"{folder}/config.json: found {' and '.join(found)}, expected one of them")
        settings.append(next(iter(found.values()), None))
    if any(value is not None for value in settings):
        settings = [value or 0.0 for value in settings]
    for folder, value in zip(folders, settings):
        points[value].append(number_of(folder / "metrics.json", read_object(folder, "metrics.json"), metric))
    return Curve(name, points)


def training_curve(name: str, folders: Sequence[Path], split: str) -> Curve:
    """exp(-loss) of runs after each epoch, from 1, on a split. A run that has ended keeps its last value."""
    runs: list[list[float]] = []
    for folder in folders:
        found = [re.fullmatch(r"metrics_epoch_(\d+)\.json", path.name) for path in folder.glob("metrics_epoch_*.json")]
        runs.append([])
        epochs = 1 + max((int(match[1]) for match in found if match), default=0)
        for epoch in range(epochs):
            metrics = f"metrics_epoch_{epoch}.json"
            loss = number_of(folder / metrics, read_object(folder, metrics), f"{split}_loss")
            if loss < 0:
                raise ConfigurationError(f"{folder / metrics}: found the {split}_loss {loss}, expected 0 or more")
            runs[-1].append(math.exp(-loss))
    longest = max(map(len, runs), default=0)
    # Good runs end early, so without their last values the rest of the curve would be that of the others.
    points: dict[Optional[float], list[float]] = {
        float(i + 1): [run[min(i, len(run) - 1)] for run in runs if run] for i in range(longest)
    }
    return Curve(name, points, split)


def read_object(folder: Path, name: str) -> dict[str, Any]:
    """The only object in a JSON file of a run. If there is none, a `ConfigurationError` is raised."""
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: no such folder, expected one that `coref-rc train` has written")
    if not (folder / name).exists():
        raise ConfigurationError(f"{folder}: found no {name} in it, expected a run that `coref-rc train` has finished")
    return read_json_object(str(folder / name))


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST


def number_of(path: Path, values: dict[str, Any], key: str) -> float:
    if is_number(values.get(key)):
        return values[key]
    found = f"{str(values[key])[:40]} as {key}" if key in values else f"no {key}"
    others = ", ".join(name for name, value in values.items() if is_number(value))
    raise ConfigurationError(f"{path}: found {found}, expected a number; numbers in it: {others or 'none'}")
