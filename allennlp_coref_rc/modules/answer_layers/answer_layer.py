from typing import NamedTuple, Optional

import torch
from allennlp.common import Registrable
from allennlp.nn.util import get_final_encoder_states

from allennlp_coref_rc.data.fields import CandidateTensors


class AnswerInput(NamedTuple):
    """
    What a reader knows when it answers.

    # Parameters

    passage, question : `torch.FloatTensor`
        The last layer's encodings. Shape: (batch_size, passage_length or question_length, dim).
    passage_mask, question_mask : `torch.BoolTensor`
        Shape: (batch_size, passage_length or question_length).
    embedded_passage, embedded_question : `torch.FloatTensor`
        Shape: (batch_size, passage_length or question_length, embedding_dim).
    bidirectional : `bool`
        Whether encodings are of both directions.
    candidates : `CandidateTensors`, optional (default = `None`)
    """

    passage: torch.FloatTensor
    passage_mask: torch.BoolTensor
    question: torch.FloatTensor
    question_mask: torch.BoolTensor
    embedded_passage: torch.FloatTensor
    embedded_question: torch.FloatTensor
    bidirectional: bool
    candidates: Optional[CandidateTensors] = None

    def question_vector(self) -> torch.FloatTensor:
        """The final states of the question's encoder. Shape: (batch_size, dim)."""
        return get_final_encoder_states(self.question, self.question_mask, self.bidirectional)


class AnswerOutput(NamedTuple):
    """
    # Parameters

    log_probabilities : `torch.FloatTensor`
        Shape: (batch_size, num_candidates). Float32, whatever the model computes in.
    attention : `torch.FloatTensor`
        How much each token of the passage counts. Shape: (batch_size, passage_length).
    """

    log_probabilities: torch.FloatTensor
    attention: torch.FloatTensor


class AnswerLayer(torch.nn.Module, Registrable):
    """
    Gives each candidate, or each class, a probability. A subclass is built with `encoding_dim` (of the last layer's
    encodings), `embedding_dim` and `vocab` beside its own parameters.
    """

    def forward(self, inputs: AnswerInput) -> AnswerOutput:
        raise NotImplementedError
