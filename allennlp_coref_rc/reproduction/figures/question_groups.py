from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy

from allennlp_coref_rc.annotations.formats.json_value import JsonValue, read_json
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.metrics.answer_scores import MEANS, answer_counts, scores_of

QUESTION_TYPES = (
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
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


class Answered(NamedTuple):
    """
    A question that a reader has answered: the question, the number of tokens of its passage, its correct answers, and
    the counts from which metrics are computed.
    """

    question: str
    length: int
    references: list[str]
    counts: list[float]


Readers = dict[str, dict[Any, Answered]]
"""By reader, its answers by the ids of the questions."""


class Score(NamedTuple):
    """
    A reader's score in a group, in percent, and its difference from the first reader's score, with a 95 % interval.
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
    The questions of a file of predictions, by their ids or, if they have none, by their numbers. A prediction without
    correct answers raises a `ConfigurationError`.
    """
    answers: dict[Any, Answered] = {}
    for number, values in enumerate(progress_bar(read_json(path), desc=path, unit=" questions"), start=1):
        known = values.get("answer_texts")
        if known is None or not known.strings():
            raise ConfigurationError(
                f"{values.place}: found a prediction without answer_texts, expected one of a labelled question, as "
                "`coref-rc predict --use-dataset-reader` makes them"
            )
        references = known.strings()
        length = values.get("passage_length")
        id = values.get("id")
        key = number if id is None else id.string()
        if key in answers:
            raise ConfigurationError(f"{values.place}: found the id {key!r:.80} a second time")
        answers[key] = Answered(
            " ".join(values["question_tokens"].strings()),
            len(values["passage_tokens"].list()) if length is None else length.integer(),
            references,
            _counts(values, references),
        )
    return answers


def _counts(prediction: JsonValue, references: list[str]) -> list[float]:
    """The counts of an answer. If a prediction comes with a score, as those of Quoref do, that score is taken."""
    counts = answer_counts(prediction["answer"].string(), references)
    for i, name in enumerate(MEANS, start=1):
        carried = prediction.get(name)
        if carried is not None:
            counts[i] = carried.fraction()
    return counts


def read_readers(paths: dict[str, str]) -> Readers:
    """The answers of readers to the same questions. If questions differ, a `ConfigurationError` is raised."""
    readers = {name: read_answers(path) for name, path in paths.items()}
    _check_same_questions(paths, list(readers.values()))
    return readers


def _check_same_questions(paths: dict[str, str], readers: Sequence[dict[Any, Answered]]) -> None:
    first, *others = paths.values()
    for path, answers in zip(others, readers[1:]):
        different = sorted(answers.keys() ^ readers[0].keys(), key=str)
        if different:
            having, lacking = (path, first) if different[0] in answers else (first, path)
            raise ConfigurationError(
                f"{lacking}: found no prediction for the question {different[0]!r:.80}, which {having} has; "
                "expected the same questions in all files"
            )
        for key, answered in answers.items():
            if answered.references != readers[0][key].references:
                raise ConfigurationError(
                    f"{path}: found the answer_texts {str(answered.references):.80} of the question {key!r:.80}, "
                    f"expected those that {first} has"
                )


def question_type(question: str) -> str:
    return next((words for words in QUESTION_TYPES if words in question.lower()), "other")


def length_range(length: int, bounds: Sequence[int]) -> str:
    """ "201-400", "1201+" """
    low = max((bound for bound in bounds if bound < length), default=0)
    high = min((bound for bound in bounds if bound >= length), default=None)
    return f"{low + 1}+" if high is None else f"{low + 1}-{high}"


def length_ranges(bounds: Sequence[int]) -> list[str]:
    return [length_range(bound, bounds) for bound in (*bounds, max(bounds) + 1)]


def score(names: Sequence[str], counts: Sequence[numpy.ndarray], measures: Iterable[str], samples: int) -> list[Score]:
    """
    The scores of readers, and their differences from the first reader with bootstrap intervals. `counts` are those of
    each reader for the same questions, of shape (num_questions, num_counts).
    """
    generator, size = numpy.random.default_rng(0), len(counts[0])
    drawn = [numpy.bincount(generator.integers(size, size=size), minlength=size) for _ in range(samples)]
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


def score_groups(
    readers: Readers,
    group_of: Callable[[Answered], str],
    order: Sequence[str],
    measures: Sequence[str],
    samples: int,
) -> list[Group]:
    """
    All questions as one group, then each group that has questions, in the order of their names in `order`. The first
    reader's tokens decide a question's group.
    """
    members: dict[str, list[Any]] = {}
    for key, answered in next(iter(readers.values())).items():
        for name in (ALL, group_of(answered)):
            members.setdefault(name, []).append(key)
    groups = []
    for name in (ALL, *order):
        if name in members:
            counts = [numpy.array([answers[key].counts for key in members[name]]) for answers in readers.values()]
            groups.append(Group(name, len(members[name]), score(list(readers), counts, measures, samples)))
    return groups


def group_by(by: str, readers: Readers, measures: Sequence[str], bounds: Sequence[int], samples: int) -> list[Group]:
    """The scores by one of `GROUPINGS`. `bounds` are the bounds of lengths in tokens."""
    if by == "question type":
        order = [*QUESTION_TYPES, "other"]
        return score_groups(readers, lambda answered: question_type(answered.question), order, measures, samples)
    order = length_ranges(bounds)
    return score_groups(readers, lambda answered: length_range(answered.length, bounds), order, measures, samples)
