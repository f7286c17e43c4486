"""
The keys that the `data` of a document may have for its questions, and the values that readers accept for
them.
"""

from collections.abc import Callable
from typing import Any

from pydantic import StrictBool

from allennlp_coref_rc.annotations import Document
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.common.messages import excerpt
from allennlp_coref_rc.common.schema import String
from allennlp_coref_rc.data.babi.babi_files import NUM_TASKS


def checked_questions(document: Document) -> list[dict[str, Any]]:
    """
    The values that the data set has for each question, checked. A null means that the value is not known.
    """
    questions = document.data.get("questions")
    if not isinstance(questions, list) or len(questions) != len(document.parts) - 1:
        raise ConfigurationError(
            f"data: found the questions {excerpt(questions)} and {len(document.parts)} parts, expected a passage "
            "and a list of its questions"
        )
    for i, question in enumerate(questions):
        if not isinstance(question, dict):
            raise ConfigurationError(f"data: found the question {excerpt(question)}, expected an object")
        values = JsonValue(question, path="" if len(questions) == 1 else f"questions[{i}]")
        for key in question:
            if (value := values.get(key)) is not None:
                if key in TYPES:
                    value.to(TYPES[key])
                elif key in CHECKS:
                    CHECKS[key](value)
                elif key in CHECKS_WITHIN_PASSAGE:
                    CHECKS_WITHIN_PASSAGE[key](value, document.parts[0])
    return questions


def _check_candidates(value: JsonValue) -> None:
    if not value.list():
        raise value.error("a list of one or more texts")
    for candidate in value.list():
        candidate.text()


def _check_supports(value: JsonValue, length: int) -> None:
    for support in value.list():
        ends = [end.integer(maximum=length) for end in support.list()]
        if len(ends) != 2 or ends[0] > ends[1]:
            raise support.error(f"[start, end] with 0 <= start <= end <= {length}")


def _check_spans(value: JsonValue, length: int) -> None:
    for span in value.list():
        if span.value is not None:
            span.span(length)


TYPES: dict[str, Any] = {
    **dict.fromkeys(("answer", "id", "oracle", "passage_id", "url"), String),
    **dict.fromkeys(("answer_in_context", "no_context", "unanswerable"), StrictBool),
    "annotations": list[list[String]],
    "answers": list[String],
    "entities": dict[str, String],
}
"""By key, the type of the value."""

CHECKS: dict[str, Callable[[JsonValue], Any]] = {
    "candidates": _check_candidates,
    "supporting_facts": lambda value: [fact.integer() for fact in value.list()],
    "task": lambda value: value.integer(1, NUM_TASKS),
}
"""Checks of other values. They raise a `ConfigurationError`."""

CHECKS_WITHIN_PASSAGE: dict[str, Callable[[JsonValue, int], Any]] = {
    "span": JsonValue.span,
    "spans": _check_spans,
    "supports": _check_supports,
}
"""Those that also take the number of tokens in the passage."""
