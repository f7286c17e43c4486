import torch

from allennlp_coref_rc.modules.masked_softmax import masked_softmax


def test_is_the_softmax_of_what_is_left():
    scores = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[True] * 5, [True, False, True, False, False], [False] * 5])
    out = masked_softmax(scores, mask)
    torch.testing.assert_close(out[0], scores[0].softmax(0))
    torch.testing.assert_close(out[1, [0, 2]], scores[1, [0, 2]].softmax(0))
    assert out[1, [1, 3, 4]].abs().sum() == 0 and out[2].abs().sum() == 0
    out.sum().backward()
    assert torch.isfinite(scores.grad).all()


def test_reduced_precision_is_safe():
    scores = torch.tensor([[1e4, 9.9e3, -6e4]], dtype=torch.float16)
    out = masked_softmax(scores, torch.tensor([[True, True, False]]))
    assert out.dtype == torch.float16 and out.tolist() == [[1.0, 0.0, 0.0]]
