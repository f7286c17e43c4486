from typing import Optional

import torch
from allennlp.data import Vocabulary
from allennlp.nn.util import weighted_sum

from allennlp_coref_rc.data.fields import CLASS_LABELS, CandidateTensors
from allennlp_coref_rc.modules.answer_layers.answer_layer import AnswerLayer, AnswerOutput
from allennlp_coref_rc.modules.masked_softmax import at_least_float32, masked_softmax
from allennlp_coref_rc.modules.pair import Pair, TokenVectors


@AnswerLayer.register("selection")
class Selection(AnswerLayer):
    """
    Answers with one of the classes, as in the MAGE-GRU paper (equations 5 and 6). The encodings of the
    passage are weighed by attention to the question and summed. A linear layer without bias scores the
    classes from this sum; its weights are drawn from U(-0.01, 0.01), as in the paper's code.

    Registered as an `AnswerLayer` with name "selection".
    """

    def __init__(self, vocab: Vocabulary, encoding_dim: int, embedding_dim: int) -> None:
        super().__init__()
        self._output = torch.nn.Linear(encoding_dim, vocab.get_vocab_size(CLASS_LABELS), bias=False)
        torch.nn.init.uniform_(self._output.weight, -0.01, 0.01)

    def forward(
        self,
        passage: TokenVectors,
        query: torch.Tensor,
        embedded: Pair,
        candidates: Optional[CandidateTensors] = None,
    ) -> AnswerOutput:
        scores = (passage.vectors @ query.unsqueeze(-1)).squeeze(-1)
        attention = masked_softmax(scores, passage.mask)
        summary = weighted_sum(passage.vectors, attention)
        return AnswerOutput(at_least_float32(self._output(summary)).log_softmax(dim=-1), attention)
