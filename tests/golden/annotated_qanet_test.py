"""Golden values of the authors' code, in evaluation mode."""

import numpy
import pytest

from tests.golden import qanet as golden_qanet
from tests.shared import GOLDEN, needs_golden

OUTPUTS = {"out:span_start_logits", "out:span_end_logits", "out:loss"}


def read(name):
    with numpy.load(GOLDEN / f"{name}.npz") as file:
        return dict(file)


@needs_golden
@pytest.mark.parametrize("name, more", [("dassa_baseline_qanet", set()), ("dassa_sdp_exp", {"last:att_out"})])
def test_attention_and_logits_are_the_authors(name, more):
    """The attention is that of block 1 in its third application."""
    found = golden_qanet.differences(read(name))
    assert set(found) == OUTPUTS | more
    assert all(difference < 5e-5 for difference in found.values()), found


@needs_golden
def test_a_label_more_or_less_shows():
    golden = read("dassa_sdp_exp")
    golden["in:passage_sem_views_q"][0, 0, 0] += 1
    found = golden_qanet.differences(golden)
    assert found["last:att_out"] > 1e-4 and found["out:span_start_logits"] > 1e-4
