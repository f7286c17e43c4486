import csv
from collections.abc import Sequence
from statistics import mean, stdev
from typing import Any, NamedTuple, Optional

from allennlp_coref_rc.common.files import atomic_write
from allennlp_coref_rc.common.pictures import pyplot, save

STYLES = {"": "solid", "validation": "solid", "training": "dashed"}


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
            axes.axhline(middle, linestyle="dotted", **look)
            axes.axhspan(middle - spread, middle + spread, **band)
            continue
        xs = sorted(x for x in curve.points if x is not None)
        means = [mean(curve.points[x]) for x in xs]
        spreads = [deviation(curve.points[x]) for x in xs]
        low, high = ([m + sign * s for m, s in zip(means, spreads)] for sign in (-1, 1))
        axes.plot(xs, means, linestyle=STYLES[curve.split], marker=".", **look)
        axes.fill_between(xs, low, high, **band)
    axes.set_xlabel(x_name)
    axes.set_ylabel(y_name)
    axes.legend()
    axes.grid(alpha=0.3)
    save(figure, path)


def write_curves(path: str, curves: Sequence[Curve], x_name: str, y_name: str) -> list[str]:
    """
    Draws the mean and the standard deviation over the runs of each curve to PATH.png, and writes the numbers to
    PATH.csv. Returns both paths.
    """
    write_table(path + ".csv", curves, x_name, y_name)
    draw(path + ".png", curves, x_name, y_name)
    return [path + ".png", path + ".csv"]
