import fnmatch
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.babi.babi_files import NUM_TASKS
from allennlp_coref_rc.reproduction.runs import DATA, Run

MEASURES = ("mean", "best", "failed", "tasks", *(f"task {task}" for task in range(1, NUM_TASKS + 1)))
"""
The measures of a condition's runs. "mean" is the mean over seeds, and "best" is the value of the seed that is best on
validation questions. "failed" is the number of tasks that fail with their best seeds, "tasks" each task's value with
its best seed, and "task N" the value of one task.
"""

UNITS = {"fraction": (0.0, 1.0), "percent": (0.0, 100.0), "error": (100.0, -100.0)}
"""
The units of papers, as (start, factor). An accuracy `a` is `start + factor * a` in the unit. "error" is the percentage
of wrong answers.
"""

SPLITS = {"test": "test_", "validation": "best_validation_"}
"""The prefix of the metrics of each split."""

TASK = "{task}"
"""Stands for the task's number in the name of a data file."""


@dataclass(frozen=True)
class Column:
    """
    A column of a table.

    # Parameters

    name : `str`
    measure : `str`
        One of `MEASURES`.
    metric : `str`
        The metric, without the prefix of its split.
    split : `str`
        One of `SPLITS`, or one of the table's `evaluations`.
    unit : `str`
        The paper's unit, one of `UNITS`.
    tolerance : `float`
        How much worse than the paper our value may be, in this unit.
    digits : `int`
        The number of decimal places.
    """

    name: str
    measure: str
    metric: str
    split: str
    unit: str
    tolerance: float
    digits: int

    @property
    def key(self) -> str:
        """The metric's name in AllenNLP's metrics.json."""
        return SPLITS.get(self.split, f"{self.split}_") + self.metric

    @property
    def validation_key(self) -> str:
        return SPLITS["validation"] + self.metric

    @property
    def smaller_is_better(self) -> bool:
        return self.unit == "error" or self.measure == "failed"

    def printed(self, value: float) -> float:
        """A value of the metric in the column's unit."""
        start, factor = UNITS[self.unit]
        return start + factor * value


@dataclass(frozen=True)
class Condition:
    """
    A row of a table: the paper's values, and the config and settings of our runs. A row without a config is not run
    here.

    # Parameters

    name : `str`
        `FILE.TABLE.ROW`, as on the command line.
    row : `str`
        The paper's name of the row.
    paper : `dict[str, Any]`
        The paper's values by column. For a column with the measure `"tasks"` it is a list.
    config : `str`, optional (default = `None`)
        The file of the config, or its name in the package.
    overrides : `dict[str, Any]`, optional (default = `{}`)
        New values of the config, by dotted key.
    tasks : `list[int]`, optional (default = `[]`)
        The tasks of bAbI.
    seeds : `list[int]`, optional (default = `[]`)
        The seeds of the runs, unless the command line gives others.
    data : `dict[str, int]`, optional (default = `{}`)
        The files that are needed, relative to the folder of all data sets, and the smallest size in bytes that each may
        have, so that a sample is not taken for the data set. "{task}" stands for the number of the task.
    evaluations : `dict[str, dict[str, Any]]`, optional (default = `{}`)
        By name, more evaluations on parts of the validation questions: the overrides that choose the part.
    minutes : `float`, optional (default = `None`)
        The expected time of a run on one core.
    compared_with : `str`, optional (default = `None`)
        Another row of the table. The report tests whether the difference between the two is significant.
    needs : `str`, optional (default = `None`)
        What a run needs beside data and a processor, such as a GPU and pretrained weights.
    note : `str`, optional (default = `None`)
        A remark for the report.
    """

    name: str
    row: str
    paper: dict[str, Any]
    config: Optional[str] = None
    overrides: dict[str, Any] = field(default_factory=dict)
    tasks: list[int] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)
    data: dict[str, int] = field(default_factory=dict)
    evaluations: dict[str, dict[str, Any]] = field(default_factory=dict)
    minutes: Optional[float] = None
    compared_with: Optional[str] = None
    needs: Optional[str] = None
    note: Optional[str] = None

    def runs(self, seeds: Sequence[int], output: str, data: str = DATA) -> list[Run]:
        """The runs of some seeds, ordered by seed, then by task."""
        if self.config is None:
            return []
        tasks: list[Optional[int]] = [*self.tasks] or [None]
        return [
            Run(self.config, seed, task, self.overrides, output, data, self.evaluations, self._files(task))
            for seed in seeds
            for task in tasks
        ]

    def missing(self, data: str = DATA, tasks: Sequence[int] = ()) -> list[str]:
        """A message for each data file that is missing or too small, of some of the tasks, or of all."""
        found = []
        read = [task for task in self.tasks if not tasks or task in tasks]
        for name, size in self.data.items():
            paths = [os.path.join(data, name.replace(TASK, str(task))) for task in (read if self.tasks else [None])]
            for path in dict.fromkeys(paths):
                if not os.path.exists(path):
                    found.append(f"{path}: no such file")
                elif os.path.getsize(path) < size:
                    found.append(f"{path}: found {os.path.getsize(path):,} bytes, expected {size:,} or more")
        return found

    def _files(self, task: Optional[int]) -> list[str]:
        return [name.replace(TASK, str(task)) for name in self.data]


@dataclass(frozen=True)
class Table:
    """A table of a paper, with its columns. Its rows are conditions."""

    name: str
    paper: str
    caption: str
    columns: list[Column]
    conditions: list[Condition]

    @property
    def title(self) -> str:
        """ "Table 1" """
        return f"Table {self.name.partition('.')[2]}"


def select(tables: Sequence[Table], patterns: Sequence[str], conditions: Sequence[str]) -> list[Table]:
    """
    The tables whose names match one of the patterns, with only the conditions whose names match one of `conditions`.
    Patterns are those of file names. Without any, all match. If nothing is left, a `ConfigurationError` is raised.
    """
    chosen = [table for table in tables if not patterns or any(fnmatch.fnmatch(table.name, p) for p in patterns)]
    if conditions:
        chosen = [
            replace(table, conditions=kept)
            for table in chosen
            for kept in [[c for c in table.conditions if any(fnmatch.fnmatch(c.name, p) for p in conditions)]]
            if kept
        ]
    if not chosen:
        known = ", ".join(c.name for table in tables for c in table.conditions) if conditions else ""
        known = known or ", ".join(table.name for table in tables)
        raise ConfigurationError(f"found nothing named {', '.join([*patterns, *conditions])}; there are {known}")
    return chosen
