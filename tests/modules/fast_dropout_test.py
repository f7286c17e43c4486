import pytest
import torch

from allennlp_coref_rc.modules.fast_dropout import LEVELS, FastDropout


@pytest.mark.parametrize("probability", [0.1, 0.19, 0.5, 0.9])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_numbers_are_dropped_with_the_probability_and_the_rest_is_scaled(probability, dtype):
    torch.manual_seed(0)
    inputs = torch.ones(401, 251, dtype=dtype, requires_grad=True)
    outputs = FastDropout(probability)(inputs)
    kept = outputs != 0
    deviation = (probability * (1 - probability) / inputs.numel()) ** 0.5
    assert abs(1 - kept.double().mean() - probability) < 4 * deviation
    scale = LEVELS / (LEVELS - round(probability * LEVELS))
    assert (outputs[kept] == torch.tensor(scale, dtype=dtype)).all()
    outputs.sum().backward()
    assert torch.equal(inputs.grad, outputs)


def test_neighbours_are_dropped_independently():
    torch.manual_seed(0)
    kept = (FastDropout(0.5)(torch.ones(400_000)) != 0).double()
    for distance in (1, 2, 3, 4, 5, 8, 16):
        together = (kept[:-distance] * kept[distance:]).mean()
        assert abs(together - 0.25) < 4 * (0.25 * 0.75 / len(kept)) ** 0.5


def test_the_seed_decides():
    torch.manual_seed(3)
    first = FastDropout(0.3)(torch.ones(5, 7))
    torch.manual_seed(3)
    assert torch.equal(FastDropout(0.3)(torch.ones(5, 7)), first)


def test_nothing_is_dropped_in_evaluation_or_with_probability_zero_and_all_with_one():
    inputs = torch.randn(3, 5)
    assert torch.equal(FastDropout(0.5).eval()(inputs), inputs)
    assert torch.equal(FastDropout(0.0)(inputs), inputs)
    assert not FastDropout(1.0)(inputs).any()
    assert FastDropout(0.5)(torch.ones(0, 4)).shape == (0, 4)


def test_inputs_need_not_lie_in_a_row():
    torch.manual_seed(0)
    inputs = torch.randn(6, 4, 5).transpose(0, 2)
    outputs = FastDropout(0.5)(inputs)
    assert outputs.shape == inputs.shape
    assert torch.equal(outputs[outputs != 0], 2 * inputs[outputs != 0])
