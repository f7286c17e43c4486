"""Makes the tables of docs/results/coreference_reading.md from docs/results/runs.csv."""

import statistics

import numpy as np

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.report import markdown
from allennlp_coref_rc.reproduction.results_file import Line, right_answers
from allennlp_coref_rc.reproduction.significance import paired_bootstrap
from scripts.documentation.results_values import OFFICIAL, TEST, VALIDATION, mean, number, results, runs, values

NONE, SIEVE, RANKED = "none", "`sieve_coref`", "`ranked_coref`"

RANDOM = "those of `sieve_coref` at random places"

ROWS = {"none": NONE, "exact_match": "`exact_match_coref`", "sieve": SIEVE, "ranked": RANKED, "random": RANDOM}
"""The labels of the rows of coreference_reading.yaml."""

WEIGHTS = "ranked_coref's weights of "
"""
If a run had other weights than today's, its note begins like this, and the commit of the weights follows. Such runs
have a row of their own.
"""

SAME_CLUSTERS = {(RANKED, "2"), (RANKED, "11")}
"""Rows and tasks of bAbI that were not run, since their clusters are those of `sieve_coref`."""

QUOREF = {
    "none (QANet)": ("quoref_articles/qanet", "quoref_folds/qanet"),
    '`sieve_coref` (`"descriptions": false`)': ("quoref_articles/dassa_coref", "quoref_folds/dassa_coref"),
    "`exact_match_coref`": ("quoref_articles_exact_match/dassa_coref", "quoref_exact_match/dassa_coref"),
    RANKED: ("quoref_articles_ranked/dassa_coref", "quoref_ranked/dassa_coref"),
    RANDOM: ("quoref_articles_random/dassa_coref", "quoref_random/dassa_coref"),
}
"""By row, the folders of folds by article, and of older folds by passage. The first row has no clusters."""

Runs = dict[str, Line]
"""By seed."""


def reading(data: str, task: str = "") -> list[str]:
    """
    A table of coreference_reading.yaml, which shows how clusters change a reader's accuracy. Differences are over the
    seeds that both rows have. Differences with an interval are over all test questions, from the mean over seeds.
    """
    column = TEST if data == "babi" else VALIDATION
    found = _rows(f"coreference_reading.{data}", task)
    seeds = sorted({seed for by_seed in found.values() for seed in by_seed}, key=int)
    rows = []
    for label, by_seed in found.items():
        if not by_seed:
            rows.append([label, f"as {SIEVE}" if (label, task) in SAME_CLUSTERS else "not yet"])
            continue
        accuracies = {seed: float(line[column]) for seed, line in by_seed.items()}
        base = found[NONE] if label != NONE else {}
        gains = {seed: value - float(base[seed][column]) for seed, value in accuracies.items() if seed in base}
        row = [label, _each(accuracies, seeds), mean(list(accuracies.values())), _each(gains, seeds, sign=True)]
        if data == "lambada":
            row.insert(3, number(statistics.fmean(values(list(by_seed.values()), OFFICIAL))))
            row.append(_interval(by_seed, base))
            row.append(_interval(by_seed, found[RANDOM] if label not in (NONE, RANDOM) else {}))
        rows.append(row)
    accuracy = f"accuracy, {'seed' if len(seeds) == 1 else 'seeds'} {' / '.join(seeds)}"
    header = ["clusters", accuracy, "mean ± sd", "difference from none, by seed"]
    if data == "lambada":
        header.insert(3, "of all 974, mean")
        header += ["difference from none (974), 95 % interval", "from random places"]
    return markdown(header, [[*row, *[""] * (len(header) - len(row))] for row in rows])


def reading_quoref() -> list[str]:
    """
    The mean scores over the questions of all finished folds, and their differences from QANet on the same folds. Most
    columns are of folds by article, and the last F1 is of folds by passage.
    """
    by_article, by_passage = ([quoref_folds(folder) for folder in folders] for folders in zip(*QUOREF.values()))
    rows = []
    for label, folds, older in zip(QUOREF, by_article, by_passage):
        if folds:
            which = "all" if folds.keys() == by_article[0].keys() else ", ".join(folds)
            row = [label, which, f"{sum(values(list(folds.values()), 'questions')):,.0f}"]
            row += [_beside(folds, by_article[0], metric) for metric in ("test_exact_match", "test_f1")]
        else:
            row = [label, "not yet", "", "", ""]
        rows.append([*row, _beside(older, by_passage[0], "test_f1")])
    return markdown(["clusters", "folds", "questions", "exact match", "F1", "F1, folds by passage"], rows)


def _beside(folds: Runs, base: Runs, metric: str) -> str:
    """The mean of a metric over the questions of folds, and its difference from the same folds of another model."""
    score, of_base = (over_questions([lines[fold] for fold in folds], metric) for lines in (folds, base))
    return f"{score:.2f}" + (f" ({score - of_base:+.2f})" if folds is not base else "")


def quoref_folds(folder: str) -> Runs:
    """The runs of a cross-validation by fold."""
    return {str(fold): line for fold in range(1, 6) for line in runs(f"{folder}/fold_{fold}")}


def over_questions(folds: list[Line], metric: str) -> float:
    """The mean of a metric over all questions of folds, in percent."""
    return 100 * statistics.fmean(values(folds, metric), values(folds, "questions"))


def _rows(table: str, task: str) -> dict[str, Runs]:
    """The runs of a table by row, in the order of `ROWS`."""
    found: dict[str, dict[str, Runs]] = {label: {} for label in ROWS.values()}
    for line in results().lines:
        name, _, row = line["conditions"].rpartition(".")
        if name != table or line["task"] != task:
            continue
        _, weights, commit = line["note"].partition(WEIGHTS)
        label = f"{ROWS[row]}, weights of {commit}" if weights else ROWS[row]
        by_seed = found[ROWS[row]].setdefault(label, {})
        if line["seed"] in by_seed:
            raise ConfigurationError(
                f"runs.csv: found {line['run']} twice, of {by_seed[line['seed']]['commit']} and {line['commit']}, "
                "expected it once"
            )
        by_seed[line["seed"]] = line
    return {label: by_seed for row, several in found.items() for label, by_seed in (several or {row: {}}).items()}


def _each(found: dict[str, float], seeds: list[str], sign: bool = False) -> str:
    return " / ".join(number(found[seed], sign=sign) if seed in found else "–" for seed in seeds) if found else ""


def _interval(first: Runs, second: Runs) -> str:
    """
    The difference between two rows' shares of right answers, with its interval and p-value from a paired bootstrap.
    """
    seeds = sorted(set(first) & set(second))
    if not seeds:
        return ""
    means = [np.mean([right_answers(lines[seed]) for seed in seeds], axis=0) for lines in (first, second)]
    found = paired_bootstrap(*means)
    interval = f"{number(found.low, sign=True)} to {number(found.high, sign=True)}"
    return f"{number(found.difference, sign=True)} ({interval}), p = {number(found.p)}"
