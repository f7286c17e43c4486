import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write, write_text
from allennlp_coref_rc.common.pictures import pyplot, save
from allennlp_coref_rc.reproduction.figures.question_groups import (
    BOUNDS,
    GROUPINGS,
    Group,
    Score,
    group_by,
    read_readers,
)

MEASURES = {"rouge_l": "Rouge-L", "bleu_1": "Bleu-1", "exact_match": "exact match", "f1": "F1"}


def markdown(title: str, groups: Sequence[Group], measure: str) -> str:
    """
    A table with a row for each group. The first reader's cells have only its score. Those of the others also have the
    difference from it and the interval.
    """
    names = [score.reader for score in groups[0].scores if score.measure == measure]
    lines = [f"## {MEASURES[measure]} by {title}", "", f"| {title} | questions | {' | '.join(names)} |"]
    lines.append("|---|--:|" + "--:|" * len(names))
    for group in groups:
        cells = []
        for score in group.scores:
            if score.measure == measure:
                compared = f" ({score.difference:+.2f}, {score.low:+.2f} to {score.high:+.2f})"
                cells.append(f"{score.score:.2f}" + (compared if score.reader != names[0] else ""))
        lines.append(f"| {group.name} | {group.questions} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw(path: str, title: str, groups: Sequence[Group], measure: str) -> None:
    """Draws bars of all readers' scores, and of the differences from the first reader with their intervals."""
    by_reader: dict[str, list[Score]] = {}
    for group in groups:
        for score in group.scores:
            if score.measure == measure:
                by_reader.setdefault(score.reader, []).append(score)
    panels = 1 + (len(by_reader) > 1)
    width = len(groups) * max(0.9, 0.3 * len(by_reader))
    figure, axes = pyplot.subplots(panels, 1, figsize=(width, 3.5 * panels), sharex=True, squeeze=False)
    places = numpy.arange(len(groups))
    bar = 0.8 / len(by_reader)
    for i, (name, scores) in enumerate(by_reader.items()):
        at = places + (i - (len(by_reader) - 1) / 2) * bar
        axes[0, 0].bar(at, [score.score for score in scores], bar, label=name, color=f"C{i}")
        if i:
            distances = [[s.difference - s.low for s in scores], [s.high - s.difference for s in scores]]
            # If differences are skewed, the interval may not contain the difference.
            errors = numpy.maximum(distances, 0)
            bars = [score.difference for score in scores]
            axes[1, 0].bar(at, bars, bar, yerr=errors, label=name, color=f"C{i}", error_kw={"linewidth": 0.8})
    axes[0, 0].set_ylabel(MEASURES[measure])
    if panels == 2:
        axes[1, 0].set_ylabel(f"{MEASURES[measure]} less {next(iter(by_reader))}'s")
        axes[1, 0].axhline(0, color="black", linewidth=0.8)
    for panel in axes[:, 0]:
        panel.legend(fontsize=8)
    axes[-1, 0].set_xticks(places, [f"{group.name}\n({group.questions})" for group in groups], fontsize=8)
    axes[-1, 0].set_xlabel(f"{title} (questions)")
    save(figure, path)


def write(folder: str, tables: dict[str, list[Group]], measures: Sequence[str]) -> list[str]:
    files = [os.path.join(folder, name) for name in ("scores.md", "scores.csv")]
    shown = [markdown(by, groups, measure) for by, groups in tables.items() for measure in measures]
    write_text(files[0], "\n".join(shown))
    with atomic_write(files[1]) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["by", "group", "questions", *Score._fields])
        for by, groups in tables.items():
            for group in groups:
                for score in group.scores:
                    figures = [f"{value:.4f}" for value in score[2:]]
                    writer.writerow([by, group.name, group.questions, score.reader, score.measure, *figures])
    for by, groups in tables.items():
        for measure in measures:
            files.append(os.path.join(folder, f"{by.replace(' ', '_')}_{measure}.png"))
            draw(files[-1], by, groups, measure)
    return files


@dataclass(frozen=True)
class Comparison:
    """The settings of a comparison of readers, which `QuestionBars` describes."""

    by: Sequence[str] = GROUPINGS
    measures: Sequence[str] = tuple(MEASURES)
    bounds: Sequence[int] = BOUNDS
    samples: int = 1000

    def __post_init__(self) -> None:
        for found, known in ((self.by, GROUPINGS), (self.measures, MEASURES)):
            if not found or not set(found) <= set(known):
                raise ConfigurationError(f"found {str(found):.60}, expected some of {', '.join(known)}")
        if not self.bounds or min(self.bounds) < 1 or self.samples < 1:
            raise ConfigurationError("found bounds or samples of less than 1, expected 1 or more")

    def write(self, folder: str, paths: dict[str, str]) -> list[str]:
        """
        Writes tables and pictures from files of predictions, whose paths are given by reader. Returns the paths of what
        it wrote. The folder is made only if all files can be used.
        """
        readers = read_readers(paths)
        bounds = sorted(set(self.bounds))
        tables = {by: group_by(by, readers, self.measures, bounds, self.samples) for by in self.by}
        os.makedirs(folder, exist_ok=True)
        return write(folder, tables, self.measures)
