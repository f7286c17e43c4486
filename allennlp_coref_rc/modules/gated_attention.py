import torch
from allennlp.nn.util import weighted_sum

from allennlp_coref_rc.modules.masked_softmax import masked_softmax


class GatedAttention(torch.nn.Module):
    """
    The gated attention of the GA Reader (Dhingra et al., ACL 2017): each passage token is multiplied, element by
    element, by a summary of the question made for it,

        alpha_i = softmax(Q^T d_i),  x_i = d_i * (Q alpha_i).

    It has no parameters.
    """

    def forward(
        self, passage: torch.FloatTensor, question: torch.FloatTensor, question_mask: torch.BoolTensor
    ) -> torch.FloatTensor:
        """
        # Parameters

        passage : `torch.FloatTensor`
            Shape: (batch_size, passage_length, dim).
        question : `torch.FloatTensor`
            Shape: (batch_size, question_length, dim).
        question_mask : `torch.BoolTensor`
            Shape: (batch_size, question_length).

        # Returns

        `torch.FloatTensor`
            Shape: (batch_size, passage_length, dim).
        """
        # Shape: (batch_size, passage_length, question_length)
        scores = passage @ question.transpose(1, 2)
        attention = masked_softmax(scores, question_mask.unsqueeze(1))
        return passage * weighted_sum(question, attention)
