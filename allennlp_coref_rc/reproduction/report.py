import math
import os
import statistics
from collections.abc import Iterator, Sequence
from typing import Optional, cast

from allennlp_coref_rc.common.config_files import locate
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import counted
from allennlp_coref_rc.common.tables import markdown
from allennlp_coref_rc.reproduction.condition import Column, Condition, Table
from allennlp_coref_rc.reproduction.figures.drawings import Figure
from allennlp_coref_rc.reproduction.results_file import Results
from allennlp_coref_rc.reproduction.runs import PREDICTIONS
from allennlp_coref_rc.reproduction.scores import Score, Scores
from allennlp_coref_rc.reproduction.significance import Pairs, Scored, articles_of, pair, paired_bootstrap

SCORES = {"rouge_l": "Rouge-L", "f1": "F1"}
"""
The metrics for which predictions have a number for each question. The first of them that a table has is
tested, and otherwise right answers.
"""

BOOTSTRAP = ("questions", "difference", "95 %", "p")

NOT_DRAWN = "[FAIL] Not drawn: "

MADE_WITH = ("runs", "seeds", "commit", "hardware", "hours")

INTRODUCTION = """## The papers' tables and figures

A row with "mean ± sd" was run here. Each seed has a mean over tasks, and "mean" is the mean over seeds. The number of
seeds stands in brackets, and sd is the standard deviation of a sample (n - 1). "best" is the seed with the best
validation score. If there are tasks, each task has its own best seed. Between equal seeds, the lower validation loss
decides. The difference is our number minus the paper's: our mean if the paper reports a mean, and our best otherwise.
While runs are missing, the numbers are those of the seeds that have the most tasks. If these are not all tasks, as in
"0.930 (1 seed, 2 of 20 tasks)", there is no difference.

- `[OK]`: better than the paper, or worse by no more than the tolerance; `[FAIL]`: worse by more
- `[no data]`: the data set is not available; `[not run]`: no run is finished; `[3/60 run]`: some runs are finished;
  `[3/60 failed]`: some runs failed; `[no config]`: the config is missing
- `[no metric]`: the runs do not have this metric

Hours are the wall time of all runs of a row together. Minutes are the wall time of one run, as the mean over seeds. A
run has one thread unless the hardware says otherwise. A figure shows the rows whose runs are all finished, with all
rows of the same name. The tests of
significance are about the trained models, and say nothing about other seeds. They draw whole passages (on bAbI,
stories) where these are known. A file of results has right answers without their passages: questions are then drawn
one by one, as if they were independent, so the true p-values are larger."""


def report(
    tables: Sequence[Table],
    seeds: Sequence[int],
    output: str,
    data: str,
    figures: Optional[str] = None,
    source: Optional[Results] = None,
) -> str:
    """
    The report in Markdown: the tables and figures with the results of their runs. The seeds are by default
    those that the conditions name.

    Each figure has a folder of its own in `figures`, by default `output/figures`. It is drawn if all runs of
    any of its rows are finished. With a `source`, the runs are those of a file of results, and figures, which
    need the runs' folders, are left out.
    """
    parts = [INTRODUCTION]
    for table in tables:
        if source and isinstance(table, Figure):
            continue
        scores = {
            condition.name: Scores(condition, condition.runs(seeds or condition.seeds, output, data), source)
            for condition in table.conditions
        }
        parts.append(f"### {table.paper.partition(':')[0]}, {table.title}: {table.caption}")
        if isinstance(table, Figure):
            folder = os.path.join(figures or os.path.join(output, "figures"), table.name)
            lines = _figure(table, list(scores.values()), data, folder)
        else:
            lines = _table(table, scores, data)
        parts += ["\n".join(part) for part in lines if part]
    return "\n\n".join(parts)


def _figure(figure: Figure, rows: Sequence[Scores], data: str, folder: str) -> Iterator[list[str]]:
    # Rows of one name are the points of one curve.
    unfinished = {scores.condition.row for scores in rows if not scores.complete}
    finished = [scores for scores in rows if scores.condition.row not in unfinished]
    if finished:
        os.makedirs(folder, exist_ok=True)
        try:
            files = figure.drawing.draw(folder, finished)
            yield [", ".join(f"[{os.path.basename(path)}]({path})" for path in files)]
        except ConfigurationError as error:
            yield [f"{NOT_DRAWN}{error}"]
    yield _notes(figure)
    lines = [
        [row.row, row.name[len(figure.name) + 1 :], *_made_with(scores), state(row, scores, data)]
        for scores in rows
        for row in [scores.condition]
    ]
    yield markdown(["row", "", *MADE_WITH, ""], lines)


def _table(table: Table, scores: dict[str, Scores], data: str) -> Iterator[list[str]]:
    columns = [column for column in table.columns if column.measure != "tasks"]
    if columns:
        lines = [
            _line(condition, column, scores[condition.name], data)
            for condition in table.conditions
            for column in columns
            if column.name in condition.paper or condition.config
        ]
        yield markdown(["row", "", "paper", "mean ± sd", "best", "difference", ""], lines)
    for column in table.columns:
        if column.measure == "tasks":
            yield _tasks(column, table.conditions, scores)
    yield _notes(table)
    yield _runs(table.conditions, scores)
    yield from _significance(table, scores)


def _line(condition: Condition, column: Column, scores: Scores, data: str) -> list[str]:
    paper = cast(Optional[float], condition.paper.get(column.name))
    score = scores.score(column, column.task)
    cells = [condition.row, column.name, _number(paper, column)]
    if score is None:
        known = condition.config is None or not scores.results
        return [*cells, "", "", "", state(condition, scores, data) if known else "[no metric]"]
    cells += [mean_and_deviation(score, column), _number(score.best, column)]
    unfinished = state(condition, scores, data)
    if paper is None or score.tasks:
        return [*cells, "", unfinished]
    if math.isnan(score.of(column.measure)):
        return [*cells, "", "[no metric]"]
    difference = _number(score.of(column.measure) - paper, column, column.measure == "mean", sign=True)
    # There is a comma, since two pairs of brackets in a row would be a link in Markdown.
    return [*cells, difference, ", ".join(filter(None, (_verdict(column, score, paper), unfinished)))]


def mean_and_deviation(score: Score, column: Column) -> str:
    """ "0.690 ± 0.014 (3)", with the number of seeds, or "0.690 ± 0.014 (3 seeds, 2 of 20 tasks)"."""
    sd = f" ± {_number(score.sd, column, mean=True)}" if score.sd is not None else ""
    number = f"{counted(score.seeds, 'seed')}, {score.tasks}" if score.tasks else score.seeds
    return f"{_number(score.mean, column, mean=True)}{sd} ({number})"


def _verdict(column: Column, score: Score, paper: float) -> str:
    worse = score.of(column.measure) - paper if column.smaller_is_better else paper - score.of(column.measure)
    # Equal decimal fractions may differ in their last bit.
    return "[OK]" if worse <= column.tolerance + 1e-9 else "[FAIL]"


def state(condition: Condition, scores: Scores, data: str) -> str:
    """Why a condition has no numbers, or only some; empty if it has all, or if it is not run here."""
    if condition.config is None:
        return ""
    if scores.num_failed:
        return f"[{scores.num_failed}/{scores.num_runs} failed]"
    if scores.results:
        return "" if scores.complete else f"[{len(scores.results)}/{scores.num_runs} run]"
    if not os.path.exists(locate(condition.config)):
        return "[no config]"
    return "[no data]" if scores.source is None and condition.missing(data) else "[not run]"


def _tasks(column: Column, conditions: Sequence[Condition], scores: dict[str, Scores]) -> list[str]:
    """
    A line for each task: the paper's value, ours with the best seed, our mean, and the minutes of a run.
    """
    header = ["task"]
    cells: list[dict[Optional[int], str]] = []
    for condition in conditions:
        row = scores[condition.name]
        if column.name in condition.paper:
            header.append(f"{condition.row}, paper")
            values = cast(list[float], condition.paper[column.name])
            cells.append({task: _number(value, column) for task, value in zip(condition.tasks, values)})
        if row.results:
            task_scores = {task: row.score(column, task) for task in row.tasks}
            header += [f"{condition.row}, best", "mean (seeds)", "minutes"]
            cells.append({task: _number(score.best, column) for task, score in task_scores.items() if score})
            means = {
                task: f"{_number(own.mean, column)} ({own.seeds})" for task, own in task_scores.items() if own
            }
            cells += [means, {task: f"{row.minutes(task):.1f}" for task in task_scores}]
    tasks = sorted({task for condition in conditions for task in condition.tasks})
    return markdown(header, [[str(task), *(cell.get(task, "") for cell in cells)] for task in tasks])


def _notes(table: Table) -> list[str]:
    """The notes on the rows, each on a line with the rows that it is about."""
    notes: dict[str, list[str]] = {}
    for condition in table.conditions:
        for note in (condition.note, condition.needs and f"a run needs {condition.needs}"):
            if note:
                notes.setdefault(note, []).append(condition.row)
    return [f"{'; '.join(rows)}: {note}." for note, rows in notes.items()]


def _runs(conditions: Sequence[Condition], scores: dict[str, Scores]) -> list[str]:
    lines = [
        [condition.row, *_made_with(scores[condition.name])]
        for condition in conditions
        if scores[condition.name].results
    ]
    return markdown(["row", *MADE_WITH], lines) if lines else []


def _made_with(scores: Scores) -> list[str]:
    return [
        f"{len(scores.results)} of {scores.num_runs}",
        ", ".join(_seed(scores, seed) for seed in scores.seeds()),
        scores.common("commit"),
        scores.common("hardware"),
        f"{scores.hours:.2f}" if scores.results else "",
    ]


def _seed(scores: Scores, seed: int) -> str:
    """ "2", or "2 (14 of 20 tasks)"."""
    share = scores.share(sum(seed == other for _, other in scores.results))
    return f"{seed} ({share})" if share else str(seed)


def _significance(table: Table, scores: dict[str, Scores]) -> Iterator[list[str]]:
    """Tests whether differences between rows are significant, on the test questions of all tasks."""
    metrics = {column.metric for column in table.columns}
    key = next((metric for metric in SCORES if metric in metrics), None)
    lines, remarks = [], set[str]()
    for condition in table.conditions:
        other = scores.get(f"{table.name}.{condition.compared_with}")
        paired = _paired(scores[condition.name], other, key) if other else None
        if other and paired:
            first, second = ([100 * score for score in values] for values in paired[:2])
            found = paired_bootstrap(first, second, groups=paired.articles)
            cells = [f"{found.difference:+.2f}", f"{found.low:+.2f} to {found.high:+.2f}", f"{found.p:.2g}"]
            rows = f"{condition.row} against {other.condition.row}"
            lines.append([rows, f"{found.questions:,}", *cells])
            remarks |= {remark for remark in [found.remark] if remark}
    if lines:
        what = SCORES[key] if key else "right answers"
        yield markdown([f"paired bootstrap of {what} (%), means over seeds", *BOOTSTRAP], lines)
        yield sorted(remarks)


def _paired(first: Scores, second: Scores, key: Optional[str]) -> Optional[Pairs]:
    """
    The means of the scores of two rows' answers to the same questions, of each over its own seeds; `None` if
    those of a row are not known.
    """
    if not (first.complete and second.complete):
        return None
    pairs: list[Pairs] = []
    for task in first.tasks:
        files: list[tuple[list[Scored], str]] = []
        means: list[list[float]] = []
        for row in (first, second):
            of_seeds: list[list[float]] = []
            for seed in row.seeds(task):
                answers = row.answers(task, seed, key)
                if answers is None:
                    return None
                files.append((answers, row.runs[task, seed].path(PREDICTIONS)))
                of_seeds.append(pair(files[0][0], answers, (files[0][1], files[-1][1])).second)
            if not of_seeds:
                return None
            means.append(
                [statistics.fmean(score if key else score == 1 for score in each) for each in zip(*of_seeds)]
            )
        pairs.append(Pairs(means[0], means[1], articles_of(files[0][0])))
    articles = [article for part in pairs for article in part.articles or [None]]
    return Pairs(
        [score for part in pairs for score in part.first],
        [score for part in pairs for score in part.second],
        None if None in articles else articles,
    )


def _number(value: Optional[float], column: Column, mean: bool = False, sign: bool = False) -> str:
    if value is None or math.isnan(value):
        return ""
    digits = (1 if mean else 0) if column.measure == "failed" else column.digits
    # Adding 0.0 turns -0.0 into 0.0.
    return f"{round(value, digits) + 0.0:{'+' if sign else ''}.{digits}f}"
