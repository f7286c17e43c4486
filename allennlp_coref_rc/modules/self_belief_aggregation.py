from typing import Optional, cast

import torch
from allennlp.common import FromParams
from allennlp.modules import Seq2SeqEncoder
from allennlp.nn.util import batched_index_select

from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.modules.masked_softmax import masked_softmax
from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders import encode

ATTENTIONS = ("dot_product", "tanh")


class SelfBeliefAggregation(torch.nn.Module, FromParams):
    """
    Self-Belief Aggregation (the SBA of CG+SBA, NAACL-SRW 2018, equations 8 to 10): each encoding becomes a
    weighted sum of all encodings of its sequence. The weights come from self-attention over the outputs of a
    separate encoder, which reads the embeddings,

        B = biGRU(Y),  lambda_l = softmax(B^T b_l),  E[q_l] = sum_j lambda_lj q_j.

    Padding is left out of the softmax, which the paper does not discuss.

    # Parameters

    encoder : `Seq2SeqEncoder`
        Reads the embeddings.
    attention : `str`, optional (default = `"dot_product"`)
        Or `"tanh"`, `v^T tanh(W b_j + U b_l)`, which the paper finds to be worse (its Table 3).
    """

    def __init__(self, encoder: Seq2SeqEncoder, attention: str = "dot_product") -> None:
        super().__init__()
        check_choice("self-belief", "attention", attention, ATTENTIONS)
        self.encoder = encoder
        dim = encoder.get_output_dim()
        self._key = self._query = self._score = None
        if attention == "tanh":
            self._key = torch.nn.Linear(dim, dim, bias=False)
            self._query = torch.nn.Linear(dim, dim, bias=False)
            self._score = torch.nn.Linear(dim, 1, bias=False)

    def forward(
        self, values: torch.Tensor, embedded: TokenVectors, positions: Optional[torch.Tensor] = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        # Parameters

        values : `torch.FloatTensor`
            The encodings to sum. Shape: (batch_size, length, dim).
        embedded : `TokenVectors`
            The same sequence's embeddings.
        positions : `torch.LongTensor`, optional (default = `None`)
            Shape: (batch_size, n). The positions asked for, by default all.

        # Returns

        `tuple[torch.FloatTensor, torch.FloatTensor]`
            The sums, of shape (batch_size, n, dim), and their weights lambda, of shape (batch_size, n,
            length).
        """
        asked = beliefs = encode(self.encoder, embedded)
        if positions is not None:
            asked = batched_index_select(beliefs, cast(torch.LongTensor, positions))
        if self._query is None or self._key is None or self._score is None:
            scores = asked @ beliefs.transpose(1, 2)
        else:
            pairs = self._query(asked).unsqueeze(2) + self._key(beliefs).unsqueeze(1)
            scores = self._score(pairs.tanh()).squeeze(-1)
        weights = masked_softmax(scores, embedded.mask.unsqueeze(1))
        return weights @ values, weights
