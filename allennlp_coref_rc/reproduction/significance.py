import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from scipy import stats

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import read_json_objects
from allennlp_coref_rc.metrics.answer_scores import correctness

FEWEST_GROUPS = 20
"""With fewer groups a bootstrap is not reliable."""


class Scored(NamedTuple):
    """
    A question of a file of predictions, and the score of its answer. The article is that of the prediction,
    or its passage. What is not known is `None`.
    """

    id: Any
    score: float
    correct: Any = None
    article: Any = None


class Pairs(NamedTuple):
    """Two readers' scores for the same questions, and the articles of the questions, if all are known."""

    first: list[float]
    second: list[float]
    articles: Optional[list[Any]]


class Bootstrap(NamedTuple):
    """
    The mean difference of two readers' scores for the same questions, its 95 % interval and two-sided
    p-value.
    """

    questions: int
    difference: float
    low: float
    high: float
    p: float
    groups: int
    """The number of groups that were drawn, or of questions if they were drawn one by one."""

    @property
    def remark(self) -> str:
        """A warning if the groups are few; else an empty text."""
        if self.groups >= FEWEST_GROUPS:
            return ""
        return (
            f"found {self.groups} passages to draw, expected {FEWEST_GROUPS} or more: the interval is too narrow and "
            "p too small (of true null hypotheses, 5 % are to be rejected; with 8 passages, 11 % are)"
        )


def p_text(p: float) -> str:
    """A p-value as papers print it: "< .001" or "= .023"."""
    return "< .001" if p < 0.001 else f"= {p:.3f}".replace("0.", ".", 1)


def mcnemar(first: Sequence[float], second: Sequence[float]) -> float:
    """
    The two-sided p-value of McNemar's exact test, given each reader's scores for the same questions: are there
    equally many that only the one or the other reader answers? An answer is right if its score is 1.
    """
    only_first = sum(a == 1 and b != 1 for a, b in zip(first, second))
    only_second = sum(b == 1 and a != 1 for a, b in zip(first, second))
    discordant = only_first + only_second
    return float(stats.binomtest(only_first, discordant).pvalue) if discordant else 1.0


def paired_bootstrap(
    first: Sequence[float],
    second: Sequence[float],
    samples: int = 10000,
    seed: int = 1,
    groups: Optional[Sequence[Any]] = None,
) -> Bootstrap:
    """
    The mean difference between two readers' scores for the same questions, over samples drawn with
    replacement. Of given `groups`, such as passages, whole ones are drawn, since their questions are not
    independent of each other.
    """
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    if not len(differences):
        raise ConfigurationError("found no question, expected one or more")
    groups = range(len(differences)) if groups is None else groups
    _, numbers = np.unique(np.asarray(groups), return_inverse=True)
    sums, sizes = np.bincount(numbers, weights=differences), np.bincount(numbers)
    generator = np.random.default_rng(seed)
    n = len(sums)
    # All samples together would be a matrix of samples by questions.
    block = max(1, 100_000 // n)
    draws = (generator.integers(n, size=(min(block, samples - i), n)) for i in range(0, samples, block))
    means = np.concatenate([sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1) for drawn in draws])
    # Means over seeds may be thirds, whose sums are not exactly 0 where they should be.
    means = means.round(10)
    low, high = np.percentile(means, [2.5, 97.5])
    # Under the null hypothesis the observed sample is one of the samples, so it is counted too.
    tail = (1 + min((means <= 0).sum(), (means >= 0).sum())) / (samples + 1)
    mean = float(differences.mean())
    return Bootstrap(len(differences), mean, float(low), float(high), min(1.0, 2 * float(tail)), n)


def read_scores(path: str, key: Optional[str] = None) -> list[Scored]:
    """
    The questions of a file of `allennlp predict` (an object for each question) or `allennlp evaluate` (one
    for each batch). A score is the prediction's `key` or, without one, whether the answer is correct.
    """
    questions: list[Scored] = []
    passages: list[str] = []
    for place, prediction in _predictions(path):
        score = prediction.get(key) if key else correctness(prediction)
        if not isinstance(score, (int, float)) or not math.isfinite(score):
            raise ConfigurationError(
                f"{place}: found {prediction.get(key or 'correct')!r:.60} as {key or 'correct'}, expected "
                + (
                    "a number"
                    if key
                    else "a question with `correct`, `exact_match`, or `answer` and `gold` or `answer_texts`"
                )
            )
        correct = prediction.get("gold", prediction.get("answer_texts"))
        passages.append(" ".join(prediction.get("passage_tokens") or ()))
        questions.append(Scored(prediction.get("id"), float(score), correct, prediction.get("article")))
    if not questions:
        raise ConfigurationError(f"{path}: found no prediction, expected one or more")
    beginning_of = beginnings(passages)
    return [
        question if question.article is not None else question._replace(article=beginning_of[passage])
        for question, passage in zip(questions, passages)
    ]


def beginnings(passages: Iterable[str]) -> dict[str, Optional[str]]:
    """
    The beginning that each passage shares with others, `None` if it is empty. A question of bAbI has its
    story up to there, so the next one's passage continues it.
    """
    found: dict[str, Optional[str]] = {"": None}
    beginning = ""
    # A blank is before all other characters, so that a passage comes directly before those that continue it.
    for passage in sorted(set(passages) - {""}, key=lambda passage: passage.replace(" ", "\0")):
        if not (beginning and passage.startswith(f"{beginning} ")):
            beginning = passage
        found[passage] = beginning
    return found


def pair(first: Sequence[Scored], second: Sequence[Scored], names: tuple[str, str]) -> Pairs:
    """Pairs the scores for the same questions, by their ids if all have one and else by their order."""
    tables: list[dict[Any, Scored]] = []
    for name, questions in zip(names, (first, second)):
        ids = [question.id for question in questions]
        with_ids = all(isinstance(id, (str, int)) for id in ids)
        if with_ids and len(set(ids)) < len(ids):
            repeated = next(id for i, id in enumerate(ids) if id in ids[:i])
            raise ConfigurationError(f"{name}: found the id {repeated!r} twice, expected each question once")
        tables.append(dict(zip(ids if with_ids else range(len(ids)), questions)))
    if tables[0].keys() != tables[1].keys():
        unshared = sorted(map(str, tables[0].keys() ^ tables[1].keys()))
        # An id such as "qa2_test.txt:105".
        places = [{str(id).rpartition(":")[2] for id in table} for table in tables]
        renamed = "; the ids differ only in the name of the questions' file" * (places[0] == places[1])
        raise ConfigurationError(
            f"{names[0]} and {names[1]}: found {len(first)} and {len(second)} questions, {len(unshared)} of them in "
            f"one file alone (such as {unshared[0]}{renamed}), expected the same questions"
        )
    pairs = [(question, tables[1][key]) for key, question in tables[0].items()]
    for one, other in pairs:
        if None not in (one.correct, other.correct) and one.correct != other.correct:
            raise ConfigurationError(
                f"{names[0]} and {names[1]}: found {one.correct!r:.60} and {other.correct!r:.60} as correct answers of "
                f"the question {one.id!r:.60}, expected the same questions"
            )
    return Pairs([one.score for one, _ in pairs], [other.score for _, other in pairs], articles_of(first))


def articles_of(questions: Sequence[Scored]) -> Optional[list[Any]]:
    """The articles of questions, if all are known."""
    articles = [question.article for question in questions]
    return None if None in articles else articles


def _predictions(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, content in read_json_objects(path):
        if not isinstance(content.get("answer"), list):
            yield place, content
            continue
        size = len(content["answer"])
        columns = {
            key: value for key, value in content.items() if isinstance(value, list) and len(value) == size
        }
        for i in range(size):
            yield place, {key: value[i] for key, value in columns.items()}
