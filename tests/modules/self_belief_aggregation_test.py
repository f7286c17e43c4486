import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules.seq2seq_encoders import GruSeq2SeqEncoder, PassThroughEncoder

from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.self_belief_aggregation import SelfBeliefAggregation


def sequence(dim=4):
    torch.manual_seed(0)
    mask = torch.tensor([[True] * 5, [True, True, True, False, False]])
    return torch.randn(2, 5, 6, dtype=torch.float64), TokenVectors(
        torch.randn(2, 5, dim, dtype=torch.float64), mask
    )


@pytest.mark.parametrize("attention", ["dot_product", "tanh"])
def test_equations_one_position_after_the_other(attention):
    values, embedded = sequence()
    module = SelfBeliefAggregation(PassThroughEncoder(4), attention).double()
    sums, weights = module(values, embedded)
    for b, length in enumerate((5, 3)):
        beliefs = embedded.vectors[b, :length].numpy()
        for i in range(length):
            if attention == "dot_product":
                scores = beliefs @ beliefs[i]
            else:
                key, query, score = (
                    m.weight.detach().numpy() for m in (module._key, module._query, module._score)
                )
                scores = numpy.array(
                    [(score @ numpy.tanh(key @ b_j + query @ beliefs[i]))[0] for b_j in beliefs]
                )
            expected = numpy.exp(scores) / numpy.exp(scores).sum()
            numpy.testing.assert_allclose(weights[b, i, :length].detach(), expected, atol=1e-12)
            numpy.testing.assert_allclose(
                sums[b, i].detach(), expected @ values[b, :length].numpy(), atol=1e-12
            )
        assert (weights[b, :, length:] == 0).all()


def test_some_positions_are_some_of_all():
    values, embedded = sequence()
    module = SelfBeliefAggregation(GruSeq2SeqEncoder(4, 3, bidirectional=True)).double()
    sums, weights = module(values, embedded)
    at, weights_at = module(values, embedded, torch.tensor([[3], [1]]))
    torch.testing.assert_close(at.squeeze(1), torch.stack([sums[0, 3], sums[1, 1]]))
    torch.testing.assert_close(weights_at.squeeze(1), torch.stack([weights[0, 3], weights[1, 1]]))


def test_unknown_attentions_are_refused():
    with pytest.raises(ConfigurationError, match="self-belief: attention is 'sum', expected one of"):
        SelfBeliefAggregation(PassThroughEncoder(4), "sum")
