"""Reads and checks the predictions that pages show, which `coref-rc predict` writes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import read_json_objects
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.common.messages import counted
from allennlp_coref_rc.common.schema import String
from allennlp_coref_rc.metrics.answer_scores import correctness
from allennlp_coref_rc.pages.attention_views import SCORES

Prediction = dict[str, Any]

WRAPPING = ("@begin", "@end")
"""The tokens that readers put around questions."""

NEEDED = ("question_tokens", "passage_tokens", "answer")

SIDES = ("passage", "question")


def checked_predictions(path: str, labelled: bool = False) -> Iterator[Prediction]:
    """The predictions of a file, checked. If they have to be `labelled`, each has a correct answer."""
    for place, prediction in read_json_objects(path):
        for key in NEEDED:
            if key not in prediction:
                raise ConfigurationError(
                    f"{place}: found no {key}, expected an output of cloze_reader or span_reader, which coref-rc "
                    "predict ARCHIVE FILE --output-file PREDICTIONS writes"
                )
        for key, check in CHECKS.items():
            if key in prediction and not (key in NULLABLE and prediction[key] is None):
                check(JsonValue(prediction[key], place, key), prediction)
        if labelled and not gold_answers(prediction):
            raise ConfigurationError(
                f"{place}: found no gold or answer_texts, expected a question with an answer"
            )
        yield prediction


def predicted_spans(prediction: Prediction) -> list[Span]:
    """
    The spans of the passage that a reader of spans answers with, as [start, stop); none of other readers.
    """
    spans = prediction.get("best_spans") or [prediction[key] for key in ("best_span",) if key in prediction]
    return [(first, last + 1) for first, last in spans]


def asked_tokens(question_tokens: list[str]) -> list[str]:
    """The tokens of a question, without those that readers put around it."""
    return [token for token in question_tokens if token not in WRAPPING]


def gold_texts(prediction: Prediction) -> list[str]:
    """
    The texts of the correct answers, or of the spans of the only one. The list is empty if they are not
    known.
    """
    gold = prediction.get("gold")
    return prediction.get("answer_texts") or ([] if gold is None else [gold])


def gold_answers(prediction: Prediction) -> list[str]:
    """
    The correct answers, if they are known: the `answer_texts` of SQuAD and NarrativeQA, which are
    alternatives. Those of Quoref, whose predictions have an `exact_match`, are the spans of one answer,
    joined as in predictions.
    """
    texts = gold_texts(prediction)
    return [", ".join(texts)] if texts and "exact_match" in prediction else texts


def has_right_answer(prediction: Prediction) -> bool:
    return correctness(prediction) == 1


def _probabilities(value: JsonValue, prediction: Prediction) -> None:
    for _, number in value.items():
        number.number()


def _weights(value: JsonValue, prediction: Prediction) -> None:
    numbers, length = value.list(), len(prediction["passage_tokens"])
    # The numbers of a batch may be padded.
    if len(numbers) < length:
        found = f"{value.place}: found {len(numbers)} numbers at {value.path}"
        raise ConfigurationError(f"{found}, expected one for each of the {length} passage_tokens")
    for number in numbers:
        number.number()


def _span(value: JsonValue, prediction: Prediction) -> None:
    ends, length = value.list(), len(prediction["passage_tokens"])
    if len(ends) != 2 or ends[0].integer() > ends[1].integer() or ends[1].integer() >= length:
        raise value.error(f"[first, last] with 0 <= first <= last < {length}, the number of passage_tokens")


def _spans(value: JsonValue, prediction: Prediction) -> None:
    for span in value.list():
        _span(span, prediction)


def _clusters(value: JsonValue, prediction: Prediction) -> None:
    length = len(prediction["passage_tokens"]) + len(prediction["question_tokens"])
    for cluster in value.list():
        for span in cluster.list():
            span.span(length)


def _explanations(value: JsonValue, prediction: Prediction) -> None:
    for attention in value.list():
        attention["kind"].to(String)
        rows, columns = (len(prediction[f"{attention[key].choice(SIDES)}_tokens"]) for key in ("side", "to"))
        _matrix(attention["weights"], (rows, columns), (1, columns))


def _annotated_heads(value: JsonValue, prediction: Prediction) -> None:
    for head in value.list():
        for key in ("encoder", "annotation_layer"):
            head[key].to(String)
        for key in ("application", "block", "view"):
            head[key].integer()
        head["labels"].to(list[String])
        last = len(prediction[f"{head['side'].choice(SIDES)}_tokens"]) - 1
        scopes, weights = head["scopes"].list(), head["weights"].list()
        if len(scopes) != len(weights):
            raise head["weights"].error(f"one list for each of the {len(scopes)} scopes")
        for scope, matrix in zip(scopes, weights):
            tokens = [token.integer(maximum=last) for token in scope.list()]
            _matrix(matrix, (len(tokens), len(tokens)))


def _matrix(value: JsonValue, *shapes: tuple[int, int]) -> None:
    try:
        numbers = numpy.asarray(value.value)
    except ValueError:  # The rows differ in length.
        numbers = numpy.zeros(0)
    good = numbers.shape in shapes and numbers.dtype.kind in "if"
    if not good or not (numpy.isfinite(numbers) & (numbers >= 0)).all():
        expected = " or ".join(f"{counted(rows, 'list')} of {columns}" for rows, columns in shapes)
        raise value.error(f"{expected} numbers, 0 or more")


CHECKS: dict[str, Callable[[JsonValue, Prediction], object]] = {
    **dict.fromkeys(("question_tokens", "passage_tokens"), lambda value, _: value.to(list[String])),
    **dict.fromkeys(("answer_texts", "warnings"), lambda value, _: value.to(list[String])),
    **dict.fromkeys(("answer", "gold", "unanswered"), lambda value, _: value.to(String)),
    "exact_match": lambda value, _: value.number(1),
    "candidate_probabilities": _probabilities,
    "best_span": _span,
    "best_spans": _spans,
    "clusters": _clusters,
    "explanations": _explanations,
    "annotated_heads": _annotated_heads,
    **dict.fromkeys(SCORES, _weights),
}
"""By key, how a value of a prediction is checked. Tokens come first, since later checks count them."""

NULLABLE = ("answer", "answer_texts", "gold", "unanswered", "warnings", "clusters")
"""The values that may be null, which means that they are not known."""
