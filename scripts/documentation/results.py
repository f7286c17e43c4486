"""
Fills the tables of the pages of results from docs/results/runs.csv:

    python -m scripts.documentation.results

A table stands between two marks, `<!-- results: quoref -->` and `<!-- end of results -->`. docs/results/tables.yaml
describes it: its rows, its columns, and under `cells` what all of them have. Together they say for each cell

- `run`, `conditions`, `hardware` or another column of runs.csv: a pattern, as for file names, that its runs match. Runs
  have a number as their seed unless `seed` says otherwise
- `of`: the metric
- `over`: what is made of the tasks or folds of a seed: `mean` (the default), `min`, `failed`, or `questions` (the mean
  over all questions)
- `show`: `each` seed; `mean` with the standard deviation; `average` without it; `best`, for each task the seed that is
  best on the validation set; the mean difference from the row `base` (by default the first row with runs; `gain`), also
  with its interval over all questions (`interval`); `paper`, the paper's value
- `seeds`: those that `each` shows, by default those that have run
- `unit`: `fraction` (the default), `percent`, `error` (percent) or `count`; `digits`
- `paper`: the paper's column. It is also shown if there are no runs
"""

import re
import statistics
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import write_text
from allennlp_coref_rc.common.schema import numbers
from allennlp_coref_rc.reproduction.condition import Condition, select
from allennlp_coref_rc.reproduction.condition_files import CONDITIONS, read_conditions
from allennlp_coref_rc.reproduction.report import markdown
from allennlp_coref_rc.reproduction.results_file import Line, read_lines, right_answers
from allennlp_coref_rc.reproduction.scores import FAILED_BELOW
from allennlp_coref_rc.reproduction.significance import paired_bootstrap
from scripts.documentation.places import PROJECT

RESULTS = PROJECT / "docs" / "results"

MARKED = re.compile(r"(<!-- results: (.*?) -->\n).*?(<!-- end of results -->)", flags=re.DOTALL)

VALIDATION, LOSS = "best_validation_accuracy", "best_validation_loss"

OVER = {
    "mean": lambda values, questions: statistics.fmean(values),
    "min": lambda values, questions: min(values),
    "failed": lambda values, questions: sum(value < FAILED_BELOW for value in values),
    "questions": lambda values, questions: statistics.fmean(values, questions),
}

UNITS = {"fraction": (1.0, 3), "percent": (100.0, 2), "error": (100.0, 1), "count": (1.0, 0)}
"""By unit, the factor of a metric, and the default number of decimal places."""

Cell = Mapping[str, Any]
"""What tables.yaml says about a cell."""


def pages() -> list[Path]:
    """The pages that have marks."""
    paths = [PROJECT / "RESULTS.md", *sorted((PROJECT / "docs").rglob("*.md"))]
    return [path for path in paths if MARKED.search(path.read_text(encoding="utf-8"))]


def read_tables() -> dict[str, Any]:
    return yaml.safe_load((RESULTS / "tables.yaml").read_text(encoding="utf-8"))


def filled(text: str, tables: Mapping[str, Any], runs: Sequence[Line]) -> str:
    """The text of a page with its tables made from runs."""

    def fill(match: "re.Match[str]") -> str:
        if match[2] not in tables:
            raise ConfigurationError(f"found a table {match[2]!r}, expected one of {', '.join(tables)}")
        return match[1] + "\n" + "\n".join(made(tables[match[2]], runs)) + "\n\n" + match[3]

    return MARKED.sub(fill, text)


def made(table: Mapping[str, Any], runs: Sequence[Line]) -> list[str]:
    """A table's lines in Markdown."""
    rows = {label: {**table.get("cells", {}), **row} for label, row in expanded(table["rows"]).items()}
    columns = []
    for column in table["columns"].values():
        cells = {label: {**row, **column} for label, row in rows.items()}
        of_rows = {label: chosen(cell, runs) for label, cell in cells.items()}
        base = of_rows[column["base"]] if "base" in column else next(filter(None, of_rows.values()), [])
        columns.append([content(cell, of_rows[label], base) for label, cell in cells.items()])
    return markdown([table.get("title", ""), *table["columns"]], list(zip(rows, *columns)))


def expanded(rows: Any) -> dict[str, Cell]:
    """The rows of a table: as they are, or for tasks such as "tasks 1-3,16", or for a table of conditions."""
    if not isinstance(rows, str):
        return rows
    if rows.startswith("tasks "):
        return {str(task): {"task": str(task)} for task in numbers(rows.partition(" ")[2])}
    return {condition.row: {"conditions": condition.name} for condition in conditions(rows)}


@lru_cache(maxsize=None)
def conditions(table: str) -> Sequence[Condition]:
    """The conditions of a table, described in docs/results or in the package."""
    described = RESULTS / f"{table.partition('.')[0]}.yaml"
    return select(read_conditions(str(described) if described.exists() else CONDITIONS), [table], [])[0].conditions


def chosen(cell: Cell, runs: Sequence[Line]) -> list[Line]:
    """The runs of a cell, ordered by seed. If a run was done twice, a `ConfigurationError` is raised."""
    by_name: dict[str, Line] = {}
    for line in runs:
        if matches(line, cell):
            if line["run"] in by_name:
                commits = f"{by_name[line['run']]['commit']} and {line['commit']}"
                raise ConfigurationError(f"runs.csv: found {line['run']} twice, of {commits}, expected it once")
            by_name[line["run"]] = line
    return sorted(by_name.values(), key=lambda line: int(line["seed"]) if line["seed"].isdigit() else 0)


def matches(line: Line, cell: Cell) -> bool:
    """Whether a run belongs to a cell. What is left of older runs has several seeds, and is chosen by `seed` alone."""
    patterns = {"seed": "[!,]" if "," in line["seed"] else "*", **cell}
    return all(
        any(fnmatchcase(word, str(patterns[c])) for word in (line[c].split() if c == "conditions" else [line[c]]))
        for c in line.keys() & patterns.keys()
    )


def content(cell: Cell, runs: Sequence[Line], base: Sequence[Line]) -> str:
    """The content of a cell with these runs. Differences are from the runs of its base."""
    show = cell["show"]
    if show == "paper" or not runs:
        return of_paper(cell)
    if show == "best":
        return written(cell, combined(cell, best(runs)))
    values = by_seed(cell, runs)
    if show == "each":
        seeds = map(str, numbers(cell["seeds"])) if "seeds" in cell else values
        return " / ".join(written(cell, values[seed]) if seed in values else "–" for seed in seeds)
    if show in ("mean", "average"):
        deviation = statistics.stdev(values.values()) if show == "mean" and len(values) > 1 else None
        mean = written(cell, statistics.fmean(values.values()))
        return mean if deviation is None else f"{mean} ± {written(cell, deviation, start=0)}"
    return difference(cell, runs, [] if base == runs else base)


def difference(cell: Cell, runs: Sequence[Line], base: Sequence[Line]) -> str:
    """The difference between runs of the same seeds; nothing if there are none."""
    values, of_base = by_seed(cell, runs), by_seed(cell, base)
    shared = [seed for seed in values if seed in of_base]
    if cell["show"] == "interval" and shared:
        answers = ([right_answers(line) for line in lines if line["seed"] in shared] for lines in (runs, base))
        test = paired_bootstrap(*(np.mean(of_seeds, axis=0) for of_seeds in answers))
        mean, low, high = (written(cell, value, "+", 0) for value in (test.difference, test.low, test.high))
        return f"{mean} ({low} to {high}), p = {written(cell, test.p)}"
    return written(cell, statistics.fmean(values[seed] - of_base[seed] for seed in shared), "+", 0) if shared else ""


def by_seed(cell: Cell, runs: Sequence[Line]) -> dict[str, float]:
    """The value of each seed. Runs whose seed is not known have one each."""
    seeds = groupby(runs, lambda line: line[cell.get("by", "seed")] or line["run"])
    return {seed: combined(cell, list(lines)) for seed, lines in seeds}


def combined(cell: Cell, runs: Sequence[Line]) -> float:
    """The value of runs on several tasks or folds."""
    values, questions = ([float(line[column]) for line in runs] for column in (cell["of"], "questions"))
    return OVER[cell.get("over", "mean")](values, questions)


def best(runs: Sequence[Line]) -> list[Line]:
    """By task, the run with the best validation accuracy. Between equal ones, the lower validation loss decides."""
    tasks = groupby(sorted(runs, key=itemgetter("task")), itemgetter("task"))
    return [max(lines, key=lambda line: (float(line[VALIDATION] or 0), -float(line[LOSS] or 0))) for _, lines in tasks]


def written(cell: Cell, value: float, sign: str = "", start: float = 100) -> str:
    """A metric in the unit of a cell, such as ".436" or "+.023". `start` is 0 for differences and deviations."""
    value *= UNITS[cell.get("unit", "fraction")][0]
    return number(cell, start - value if start and cell.get("unit") == "error" else value, sign)


def number(cell: Cell, value: float, sign: str = "") -> str:
    unit = cell.get("unit", "fraction")
    text = f"{value:{sign}.{cell.get('digits', UNITS[unit][1])}f}".replace("-0.000", "+0.000")
    return re.sub(r"^([+-]?)0\.", r"\1.", text) if unit == "fraction" else text


def of_paper(cell: Cell) -> str:
    """The paper's value of a cell, in the paper's unit; nothing if it has none."""
    if "paper" not in cell:
        return ""
    table, _, _ = cell["conditions"].rpartition(".")
    (values,) = [condition.paper for condition in conditions(table) if condition.name == cell["conditions"]]
    value = values.get(cell["paper"])
    if isinstance(value, list):
        value = value[int(cell["task"]) - 1]
    return "" if value is None else number(cell, value)


def main() -> None:
    tables, runs = read_tables(), read_lines(str(RESULTS / "runs.csv"))
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if filled(text, tables, runs) != text:
            write_text(path, filled(text, tables, runs))
            print(f"{path.relative_to(PROJECT)}: updated")


if __name__ == "__main__":
    main()
