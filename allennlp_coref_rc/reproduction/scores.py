import math
import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.condition import Column, Condition, is_loss
from allennlp_coref_rc.reproduction.results_file import Results
from allennlp_coref_rc.reproduction.runs import ERROR, PREDICTIONS, RESULT, Run
from allennlp_coref_rc.reproduction.significance import Scored, read_scores

FAILED_BELOW = 0.95
"""A bAbI task with a lower accuracy than this (a fraction) counts as failed."""


RunKey = tuple[Optional[int], int]
"""The task or fold of a run, `None` if there are none, and its seed."""


@dataclass(frozen=True)
class Score:
    """The score of a condition's runs, in the unit of a column."""

    by_seed: dict[int, float]
    best: float
    """The best seed's score; not a number if folds have no validation metric."""
    tasks: str = ""
    """
    The share of the tasks or folds that it is about ("2 of 20 tasks"); empty for all, and for a chosen one.
    """

    @property
    def mean(self) -> float:
        return statistics.fmean(self.by_seed.values())

    @property
    def sd(self) -> Optional[float]:
        """The standard deviation over seeds; `None` for a single one."""
        return statistics.stdev(self.by_seed.values()) if self.seeds > 1 else None

    @property
    def seeds(self) -> int:
        return len(self.by_seed)

    def of(self, measure: str) -> float:
        """The value to compare with the paper's."""
        return self.mean if measure == "mean" else self.best


class SeedScores:
    """
    The scores of seeds, from the results of their runs. `num_parts` is the number of tasks or folds, if it is
    known. The best seed (of each task) has the best validation metric. Ties go to the lower validation loss,
    then to the lower seed. Folds count as tasks, but a mean over folds is one over their questions.
    """

    def __init__(self, results: dict[RunKey, dict[str, Any]], of_folds: bool, num_parts: int = 0) -> None:
        self.results = results
        self._of_folds = of_folds
        self._num_parts = num_parts

    @property
    def tasks(self) -> list[Optional[int]]:
        """The tasks or folds that have a result."""
        return sorted({task for task, _ in self.results}, key=_in_order)

    def seeds(self, task: Optional[int] = None) -> list[int]:
        """The seeds that have a result of the task, or by default of any task."""
        return sorted({seed for part, seed in self.results if task in (None, part)})

    def best_seed(self, task: Optional[int], validation_key: str) -> int:
        """
        The best seed of a task by a metric on validation questions; all runs need it if there are several.
        """
        seeds = self.seeds(task)
        if len(seeds) == 1:
            return seeds[0]

        def key(seed: int) -> tuple[float, float, int]:
            metrics = self.results[task, seed]["metrics"]
            if validation_key not in metrics:
                place = self.place(task, seed)
                raise ConfigurationError(
                    f"{place}: found no {validation_key} among its metrics, expected a number"
                )
            sign = 1 if is_loss(validation_key) else -1
            return sign * metrics[validation_key], metrics.get("best_validation_loss", 0.0), seed

        return min(seeds, key=key)

    def score(self, column: Column, task: Optional[int] = None) -> Optional[Score]:
        """
        The score over all tasks, or of one; `None` if there is none. If runs are missing, it is that of the
        seeds that have the most tasks, over these tasks.
        """
        tasks = self._most_tasks() if task is None else [task]
        metrics = {key: result["metrics"] for key, result in self.results.items() if key[0] in tasks}
        has_best = all(
            column.validation_key in values or len(self.seeds(part)) == 1
            for (part, _), values in metrics.items()
        )
        needs_best = column.measure != "mean" and not self._of_folds
        if (
            not metrics
            or not all(column.key in values for values in metrics.values())
            or (needs_best and not has_best)
        ):
            return None
        by_seed = {
            seed: self._combined(column, [(part, seed) for part in tasks])
            for seed in self.seeds()
            if all((part, seed) in metrics for part in tasks)
        }
        best = math.nan
        if has_best:
            seeds = [self.best_seed(part, column.validation_key) for part in tasks]
            best = self._combined(column, list(zip(tasks, seeds)))
        return Score(by_seed, best, self.share(len(tasks)) if task is None else "")

    def _most_tasks(self) -> list[Optional[int]]:
        """The tasks of the first seed that has the most of them."""
        of_seeds = ([part for part in self.tasks if (part, seed) in self.results] for seed in self.seeds())
        return max(of_seeds, key=len, default=[])

    def _combined(self, column: Column, runs: Sequence[RunKey]) -> float:
        """The value of runs of different tasks, in the unit of the column."""
        values = [self.results[run]["metrics"][column.key] for run in runs]
        if column.measure == "failed":
            return float(sum(accuracy < FAILED_BELOW for accuracy in values))
        if column.measure == "lowest":
            return column.printed(min(values))
        weights = [self.results[run]["questions"] for run in runs] if self._of_folds else None
        return column.printed(statistics.fmean(values, weights))

    def place(self, task: Optional[int], seed: int) -> str:
        """Where the result of a run is from, for messages."""
        return f"seed {seed}" if task is None else f"task {task}, seed {seed}"

    def share(self, number: int) -> str:
        """ "2 of 20 tasks", or an empty text if the number is that of all tasks or folds."""
        kind = "folds" if self._of_folds else "tasks"
        return f"{number} of {self._num_parts} {kind}" if number < self._num_parts else ""

    def common(self, key: str) -> str:
        """The different values that a key has in the results."""
        return ", ".join(sorted({str(result[key]) for result in self.results.values()}))

    def minutes(self, task: Optional[int]) -> float:
        """The minutes that a run of a task took, as the mean over seeds."""
        seconds = [sum(result["seconds"].values()) for key, result in self.results.items() if key[0] == task]
        return statistics.fmean(seconds) / 60

    @property
    def hours(self) -> float:
        return sum(sum(result["seconds"].values()) for result in self.results.values()) / 3600


class Scores(SeedScores):
    """
    The scores of a condition's `runs`, finished or not. Results are read from their folders, or from the file
    `source`.
    """

    def __init__(self, condition: Condition, runs: Sequence[Run], source: Optional[Results] = None) -> None:
        super().__init__({}, condition.folds is not None, len(condition.parts))
        self.condition = condition
        self.source = source
        self.num_runs = len(runs)
        self.runs: dict[RunKey, Run] = {}
        self.num_failed = 0
        for run in runs:
            result = source.get(run) if source else run.current_result()
            if result is not None:
                self.runs[run.part, run.seed] = run
                self.results[run.part, run.seed] = result
            else:
                self.num_failed += source is None and os.path.exists(run.path(ERROR))

    def place(self, task: Optional[int], seed: int) -> str:
        return self.source.path if self.source else self.runs[task, seed].path(RESULT)

    @property
    def complete(self) -> bool:
        return len(self.results) == self.num_runs > 0

    def answers(self, task: Optional[int], seed: int, key: Optional[str]) -> Optional[list[Scored]]:
        """
        The scores of a seed's answers to the test questions of a task. A score is the prediction's `key` or,
        without one, whether the answer is right. `None` if a file of results has the runs but not their
        answers.
        """
        if self.source is None:
            return read_scores(self.runs[task, seed].path(PREDICTIONS), key)
        return self.results[task, seed]["answers"].get(key)


def _in_order(task: Optional[int]) -> int:
    return task or 0
