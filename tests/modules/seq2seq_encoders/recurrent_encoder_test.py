import pytest
import torch
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.modules.seq2seq_encoders import CorefGRU, MageGRU

ENCODERS = {
    "coref_gru": (CorefGRU, {}),
    "mage": (MageGRU, {"state_sizes": {"sequential": 6, "coref": 2}}),
    "mage, previous": (MageGRU, {"state_sizes": {"sequential": 6, "coref": 2}, "carry": "previous"}),
    "shared": (MageGRU, {"state_sizes": {"sequential": 8, "coref": 8}, "variant": "shared"}),
    "dag_rnn": (MageGRU, {"state_sizes": {"sequential": 8, "coref": 8}, "variant": "dag_rnn"}),
}
all_encoders = pytest.mark.parametrize("name", ENCODERS)


def torch_module(name, bidirectional=True, **options):
    torch.manual_seed(3)
    cls = torch.nn.RNN if name == "dag_rnn" else torch.nn.GRU
    return cls(5, 8, bidirectional=bidirectional, **options)


@all_encoders
@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_conversion_from_and_to_torch(name, bidirectional, dtype):
    cls, options = ENCODERS[name]
    rnn = torch_module(name, bidirectional).to(dtype)
    encoder = cls.from_torch(rnn, **options)
    back = encoder.to_torch()
    assert type(back) is type(rnn) and back.batch_first
    for (expected_name, expected), (back_name, parameter) in zip(
        rnn.named_parameters(), back.named_parameters()
    ):
        assert back_name == expected_name and torch.equal(parameter, expected) and parameter.dtype == dtype
        assert parameter.data_ptr() != expected.data_ptr()

    inputs, lengths = torch.randn(3, 7, 5, dtype=dtype), torch.tensor([7, 4, 1])
    packed = torch.nn.utils.rnn.pack_padded_sequence(inputs, lengths, batch_first=True)
    expected = torch.nn.utils.rnn.pad_packed_sequence(back(packed)[0], batch_first=True)[0]
    output = encoder(inputs, torch.arange(7) < lengths.unsqueeze(1))
    torch.testing.assert_close(output, expected, atol=1e-6, rtol=0)

    upstream = torch.randn_like(output)
    own = dict(encoder.named_parameters())
    gradients = torch.autograd.grad(output, [own[n] for n, _ in back.named_parameters()], upstream)
    for gradient, other in zip(gradients, torch.autograd.grad(expected, list(back.parameters()), upstream)):
        torch.testing.assert_close(gradient[:, : other.size(-1)] if other.dim() == 2 else gradient, other)


def test_modules_of_the_wrong_type_and_size():
    with pytest.raises(ConfigurationError, match="MageGRU: the module to load has type 'LSTM'"):
        MageGRU.from_torch(torch.nn.LSTM(5, 8), {"sequential": 6, "coref": 2})
    with pytest.raises(ConfigurationError, match="MageGRU: the module to load has hidden_size 8, expected 7"):
        MageGRU.from_torch(torch.nn.GRU(5, 8), {"sequential": 5, "coref": 2})
    with pytest.raises(ConfigurationError, match="has mode 'RNN_RELU', expected 'RNN_TANH'"):
        MageGRU.from_torch(
            torch.nn.RNN(5, 2, nonlinearity="relu"), {"sequential": 2, "coref": 2}, variant="dag_rnn"
        )


@pytest.mark.parametrize("encoder", [CorefGRU(5, 8, relations=[]), MageGRU(5, state_sizes={"sequential": 8})])
def test_without_relations_annotations_change_nothing(encoder):
    inputs, mask = torch.randn(2, 3, 5), torch.ones(2, 3, dtype=torch.bool)
    torch.testing.assert_close(encoder(inputs, mask, {}), encoder(inputs, mask))
