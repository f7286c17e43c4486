"""Golden values of the authors' code."""

import numpy
import pytest
import torch

from tests.golden import coref_gru, qanet
from tests.shared import GOLDEN, needs_golden

pytestmark = needs_golden

TOLERANCE = 1e-4


def read(name):
    with numpy.load(GOLDEN / f"{name}.npz") as file:
        return dict(file)


@pytest.mark.parametrize("backend", ["reference", "auto"])
def test_a_layer_of_coref_gru(backend):
    """Both directions, with and without a memory to start from; and a plain GRU."""
    differences = coref_gru.layer_differences(read("corefgru_layer"), backend)
    outputs = {f"{direction}_out{start}" for direction in ("fwd", "bwd") for start in ("", "_meminit")}
    assert set(differences) == outputs | {"gru_out", "grub_out"}
    assert all(difference < 1e-5 for difference in differences.values()), differences


def test_the_reader_with_coref_gru_before_and_after_an_update():
    golden = read("corefgru_model")
    model, inputs = coref_gru.model_of(golden), coref_gru.model_inputs(golden)
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

    after = coref_gru.model_state(golden, "after")
    compared = 0
    for name, parameter in model.named_parameters():
        if name in gradients:
            # TensorFlow's Adam adds its epsilon before the bias correction, which shows where gradients are
            # tiny.
            clear = gradients[name].abs() > 1e-4
            compared += clear.sum().item()
            torch.testing.assert_close(parameter.detach()[clear], after[name][clear], atol=TOLERANCE, rtol=0)
    assert compared > 1000


@pytest.mark.parametrize("name, more", [("dassa_baseline_qanet", set()), ("dassa_sdp_exp", {"last:att_out"})])
def test_attention_and_logits_of_dassa(name, more):
    """In evaluation mode. The attention is that of block 1 in its third application."""
    found = qanet.differences(read(name))
    assert set(found) == {"out:span_start_logits", "out:span_end_logits", "out:loss"} | more
    assert all(difference < 5e-5 for difference in found.values()), found


def test_a_label_more_or_less_shows():
    golden = read("dassa_sdp_exp")
    golden["in:passage_sem_views_q"][0, 0, 0] += 1
    found = qanet.differences(golden)
    assert found["last:att_out"] > 1e-4 and found["out:span_start_logits"] > 1e-4
