import pytest
import torch
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.modules.seq2seq_encoders import CorefGRU, MageGRU
from tests.modules.seq2seq_encoders.mage_gru_test import VARIANTS
from tests.modules.seq2seq_encoders.pairs import CLUSTERS, LENGTH, fields, of_text, ones, tensors

ENCODERS = {
    "coref_gru": (CorefGRU, {}),
    "coref_gru of two relations": (CorefGRU, {"relations": ["coref", "srl"]}),
    **{name: (MageGRU, options) for name, options in VARIANTS.items()},
}
all_encoders = pytest.mark.parametrize("name", ENCODERS)


def torch_module(name, bidirectional=True):
    torch.manual_seed(3)
    cls = torch.nn.RNN if name == "dag_rnn" else torch.nn.GRU
    return cls(5, 6, bidirectional=bidirectional)


def make(name):
    cls, options = ENCODERS[name]
    encoder = cls.from_torch(torch_module(name), **options).double()
    for parameter in encoder.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return encoder


@all_encoders
def test_padding_and_batch_change_nothing(name):
    encoder = make(name)
    inputs = torch.randn(2, LENGTH + 2, 5).double()
    lengths = [LENGTH, 6]
    clusters = [CLUSTERS, {"coref": [[(0, 1), (5, 6)]], "srl": []}]
    texts = [fields(some, n, n)[0] for some, n in zip(clusters, lengths)]
    alone = [encoder(inputs[i : i + 1, :n], ones(n), tensors(texts[i])) for i, n in enumerate(lengths)]
    mask = torch.arange(LENGTH + 2) < torch.tensor(lengths).unsqueeze(1)
    together = encoder(inputs, mask, tensors(*texts, padded_to=LENGTH + 2))
    for i, n in enumerate(lengths):
        torch.testing.assert_close(together[i : i + 1, :n], alone[i], rtol=0, atol=1e-12)
        assert together[i, n:].abs().sum() == 0


@all_encoders
def test_gradients_reach_all_parameters_and_agree_with_finite_differences(name):
    encoder = make(name)
    clusters = {"coref": [[(0, 1), (2, 3)], [(1, 3), (4, 5)]], "srl": [[(1, 2), (4, 5)]]}
    inputs = torch.randn(1, 5, 5).double().requires_grad_()
    names = [name for name, _ in encoder.named_parameters()]

    def run(inputs, *parameters):
        arguments = (inputs, ones(5), of_text(clusters, 5))
        return torch.func.functional_call(encoder, dict(zip(names, parameters)), arguments)

    parameters = [p.detach().clone().requires_grad_() for p in encoder.parameters()]
    assert torch.autograd.gradcheck(run, (inputs, *parameters), fast_mode=True)
    gradients = torch.autograd.grad(run(inputs, *parameters).sum(), parameters)
    assert all((gradient.abs().sum(dim=0) > 0).all() for gradient in gradients if gradient.dim() == 2)


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
