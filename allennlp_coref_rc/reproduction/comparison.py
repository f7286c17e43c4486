"""Compares readers, each with one or several seeds, by their predictions for the same questions."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

from allennlp_coref_rc.common.messages import counted
from allennlp_coref_rc.metrics.answer_scores import MEANS
from allennlp_coref_rc.reproduction.significance import (
    Bootstrap,
    mcnemar,
    p_text,
    pair,
    paired_bootstrap,
    read_scores,
)

MCNEMAR, BOOTSTRAP = "McNemar's exact test", "paired bootstrap"

HEADER = ("seeds", "mean ± sd", "difference", "95 % interval", "p")

DIGITS = {100: 2, 1: 3}
"""By the factor of scores, how many digits are shown."""


class Compared(NamedTuple):
    """A reader's score and, but for the first reader, its difference from the first one's."""

    reader: str
    seeds: list[float]
    """The mean score of each file."""
    mean: float
    sd: Optional[float]
    """The standard deviation over seeds; `None` for a single one."""
    bootstrap: Optional[Bootstrap] = None
    test: str = ""
    p: Optional[float] = None


class Comparison:
    """
    Compares each reader with the first one, given the files of its seeds. A score is the predictions' `key`
    or, without one, whether the answer is right. The difference is that of the means over seeds, and its
    interval is that of a bootstrap over passages. p is of McNemar's exact test if there is one seed each, and
    an answer right or wrong, and each question has a passage of its own. Otherwise it is the bootstrap's.
    """

    def __init__(self, readers: Mapping[str, Sequence[str]], key: Optional[str] = None) -> None:
        self.key = key or "correct"
        self._factor = 100 if key is None or key in MEANS else 1
        scored = {path: read_scores(path, key) for paths in readers.values() for path in paths}
        first = next(iter(scored))
        self.passages = pair(scored[first], scored[first], (first, first)).articles
        self.questions = len(scored[first])
        scores: dict[str, list[list[float]]] = {}
        for name, paths in readers.items():
            of_files = (pair(scored[first], scored[path], (first, path)).second for path in paths)
            scores[name] = [[float(one == 1) for one in file] if key is None else file for file in of_files]
        base = next(iter(scores.values()))
        alone = self.passages is None or len(set(self.passages)) == self.questions
        self.rows: list[Compared] = []
        for name, files in scores.items():
            seeds = list(map(statistics.fmean, files))
            row = Compared(
                name, seeds, statistics.fmean(seeds), statistics.stdev(seeds) if len(seeds) > 1 else None
            )
            if files is not base:
                one, other = ([statistics.fmean(seeds) for seeds in zip(*each)] for each in (files, base))
                found = paired_bootstrap(one, other, groups=self.passages)
                row = row._replace(bootstrap=found, test=BOOTSTRAP, p=found.p)
                if key is None and alone and len(files) == len(base) == 1:
                    row = row._replace(test=MCNEMAR, p=mcnemar(files[0], base[0]))
            self.rows.append(row)

    @property
    def remarks(self) -> list[str]:
        return sorted({row.bootstrap.remark for row in self.rows if row.bootstrap} - {""})

    def to_json(self) -> dict[str, Any]:
        rows = [
            {**row._asdict(), "bootstrap": row.bootstrap and row.bootstrap._asdict()} for row in self.rows
        ]
        return {"score": self.key, "readers": rows, "sentences": self.sentences(), "remarks": self.remarks}

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The header and the lines of a table."""
        percent = " (%)" if self._factor == 100 else ""
        title = f"{self.key}{percent}, {counted(self.questions, 'question')}"
        lines = [
            [row.reader, str(len(row.seeds)), self._score(row)]
            + [cell.removeprefix("= ") for cell in self._difference(row)]
            for row in self.rows
        ]
        return [title, *HEADER], lines

    def sentences(self) -> list[str]:
        """For each reader but the first, a sentence for a paper."""
        base = self.rows[0]
        return [self._sentence(row, base, row.bootstrap) for row in self.rows[1:] if row.bootstrap]

    def _sentence(self, row: Compared, base: Compared, found: Bootstrap) -> str:
        percent = " %" if self._factor == 100 else ""
        means = [
            f"{each.reader} {self._score(each)}{percent}"
            + f" ({len(each.seeds)} seeds)" * (len(each.seeds) > 1)
            for each in (row, base)
        ]
        difference, interval, p = self._difference(row)
        drawn = counted(found.groups, "question" if found.groups == self.questions else "passage")
        return (
            f"{self.key}: {means[0]}, {means[1]}; difference {difference}, 95 % interval {interval} (paired bootstrap "
            f"of {drawn}); p {p} ({row.test}), n = {self.questions:,} questions."
        )

    def _score(self, row: Compared) -> str:
        return self._number(row.mean) + (f" ± {self._number(row.sd)}" if row.sd is not None else "")

    def _difference(self, row: Compared) -> list[str]:
        if row.bootstrap is None or row.p is None:
            return ["", "", ""]
        low, high = (self._number(bound, "+") for bound in (row.bootstrap.low, row.bootstrap.high))
        return [self._number(row.bootstrap.difference, "+"), f"{low} to {high}", p_text(row.p)]

    def _number(self, value: float, sign: str = "") -> str:
        digits = DIGITS[self._factor]
        # Adding 0.0 turns -0.0 into 0.0.
        return f"{round(value * self._factor, digits) + 0.0:{sign}.{digits}f}"
