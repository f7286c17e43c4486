"""The scores of readers by type of question and by length of passage, from files of predictions."""

import csv
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write, write_text
from allennlp_coref_rc.common.json_value import JsonValue, read_json
from allennlp_coref_rc.common.pictures import pyplot, save
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.common.schema import String
from allennlp_coref_rc.common.tables import markdown
from allennlp_coref_rc.metrics.answer_scores import MEANS, answer_counts, scores_of
from allennlp_coref_rc.reproduction.significance import Scored, pair

MEASURES = {"rouge_l": "Rouge-L", "bleu_1": "Bleu-1", "exact_match": "exact match", "f1": "F1"}

QUESTION_TYPES = (
    *"what when where which who why".split(),
    "how far",
    "how long",
    "how many",
    "how much",
    "how old",
    "how",
)

GROUPINGS = ("question type", "passage length")

ALL = "all"

BOUNDS = (200, 400, 600, 800, 1000, 1200)
"""The largest number of tokens in each range of lengths but the last."""

SAMPLES = 1000
"""The number of bootstrap samples for the intervals of differences."""


class Answered(NamedTuple):
    """A question that a reader has answered, and the counts from which metrics are computed."""

    question: str
    length: int
    references: list[str]
    counts: list[float]


Readers = dict[str, dict[Any, Answered]]
"""By reader, its answers by the ids of the questions."""


class Score(NamedTuple):
    """
    A reader's score in a group, in percent, and its difference from the first reader's, with a 95 % interval.
    """

    reader: str
    measure: str
    score: float
    difference: float
    low: float
    high: float


class Group(NamedTuple):
    name: str
    questions: int
    scores: list[Score]


def read_answers(path: str) -> dict[Any, Answered]:
    """
    The labelled questions of a file of predictions, by their ids or, if they have none, by their numbers.
    """
    answers: dict[Any, Answered] = {}
    for number, values in enumerate(progress_bar(read_json(path), desc=path, unit=" questions"), start=1):
        known = values.get("answer_texts")
        if known is None or not known.to(list[String]):
            raise ConfigurationError(
                f"{values.place}: found no answer_texts, expected those of a labelled question"
            )
        references = known.to(list[String])
        length = values.get("passage_length")
        id = values.get("id")
        key = number if id is None else id.to(String)
        if key in answers:
            raise ConfigurationError(f"{values.place}: found the id {key!r:.80} a second time")
        answers[key] = Answered(
            " ".join(values["question_tokens"].to(list[String])),
            len(values["passage_tokens"].list()) if length is None else length.integer(),
            references,
            _counts(values, references),
        )
    return answers


def _counts(prediction: JsonValue, references: list[str]) -> list[float]:
    """The counts of an answer, with the scores that the prediction comes with, as those of Quoref do."""
    counts = answer_counts(prediction["answer"].to(String), references)
    for i, name in enumerate(MEANS, start=1):
        carried = prediction.get(name)
        if carried is not None:
            counts[i] = carried.number(1)
    return counts


def read_readers(paths: dict[str, str]) -> Readers:
    """The answers of readers to the same questions. If questions differ, a `ConfigurationError` is raised."""
    readers = {name: read_answers(path) for name, path in paths.items()}
    scored = [
        [Scored(key, 0.0, answered.references) for key, answered in answers.items()]
        for answers in readers.values()
    ]
    first, *others = zip(paths.values(), scored)
    for path, questions in others:
        pair(first[1], questions, (first[0], path))
    return readers


def question_type(question: str) -> str:
    return next((words for words in QUESTION_TYPES if words in question.lower()), "other")


def length_range(length: int) -> str:
    """ "201-400", "1201+" """
    low = max((bound for bound in BOUNDS if bound < length), default=0)
    high = min((bound for bound in BOUNDS if bound >= length), default=None)
    return f"{low + 1}+" if high is None else f"{low + 1}-{high}"


def score(names: Sequence[str], counts: Sequence[numpy.ndarray], measures: Iterable[str]) -> list[Score]:
    """
    The scores of readers, and their differences from the first reader with bootstrap intervals. `counts` are
    those of each reader for the same questions, of shape (num_questions, num_counts).
    """
    generator, size = numpy.random.default_rng(0), len(counts[0])
    drawn = [numpy.bincount(generator.integers(size, size=size), minlength=size) for _ in range(SAMPLES)]
    # In the first row all questions have the same weight, which gives the measured score.
    weights = numpy.array([numpy.ones(size), *drawn])
    metrics = [[scores_of(sums) for sums in (weights @ own).tolist()] for own in counts]
    scores = []
    for measure in measures:
        first, *_ = values = [numpy.array([100 * sample[measure] for sample in own]) for own in metrics]
        for name, own in zip(names, values):
            differences = own - first
            low, high = numpy.percentile(differences[1:], [2.5, 97.5])
            scores.append(Score(name, measure, own[0], differences[0], low, high))
    return scores


def group_by(by: str, readers: Readers, measures: Sequence[str]) -> list[Group]:
    """All questions as one group, then each group of one of `GROUPINGS` that has questions."""
    by_type = by == GROUPINGS[0]
    members: dict[str, list[Any]] = {}
    for key, answered in next(iter(readers.values())).items():
        group = question_type(answered.question) if by_type else length_range(answered.length)
        for name in (ALL, group):
            members.setdefault(name, []).append(key)
    ranges = [length_range(bound) for bound in (*BOUNDS, max(BOUNDS) + 1)]
    groups = []
    for name in (ALL, *([*QUESTION_TYPES, "other"] if by_type else ranges)):
        if name in members:
            counts = [
                numpy.array([answers[key].counts for key in members[name]]) for answers in readers.values()
            ]
            groups.append(Group(name, len(members[name]), score(list(readers), counts, measures)))
    return groups


def table(title: str, groups: Sequence[Group], measure: str) -> str:
    """A table with a row for each group. Readers after the first have the difference and the interval too."""
    names = [score.reader for score in groups[0].scores if score.measure == measure]
    lines = []
    for group in groups:
        cells = []
        for score in group.scores:
            if score.measure == measure:
                compared = f" ({score.difference:+.2f}, {score.low:+.2f} to {score.high:+.2f})"
                cells.append(f"{score.score:.2f}" + (compared if score.reader != names[0] else ""))
        lines.append([group.name, str(group.questions), *cells])
    return "\n".join(
        [f"## {MEASURES[measure]} by {title}", "", *markdown([title, "questions", *names], lines), ""]
    )


def draw(path: str, title: str, groups: Sequence[Group], measure: str) -> None:
    """
    Draws bars of all readers' scores, and of the differences from the first reader with their intervals.
    """
    by_reader: dict[str, list[Score]] = {}
    for group in groups:
        for score in group.scores:
            if score.measure == measure:
                by_reader.setdefault(score.reader, []).append(score)
    panels = 1 + (len(by_reader) > 1)
    width = len(groups) * max(0.9, 0.3 * len(by_reader))
    figure, axes = pyplot.subplots(panels, 1, figsize=(width, 3.5 * panels), sharex=True, squeeze=False)
    places = numpy.arange(len(groups))
    bar = 0.8 / len(by_reader)
    for i, (name, scores) in enumerate(by_reader.items()):
        at = places + (i - (len(by_reader) - 1) / 2) * bar
        axes[0, 0].bar(at, [score.score for score in scores], bar, label=name, color=f"C{i}")
        if i:
            distances = [[s.difference - s.low for s in scores], [s.high - s.difference for s in scores]]
            # If differences are skewed, the interval may not contain the difference.
            errors = numpy.maximum(distances, 0)
            bars = [score.difference for score in scores]
            axes[1, 0].bar(at, bars, bar, yerr=errors, label=name, color=f"C{i}", error_kw={"linewidth": 0.8})
    axes[0, 0].set_ylabel(MEASURES[measure])
    if panels == 2:
        axes[1, 0].set_ylabel(f"{MEASURES[measure]} less {next(iter(by_reader))}'s")
        axes[1, 0].axhline(0, color="black", linewidth=0.8)
    for panel in axes[:, 0]:
        panel.legend(fontsize=8)
    axes[-1, 0].set_xticks(places, [f"{group.name}\n({group.questions})" for group in groups], fontsize=8)
    axes[-1, 0].set_xlabel(f"{title} (questions)")
    save(figure, path)


@dataclass(frozen=True)
class Comparison:
    """The settings of a comparison of readers, which `QuestionBars` describes."""

    by: Sequence[str] = GROUPINGS
    measures: Sequence[str] = tuple(MEASURES)

    def __post_init__(self) -> None:
        for names, known in ((self.by, GROUPINGS), (self.measures, MEASURES)):
            if not names or not set(names) <= set(known):
                raise ConfigurationError(f"found {str(names):.60}, expected some of {', '.join(known)}")

    def write(self, folder: str, paths: dict[str, str]) -> list[str]:
        """Writes tables and pictures from the readers' files of predictions. Returns their paths."""
        readers = read_readers(paths)
        tables = {by: group_by(by, readers, self.measures) for by in self.by}
        parts = [(by, groups, measure) for by, groups in tables.items() for measure in self.measures]
        os.makedirs(folder, exist_ok=True)
        files = [os.path.join(folder, name) for name in ("scores.md", "scores.csv")]
        write_text(files[0], "\n".join(table(*part) for part in parts))
        with atomic_write(files[1]) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["by", "group", "questions", *Score._fields])
            for by, groups in tables.items():
                for group in groups:
                    for reader, measure, *values in group.scores:
                        figures = [f"{value:.4f}" for value in values]
                        writer.writerow([by, group.name, group.questions, reader, measure, *figures])
        for by, groups, measure in parts:
            files.append(os.path.join(folder, f"{by.replace(' ', '_')}_{measure}.png"))
            draw(files[-1], by, groups, measure)
        return files
