"""Updates of configs of all kinds on a pretended GPU (see pretended_gpu.py), in one process of its own."""

import json
import subprocess
import sys

import pytest

from tests.shared import PROJECT

pytestmark = pytest.mark.slow

MOST = {
    "babi-ga_coref_gru": (0, 255),
    "babi-ga_mage_gru_triples": (0, 245),
    "babi-ga_coref_gru_substitution": (0, 360),
    "babi-bi_gru_one_hot": (2, 150),
    "wikihop-ga_coref_gru": (0, 310),
    "cnn-cg_sba": (4, 320),
    "narrativeqa-baseline_qanet": (0, 850),
    "narrativeqa-dassa_sdp_exp": (1, 1000),
    "lambada-structured_transformer_coref": (13, 650),
}
"""
By config, how often an update waits for the GPU, and how many kernels it launches, at most. Where it waits
more than twice, it does so in AllenNLP's own modules.
"""

KERNELS = {
    *("babi-ga_coref_gru", "babi-ga_mage_gru_triples"),
    *("babi-ga_coref_gru_substitution", "wikihop-ga_coref_gru"),
}
"""With the fused recurrence, which computes nothing there."""

TRANSFORMER = "lambada-structured_transformer_coref"


@pytest.fixture(scope="module")
def updates():
    updates = [*(f"{name}=4" for name in MOST), f"{TRANSFORMER}=2"]
    command = [sys.executable, "-m", "tests.pretended_updates", *updates]
    return json.loads(subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.PIPE).stdout)


@pytest.mark.parametrize("name", MOST)
def test_an_update(updates, name):
    """No op has tensors of two devices, or it would have ended with an error."""
    update = updates[f"{name}=4"]
    syncs, launches = MOST[name]
    assert not update["missing"] and 100 < update["launches"] <= launches
    assert sum(update["syncs"].values()) <= syncs, update["syncs"]
    assert bool(update["kernels"]) == (name in KERNELS)
    if name not in KERNELS:
        assert update["loss"] == pytest.approx(update["expected"], rel=1e-5)


def test_a_layer(updates):
    """Forward and backward of one direction of a C-GRU, whose edges another layer has made."""
    assert updates["layer"] == 10


def test_a_transformer_waits_as_often_for_more_questions(updates):
    assert updates[f"{TRANSFORMER}=2"]["syncs"] == updates[f"{TRANSFORMER}=4"]["syncs"]


def test_the_benchmark_on_a_gpu_compares_readers_with_the_cpu(updates):
    """The fused recurrence computes nothing here, so it finds that a reader computes something else."""
    benchmark = updates["benchmark"]
    (row,) = benchmark["rows"]
    assert row["model"] == "narrativeqa/dassa_sdp_exp" and benchmark["failed"] == 1
    assert "No figures for babi/ga_mage_gru_triples:** AssertionError: " in benchmark["notes"][1]


def test_a_tensor_of_the_cpu_is_found(updates):
    assert "dassa.py" in updates["mistake"] and "expected all tensors on cuda:0" in updates["mistake"]
