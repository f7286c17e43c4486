"""The keys that the `data` of a document may have for its questions, and the values that readers accept for them."""

from collections.abc import Callable
from typing import Any

from allennlp_coref_rc.annotations import Document
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.common.messages import excerpt
from allennlp_coref_rc.data.babi.babi_files import NUM_TASKS


def checked_questions(document: Document) -> list[dict[str, Any]]:
    """The values that the data set has for each question, checked. A null means that the value is not known."""
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
        for key, check in CHECKS.items():
            if (value := values.get(key)) is not None:
                check(value, document.parts[0])
    return questions


def _check_candidates(value: JsonValue, length: int) -> None:
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


CHECKS: dict[str, Callable[[JsonValue, int], Any]] = {
    "annotations": lambda value, length: [judgement.strings() for judgement in value.list()],
    "answer": lambda value, length: value.string(),
    "answer_in_context": lambda value, length: value.boolean(),
    "answers": lambda value, length: value.strings(),
    "candidates": _check_candidates,
    "entities": lambda value, length: [form.string() for _, form in value.items()],
    "id": lambda value, length: value.string(),
    "no_context": lambda value, length: value.boolean(),
    "oracle": lambda value, length: value.string(),
    "passage_id": lambda value, length: value.string(),
    "span": lambda value, length: value.span(length),
    "spans": _check_spans,
    "supporting_facts": lambda value, length: [fact.integer() for fact in value.list()],
    "supports": _check_supports,
    "task": lambda value, length: value.integer(1, NUM_TASKS),
    "unanswerable": lambda value, length: value.boolean(),
    "url": lambda value, length: value.string(),
}
"""By key, a check of the value, given the number of tokens in the passage. It raises a `ConfigurationError`."""
