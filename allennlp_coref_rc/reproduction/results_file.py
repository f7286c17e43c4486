import csv
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from math import inf
from typing import Any, Optional

import numpy as np

from allennlp_coref_rc.common.csv_rows import read_csv_rows
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write
from allennlp_coref_rc.common.json_objects import read_json_object
from allennlp_coref_rc.metrics.answer_scores import MEANS
from allennlp_coref_rc.reproduction.condition import NOT_KEPT, Condition
from allennlp_coref_rc.reproduction.runs import PREDICTIONS, RESULT, SEEDS, Run
from allennlp_coref_rc.reproduction.significance import Scored, read_scores

Line = dict[str, str]
"""
A line of the file, by column. Each of AllenNLP's metrics is a column. It is empty if a run does not have it.
"""

FIRST = ("run", "conditions", "config", "settings", "data", "task", "seed")
LAST = ("best_epoch", "epochs", "questions", "seconds", "commit", "hardware", "note", "right")
"""The columns before and after the metrics."""

TEXTS = (*FIRST, "commit", "hardware", "note")
"""Columns that hold any text. Others, but for `right`, hold numbers."""

SCORES = "scores"
"""
A column of files with runs that have graded scores, such as F1, of each question: see `scores_cell`.
"""

FULL = 0xFFFF
"""Stands for a score of 1."""

KEY = ("run", "hardware", "commit")
"""The columns that identify a run, which may be done again on another processor or with another version."""

BY_HAND = ("conditions", "note")
"""Columns that a user may fill in. They keep their text if a run that is written again has none."""

TASK = "dataset_reader.task"


class Results:
    """
    The runs of a file of `coref-rc reproduce --write-results`, in lines that match patterns `where`, by
    column.
    """

    def __init__(self, path: str, where: Optional[Mapping[str, str]] = None) -> None:
        self.path = path
        where = where or {}
        self._by_name: dict[str, list[tuple[int, Line]]] = {}
        for number, line in _numbered(path):
            for column in where:
                if column not in line:
                    raise ConfigurationError(
                        f"{path}: found no column {column!r}, expected one of {', '.join(line)}"
                    )
            if all(fnmatchcase(line[key], where[key]) for key in where):
                self._by_name.setdefault(line["run"], []).append((number, line))
        if where and not self._by_name:
            patterns = " ".join(f"{column}={pattern}" for column, pattern in where.items())
            raise ConfigurationError(f"{path}: found no line with {patterns}, expected one or more")

    def get(self, run: Run) -> Optional[dict[str, Any]]:
        """
        The content of a run's `result.json`, as `result` gives it; `None` if the file does not have the run.
        """
        name, lines = run.name, self._by_name.get(run.name, [])
        for number, line in lines:
            given, wanted = line["config"], _in_package(run.config)
            # On another machine, a config of one's own may be in another folder.
            if given not in ("", wanted) and not (os.path.isabs(given) and os.path.isabs(wanted)):
                raise ConfigurationError(
                    f"{self.path}, line {number}: found the run {name} of the config {given}, expected {wanted}"
                )
        if len(lines) > 1:
            places = "; ".join(
                f"line {number}: {line['hardware']}, commit {line['commit'] or 'unknown'}"
                for number, line in lines
            )
            raise ConfigurationError(
                f"{self.path}: found the run {name} {len(lines)} times ({places}), expected it once; choose with "
                "--where hardware=... or commit=..."
            )
        return result(lines[0][1]) if lines else None


def _in_package(config: str) -> str:
    return config.removeprefix("training_config/")


def result(line: Line) -> dict[str, Any]:
    """
    The content of a run's `result.json`, made from its line. The seconds are those of all commands together.
    """
    metrics = {
        key: float(value) for key, value in line.items() if value and key not in (*FIRST, SCORES, *LAST)
    }
    return {
        "metrics": metrics,
        "questions": float(line["questions"] or "nan"),
        "seconds": {"all": float(line["seconds"] or "nan")},
        "commit": line["commit"],
        "hardware": line["hardware"],
        "answers": answers(line),
    }


def answers(line: Line) -> dict[Optional[str], list[Scored]]:
    """
    The scores of the answers to the test questions, as far as they are known, by the keys of
    `read_scores`.
    """
    found: dict[Optional[str], list[Scored]] = {}
    if line["right"]:
        bits = np.unpackbits(np.frombuffer(bytes.fromhex(line["right"]), np.uint8))
        found[None] = [Scored(None, float(bit)) for bit in bits[: int(line["questions"])]]
    # Folds have passages of their own.
    data = line["run"].rpartition("/")[0]
    for part in filter(None, line.get(SCORES, "").split(";")):
        key, *passages = part.split()
        found[key] = [
            Scored(None, score / FULL, article=f"{data} {number}")
            for number, digits in enumerate(passages)
            for score in np.frombuffer(bytes.fromhex(digits), ">u2").tolist()
        ]
    return found


def right_cell(path: str) -> str:
    """
    Whether each answer in a file of predictions is right, as bits in hexadecimal digits, if that is known.
    """
    try:
        bits = [scored.score == 1 for scored in read_scores(path)] if os.path.exists(path) else []
    except ConfigurationError:
        return ""
    return np.packbits(bits).tobytes().hex() if bits else ""


def scores_cell(path: str) -> str:
    """
    The graded scores of each answer in a file of predictions: "rouge_l 7fff0000 ffff" or "exact_match 0000;f1
    8000". Each question has four hexadecimal digits, up to ffff for 1, and blanks divide passages.
    """
    parts = []
    for key in MEANS if os.path.exists(path) else ():
        try:
            scored = read_scores(path, key)
        except ConfigurationError:
            continue
        passages: dict[Any, list[float]] = {}
        for number, question in enumerate(scored):
            passages.setdefault(question.article or number, []).append(question.score)
        digits = (np.rint(FULL * np.array(own)).astype(">u2").tobytes().hex() for own in passages.values())
        parts.append(" ".join([key, *digits]))
    return ";".join(parts)


def read_lines(path: str) -> list[Line]:
    """
    The lines of a file of results. Cells that `write_results` would not write raise a `ConfigurationError`.
    """
    return [line for _, line in _numbered(path)]


def _numbered(path: str) -> Iterator[tuple[int, Line]]:
    for number, line in read_csv_rows(path, (*FIRST, *LAST)):
        for column, cell in line.items():
            expected = _expected(column, line)
            if expected:
                raise ConfigurationError(
                    f"{path}, line {number}, column {column[:100]!r}: found {cell[:100]!r}, expected {expected}"
                )
        yield number, line


def _expected(column: str, line: Line) -> Optional[str]:
    cell = line[column]
    if column == "run" and not cell:
        return "the name of a run"
    if not cell or column in TEXTS:
        return None
    if column in ("right", SCORES):
        try:
            questions = int(line["questions"])
            if column == "right":
                return None if len(bytes.fromhex(cell)) * 8 >= questions >= 0 else "a bit for each question"
            sizes = {len(graded) for graded in answers({**line, "right": ""}).values()}
            return None if sizes == {questions} else "four digits for each question"
        except ValueError:
            return "hexadecimal digits, beside a number of questions"
    try:
        number = float(cell)
    except ValueError:
        return "a number"
    if column in LAST and number < 0:
        return "0 or more"
    return None if number < inf else "a number"


def write_results(path: str, folder: str, conditions: Sequence[Condition]) -> int:
    """
    Adds all finished runs below a folder to a file of results, where they replace older lines. Returns how
    many.
    """
    names: dict[str, list[str]] = {}
    for condition in conditions:
        for run in condition.runs([0], folder):
            names.setdefault(run.name.rpartition("/")[0], []).append(condition.name)
    if not os.path.isdir(folder):
        raise ConfigurationError(f"{folder}: no such folder, expected one with runs")
    finished = [_line(parent, names) for parent, _, files in os.walk(folder) if RESULT in files]
    lines = {_key(line): line for line in (read_lines(path) if os.path.exists(path) else [])}
    for line in finished:
        known = lines.get(_key(line), {})
        lines[_key(line)] = {**line, **{column: line[column] or known.get(column, "") for column in BY_HAND}}
    write_lines(path, list(lines.values()))
    return len(finished)


def write_lines(path: str, lines: Sequence[Line]) -> None:
    """Writes a file of results. Its lines are sorted by run."""
    ordered = sorted(lines, key=_order)
    metrics = sorted(
        {column for line in lines for column in line if column not in FIRST and column not in LAST}
    )
    with atomic_write(path) as file:
        writer = csv.DictWriter(file, [*FIRST, *metrics, *LAST], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(ordered)


def _line(folder: str, names: Mapping[str, list[str]]) -> Line:
    path = os.path.join(folder, RESULT)
    try:
        result = read_json_object(path)
        settings, metrics = dict(result["settings"]), result["metrics"]
        epochs = {name: metrics[key] + 1 for name, key in (("best_epoch", "best_epoch"), ("epochs", "epoch"))}
        values = {
            "run": result["run"],
            "conditions": " ".join(names.get(result["run"].rpartition("/")[0], [])),
            "config": _in_package(result["config"]),
            "task": settings.pop(TASK, ""),
            "seed": [settings.pop(key) for key in SEEDS][0],
            "settings": json.dumps(settings, sort_keys=True) if settings else "",
            "data": os.path.dirname(os.path.commonprefix(list(result["data"]))),
            **{
                k: v for k, v in metrics.items() if isinstance(v, (int, float)) and not k.startswith(NOT_KEPT)
            },
            **epochs,
            "questions": result["questions"],
            "seconds": round(sum(result["seconds"].values()), 1),
            "commit": result["commit"],
            "hardware": result["hardware"],
            "note": "",
            "right": right_cell(os.path.join(folder, PREDICTIONS)),
        }
        scores = scores_cell(os.path.join(folder, PREDICTIONS))
        values.update({SCORES: scores} if scores else {})
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        found = f"{type(error).__name__}: {error}"
        raise ConfigurationError(f"{path}: found {found}, expected the result of a run") from error
    return {key: str(value) for key, value in values.items()}


def _key(line: Line) -> tuple[str, ...]:
    return tuple(line[column] for column in KEY)


def _order(line: Line) -> list[Any]:
    """
    The key by which lines are sorted. It compares numbers in names as numbers. Texts and numbers alternate in
    it.
    """
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", "\n".join(_key(line)))]
