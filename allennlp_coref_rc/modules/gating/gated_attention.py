import torch
from allennlp.nn.util import weighted_sum

from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.modules.attention import Attention
from allennlp_coref_rc.modules.gating.gating import Gating
from allennlp_coref_rc.modules.masked_softmax import masked_softmax
from allennlp_coref_rc.modules.pair import Pair

OPERATIONS = ("product", "sum", "concatenation")


@Gating.register("gated_attention")
class GatedAttention(Gating):
    """
    The gated attention of the GA Reader (Dhingra et al., ACL 2017): each passage token is multiplied, element
    by element, by a summary of the question that is made for this token,

        alpha_i = softmax(Q^T d_i),  x_i = d_i * (Q alpha_i).

    It has no parameters. Its explanation holds the weights alpha, from passage to question.

    Registered as a `Gating` with name "gated_attention".

    # Parameters

    operation : `str`, optional (default = `"product"`)
        What is done with the token and the summary: `"product"`, `"sum"` or `"concatenation"`. The paper
        compares them (its Table 4).
    """

    def __init__(self, operation: str = "product") -> None:
        super().__init__()
        check_choice("gated_attention", "operation", operation, OPERATIONS)
        self._operation = operation

    def forward(self, pair: Pair) -> tuple[torch.Tensor, list[Attention]]:
        passage, question = pair.passage.vectors, pair.question.vectors
        # Shape: (batch_size, passage_length, question_length)
        weights = masked_softmax(passage @ question.transpose(1, 2), pair.question.mask.unsqueeze(1))
        summary = weighted_sum(question, weights)
        if self._operation == "product":
            gated = passage * summary
        elif self._operation == "sum":
            gated = passage + summary
        else:
            gated = torch.cat([passage, summary], dim=-1)
        return gated, [Attention("gating", "passage", "question", weights)]

    def get_output_dim(self, dim: int) -> int:
        return 2 * dim if self._operation == "concatenation" else dim
