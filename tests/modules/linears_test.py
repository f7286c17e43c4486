import pytest
import torch

from allennlp_coref_rc.modules.linears import linears


def plain(inputs, layers):
    return tuple(torch.nn.functional.linear(inputs, *layer) for layer in layers)


@pytest.fixture
def given():
    torch.manual_seed(0)
    draw = {"dtype": torch.float64, "requires_grad": True}
    # As an encoder has them, two directions and keys; a text of one token; inputs that are not contiguous.
    inputs = torch.randn(5, 3, 4, **draw).transpose(0, 1)
    layers = [(torch.randn(size, 4, **draw), torch.randn(size, **draw)) for size in (6, 2)]
    return inputs, [*layers, (torch.randn(1, 4, **draw), None)]


def test_outputs_and_gradients_are_those_of_each_layer_by_itself(given):
    inputs, layers = given
    parameters = [parameter for layer in layers for parameter in layer if parameter is not None]
    found, expected = (run(inputs, layers) for run in (linears, plain))
    torch.testing.assert_close(found, expected)
    grads = [torch.randn_like(output) for output in expected]
    torch.testing.assert_close(*(torch.autograd.grad(out, (inputs, *parameters), grads) for out in (found, expected)))


def test_an_output_without_use_and_inputs_without_gradient(given):
    inputs, layers = given
    weight, bias = layers[0]
    found, expected = (run(inputs.detach(), layers)[0].sum() for run in (linears, plain))
    torch.testing.assert_close(*(torch.autograd.grad(loss, (weight, bias)) for loss in (found, expected)))
    assert linears(inputs[:0], layers)[1].shape == (0, 5, 2)


def test_autocast(given):
    inputs, layers = given
    single = [tuple(None if x is None else x.float() for x in layer) for layer in layers]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found, expected = (run(inputs.float(), single) for run in (linears, plain))
    assert [output.dtype for output in found] == [torch.bfloat16] * 3
    torch.testing.assert_close(found, expected)
