import torch
from allennlp.nn.util import weighted_sum

from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.modules.attention import Attention
from allennlp_coref_rc.modules.gating.gating import Gating
from allennlp_coref_rc.modules.masked_softmax import masked_softmax
from allennlp_coref_rc.modules.pair import Pair

GATES = ("question", "filtered_question")


@Gating.register("collaborative")
class CollaborativeGating(Gating):
    """
    Collaborative Gating (the CG of CG+SBA, NAACL-SRW 2018, equations 1 to 7): first the passage filters the
    question, then the filtered question filters the passage,

        beta_j = softmax(D^T q_j),  z_j = q_j * (D beta_j),
        alpha_i = softmax(Z^T d_i),  x_i = d_i * (Q alpha_i) or d_i * (Z alpha_i).

    It has no parameters. Padding is left out of both softmaxes, which the paper does not discuss. The
    explanation has the weights beta, from question to passage, and alpha, from passage to question.

    Registered as a `Gating` with name "collaborative".

    # Parameters

    gate_by : `str`, optional (default = `"question"`)
        The encodings that alpha weighs and sums: `"question"` (Q, the better one on CNN) or
        `"filtered_question"` (Z).
    final_filtering : `bool`, optional (default = `True`)
        Also filter the question after the last layer, before passage tokens are scored against it (equation
        7).
    """

    def __init__(self, gate_by: str = "question", final_filtering: bool = True) -> None:
        super().__init__()
        check_choice("collaborative", "gate_by", gate_by, GATES)
        self._gate_by = gate_by
        self._final_filtering = final_filtering

    def forward(self, pair: Pair) -> tuple[torch.Tensor, list[Attention]]:
        passage, question = pair.passage.vectors, pair.question.vectors
        filtered, beta = _filtered_question(pair)
        # Shape: (batch_size, passage_length, question_length)
        alpha = masked_softmax(passage @ filtered.transpose(1, 2), pair.question.mask.unsqueeze(1))
        summary = weighted_sum(question if self._gate_by == "question" else filtered, alpha)
        return passage * summary, [beta, Attention("gating", "passage", "question", alpha)]

    def final_question(self, pair: Pair) -> tuple[torch.Tensor, list[Attention]]:
        if not self._final_filtering:
            return super().final_question(pair)
        filtered, beta = _filtered_question(pair)
        return filtered, [beta]


def _filtered_question(pair: Pair) -> tuple[torch.Tensor, Attention]:
    """Z, of the question's shape, and beta."""
    passage, question = pair.passage.vectors, pair.question.vectors
    # Shape: (batch_size, question_length, passage_length)
    beta = masked_softmax(question @ passage.transpose(1, 2), pair.passage.mask.unsqueeze(1))
    return question * weighted_sum(passage, beta), Attention("gating", "question", "passage", beta)
