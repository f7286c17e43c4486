from typing import Optional

import torch
from allennlp.data import Vocabulary

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.fields import CandidateTensors
from allennlp_coref_rc.modules.answer_layers.answer_layer import AnswerLayer, AnswerOutput
from allennlp_coref_rc.modules.masked_softmax import at_least_float32, masked_softmax
from allennlp_coref_rc.modules.pair import Pair, TokenVectors


@AnswerLayer.register("attention_sum")
class AttentionSum(AnswerLayer):
    """
    Attention sum (Kadlec et al. 2016), as in the GA Reader. The passage's tokens are scored against the
    question's vector. A softmax is taken over the tokens that belong to any candidate, and a candidate's
    probability is the sum over its tokens.

    Probabilities are not normalised over candidates. As in the authors' code, a token that belongs to two
    candidates counts for both, so probabilities may sum to more than one. A candidate that is nowhere in the
    passage has the least probability, `epsilon`. With `bilinear`, the score is `d^T W q`, as in the Stanford
    Reader (Chen et al. 2016).

    Registered as an `AnswerLayer` with name "attention_sum".

    # Parameters

    epsilon : `float`, optional (default = `1e-7`)
        Added to a candidate's probability before taking the logarithm, and to the attention of every token
        before it is normalised over candidates' tokens (Coref-GRU's code).
    bilinear : `bool`, optional (default = `False`)
        Score by `d^T W q` in place of `d^T q`.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        encoding_dim: int,
        embedding_dim: int,
        epsilon: float = 1e-7,
        bilinear: bool = False,
    ) -> None:
        super().__init__()
        self._epsilon = epsilon
        self._bilinear = torch.nn.Linear(encoding_dim, encoding_dim, bias=False) if bilinear else None

    def forward(
        self,
        passage: TokenVectors,
        query: torch.Tensor,
        embedded: Pair,
        candidates: Optional[CandidateTensors] = None,
    ) -> AnswerOutput:
        if candidates is None:
            raise ConfigurationError("attention_sum needs the field 'candidates'; the reader gives none")
        numbers, positions, mask = (candidates[name] for name in ("candidates", "positions", "mask"))
        if self._bilinear is not None:
            query = self._bilinear(query)
        # Shape: (batch_size, passage_length)
        scores = at_least_float32((passage.vectors @ query.unsqueeze(-1)).squeeze(-1))
        attention = masked_softmax(scores, passage.mask)

        occurs = numbers >= 0
        positions = positions.clamp(min=0)
        is_candidate = torch.zeros_like(attention).scatter_reduce(
            1, positions, occurs.to(attention.dtype), "amax"
        )
        attention = attention * is_candidate + self._epsilon * passage.mask
        attention = attention / attention.sum(dim=1, keepdim=True)
        attention_on_candidates = attention.gather(1, positions) * occurs
        probabilities = attention.new_zeros(mask.shape).scatter_add(
            1, numbers.clamp(min=0), attention_on_candidates
        )
        return AnswerOutput((probabilities + self._epsilon).log(), attention)
