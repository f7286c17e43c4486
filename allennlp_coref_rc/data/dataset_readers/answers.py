"""What instances say of their answers: fields that are added to those of passage and question."""

from typing import List, Optional, Sequence, cast

from allennlp.data import Instance
from allennlp.data.fields import IndexField, MetadataField, TextField

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.data.fields import (
    CANDIDATE_LABELS,
    CLASS_LABELS,
    SKIPPED_ANSWER,
    UNKNOWN_ANSWER,
    AnswerField,
    CandidatesField,
)


def passage_tokens(instance: Instance) -> List[str]:
    return cast(MetadataField, instance["metadata"])["passage_tokens"]


def add_class(instance: Instance, answer: Optional[str]) -> None:
    """The answer is one of the classes of the vocabulary, not a word of the passage."""
    if answer is not None:
        instance.add_field("answer", AnswerField(answer.lower(), CLASS_LABELS))


def add_seen_candidates(instance: Instance, answer: Optional[str]) -> None:
    """The candidates are the answers seen in training."""
    passage = passage_tokens(instance)
    instance.add_field("candidates", CandidatesField(passage, label_namespace=CANDIDATE_LABELS))
    if answer is not None:
        instance.add_field("answer", AnswerField(answer.lower(), CANDIDATE_LABELS))


def add_candidates(
    instance: Instance, candidates: List[List[str]], answer: Optional[Sequence[str]], contiguous: bool = False
) -> None:
    """The answer is one of the question's own candidates, all given as words; `contiguous` as in `CandidatesField`."""
    words = [[word.lower() for word in candidate] for candidate in candidates]
    passage = passage_tokens(instance)
    instance.add_field("candidates", CandidatesField(passage, words, contiguous=contiguous))
    if answer is not None:
        target = [word.lower() for word in answer]
        index = words.index(target) if target in words else UNKNOWN_ANSWER
        instance.add_field("answer", AnswerField(index, CANDIDATE_LABELS, skip_indexing=True))


def add_span(instance: Instance, span: Optional[Span]) -> None:
    """The answer is a span of the passage, its end excluded."""
    if span is not None:
        passage = cast(TextField, instance["passage"])
        instance.add_field("span_start", IndexField(span[0], passage))
        instance.add_field("span_end", IndexField(span[1] - 1, passage))


def mark_skipped(instance: Instance) -> None:
    """The question is one that the data set's rule leaves out."""
    instance.add_field("answer", AnswerField(SKIPPED_ANSWER, CANDIDATE_LABELS, skip_indexing=True))
