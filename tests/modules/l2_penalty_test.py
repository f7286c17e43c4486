import pytest
import torch
from allennlp.nn import RegularizerApplicator
from allennlp.nn.regularizers import L1Regularizer, L2Regularizer

from allennlp_coref_rc.modules.l2_penalty import penalty


def penalty_and_gradients(function, regularizer, module):
    module.zero_grad()
    value = function(regularizer, module)
    (3 * value).backward()
    return value.detach(), {name: parameter.grad for name, parameter in module.named_parameters()}


@pytest.mark.parametrize("last", [L2Regularizer(0.5), L1Regularizer(0.5)])
def test_is_that_of_allennlp(last):
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2), torch.nn.Linear(2, 2)).double()
    module[1].weight.requires_grad = False
    regularizer = RegularizerApplicator([("^0", L2Regularizer(0.1)), ("0.weight|1.bias", last), ("1.weight", last)])
    value, gradients = penalty_and_gradients(penalty, regularizer, module)
    expected, expected_gradients = penalty_and_gradients(lambda one, other: one(other), regularizer, module)
    torch.testing.assert_close((value, gradients), (expected, expected_gradients))
    assert gradients["2.bias"] is None and gradients["1.bias"] is not None


def test_nothing_to_penalise():
    assert penalty(RegularizerApplicator([("nothing", L2Regularizer())]), torch.nn.Linear(2, 2)) == 0
