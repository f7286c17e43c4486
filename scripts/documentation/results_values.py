"""Finds runs in docs/results/runs.csv, and writes their numbers as the pages of results do."""

import re
import statistics
from collections.abc import Sequence
from functools import lru_cache

from allennlp_coref_rc.reproduction.condition import Condition, Table, select
from allennlp_coref_rc.reproduction.condition_files import CONDITIONS, read_conditions
from allennlp_coref_rc.reproduction.results_file import Line, Results
from allennlp_coref_rc.reproduction.runs import OUTPUT
from scripts.documentation.places import PROJECT

RESULTS = PROJECT / "docs" / "results"

RUNS = RESULTS / "runs.csv"

VALIDATION, OFFICIAL, TEST = "best_validation_accuracy", "best_validation_accuracy_official", "test_accuracy"

MEAN, BEST = "1-3, mean", "1-3, best"
"""The seeds of lines that are not single runs. These lines are all that is left of runs whose folders are gone."""


@lru_cache(maxsize=None)
def results(**where: str) -> Results:
    return Results(str(RUNS), where)


@lru_cache(maxsize=None)
def table(name: str, conditions: str = CONDITIONS) -> Table:
    return select(read_conditions(conditions), [name], [])[0]


def condition_of(row: str) -> Condition:
    """The condition that is a row of a table."""
    (condition,) = [c for c in table(row.rpartition(".")[0]).conditions if c.name == row]
    return condition


def folder_of(row: str) -> str:
    """The folder of the runs of a row of a table, without the task."""
    return condition_of(row).runs([0], OUTPUT)[0].name.rsplit("/", 2)[0]


def runs(folder: str, seeds: str = "", **where: str) -> list[Line]:
    """The runs of a folder, ordered by seed. With `seeds`, the line that is about all these seeds together."""
    lines = [line for line in results(**where).lines if line["run"].rpartition("/")[0] == folder]
    if seeds:
        return [line for line in lines if line["seed"] == seeds]
    return sorted((line for line in lines if "," not in line["seed"]), key=lambda line: int(line["seed"] or 0))


def values(lines: Sequence[Line], column: str) -> list[float]:
    return [float(line[column]) for line in lines]


def number(value: float, digits: int = 3, sign: bool = False) -> str:
    """ ".436", "1.000" or "+.023" """
    return re.sub(r"^([+-]?)0\.", r"\1.", f"{value:{'+' if sign else ''}.{digits}f}".replace("-0.000", "+0.000"))


def each(numbers: Sequence[float], digits: int = 3) -> str:
    """ ".437 / .429 / .441" """
    return " / ".join(number(value, digits) for value in numbers)


def mean(numbers: Sequence[float]) -> str:
    """ ".436 ± .008", or ".436" of one run alone."""
    deviation = f" ± {number(statistics.stdev(numbers))}" if len(numbers) > 1 else ""
    return number(statistics.fmean(numbers)) + deviation


def both(line: Line) -> str:
    """ ".65 / .575": the accuracy on validation and on test questions, as far as they are known."""
    if not line[VALIDATION]:
        return f"test {number(float(line[TEST]))}"
    return number(float(line[VALIDATION]), 2) + (f" / {number(float(line[TEST]))}" if line[TEST] else "")
