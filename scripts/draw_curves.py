"""
Draws curves of finished runs, the folders that `allennlp train -s FOLDER` has written: mean and standard deviation over
the runs of a curve, as a picture OUTPUT.png with its numbers in OUTPUT.csv.

    python scripts/draw_curves.py ablation output/figure_3_left \\
        --curve 'GA w/ C-GRU' output/removed-* --curve 'GA w/ GRU' output/gru-*

draws a metric against what the configs say, by default accuracy on test against the share of coreference mentions
removed or replaced (Coref-GRU, Dhingra et al., NAACL 2018, Figure 3, left). A run whose config does not say it counts
as 0; a curve none of whose runs says it is a level line.

    python scripts/draw_curves.py training output/figure_3_right \\
        --curve '1K C-GRU' output/coref_gru-1k-* --curve '1K GRU' output/gru-1k-*

draws exp(-loss), the probability of the correct answer, after each epoch (there, right). The loss is a run's mean over
questions, so that the average drawn is one over runs alone.
"""

import argparse
import csv
import math
import os
import re
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from allennlp.common.checks import ConfigurationError
from pictures import pyplot, save

from allennlp_coref_rc.common.files import atomic_write
from allennlp_coref_rc.common.json_objects import read_json_objects

SHARES = ["dataset_reader.annotator.remove_mentions", "dataset_reader.annotator.replace_mentions"]
LARGEST = 1e300
"""Of what counts as a number; NaN does not."""

STYLES = {"": "solid", "validation": "solid", "training": "dashed"}


class Curve(NamedTuple):
    """Of each place on the horizontal axis the values of the runs; a level line has one place, `None`."""

    name: str
    points: Dict[Optional[float], List[float]]
    split: str = ""

    @property
    def label(self) -> str:
        return f"{self.name}, {self.split}" if self.split else self.name


def read_object(folder: Path, name: str) -> Dict[str, Any]:
    """A JSON file of a run."""
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: no such folder, expected one that `allennlp train` has written")
    if not (folder / name).exists():
        raise ConfigurationError(f"{folder}: found no {name} in it, expected a run that `allennlp train` has finished")
    values = [value for _, value in read_json_objects(str(folder / name))]
    if len(values) > 1:
        raise ConfigurationError(f"{folder / name}: found {len(values)} objects, expected one")
    return values[0]


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST


def number_of(path: Path, values: Dict[str, Any], key: str) -> float:
    if is_number(values.get(key)):
        return values[key]
    found = f"{str(values[key])[:40]} as {key}" if key in values else f"no {key}"
    others = ", ".join(name for name, value in values.items() if is_number(value))
    raise ConfigurationError(f"{path}: found {found}, expected a number; numbers in it: {others or 'none'}")


def setting(folder: Path, key: str) -> Optional[float]:
    """What a run's config says at a dotted key; `None` where it does not."""
    values: Any = read_object(folder, "config.json")
    *parents, last = key.split(".")
    for parent in parents:
        values = values.get(parent) if isinstance(values, dict) else None
    if not isinstance(values, dict) or values.get(last) is None:
        return None
    return number_of(folder / "config.json", values, last)


def ablation_curve(name: str, folders: Sequence[Path], metric: str, against: Sequence[str]) -> Curve:
    points = defaultdict(list)
    settings: List[Optional[float]] = []
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
    points = defaultdict(list)
    for folder in folders:
        found = [re.fullmatch(r"metrics_epoch_(\d+)\.json", path.name) for path in folder.glob("metrics_epoch_*.json")]
        epochs = 1 + max((int(match[1]) for match in found if match), default=0)
        for epoch in range(epochs):
            metrics = f"metrics_epoch_{epoch}.json"
            loss = number_of(folder / metrics, read_object(folder, metrics), f"{split}_loss")
            if loss < 0:
                raise ConfigurationError(f"{folder / metrics}: found the {split}_loss {loss}, expected 0 or more")
            points[float(epoch + 1)].append(math.exp(-loss))
    return Curve(name, points, split)


def deviation(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0


def write_table(path: str, curves: Sequence[Curve], x_name: str, y_name: str) -> None:
    """A line for each point; a single run has no deviation."""
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
        look = {"color": f"C{names.index(curve.name)}", "label": curve.label}
        band = {"color": look["color"], "alpha": 0.15, "linewidth": 0}
        xs = sorted(curve.points)
        means = [mean(curve.points[x]) for x in xs]
        spreads = [deviation(curve.points[x]) for x in xs]
        low, high = ([m + sign * s for m, s in zip(means, spreads)] for sign in (-1, 1))
        if xs == [None]:
            axes.axhline(means[0], linestyle="dotted", **look)
            axes.axhspan(low[0], high[0], **band)
        else:
            axes.plot(xs, means, linestyle=STYLES[curve.split], marker=".", **look)
            axes.fill_between(xs, low, high, **band)
    axes.set_xlabel(x_name)
    axes.set_ylabel(y_name)
    axes.legend()
    axes.grid(alpha=0.3)
    save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    ablation = kinds.add_parser("ablation", help="a metric against what the configs say")
    ablation.add_argument("--metric", default="test_accuracy", help="of metrics.json (default: test_accuracy)")
    ablation.add_argument(
        "--against",
        nargs="+",
        default=SHARES,
        metavar="KEY",
        help=f"a number in config.json, under one of these keys (default: {' '.join(SHARES)})",
    )
    ablation.add_argument(
        "--x-name", default="share of mentions removed or replaced", help="what the horizontal axis is called"
    )
    training = kinds.add_parser("training", help="exp(-loss) after each epoch")
    training.add_argument(
        "--splits", nargs="+", choices=["validation", "training"], default=["validation"], help="default: validation"
    )
    for kind in (ablation, training):
        kind.add_argument("output", help="OUTPUT.png and OUTPUT.csv are written")
        kind.add_argument(
            "--curve",
            nargs="+",
            action="append",
            required=True,
            metavar=("NAME", "FOLDER"),
            help="a curve's name and the folders of its runs; again for each curve",
        )
    arguments = parser.parse_args()

    curves: List[Curve] = []
    try:
        for name, *paths in arguments.curve:
            folders = [Path(path) for path in paths]
            if not folders:
                raise ConfigurationError(f"--curve {name}: found a name alone, expected folders of runs after it")
            for folder in folders:
                if folders.count(folder) > 1:
                    raise ConfigurationError(f"--curve {name}: found {folder} twice, expected every run once")
            if arguments.kind == "ablation":
                curves.append(ablation_curve(name, folders, arguments.metric, arguments.against))
            else:
                curves.extend(training_curve(name, folders, split) for split in arguments.splits)
        x_name, y_name = (
            (arguments.x_name, arguments.metric) if arguments.kind == "ablation" else ("epoch", "exp(-loss)")
        )
        os.makedirs(os.path.dirname(os.path.abspath(arguments.output)), exist_ok=True)
        write_table(arguments.output + ".csv", curves, x_name, y_name)
        draw(arguments.output + ".png", curves, x_name, y_name)
        print(f"{arguments.output}.png and {arguments.output}.csv: {len(curves)} curves")
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
