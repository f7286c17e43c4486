import math
import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.condition import Column, Condition
from allennlp_coref_rc.reproduction.results_file import Results
from allennlp_coref_rc.reproduction.runs import ERROR, PREDICTIONS, RESULT, Run
from allennlp_coref_rc.reproduction.significance import Scored, read_scores

FAILED_BELOW = 0.95
"""A bAbI task with a lower accuracy than this (a fraction) counts as failed."""


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


class Scores:
    """
    The results of a condition's runs. The best seed (of each task) has the best validation metric. Ties go to
    the lower validation loss, then to the lower seed. Folds count as tasks, but a mean over folds is one over
    their questions. `runs` are all runs, finished or not. Results are read from their folders, or from the
    file `source`.
    """

    def __init__(self, condition: Condition, runs: Sequence[Run], source: Optional[Results] = None) -> None:
        self.condition = condition
        self.source = source
        self.num_runs = len(runs)
        self.runs: dict[tuple[Optional[int], int], Run] = {}
        self.results: dict[tuple[Optional[int], int], dict[str, Any]] = {}
        self.num_failed = 0
        for run in runs:
            result = source.get(run.name) if source else run.result()
            if result is not None:
                self.runs[run.part, run.seed] = run
                self.results[run.part, run.seed] = result
            else:
                self.num_failed += source is None and os.path.exists(run.path(ERROR))

    @property
    def complete(self) -> bool:
        return len(self.results) == self.num_runs > 0

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
                path = self.source.path if self.source else self.runs[task, seed].path(RESULT)
                raise ConfigurationError(
                    f"{path}: found no {validation_key} among its metrics, expected a number"
                )
            return -metrics[validation_key], metrics.get("best_validation_loss", 0.0), seed

        return min(seeds, key=key)

    def answers(self, task: Optional[int], seed: int, key: Optional[str]) -> Optional[list[Scored]]:
        """
        The scores of a seed's answers to the test questions of a task. A score is the prediction's `key` or,
        without one, whether the answer is right. `None` if a file of results has the runs but not their
        answers.
        """
        if self.source is None:
            return read_scores(self.runs[task, seed].path(PREDICTIONS), key)
        return self.results[task, seed]["answers"].get(key)

    def score(self, column: Column, task: Optional[int] = None) -> Optional[Score]:
        """
        The score over all tasks, or of one; `None` if there is none. If runs are missing, it is that of the
        seeds that have the most tasks, over these tasks.
        """
        by_seed = [[part for part, other in self.results if other == seed] for seed in self.seeds()]
        most = max(map(len, by_seed), default=0)
        longest = next((parts for parts in by_seed if len(parts) == most), [])
        tasks = sorted(longest, key=_in_order) if task is None else [task]
        metrics = {key: result["metrics"] for key, result in self.results.items() if key[0] in tasks}
        has_best = all(
            column.validation_key in metrics[key] or len(self.seeds(key[0])) == 1 for key in metrics
        )
        known = all(column.key in values for values in metrics.values()) and (
            has_best or self.condition.folds or column.measure == "mean"
        )
        if not metrics or not known:
            return None

        def combined(seeds: Sequence[int]) -> float:
            """Over the tasks, each with one of the seeds."""
            keys = list(zip(tasks, seeds))
            values = [metrics[key][column.key] for key in keys]
            if column.measure == "failed":
                return float(sum(accuracy < FAILED_BELOW for accuracy in values))
            if column.measure == "lowest":
                return column.printed(min(values))
            weights = [self.results[key]["questions"] for key in keys] if self.condition.folds else None
            return column.printed(statistics.fmean(values, weights))

        scores = {
            seed: combined([seed] * len(tasks))
            for seed in self.seeds()
            if all((part, seed) in metrics for part in tasks)
        }
        best = math.nan
        if has_best:
            best = combined([self.best_seed(task, column.validation_key) for task in tasks])
        return Score(scores, best, "" if task is not None else self.share(len(tasks)))

    def share(self, number: int) -> str:
        """ "2 of 20 tasks", or an empty text if the number is that of all tasks or folds."""
        total = len(self.condition.parts)
        return f"{number} of {total} {'folds' if self.condition.folds else 'tasks'}" if number < total else ""

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


def _in_order(task: Optional[int]) -> int:
    return task or 0
