from typing import NamedTuple, Optional

import torch
from allennlp.common import Registrable

from allennlp_coref_rc.data.fields import CandidateTensors
from allennlp_coref_rc.modules.pair import Pair, TokenVectors


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
    Gives each candidate, or each class, a probability. A subclass gets `encoding_dim` (the size of the last
    layer's encodings), `embedding_dim` and `vocab` besides its own parameters.
    """

    def forward(
        self,
        passage: TokenVectors,
        query: torch.Tensor,
        embedded: Pair,
        candidates: Optional[CandidateTensors] = None,
    ) -> AnswerOutput:
        """
        # Parameters

        passage : `TokenVectors`
            The last layer's encodings.
        query : `torch.FloatTensor`
            The question as one vector, which passage tokens are scored against. Shape: (batch_size, dim).
        embedded : `Pair`
            The embeddings of passage and question.
        candidates : `CandidateTensors`, optional (default = `None`)
        """
        raise NotImplementedError
