import sys

import pytest
import torch

from allennlp_coref_rc.modules.fast_dropout import LEVELS, FastDropout, _Dropout
from allennlp_coref_rc.modules.recurrence import _cpp


def split_mix(seed, count):
    """SplitMix64 in Python's numbers, after the paper of Steele, Lea and Flood (2014)."""
    for _ in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) % 2**64
        x = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        yield x ^ (x >> 31)


def test_oracle_gives_the_published_sequence():
    assert list(split_mix(1234567, 3)) == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.skipif(sys.byteorder != "little", reason="the order of a number's 16-bit parts")
@pytest.mark.usefixtures("variant")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("count", [1, 1023, 1024, 4099])
def test_which_numbers_are_dropped(count, dtype):
    inputs = torch.randn(count, dtype=dtype, requires_grad=True)
    outputs = _Dropout.apply(inputs, _cpp.function("dropout", dtype), 2**63 + 5, 20_000)
    bits = [
        number >> 16 * part & 0xFFFF for number in split_mix(2**63 + 5, count // 4 + 1) for part in range(4)
    ]
    factors = (torch.tensor(bits[:count]) >= 20_000).to(dtype) * (LEVELS / (LEVELS - 20_000))
    assert torch.equal(outputs, inputs * factors)
    upstream = torch.randn(count, dtype=dtype)
    assert torch.equal(torch.autograd.grad(outputs, inputs, upstream)[0], upstream * factors)


def test_gradients_of_gradients():
    def seeded(inputs):
        torch.manual_seed(0)
        return FastDropout(0.4)(inputs**3)

    inputs = torch.randn(5, 7, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(seeded, inputs) and torch.autograd.gradgradcheck(seeded, inputs)


def test_nothing_is_kept_for_backward():
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(kept.append, lambda tensor: tensor):
        FastDropout(0.4)(torch.randn(5, 7, requires_grad=True))
    assert kept == []


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_torch_drops_out_where_the_library_cannot(dtype, monkeypatch):
    if dtype == torch.float32:
        monkeypatch.setattr(_cpp, "_load", lambda: (None, "no compiler"))
    inputs = torch.randn(9, 8, dtype=dtype)
    torch.manual_seed(1)
    outputs = FastDropout(0.4)(inputs)
    torch.manual_seed(1)
    assert torch.equal(outputs, torch.nn.functional.dropout(inputs, 0.4))


@pytest.mark.parametrize("probability", [0.1, 0.19, 0.5, 0.9])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
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


def test_nothing_is_dropped_with_probability_zero_and_all_with_one():
    inputs = torch.randn(3, 5)
    assert torch.equal(FastDropout(0.0)(inputs), inputs)
    assert not FastDropout(1.0)(inputs).any()
    assert FastDropout(0.5)(torch.ones(0, 4)).shape == (0, 4)


def test_an_evaluation_does_not_enter_it(monkeypatch):
    monkeypatch.setattr(FastDropout, "forward", lambda *_: pytest.fail("entered"))
    inputs = torch.randn(3, 5)
    assert FastDropout(0.5).eval()(inputs) is inputs


def test_inputs_need_not_lie_in_a_row():
    torch.manual_seed(0)
    inputs = torch.randn(6, 4, 5).transpose(0, 2)
    outputs = FastDropout(0.5)(inputs)
    assert outputs.shape == inputs.shape
    assert torch.equal(outputs[outputs != 0], 2 * inputs[outputs != 0])
