import fnmatch
import os
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Optional, Sequence

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.babi.babi_files import NUM_TASKS
from allennlp_coref_rc.reproduction.runs import DATA, Run

MEASURES = ("mean", "best", "failed", "tasks", *(f"task {task}" for task in range(1, NUM_TASKS + 1)))
"""
Of a condition's runs: the mean over seeds; the value of the seed that is best on validation questions; the number of
tasks that fail with their best seeds; each task's value with its best seed; that of one task.
"""

UNITS = {"fraction": (0.0, 1.0), "percent": (0.0, 100.0), "error": (100.0, -100.0)}
"""What a paper gives accuracies as: an accuracy a is `start + factor * a`; "error" is a percentage of errors."""

SPLITS = {"test": "test_", "validation": "best_validation_"}
"""What metrics of a split begin with."""

TASK = "{task}"
"""In the name of a file of data, the number of the task."""


@dataclass(frozen=True)
class Column:
    """
    What a column of a table holds: a measure of a metric on a split (or one of a condition's evaluations), in the unit
    that the paper prints, with as many digits after the point.
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
        """The metric, as AllenNLP's metrics.json calls it."""
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
    A row of a table: what the paper says, and how it is made here; without a config, a published value.

    # Parameters

    name : `str`
        `FILE.TABLE.ROW`, which the command line takes.
    row : `str`
        The row as the paper calls it.
    paper : `Dict[str, Any]`
        The paper's values by column; a list where the measure is `"tasks"`.
    config : `str`, optional (default = `None`)
    overrides : `Dict[str, Any]`, optional (default = `{}`)
    tasks, seeds : `List[int]`, optional (default = `[]`)
    data : `Dict[str, int]`, optional (default = `{}`)
        The files needed, below the folder of all data sets, and how many bytes each has at least, since a sample is not
        the data set. "{task}" stands for the number of the task.
    evaluations : `Dict[str, Dict[str, Any]]`, optional (default = `{}`)
        What else is evaluated on: parts of the validation questions, by name the overrides that choose them.
    minutes : `float`, optional (default = `None`)
        What a run is expected to take, on one core.
    compared_with : `str`, optional (default = `None`)
        Another row of the table, against which the answers are tested for significance.
    note : `str`, optional (default = `None`)
    """

    name: str
    row: str
    paper: Dict[str, Any]
    config: Optional[str] = None
    overrides: Dict[str, Any] = field(default_factory=dict)
    tasks: List[int] = field(default_factory=list)
    seeds: List[int] = field(default_factory=list)
    data: Dict[str, int] = field(default_factory=dict)
    evaluations: Dict[str, Dict[str, Any]] = field(default_factory=dict)
    minutes: Optional[float] = None
    compared_with: Optional[str] = None
    note: Optional[str] = None

    def runs(self, seeds: Sequence[int], output: str, data: str = DATA) -> List[Run]:
        """Those of some seeds, all tasks of a seed in a row."""
        if self.config is None:
            return []
        tasks: List[Optional[int]] = [*self.tasks] or [None]
        return [
            Run(self.config, seed, task, self.overrides, output, data, self.evaluations, self._files(task))
            for seed in seeds
            for task in tasks
        ]

    def missing(self, data: str = DATA) -> List[str]:
        """What of the data is not at hand, a sentence each."""
        found = []
        for name, size in self.data.items():
            tasks: Sequence[Optional[int]] = self.tasks or [None]
            paths = [os.path.join(data, name.replace(TASK, str(task))) for task in tasks]
            for path in dict.fromkeys(paths):
                if not os.path.exists(path):
                    found.append(f"{path}: no such file")
                elif os.path.getsize(path) < size:
                    found.append(f"{path}: found {os.path.getsize(path):,} bytes, expected {size:,} or more")
        return found

    def _files(self, task: Optional[int]) -> List[str]:
        return [name.replace(TASK, str(task)) for name in self.data]


@dataclass(frozen=True)
class Table:
    """A table of a paper: its columns, and its rows as conditions."""

    name: str
    paper: str
    caption: str
    columns: List[Column]
    conditions: List[Condition]

    @property
    def title(self) -> str:
        """ "Table 1" """
        return f"Table {self.name.partition('.')[2]}"


def select(tables: Sequence[Table], patterns: Sequence[str], conditions: Sequence[str]) -> List[Table]:
    """The tables and, of them, the conditions that any of the patterns names (as file names are matched)."""
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
