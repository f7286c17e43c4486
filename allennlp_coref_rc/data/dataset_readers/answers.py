"""Functions that add the fields of answers to instances."""

from collections.abc import Sequence
from typing import Optional, cast

from allennlp.data import Instance
from allennlp.data.fields import IndexField, TextField

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.data.fields import (
    CANDIDATE_LABELS,
    SKIPPED_ANSWER,
    UNKNOWN_ANSWER,
    AnswerField,
    CandidatesField,
    metadata_of,
)


def add_candidates(
    instance: Instance,
    names: Sequence[str],
    candidates: Sequence[Sequence[str]],
    answer: Optional[Sequence[str]],
    contiguous: bool = False,
) -> None:
    """
    Adds the question's own candidates, and the answer if it is known, given their words, and the candidates'
    names in predictions. Candidates with the same words, in upper or lower case, are merged under the first
    name.
    """
    distinct: dict[tuple[str, ...], str] = {}
    for name, words in zip(names, candidates):
        distinct.setdefault(_lower(words), name)
    metadata = metadata_of(instance)
    metadata["candidates"] = list(distinct.values())
    field = CandidatesField(metadata["passage_tokens"], list(map(list, distinct)), contiguous=contiguous)
    instance.add_field("candidates", field)
    if answer is not None:
        words, index = _lower(answer), UNKNOWN_ANSWER
        if words in distinct:
            index = list(distinct).index(words)
            # Its candidate may have another name, by which predictions call it.
            metadata["answer"] = distinct[words]
        instance.add_field("answer", AnswerField(index, CANDIDATE_LABELS, skip_indexing=True))


def add_span(instance: Instance, span: Optional[Span]) -> None:
    """Adds an answer that is a [start, end) span of the passage. The fields' ends are both inclusive."""
    if span is not None:
        passage = cast(TextField, instance["passage"])
        instance.add_field("span_start", IndexField(span[0], passage))
        instance.add_field("span_end", IndexField(span[1] - 1, passage))


def _lower(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def mark_skipped(instance: Instance) -> None:
    """Marks a question that the data set's rule leaves out."""
    instance.add_field("answer", AnswerField(SKIPPED_ANSWER, CANDIDATE_LABELS, skip_indexing=True))
