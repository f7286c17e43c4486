from typing import Any

from allennlp.common.util import JsonDict

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, clusters_from_json
from allennlp_coref_rc.annotations.formats.json_value import JsonValue
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import excerpt
from allennlp_coref_rc.common.messages import most_similar
from allennlp_coref_rc.data.dataset_readers.question_data import check_candidates


def reader_arguments(inputs: JsonDict, *optional: str) -> dict[str, Any]:
    """
    Takes the arguments of a reader's `text_to_instance` from an input: "passage", "question", and the
    `optional` keys ("candidates", "clusters") that it has. Invalid values raise a `ConfigurationError`, and so does a
    key that is meant to be an optional one, by its looks. Other keys are ignored.
    """
    values = JsonValue(inputs)
    arguments = {key: value for key in ("passage", "question", *optional) if (value := values.get(key)) is not None}
    for key in set(optional).difference(inputs):
        if similar := most_similar(key, inputs):
            raise ConfigurationError(f"found the key {excerpt(similar[0], 40)}; did you mean {key}?")
    for key in ("passage", "question"):
        if key not in arguments:
            raise ConfigurationError(
                f"found an input with the keys {excerpt(sorted(inputs))}, expected the key {key!r}"
            )
        _check_text(arguments[key])
    if "candidates" in arguments:
        check_candidates(arguments["candidates"])
    if "clusters" in arguments:
        clusters_from_json(arguments["clusters"].value)
    return {key: value.value for key, value in arguments.items()}


def _check_text(value: JsonValue) -> None:
    """
    A text, or a list of tokens, statements or supporting texts, each a text or a list of tokens itself; from Python
    also an `AnnotatedText`.
    """
    if isinstance(value.value, AnnotatedText):
        return
    if isinstance(value.value, str):
        value.string()
    elif isinstance(value.value, (list, tuple)):
        for part in value.list():
            part.text()
    else:
        raise value.error("a text or a list of texts")
