"""The scores of runs, from results made up here, by the textbook's formulas."""

import math

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.reproduction.condition import Column, Condition
from allennlp_coref_rc.reproduction.scores import Scores

ACCURACY = Column(name="accuracy", measure="mean", digits=3)
FAILED = ACCURACY.model_copy(update={"measure": "failed"})
VALIDATION = "best_validation_accuracy"

SEEDS = (1, 2, 8)
"""A set has neither these nor the tasks 1, 2 and 16 in order."""

# By task and seed: test accuracy, validation accuracy, validation loss.
RUNS = {
    # The best seed is 2, by its accuracy; a score of just the limit does not fail.
    (1, 1): (0.949, 0.90, 0.1),
    (1, 2): (0.950, 0.91, 0.3),
    (1, 8): (1.000, 0.90, 0.2),
    # Seed 8, by its loss.
    (2, 1): (0.800, 0.90, 0.3),
    (2, 2): (0.960, 0.90, 0.2),
    (2, 8): (0.940, 0.90, 0.1),
    # Seed 1, as it is the lowest.
    (16, 1): (0.300, 0.50, 0.4),
    (16, 2): (0.990, 0.50, 0.4),
    (16, 8): (0.200, 0.50, 0.4),
}


class Source:
    """In place of a file of results."""

    path = "runs.csv"

    def __init__(self, results):
        self.results = results

    def get(self, run):
        return self.results.get(run.name)


def scores_of(values, without=(), seconds=60, seeds=SEEDS, tasks=(16, 1, 2)):
    condition = Condition(name="paper.table.row", row="row", config="babi/config.jsonnet", tasks=list(tasks))
    runs = condition.runs(seeds, "output")
    results = {}
    for run in runs:
        if (run.task, run.seed) in values:
            names = ("test_accuracy", VALIDATION, "best_validation_loss")
            metrics = dict(zip(names, values[run.task, run.seed]))
            for name in without:
                del metrics[name]
            times = {"train": seconds + run.task, "predict": run.seed}
            results[run.name] = {"metrics": metrics, "seconds": times}
    return Scores(condition, runs, Source(results))


def test_the_best_seed_of_each_task_is_best_on_validation_questions():
    scores = scores_of(RUNS)
    assert scores.tasks == [1, 2, 16]
    assert [scores.best_seed(task, VALIDATION) for task in scores.tasks] == [2, 8, 1]
    # A loss that is not known is none.
    assert scores_of(RUNS, ["best_validation_loss"]).best_seed(2, VALIDATION) == 1


def test_the_least_loss_is_the_best():
    assert [scores_of(RUNS).best_seed(task, "best_validation_loss") for task in (1, 2)] == [1, 8]
    assert ACCURACY.model_copy(update={"metric": "loss"}).smaller_is_better


def test_scores_over_all_tasks():
    scores = scores_of(RUNS)
    # Of each seed over tasks: 2.049, 2.9 and 2.14 thirds. Their mean and the standard deviation of a sample.
    means = [2.049 / 3, 2.9 / 3, 2.14 / 3]
    mean = sum(means) / 3
    sd = (sum((value - mean) ** 2 for value in means) / 2) ** 0.5
    found = scores.score(ACCURACY)
    assert (found.mean, found.sd, found.seeds) == (pytest.approx(mean), pytest.approx(sd), 3)
    assert found.best == found.of("best") == pytest.approx((0.95 + 0.94 + 0.3) / 3)
    assert found.of("mean") == found.mean
    # In percent of wrong answers.
    error = scores.score(ACCURACY.model_copy(update={"unit": "error"}))
    assert (error.mean, error.sd, error.best) == pytest.approx((100 - 100 * mean, 100 * sd, 27))


def test_tasks_fail_below_the_limit():
    # By seed 3, 0 and 2 of the tasks, and with the best seeds the second and the third.
    found = scores_of(RUNS).score(FAILED)
    assert (found.mean, found.best, found.seeds) == (pytest.approx(5 / 3), 2.0, 3)
    assert found.sd == pytest.approx((7 / 3) ** 0.5)


def test_scores_of_one_task():
    found = scores_of(RUNS).score(ACCURACY, 2)
    assert (found.mean, found.best, found.seeds) == (pytest.approx(0.9), 0.94, 3)
    assert found.sd == pytest.approx(((0.1**2 + 0.06**2 + 0.04**2) / 2) ** 0.5)


def test_runs_that_are_missing():
    some = {key: value for key, value in RUNS.items() if key != (1, 1)}
    scores = scores_of(some)
    # Seeds 2 and 8 have all tasks.
    whole = scores.score(ACCURACY)
    assert not scores.complete and whole.mean == pytest.approx((2.9 + 2.14) / 6)
    assert (whole.seeds, whole.tasks) == (2, "") and whole.best == pytest.approx((0.95 + 0.94 + 0.3) / 3)
    two = scores_of({key: RUNS[key] for key in ((1, 1), (16, 1), (2, 2))}).score(ACCURACY)
    assert (two.mean, two.seeds, two.tasks) == (pytest.approx((0.949 + 0.3) / 2), 1, "2 of 3 tasks")
    assert scores.score(ACCURACY, 1).mean == pytest.approx(0.975) and scores.score(ACCURACY, 1).seeds == 2
    assert (scores.seeds(), scores.seeds(1)) == ([1, 2, 8], [2, 8])
    alone = scores_of({(1, 2): RUNS[1, 2]}, [VALIDATION]).score(ACCURACY, 1)
    assert (alone.mean, alone.sd, alone.best, alone.seeds) == (0.95, None, 0.95, 1)
    assert scores_of({(1, 2): RUNS[1, 2]}, seeds=[2], tasks=[1]).complete
    assert not scores_of({}, seeds=[]).complete
    nothing = scores_of({})
    assert nothing.score(ACCURACY) is None and nothing.score(ACCURACY, 1) is None and not nothing.complete


def test_metrics_that_are_missing():
    assert scores_of(RUNS, ["test_accuracy"]).score(ACCURACY) is None
    without = scores_of(RUNS, [VALIDATION])
    # Without validation no seed is the best, but there is a mean.
    assert without.score(FAILED) is None and math.isnan(without.score(ACCURACY).best)
    assert without.score(ACCURACY).mean == scores_of(RUNS).score(ACCURACY).mean
    some = scores_of(RUNS)
    del some.results[2, 1]["metrics"]["test_accuracy"]
    assert some.score(ACCURACY) is None
    assert some.score(ACCURACY, 2) is None and some.score(ACCURACY, 1).seeds == 3
    with pytest.raises(ConfigurationError, match="runs.csv: .*best_validation_accuracy"):
        without.best_seed(1, VALIDATION)


def test_folds_count_as_many_times_as_they_have_questions():
    condition = Condition(name="a.b.c", row="row", config="quoref_articles/qanet.jsonnet", folds=2)
    values = {(1, 1): (0.5, 30), (2, 1): (0.2, 10), (1, 2): (0.1, 30), (2, 2): (0.5, 10)}
    runs = condition.runs([1, 2], "output")
    expected = [(1, 1, None), (2, 1, None), (1, 2, None), (2, 2, None)]
    assert [(run.fold, run.seed, run.task) for run in runs] == expected
    results = {}
    for run in runs:
        accuracy, questions = values[run.fold, run.seed]
        results[run.name] = {"metrics": {"test_accuracy": accuracy}, "questions": questions}
    score = Scores(condition, runs, Source(results)).score(ACCURACY)
    first, second = (0.5 * 30 + 0.2 * 10) / 40, (0.1 * 30 + 0.5 * 10) / 40
    assert (score.mean, score.sd) == pytest.approx(((first + second) / 2, abs(first - second) / 2**0.5))
    # There are no validation questions to choose a seed by.
    assert score.seeds == 2 and math.isnan(score.best)
    one_seed = Scores(condition, runs[:2], Source(results)).score(ACCURACY)
    assert one_seed.mean == one_seed.best == pytest.approx(first)


def test_times():
    scores = scores_of(RUNS, seconds=90)
    # 90 seconds, one for each task's number, and one for each seed's.
    assert scores.minutes(2) == pytest.approx((93 + 94 + 100) / 3 / 60)
    assert scores.hours == pytest.approx((9 * 90 + 3 * (1 + 2 + 16) + 3 * (1 + 2 + 8)) / 3600)
