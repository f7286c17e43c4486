from collections import UserList
from collections.abc import Sequence
from typing import Any, Optional, cast

import torch
from allennlp.common.util import sanitize
from allennlp.data import Instance, Vocabulary
from allennlp.data.fields import Field, LabelField, MetadataField

CANDIDATE_LABELS = "candidate_labels"
"""The vocabulary namespace of answers that are words of the passage."""

CLASS_LABELS = "class_labels"
"""The vocabulary namespace of answers that are classes."""

UNKNOWN_ANSWER = -1
"""
The index of an answer that is none of the candidates. Such a question has no loss and counts as answered
wrongly.
"""

SKIPPED_ANSWER = -2
"""
The index of the answer to a question that the data set's rule leaves out. Only `accuracy_official` counts it.
"""

MALFORMED = "malformed"
"""
Why questions are skipped; the key of their number in the metadata of a file's last question, and of what is
known of them in the data of a document, which lacks them.
"""


class AnswerField(LabelField):
    """
    The answer. It is a `LabelField` with a label or, with `skip_indexing`, the index of a candidate. But a
    label that is not in the vocabulary becomes `UNKNOWN_ANSWER` and raises no error. A test answer that
    training never saw, as in bAbI's task 8, has to be counted and must not stop the evaluation.
    """

    def index(self, vocab: Vocabulary) -> None:
        if not self._skip_indexing:
            labels = vocab.get_token_to_index_vocabulary(self._label_namespace)
            self._label_id = labels.get(str(self.label), UNKNOWN_ANSWER)


CandidateTensors = dict[str, torch.Tensor]


class CandidatesField(Field[CandidateTensors]):
    """
    The places of the candidate answers in the passage, as pairs of a candidate and a token's position. So
    memory grows with the number of occurrences, and not with the length of the passage times the number of
    candidates.

    A token belongs to each candidate that has it as a word, whatever the order of the words (a bag of
    tokens), as in the GA Reader's code. With `contiguous`, the candidate's words also have to follow one
    another in order. Upper and lower case are the same. A token may belong to several candidates.

    The field becomes three tensors: `candidates` and `positions`, both of shape (batch_size, num_occurrences)
    and padded with -1, and `mask` of shape (batch_size, num_candidates), which is true for candidates that
    exist.

    # Parameters

    tokens : `Sequence[str]`
        The passage.
    candidates : `Sequence[Sequence[str]]`, optional (default = `None`)
        The tokens of each candidate. By default the answers seen in training are the candidates: every label
        of the vocabulary's namespace "candidate_labels", in its order, is a candidate of one token.
    contiguous : `bool`, optional (default = `False`)
        Whether a candidate's words have to follow one another.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        candidates: Optional[Sequence[Sequence[str]]] = None,
        contiguous: bool = False,
    ) -> None:
        self._tokens = [token.lower() for token in tokens]
        self._candidates = (
            None if candidates is None else [[word.lower() for word in candidate] for candidate in candidates]
        )
        self._contiguous = contiguous
        self._occurrences: list[tuple[int, int]] = []
        self._num_candidates = 0
        if self._candidates is not None:
            self._locate(self._candidates)

    def _locate(self, candidates: list[list[str]]) -> None:
        positions: dict[str, list[int]] = {word: [] for candidate in candidates for word in candidate}
        for position, token in enumerate(self._tokens):
            if token in positions:
                positions[token].append(position)
        self._num_candidates = len(candidates)
        self._occurrences = [
            (i, position)
            for i, candidate in enumerate(candidates)
            for position in self._occurrences_of(candidate, positions)
        ]

    def _occurrences_of(self, words: list[str], positions: dict[str, list[int]]) -> list[int]:
        if len(words) == 1:
            return positions.get(words[0], [])
        if not self._contiguous:
            return [position for word in sorted(set(words)) for position in positions.get(word, [])]
        length = len(words)
        starts = (
            [i for i in positions.get(words[0], []) if self._tokens[i : i + length] == words] if words else []
        )
        return sorted({start + offset for start in starts for offset in range(length)})

    def index(self, vocab: Vocabulary) -> None:
        if self._candidates is None:
            labels = vocab.get_index_to_token_vocabulary(CANDIDATE_LABELS)
            self._locate([[labels[i].lower()] for i in range(len(labels))])

    def in_passage(self, tokens: Sequence[str]) -> "CandidatesField":
        """The same candidates in another passage."""
        return CandidatesField(tokens, self._candidates, self._contiguous)

    def get_padding_lengths(self) -> dict[str, int]:
        return {"num_candidates": self._num_candidates, "num_occurrences": len(self._occurrences)}

    def as_tensor(self, padding_lengths: dict[str, int]) -> CandidateTensors:
        occurrences = torch.full((padding_lengths["num_occurrences"], 2), -1, dtype=torch.long)
        if self._occurrences:
            occurrences[: len(self._occurrences)] = torch.tensor(self._occurrences)
        mask = torch.arange(padding_lengths["num_candidates"]) < self._num_candidates
        return {"candidates": occurrences[:, 0], "positions": occurrences[:, 1], "mask": mask}

    def batch_tensors(self, tensor_list: list[CandidateTensors]) -> CandidateTensors:
        return {name: torch.stack([tensors[name] for tensors in tensor_list]) for name in tensor_list[0]}

    def empty_field(self) -> "CandidatesField":
        return CandidatesField([], [])

    def human_readable_repr(self) -> list[list[int]]:
        return [list(occurrence) for occurrence in self._occurrences]

    def __len__(self) -> int:
        return self._num_candidates


class QuestionField(MetadataField):
    """
    A `MetadataField` for what a reader knows about a question. In each batch, AllenNLP looks for tensors in
    all dicts, lists and tuples of a `MetadataField`. For long passages, that takes a third of the time that
    it needs for a batch. A batch of this field behaves like a list, but AllenNLP does not take it for one.
    """

    __slots__: list[str] = []

    def batch_tensors(self, tensor_list: list[Any]) -> Any:
        return Questions(tensor_list)


class Questions(UserList):
    """The metadata of the questions of a batch."""

    def to_json(self) -> list[Any]:
        """The value that AllenNLP writes into a file of predictions."""
        return cast(list[Any], sanitize(self.data))


def metadata_of(instance: Instance) -> dict[str, Any]:
    """The metadata of an instance's question."""
    return cast(dict[str, Any], cast(MetadataField, instance["metadata"]).metadata)
