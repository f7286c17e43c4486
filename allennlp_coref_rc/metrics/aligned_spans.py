"""The scores of answers that are sets of spans."""

import re
from collections.abc import Sequence
from typing import Union

import numpy

from allennlp_coref_rc.metrics.overlap import ARTICLE, NO_PUNCTUATION

SEPARATOR = re.compile("[ -]")

Answer = Union[str, Sequence[str]]
"""A span, or several."""


def span_words(text: str) -> tuple[str, ...]:
    """
    The words of a span as DROP's evaluation compares them: in lower case, split at hyphens, without ASCII
    punctuation and articles. Numbers keep their punctuation, and are equal if their values are.
    """
    words: list[str] = []
    for word in SEPARATOR.split(text.lower()):
        word = word if _is_number(word) else word.translate(NO_PUNCTUATION)
        word = str(float(word)) if _is_number(word) else word
        words += ARTICLE.sub(" ", word).split()
    return tuple(words)


def aligned_scores(prediction: Answer, reference: Answer) -> tuple[float, float]:
    """
    The exact match and the F1 of an answer of any number of spans (Dua et al. 2019, section 5; Dasigi et al.
    2019).

    Exact match is 1 if both have the same spans. For F1, predicted and expected spans are paired, each with
    one at most, so that the sum of the pairs' F1 is highest; it is the mean over the larger of the two sets.
    The F1 of two spans is that of their sets of words, and 0 where the expected one has numbers and the
    predicted one has none of them. As in the official evaluation it is rounded to two decimal places.
    """
    predicted, expected = _spans(prediction), _spans(reference)
    exact_match = float(set(predicted) == set(expected) and len(predicted) == len(expected))
    bags = [frozenset(span) for span in predicted]
    scores = numpy.array([[_f1(bag, frozenset(span)) for bag in bags] for span in expected])
    return exact_match, round(_best_sum(scores) / max(len(predicted), len(expected)), 2)


def _spans(answer: Answer) -> list[tuple[str, ...]]:
    return [span_words(text) for text in ([answer] if isinstance(answer, str) else answer)]


def _best_sum(scores: numpy.ndarray) -> float:
    if 1 in scores.shape or not scores.size:
        return float(scores.max(initial=0.0))
    from scipy.optimize import linear_sum_assignment

    return float(scores[linear_sum_assignment(scores, maximize=True)].sum())


def _f1(predicted: frozenset[str], expected: frozenset[str]) -> float:
    numbers = set(filter(_is_number, expected))
    if numbers and not numbers & predicted:
        return 0.0
    common = len(predicted & expected)
    precision = common / len(predicted) if predicted else 1.0
    recall = common / len(expected) if expected else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
