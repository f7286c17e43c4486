import numpy
import pytest

from tests.golden import coref_gru as golden_coref_gru
from tests.shared import GOLDEN, needs_golden

TOLERANCE = 1e-5


@needs_golden
@pytest.mark.parametrize("backend", ["reference", "auto"])
def test_layer_agrees_with_the_authors_code(backend):
    """Both directions, with and without a memory to start from; and a plain GRU."""
    differences = golden_coref_gru.layer_differences(numpy.load(GOLDEN / "corefgru_layer.npz"), backend)
    outputs = {f"{direction}_out{start}" for direction in ("fwd", "bwd") for start in ("", "_meminit")}
    assert set(differences) == outputs | {"gru_out", "grub_out"}
    assert all(difference < TOLERANCE for difference in differences.values()), differences
