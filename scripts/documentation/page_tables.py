"""
Tables of pages, from the lines of a file of results. A table stands between two marks, `<!-- results: quoref
-->` and `<!-- end of results -->`. A file such as docs/results/tables.yaml describes it:

- `rows`: by label, what the cells of a row have; or "tasks 1-3,16"; or the name of a table of conditions
- `columns`: headers, or headers with what their cells have
- `cells`: what all cells have

The parts of a header, divided by commas, say what is shown: the metric (`METRICS`), "task 2", and one of
"seeds 1 / 2", "folds 1 / 2", "mean", "mean ± sd" and "best seeds". Keys say more:

- `run`, `conditions`, `hardware` or another column of the file: a pattern, as for file names, that the runs
  of a cell match. Runs have a number as their seed unless `seed` says otherwise
- `metric`, `split`, `unit`, `measure` and `digits` of a `Column`, whose measure is "mean", "failed" or
  "lowest"
- `show`: each of the "seeds" or "folds"; their "mean", also with `sd`; "best", for each task the seed that is
  best on validation questions; the difference of the means from the row `base` (by default the first row with
  runs): "gain", also with its interval over all questions, or passages if they are known, and empty if answers
  are not: "interval"; the "least" and "most" of the seeds, "how many seeds" there are, and the "hardware"; or "paper"
- `paper`: the paper's column, by default that of the task. A mean is the paper's if there are no runs
- `of_paper`: the condition with the paper's value, if it is not `conditions`
- `in`, of a row: by header what its cells have alone; those of other headers are empty

Sentences have figures too, which `sentence` fills in.
"""

import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Optional

import numpy as np

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.schema import numbers
from allennlp_coref_rc.common.tables import markdown
from allennlp_coref_rc.metrics.answer_scores import MEANS
from allennlp_coref_rc.reproduction.condition import UNITS, Column, Table
from allennlp_coref_rc.reproduction.results_file import Line, result
from allennlp_coref_rc.reproduction.scores import RunKey, SeedScores
from allennlp_coref_rc.reproduction.significance import Scored, p_text, paired_bootstrap

MARKED = re.compile(r"(<!-- results: (.*?) -->\n).*?(<!-- end of results -->)", flags=re.DOTALL)

METRICS = {"exact match": "exact_match", "F1": "f1", "Rouge-L": "rouge_l", "Bleu-1": "bleu_1"}
SHOWN: dict[str, dict[str, Any]] = {
    "mean ± sd": {"show": "mean", "sd": True},
    "mean": {"show": "mean"},
    "best seeds": {"show": "best"},
}

OF_SEEDS: dict[str, Callable[[list[float]], float]] = {"least": min, "most": max}

DIGITS = {"fraction": 3, "percent": 2, "error": 1}

Cell = Mapping[str, Any]
"""What is said about a cell."""


class PageTables:
    """
    Makes the tables of pages from their descriptions, the lines of a file of results, and tables of
    conditions.
    """

    def __init__(
        self, described: Mapping[str, Any], lines: Sequence[Line], conditions: Sequence[Table]
    ) -> None:
        self._described = described
        self._lines = lines
        self._conditions = {
            condition.name: condition for table in conditions for condition in table.conditions
        }

    def filled(self, page: str) -> str:
        """The page with its tables."""

        def fill(match: "re.Match[str]") -> str:
            if match[2] not in self._described:
                raise ConfigurationError(
                    f"found a table {match[2]!r}, expected one of {', '.join(self._described)}"
                )
            return match[1] + "\n" + "\n".join(self.table(self._described[match[2]])) + "\n\n" + match[3]

        return MARKED.sub(fill, page)

    def table(self, described: Mapping[str, Any]) -> list[str]:
        """A table's lines in Markdown."""
        rows = {
            label: {**described.get("cells", {}), **row}
            for label, row in self._rows(described["rows"]).items()
        }
        columns = [column if isinstance(column, dict) else {column: {}} for column in described["columns"]]
        headers = {
            header: {**_meaning(header), **own} for column in columns for header, own in column.items()
        }
        shown = []
        for header, column in headers.items():
            cells = {label: _cell(row, header, column) for label, row in rows.items()}
            scores = {label: self._scores(cell) for label, cell in cells.items()}
            first = next((of_row for of_row in scores.values() if of_row.results), None)
            base = scores[column["base"]] if "base" in column else first
            shown.append([self._content(cell, scores[label], base) for label, cell in cells.items()])
        return markdown([described.get("title", ""), *headers], list(zip(rows, *shown)))

    def sentence(self, page: str, text: str, figures: Mapping[str, Cell]) -> str:
        """
        The page with the figures of a sentence, which has their names in braces; words may stand on several
        lines. If the page does not have the sentence once, a `ConfigurationError` is raised.
        """
        parts = re.split(r"\{(\w+)\}", text)
        words = [re.sub(r"\\?\s+", r"\\s+", re.escape(part)) for part in parts[::2]]
        figure = r"([-+.\d]+(?: ± [.\d]+)?)"
        pattern = "".join(f"({each})" + figure * (i + 1 < len(words)) for i, each in enumerate(words))
        found = list(re.finditer(pattern, page))
        if len(found) != 1:
            raise ConfigurationError(f"found {text!r} {len(found)} times on the page, expected it once")
        groups = list(found[0].groups())
        groups[1::2] = [
            self._content(figures[name], self._scores(figures[name]), None) for name in parts[1::2]
        ]
        return page[: found[0].start()] + "".join(groups) + page[found[0].end() :]

    def _rows(self, rows: Any) -> dict[str, Cell]:
        if not isinstance(rows, str):
            return rows
        if rows.startswith("tasks "):
            return {str(task): {"task": task} for task in numbers(rows.partition(" ")[2])}
        names = [name for name in self._conditions if name.rpartition(".")[0] == rows]
        return {self._conditions[name].row: {"conditions": name} for name in names}

    def _scores(self, cell: Cell) -> SeedScores:
        """The scores of a cell's runs. If a run was done twice, a `ConfigurationError` is raised."""
        lines: dict[RunKey, Line] = {}
        has_folds = False
        for line in self._lines if cell.get("show", "paper") != "paper" else ():
            if not _matches(line, cell):
                continue
            fold = re.search(r"/fold_(\d+)/", line["run"])
            has_folds |= fold is not None
            part = fold[1] if fold else line["task"]
            key = int(part) if part else None, int(line["seed"]) if line["seed"].isdigit() else 0
            if lines.setdefault(key, line) is not line:
                names = " and ".join(
                    f"{each['run']} of commit {each['commit']}" for each in (lines[key], line)
                )
                raise ConfigurationError(f"found {names}, expected one run of a task or fold with a seed")
        return SeedScores({key: result(line) for key, line in lines.items()}, has_folds)

    def _content(self, cell: Cell, scores: SeedScores, base: Optional[SeedScores]) -> str:
        if "show" not in cell:
            return ""
        column, show = _column(cell), cell["show"]
        score = scores.score(column)
        if score is None or show == "paper":
            return self._of_paper(cell, column) if show in ("paper", "mean") else ""
        if show in ("seeds", "folds"):
            by_fold = (alone.mean for fold in scores.tasks if (alone := scores.score(column, fold)))
            values = by_fold if show == "folds" else [score.by_seed[seed] for seed in sorted(score.by_seed)]
            return " / ".join(_number(value, column) for value in values)
        if show == "how many seeds":
            return str(score.seeds)
        if show in OF_SEEDS:
            return _number(OF_SEEDS[show](list(score.by_seed.values())), column)
        if show == "hardware":
            names = {each["hardware"].partition(",")[0] for each in scores.results.values()}
            return ", ".join(sorted(name.replace("(R)", "").replace(" Processor", "") for name in names))
        if show in ("mean", "best"):
            sd = f" ± {_number(score.sd, column)}" if cell.get("sd") and score.sd is not None else ""
            return _number(score.best if show == "best" else score.mean, column) + sd
        return _difference(show, column, scores, base) if base and base is not scores else ""

    def _of_paper(self, cell: Cell, column: Column) -> str:
        """The paper's value of a cell, in the paper's unit; nothing if it has none."""
        condition = self._conditions.get(cell.get("of_paper", cell.get("conditions", "")))
        value = condition.paper.get(cell.get("paper", f"task {cell.get('task')}")) if condition else None
        value = value[int(cell["task"]) - 1] if isinstance(value, list) else value
        return "" if value is None else _number(value, column)


def _cell(row: Cell, header: str, column: Cell) -> Cell:
    """What is said about a cell, by its row and its column."""
    own = row.get("in", {header: {}})
    return {**row, **column, **own[header]} if header in own else {}


def _meaning(header: str) -> dict[str, Any]:
    """What a header says about its cells."""
    meaning: dict[str, Any] = {}
    for part in header.split(", "):
        kind, _, which = part.partition(" ")
        if part in METRICS:
            meaning["metric"] = METRICS[part]
        elif kind in ("seeds", "folds"):
            meaning["show"] = kind
        elif kind == "task":
            meaning["task"] = which
        meaning.update(SHOWN.get(part, {}))
    return meaning


def _column(cell: Cell) -> Column:
    options = {key: cell[key] for key in Column.model_fields if key in cell}
    return Column(name="", **{"measure": "mean", "digits": DIGITS[cell.get("unit", "fraction")], **options})


def _matches(line: Line, cell: Cell) -> bool:
    """Whether a run belongs to a cell."""
    words = {**{key: [line[key]] for key in line}, "conditions": line["conditions"].split()}
    return all(
        any(fnmatchcase(word, str(cell[key])) for word in words[key]) for key in words.keys() & cell.keys()
    )


def _difference(show: str, column: Column, scores: SeedScores, base: SeedScores) -> str:
    """The difference of the means over the seeds that both have; empty if there are none."""
    score, score_of_base = scores.score(column), base.score(column)
    values, of_base = score.by_seed if score else {}, score_of_base.by_seed if score_of_base else {}
    shared = [seed for seed in values if seed in of_base]
    if not shared:
        return ""
    if show == "gain":
        return _number(statistics.fmean(values[seed] - of_base[seed] for seed in shared), column, "+")
    key = column.metric if column.metric in MEANS else None

    def answers(each: SeedScores, seed: int) -> list[Scored]:
        return [one for task in each.tasks for one in each.results[task, seed]["answers"][key]]

    try:
        of_rows = [[answers(each, seed) for seed in shared] for each in (scores, base)]
    except KeyError:
        return ""
    first, second = (np.mean([[one.score for one in file] for file in of_row], axis=0) for of_row in of_rows)
    articles = [one.article for one in of_rows[0][0]]
    test = paired_bootstrap(first, second, groups=None if None in articles else articles)
    factor = UNITS[column.unit][1]
    mean, low, high = (
        _number(factor * value, column, "+") for value in (test.difference, test.low, test.high)
    )
    return f"{mean} ({low} to {high}), p {p_text(test.p)}"


def _number(value: float, column: Column, sign: str = "") -> str:
    """ ".436" or "+.023"."""
    # Adding 0.0 turns -0.0 into 0.0.
    text = f"{round(value, column.digits) + 0.0:{sign}.{column.digits}f}"
    is_share = column.unit == "fraction" and column.measure != "failed"
    return re.sub(r"^([+-]?)0\.", r"\1.", text) if is_share else text
