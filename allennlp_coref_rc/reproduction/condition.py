import fnmatch
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Optional, Union

from pydantic import AfterValidator, Field

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import most_similar
from allennlp_coref_rc.common.schema import InvalidValue, Numbers, Schema, one_of
from allennlp_coref_rc.data.babi.babi_files import NUM_TASKS
from allennlp_coref_rc.reproduction.runs import DATA, Run

MEASURES = (
    "mean",
    "best",
    "failed",
    "lowest",
    "tasks",
    *(f"task {task}" for task in range(1, NUM_TASKS + 1)),
)
"""
The measures of a condition's runs. "mean" is the mean over seeds, and "best" is the value of the seed that is
best on validation questions. "failed" is the number of tasks that fail with their best seeds, "lowest" the
value of the worst one, "tasks" each task's value with its best seed, and "task N" the value of one task.
"""

UNITS = {"fraction": (0.0, 1.0), "percent": (0.0, 100.0), "error": (100.0, -100.0)}
"""
The units of papers, as (start, factor): an accuracy `a` is `start + factor * a`. "error" is the rate of
errors.
"""

SPLITS = {"test": "test_", "validation": "best_validation_"}
"""The prefix of the metrics of each split."""

NOT_KEPT = ("epoch", "best_epoch", "peak_", "training_", "validation_")
"""
AllenNLP's metrics whose names begin like this are left out of files of results: they are not about the best epoch
or the test questions.
"""

TASK = "{task}"
FOLD = "{fold}"
"""Stand for the number of the task or the fold in the name of a data file."""


Number = Union[float, int]


def is_loss(metric: str) -> bool:
    """Whether smaller values of a metric of AllenNLP are better."""
    return metric.endswith("loss")


class ColumnOptions(Schema):
    measure: Annotated[str, one_of(MEASURES)] = "best"
    metric: str = "accuracy"
    """The metric, without the prefix of its split."""
    split: str = "test"
    """One of `SPLITS`, or one of the table's `evaluations`."""
    unit: Annotated[str, one_of(UNITS)] = "fraction"
    tolerance: float = 0.0
    """How much worse than the paper our value may be, in the paper's unit."""


class Column(ColumnOptions):
    """A column of a table, with its name and the number of decimal places."""

    name: str
    digits: int

    @property
    def key(self) -> str:
        """The metric's name in AllenNLP's metrics.json."""
        return SPLITS.get(self.split, f"{self.split}_") + self.metric

    @property
    def validation_key(self) -> str:
        return SPLITS["validation"] + self.metric

    @property
    def task(self) -> Optional[int]:
        """The only task that the column is about, if its measure is "task N"."""
        return int(self.measure.split()[1]) if self.measure.startswith("task ") else None

    @property
    def smaller_is_better(self) -> bool:
        return self.unit == "error" or self.measure == "failed" or is_loss(self.metric)

    def printed(self, value: float) -> float:
        """A value of the metric in the column's unit."""
        start, factor = UNITS[self.unit]
        return start + factor * value


def _check_prefix(name: str) -> str:
    """Refuses the name of an evaluation whose metrics would be taken for AllenNLP's own."""
    if name in SPLITS or f"{name}_".startswith(NOT_KEPT):
        raise InvalidValue("a name that none of AllenNLP's metrics begins with")
    return name


class RunOptions(Schema):
    """The settings of a row's runs, which its table may have for all rows."""

    overrides: dict[str, Any] = {}
    """New values of the config, by dotted key."""
    tasks: Numbers = []
    folds: Optional[Annotated[int, Field(ge=2)]] = None
    """The number of folds of a cross-validation. There is a run for each of them."""
    seeds: Numbers = [1]
    """The seeds of the runs, unless the command line gives others."""
    data: dict[str, int] = {}
    """
    The files that are needed, and the smallest size of each in bytes, so that a sample is not taken for the
    data.
    """
    evaluations: dict[Annotated[str, AfterValidator(_check_prefix)], dict[str, Any]] = {}
    """
    By name, more evaluations on parts of the validation questions, or on others: the overrides that choose
    them.
    """
    minutes: Optional[float] = None
    """The expected time of a run on one core."""
    compared_with: Optional[str] = None
    """Another row of the table. The report tests whether the difference between the two is significant."""
    needs: Optional[str] = None
    """What a run needs beside data and a processor, such as a GPU and pretrained weights."""
    note: Optional[str] = None


class Row(RunOptions):
    """A row of a table: the paper's values, and the config and settings of our runs."""

    row: str
    """The paper's name of the row."""
    paper: dict[str, Union[Number, list[Number]]] = {}
    """The paper's values by column. For a column with the measure `"tasks"` it is a list."""
    config: Optional[str] = None
    """The file of the config, or its name in the package. A row without a config is not run here."""


class Condition(Row):
    """A row with its `name`, which is `FILE.TABLE.ROW`, as on the command line."""

    name: str

    @property
    def parts(self) -> list[Optional[int]]:
        """The tasks or folds, each of which has its own runs; `[None]` if there are none."""
        return [*self.tasks] or [*range(1, (self.folds or 0) + 1)] or [None]

    def runs(self, seeds: Sequence[int], output: str, data: str = DATA) -> list[Run]:
        """The runs of some seeds, ordered by seed, then by task or fold."""
        if self.config is None:
            return []
        shared: dict[str, Any] = {
            "overrides": self.overrides,
            "output": output,
            "data": data,
            "evaluations": self.evaluations,
        }
        key = "task" if self.tasks else "fold"
        return [
            Run(self.config, seed, files=[_file(name, part) for name in self.data], **{**shared, key: part})
            for seed in seeds
            for part in self.parts
        ]

    def missing(self, data: str = DATA, parts: Sequence[int] = ()) -> list[str]:
        """
        A message for each data file that is missing or too small, of some of the tasks or folds, or of all.
        """
        messages = []
        for name, size in self.data.items():
            names = [_file(name, part) for part in self.parts if not parts or part is None or part in parts]
            for path in dict.fromkeys(os.path.join(data, name) for name in names):
                if not os.path.exists(path):
                    messages.append(f"{path}: no such file")
                elif os.path.getsize(path) < size:
                    messages.append(
                        f"{path}: found {os.path.getsize(path):,} bytes, expected {size:,} or more"
                    )
        return messages


def _file(name: str, part: Optional[int]) -> str:
    return name.replace(TASK, str(part)).replace(FOLD, str(part))


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
    The tables and conditions whose names match one of the patterns, those of file names; all without any.
    """
    known = [table.name for table in tables], [c.name for table in tables for c in table.conditions]
    for wanted, names in zip((patterns, conditions), known):
        for pattern in wanted:
            if not fnmatch.filter(names, pattern):
                similar = "".join(f"did you mean {name}? " for name in most_similar(pattern, names))
                raise ConfigurationError(f"found nothing named {pattern}; {similar}--list prints all names")
    chosen = [
        table for table in tables if not patterns or any(fnmatch.fnmatch(table.name, p) for p in patterns)
    ]
    if conditions:
        chosen = [
            replace(table, conditions=kept)
            for table in chosen
            for kept in [[c for c in table.conditions if any(fnmatch.fnmatch(c.name, p) for p in conditions)]]
            if kept
        ]
    if not chosen:
        raise ConfigurationError(f"found none of {', '.join(conditions)} in {', '.join(patterns)}")
    return chosen
