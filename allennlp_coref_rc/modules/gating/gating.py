from typing import NamedTuple

import torch
from allennlp.common import Registrable

from allennlp_coref_rc.modules.attention import Attention


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

    def forward(self, pair: EncodedPair) -> tuple[torch.Tensor, list[Attention]]:
        """The gated passage, of shape (batch_size, passage_length, get_output_dim(dim)), and the attentions used."""
        raise NotImplementedError

    def final_question(self, pair: EncodedPair) -> tuple[torch.Tensor, list[Attention]]:
        """
        The question that the answer layer sees after the last layer, in the shape of `pair.question`, and the
        attentions used. By default it is the encoded question.
        """
        return pair.question, []

    def get_output_dim(self, dim: int) -> int:
        """The size of a gated token, given that of an encoded one."""
        return dim
