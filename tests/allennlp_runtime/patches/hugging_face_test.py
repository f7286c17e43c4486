"""What AllenNLP uses of transformers and huggingface_hub, and their later releases lack."""

import subprocess
import sys

import pytest
import torch
from allennlp.training.optimizers import Optimizer

MODULES = """
import importlib, pkgutil
import allennlp_coref_rc, allennlp, allennlp_models

for package in (allennlp, allennlp_models):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if "checklist" not in module.name:
            importlib.import_module(module.name)
"""


@pytest.mark.slow
def test_all_modules_of_allennlp_are_imported():
    """Except those that need the package checklist."""
    ran = subprocess.run([sys.executable, "-c", MODULES], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("correct_bias", [True, False])
def test_adamw_updates_as_that_of_transformers(correct_bias):
    """
    By hand, for one weight, from Loshchilov and Hutter: Decoupled Weight Decay Regularization (ICLR 2019),
    algorithm 2, with `eps` added and the weight decayed where transformers 4.48 does it.
    """
    weight = torch.nn.Parameter(torch.tensor([2.0], dtype=torch.float64))
    keys = {"lr": 0.1, "betas": (0.8, 0.9), "eps": 0.01, "weight_decay": 0.5, "correct_bias": correct_bias}
    optimizer = Optimizer.by_name("huggingface_adamw")([("weight", weight)], **keys)
    expected, mean, square = 2.0, 0.0, 0.0
    for step, gradient in enumerate((0.5, -3.0, 0.25), start=1):
        weight.grad = torch.tensor([gradient], dtype=torch.float64)
        optimizer.step()
        mean, square = 0.8 * mean + 0.2 * gradient, 0.9 * square + 0.1 * gradient**2
        size = 0.1 * ((1 - 0.9**step) ** 0.5 / (1 - 0.8**step) if correct_bias else 1)
        expected = (expected - size * mean / (square**0.5 + 0.01)) * (1 - 0.1 * 0.5)
        assert weight.item() == pytest.approx(expected, rel=1e-12)
