from typing import Optional

import torch
from allennlp.data import Vocabulary
from allennlp.modules.seq2vec_encoders import GruSeq2VecEncoder
from allennlp.nn.util import weighted_sum

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.fields import CLASS_LABELS, CandidateTensors
from allennlp_coref_rc.modules.answer_layers.answer_layer import AnswerLayer, AnswerOutput
from allennlp_coref_rc.modules.initializers import gated_normal_
from allennlp_coref_rc.modules.masked_softmax import at_least_float32, masked_softmax
from allennlp_coref_rc.modules.pair import Pair, TokenVectors


@AnswerLayer.register("gated_selection")
class GatedSelection(AnswerLayer):
    """
    Answers with one of the classes, as in the authors' code for Coref-GRU's runs on bAbI. The attention
    compares the embeddings of the passage with a separate bidirectional GRU over the embeddings of the
    question. It weighs the encodings of the passage, gated by the final question vector. (The paper says only
    "a softmax layer".)

    Registered as an `AnswerLayer` with name "gated_selection".
    """

    def __init__(self, vocab: Vocabulary, encoding_dim: int, embedding_dim: int) -> None:
        super().__init__()
        if embedding_dim % 2:
            raise ConfigurationError(
                f"gated_selection: the embeddings have {embedding_dim} dimensions, expected an even number, half of "
                "them for each direction of the question's GRU"
            )
        self._question_encoder = GruSeq2VecEncoder(embedding_dim, embedding_dim // 2, bidirectional=True)
        self._output = torch.nn.Linear(encoding_dim, vocab.get_vocab_size(CLASS_LABELS))
        for name, parameter in self.named_parameters():
            if "bias" in name:
                torch.nn.init.zeros_(parameter)
            else:
                gated_normal_(parameter, gates=1 if name.startswith("_output") else 3)

    def forward(
        self,
        passage: TokenVectors,
        query: torch.Tensor,
        embedded: Pair,
        candidates: Optional[CandidateTensors] = None,
    ) -> AnswerOutput:
        key = self._question_encoder(embedded.question.vectors, embedded.question.mask)
        scores = (embedded.passage.vectors @ key.unsqueeze(-1)).squeeze(-1)
        attention = masked_softmax(scores, passage.mask)
        gated = weighted_sum(passage.vectors, attention) * query
        return AnswerOutput(at_least_float32(self._output(gated)).log_softmax(dim=-1), attention)
