import numpy
import torch

from allennlp_coref_rc.modules.gating import GatedAttention
from allennlp_coref_rc.modules.pair import Pair, TokenVectors


def test_equations_one_token_after_the_other():
    passage, question = torch.randn(2, 4, 3, dtype=torch.float64), torch.randn(2, 5, 3, dtype=torch.float64)
    mask = torch.tensor([[True] * 5, [True, True, False, False, False]])
    everywhere = torch.ones(2, 4, dtype=torch.bool)
    out, _ = GatedAttention()(Pair(TokenVectors(passage, everywhere), TokenVectors(question, mask)))
    out = out.numpy()
    for b in range(2):
        words = question[b][mask[b]].numpy()
        for i, token in enumerate(passage[b].numpy()):
            weights = numpy.exp(words @ token)
            numpy.testing.assert_allclose(out[b, i], token * (weights @ words / weights.sum()), atol=1e-12)
