"""
Curves of finished runs, from the folders that `allennlp train -s FOLDER` has written, and their drawings.
"""

import csv
import math
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple, Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write
from allennlp_coref_rc.common.json_objects import read_json_object
from allennlp_coref_rc.common.pictures import pyplot, save

LARGEST = 1e300
"""Larger values do not count as numbers, and neither does NaN."""

METRIC = "test_accuracy"

ABLATION_AXES = ("share of mentions removed or replaced", METRIC)

SHARES = ["dataset_reader.annotator.remove_mentions", "dataset_reader.annotator.replace_mentions"]

AXES = ("epoch", "exp(-loss)")

CURVE_SPLITS = ("validation", "training")

PUBLISHED = "published"
"""In place of the split of a curve whose values are a paper's."""

STYLES = {"": "solid", "validation": "solid", "training": "dashed", PUBLISHED: "dashed"}


class Curve(NamedTuple):
    """The values of the runs at each x. A level line has only one x, `None`."""

    name: str
    points: dict[Optional[float], list[float]]
    split: str = ""

    @property
    def label(self) -> str:
        return f"{self.name}, {self.split}" if self.split else self.name


def deviation(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0


def write_table(path: str, curves: Sequence[Curve], x_name: str, y_name: str) -> None:
    """Writes a CSV file with a line for each point. If a point has a single run, its deviation is empty."""
    with atomic_write(path) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["curve", x_name, "runs", y_name, "deviation", "least", "most"])
        for curve in curves:
            for x, values in sorted(curve.points.items()):
                spread = f"{deviation(values):.6f}" if len(values) > 1 else ""
                low, middle, high = (f"{value:.6f}" for value in (min(values), mean(values), max(values)))
                place = "" if x is None else f"{x:g}"
                table.writerow([curve.label, place, len(values), middle, spread, low, high])


def draw(path: str, curves: Sequence[Curve], x_name: str, y_name: str) -> None:
    figure, axes = pyplot.subplots(figsize=(6, 4))
    names = list(dict.fromkeys(curve.name for curve in curves))
    for curve in curves:
        look: dict[str, Any] = {"color": f"C{names.index(curve.name)}", "label": curve.label}
        band: dict[str, Any] = {"color": look["color"], "alpha": 0.15, "linewidth": 0}
        level = curve.points.get(None)
        if level is not None:
            middle, spread = mean(level), deviation(level)
            axes.axhline(middle, linestyle=STYLES[curve.split] if curve.split else "dotted", **look)
            axes.axhspan(middle - spread, middle + spread, **band)
            continue
        xs = sorted(x for x in curve.points if x is not None)
        means = [mean(curve.points[x]) for x in xs]
        spreads = [deviation(curve.points[x]) for x in xs]
        low, high = ([m + sign * s for m, s in zip(means, spreads)] for sign in (-1, 1))
        marker = "D" if curve.split == PUBLISHED else "."
        axes.plot(xs, means, linestyle=STYLES[curve.split], marker=marker, **look)
        axes.fill_between(xs, low, high, **band)
    axes.set_xlabel(x_name)
    axes.set_ylabel(y_name)
    axes.legend()
    axes.grid(alpha=0.3)
    save(figure, path)


def write_curves(path: str, curves: Sequence[Curve], x_name: str, y_name: str) -> list[str]:
    """
    Draws the mean and the deviation over the runs of each curve to PATH.png, and writes the numbers to
    PATH.csv.
    """
    write_table(path + ".csv", curves, x_name, y_name)
    draw(path + ".png", curves, x_name, y_name)
    return [path + ".png", path + ".csv"]


def setting(folder: Path, key: str) -> Optional[float]:
    """The number at a dotted key of a run's config, or `None` if there is none."""
    values: Any = read_object(folder, "config.json")
    *parents, last = key.split(".")
    for parent in parents:
        values = values.get(parent) if isinstance(values, dict) else None
    if not isinstance(values, dict) or values.get(last) is None:
        return None
    return number_of(folder / "config.json", values, last)


def ablation_curve(name: str, folders: Sequence[Path]) -> Curve:
    """
    The test accuracy of finished runs against the one of `SHARES` that their configs have; by default it is
    0. If no run has any, the curve is a level line.
    """
    points = defaultdict(list)
    settings: list[Optional[float]] = []
    for folder in folders:
        shares = {key: value for key in SHARES if (value := setting(folder, key)) is not None}
        if len(shares) > 1:
            raise ConfigurationError(
                f"{folder}/config.json: found {' and '.join(shares)}, expected one of them"
            )
        settings.append(next(iter(shares.values()), None))
    if any(value is not None for value in settings):
        settings = [value or 0.0 for value in settings]
    for folder, value in zip(folders, settings):
        points[value].append(number_of(folder / "metrics.json", read_object(folder, "metrics.json"), METRIC))
    return Curve(name, points)


def training_curve(name: str, folders: Sequence[Path], split: str) -> Curve:
    """exp(-loss) of runs after each epoch, from 1, on a split. A run that has ended keeps its last value."""
    runs: list[list[float]] = []
    for folder in folders:
        read_object(folder, "metrics.json")  # A run that has not ended has none.
        matches = [
            re.fullmatch(r"metrics_epoch_(\d+)\.json", path.name) for path in folder.glob("metrics_epoch_*")
        ]
        runs.append([])
        for epoch in range(1 + max((int(match[1]) for match in matches if match), default=0)):
            metrics = f"metrics_epoch_{epoch}.json"
            loss = number_of(folder / metrics, read_object(folder, metrics), f"{split}_loss")
            if loss < 0:
                raise ConfigurationError(
                    f"{folder / metrics}: found the {split}_loss {loss}, expected 0 or more"
                )
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
        raise ConfigurationError(
            f"{folder}: found no {name} in it, expected a run that `coref-rc train` has finished"
        )
    return read_json_object(str(folder / name))


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST


def number_of(path: Path, values: dict[str, Any], key: str) -> float:
    if is_number(values.get(key)):
        return values[key]
    found = f"{str(values[key])[:40]} as {key}" if key in values else f"no {key}"
    others = ", ".join(name for name, value in values.items() if is_number(value))
    raise ConfigurationError(f"{path}: found {found}, expected a number; numbers in it: {others or 'none'}")
