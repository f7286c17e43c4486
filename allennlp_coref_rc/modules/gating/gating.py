import torch
from allennlp.common import Registrable

from allennlp_coref_rc.modules.attention import Attention
from allennlp_coref_rc.modules.pair import Pair


class Gating(torch.nn.Module, Registrable):
    """How the question filters the passage between two layers of a reader."""

    default_implementation = "gated_attention"

    def forward(self, pair: Pair) -> tuple[torch.Tensor, list[Attention]]:
        """
        The gated passage, of shape (batch_size, passage_length, get_output_dim(dim)), and the attentions
        used.
        """
        raise NotImplementedError

    def final_question(self, pair: Pair) -> tuple[torch.Tensor, list[Attention]]:
        """
        The vectors of the question that the answer layer sees after the last layer, and the attentions used.
        By default they are those of the encoded question.
        """
        return pair.question.vectors, []

    def get_output_dim(self, dim: int) -> int:
        """The size of a gated token, given that of an encoded one."""
        return dim
