from typing import Dict, NamedTuple, Tuple

import torch
from allennlp.common import Registrable

Weights = Dict[str, torch.Tensor]
"""
By name, the attention that a module has paid, for explanations: shape (batch_size, n, m), what each of n positions has
made of m.
"""


class EncodedPair(NamedTuple):
    """
    A passage and a question, as a layer has encoded them.

    # Parameters

    passage : `torch.FloatTensor`
        Shape: (batch_size, passage_length, dim).
    passage_mask : `torch.BoolTensor`
        Shape: (batch_size, passage_length).
    question : `torch.FloatTensor`
        Shape: (batch_size, question_length, dim).
    question_mask : `torch.BoolTensor`
        Shape: (batch_size, question_length).
    """

    passage: torch.Tensor
    passage_mask: torch.Tensor
    question: torch.Tensor
    question_mask: torch.Tensor


class Gating(torch.nn.Module, Registrable):
    """How the question filters the passage between two layers of a reader."""

    default_implementation = "gated_attention"

    def forward(self, pair: EncodedPair) -> Tuple[torch.Tensor, Weights]:
        """The gated passage, of shape (batch_size, passage_length, get_output_dim(dim)), and what was attended to."""
        raise NotImplementedError

    def final_question(self, pair: EncodedPair) -> Tuple[torch.Tensor, Weights]:
        """
        The question that the answer layer is to see after the last layer, of the shape of `pair.question`, and what was
        attended to. By default it is the question as it was encoded.
        """
        return pair.question, {}

    def get_output_dim(self, dim: int) -> int:
        """The size of a gated token, given that of an encoded one."""
        return dim
