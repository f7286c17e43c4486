import numpy
import torch

from allennlp_coref_rc.modules.gating import EncodedPair, GatedAttention


def test_equations_one_token_after_the_other():
    passage, question = torch.randn(2, 4, 3, dtype=torch.float64), torch.randn(2, 5, 3, dtype=torch.float64)
    mask = torch.tensor([[True] * 5, [True, True, False, False, False]])
    out, _ = GatedAttention()(EncodedPair(passage, torch.ones(2, 4, dtype=torch.bool), question, mask))
    out = out.numpy()
    for b in range(2):
        words = question[b][mask[b]].numpy()
        for i, token in enumerate(passage[b].numpy()):
            weights = numpy.exp(words @ token)
            numpy.testing.assert_allclose(out[b, i], token * (weights @ words / weights.sum()), atol=1e-12)
