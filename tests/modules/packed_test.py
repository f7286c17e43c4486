import pytest
import torch
from allennlp.modules.seq2seq_encoders import GruSeq2SeqEncoder, LstmSeq2SeqEncoder

from allennlp_coref_rc.modules.packed import read_packed


@pytest.mark.parametrize("encoder_class", [GruSeq2SeqEncoder, LstmSeq2SeqEncoder])
@pytest.mark.parametrize("lengths", [[3, 6, 0, 6], [2, 1], [0, 0]])
def test_outputs_and_gradients_are_those_of_allennlp(encoder_class, lengths):
    torch.manual_seed(0)
    encoder = encoder_class(3, 4, bidirectional=True)
    inputs = torch.randn(len(lengths), 7, 3, requires_grad=True)
    mask = torch.arange(7) < torch.tensor(lengths).unsqueeze(1)
    found = read_packed(encoder._module, inputs, mask)
    assert found.shape == (len(lengths), 7, 8) and not found[~mask].any()
    if not any(lengths):
        return
    expected = encoder(inputs, mask)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    upstream = torch.randn_like(found)
    wanted = [inputs, *encoder.parameters()]
    torch.testing.assert_close(*(torch.autograd.grad(x, wanted, upstream) for x in (found, expected)))


def test_a_batch_of_padding_has_the_size_of_a_projection():
    lstm = torch.nn.LSTM(3, 4, batch_first=True, proj_size=2)
    mask = torch.zeros(2, 7, dtype=torch.bool)
    assert torch.equal(read_packed(lstm, torch.randn(2, 7, 3), mask), torch.zeros(2, 7, 2))
