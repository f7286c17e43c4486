"""What has to hold of whatever was read, however the file was damaged: else an `AssertionError`."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from allennlp.data import DatasetReader, Instance, Vocabulary

from allennlp_coref_rc.annotations import AnnotatedText, Document
from allennlp_coref_rc.data.fields import AnswerField
from tests.batches import tensors


def check_text(text: AnnotatedText) -> None:
    """A text can be made again of what is in it, be written, and be read again."""
    assert AnnotatedText(**{name: getattr(text, name) for name in asdict(text)}).checked() == text
    assert all(isinstance(token, str) for token in text.tokens)
    assert AnnotatedText.from_json(json.loads(_utf8(text.to_json()))) == text


def check_document(document: Document) -> None:
    """The same of a document."""
    check_text(document.text)
    assert Document.from_json(json.loads(_utf8(document.to_json()))).to_json() == document.to_json()


def check_written_alike(document: Document, line: str) -> None:
    """A document says what its line says, and what the line leaves out is empty."""
    said, written = json.loads(line), json.loads(json.dumps(document.to_json()))
    nothing = {"arg1": [], "arg2": [], "connective": []}
    said = {
        key: [{**nothing, **rel} for rel in value] if key == "relations" else value
        for key, value in said.items()
    }
    for key, value in said.items():
        if value is not None or key not in ("id", "sentences", "text", "offsets"):
            assert _plain(written.get(key, [])) == _plain(value), (key, written[key], value)
    length = len(written["tokens"])
    default = {"sentences": [[0, length]] if length else [], "parts": [length]}
    for key in written.keys() - said.keys():
        assert written[key] == default.get(key, {} if key == "data" else [])


def check_instances(reader: DatasetReader, instances: Sequence[Instance]) -> None:
    """Instances become tensors, answers and spans lie where they can, metadata can be written."""
    for instance in instances:
        reader.apply_token_indexers(instance)
    vocabulary = _vocabulary(instances)
    for instance in instances:
        if "metadata" in instance:
            _utf8(instance["metadata"].metadata)
        if "passage" in instance:
            _check_question(instance, instance["metadata"].metadata)
        assert tensors([instance], vocabulary)


def check_prediction(output: dict[str, Any]) -> None:
    """There are probabilities; the answer is the likeliest candidate, a span, or none for a reason."""
    _utf8(output)
    if "candidate_probabilities" in output:
        probabilities = output["candidate_probabilities"]
        assert all(-1e-6 <= value <= 1 + 1e-4 for value in probabilities.values()), probabilities
        assert (output["answer"] is None) == bool(output.get("unanswered"))
        if output["answer"] is not None:
            assert probabilities[output["answer"]] == max(probabilities.values())
        assert len(output["attention"]) == len(output["passage_tokens"])
    else:
        start, end = output["best_span"]
        assert 0 <= start <= end < len(output["passage_tokens"])


def _vocabulary(instances: Sequence[Instance]) -> Vocabulary:
    """Without the bar of `Vocabulary.from_instances`."""
    counter: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for instance in instances:
        instance.count_vocab_items(counter)
    return Vocabulary(counter)


def _check_question(instance: Instance, metadata: dict[str, Any]) -> None:
    passage, question = ([token.text for token in instance[side].tokens] for side in ("passage", "question"))
    assert passage == metadata["passage_tokens"]
    assert question == metadata["question_tokens"] and passage and question
    assert all(isinstance(token, str) for token in passage + question)
    length = len(passage) + len(question)
    assert all(0 <= start < stop <= length for cluster in metadata["clusters"] for start, stop in cluster)
    candidates = metadata.get("candidates")
    if candidates is not None and "candidates" in instance:
        assert len(candidates) == len(instance["candidates"]) > 0
        assert all(isinstance(candidate, str) for candidate in candidates)
        occurrences = instance["candidates"].human_readable_repr()
        assert all(0 <= i < len(candidates) and 0 <= place < len(passage) for i, place in occurrences)
    answer = instance.fields.get("answer")
    if isinstance(answer, AnswerField) and isinstance(answer.label, int):
        # An answer that is none of the candidates (-1) is either skipped (-2) or refused.
        assert answer.label == -2 or 0 <= answer.label < len(candidates), answer.label
    if "span_start" in instance:
        start, end = (instance[f"span_{which}"].sequence_index for which in ("start", "end"))
        assert 0 <= start <= end < len(passage) or start == end == -1


def _utf8(values: Any) -> bytes:
    return json.dumps(values, ensure_ascii=False, default=_jsonable).encode()


def _jsonable(value: Any) -> Any:
    assert isinstance(value, Iterable), value
    return list(value)


def _plain(value: Any) -> Any:
    """A value in which numbers that are not equal to themselves are."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return list(map(_plain, value)) if isinstance(value, list) else value
