import numpy
import pytest
import torch

from tests.golden import coref_gru as golden_coref_gru
from tests.shared import GOLDEN, needs_golden

TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def golden():
    return numpy.load(GOLDEN / "corefgru_model.npz")


@needs_golden
def test_model_agrees_with_the_authors_code_before_and_after_an_update(golden):
    model, inputs = golden_coref_gru.model_of(golden), golden_coref_gru.model_inputs(golden)
    output = model(**inputs)
    assert numpy.abs(output["probabilities"].detach().numpy() - golden["probc"]).max() < TOLERANCE
    assert abs(output["loss"].item() - golden["loss"]) < TOLERANCE
    assert abs(model.get_metrics()["accuracy"] - golden["acc"]) < 1e-6

    # The authors have one bias a gate.
    for name, parameter in model.named_parameters():
        if "bias_hh" in name:
            parameter.requires_grad_(False)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.01)
    output["loss"].backward()
    gradients = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    optimizer.step()
    assert abs(model(**inputs)["loss"].item() - golden["loss_after_step"]) < TOLERANCE

    after = golden_coref_gru.model_state(golden, "after")
    compared = 0
    for name, parameter in model.named_parameters():
        if name in gradients:
            # TensorFlow's Adam adds its epsilon before the bias correction, which shows where gradients are
            # tiny.
            clear = gradients[name].abs() > 1e-4
            compared += clear.sum().item()
            torch.testing.assert_close(parameter.detach()[clear], after[name][clear], atol=TOLERANCE, rtol=0)
    assert compared > 1000
