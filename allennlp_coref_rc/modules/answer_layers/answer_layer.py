from typing import NamedTuple, Optional

import torch
from allennlp.common import Registrable

from allennlp_coref_rc.data.fields import CandidateTensors


class AnswerInput(NamedTuple):
    """
    The input of an answer layer.

    # Parameters

    passage : `torch.FloatTensor`
        The last layer's encodings. Shape: (batch_size, passage_length, dim).
    passage_mask : `torch.BoolTensor`
        Shape: (batch_size, passage_length).
    question_vector : `torch.FloatTensor`
        The question as one vector, which passage tokens are scored against. Shape: (batch_size, dim).
    question_mask : `torch.BoolTensor`
        Shape: (batch_size, question_length).
    embedded_passage, embedded_question : `torch.FloatTensor`
        Shape: (batch_size, passage_length or question_length, embedding_dim).
    candidates : `CandidateTensors`, optional (default = `None`)
    """

    passage: torch.Tensor
    passage_mask: torch.Tensor
    question_vector: torch.Tensor
    question_mask: torch.Tensor
    embedded_passage: torch.Tensor
    embedded_question: torch.Tensor
    candidates: Optional[CandidateTensors] = None


class AnswerOutput(NamedTuple):
    """
    # Parameters

    log_probabilities : `torch.FloatTensor`
        Shape: (batch_size, num_candidates). In float32 at least, whatever the model computes in.
    attention : `torch.FloatTensor`
        How much each token of the passage counts. Shape: (batch_size, passage_length).
    """

    log_probabilities: torch.Tensor
    attention: torch.Tensor


class AnswerLayer(torch.nn.Module, Registrable):
    """
    Gives each candidate, or each class, a probability. A subclass gets `encoding_dim` (the size of the last layer's
    encodings), `embedding_dim` and `vocab` besides its own parameters.
    """

    def forward(self, inputs: AnswerInput) -> AnswerOutput:
        raise NotImplementedError
