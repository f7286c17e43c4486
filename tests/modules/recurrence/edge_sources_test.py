import pytest
import torch

from allennlp_coref_rc.modules.recurrence import _triton, edge_sources
from tests.modules.recurrence.triton_test import DEVICE, needs_triton

pytestmark = pytest.mark.slow


@needs_triton
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("memory_length, continues", [(None, True), (0, True), (6, False), (6, True)])
def test_sources_are_those_without_the_kernel(memory_length, continues, reverse, monkeypatch):
    """Of texts that have more tokens than are scanned at once. One has no tokens."""
    monkeypatch.setattr(_triton, "SCANNED_TOKENS", 4)
    generator = torch.Generator().manual_seed(0)
    mask = torch.rand(5, 9, generator=generator) < 0.4
    mask[0] = False
    memory_mask = None if memory_length is None else torch.rand(5, memory_length, generator=generator) < 0.4
    relations = [torch.randint(-8, 9, (5, 9, width), generator=generator) for width in (2, 0, 1)]
    expected = edge_sources(mask, relations, reverse, memory_mask, continues)
    on_device = [x if x is None else x.to(DEVICE) for x in (mask, torch.cat(relations, dim=2), memory_mask)]
    own_mask, given, own_memory_mask = on_device
    sources = _triton.edge_sources(own_mask, given, reverse, own_memory_mask, continues)
    assert torch.equal(sources.cpu(), torch.cat(expected, dim=2))
    sequential = _triton.edge_sources(own_mask, None, reverse, own_memory_mask, continues)
    assert torch.equal(sequential, sources[..., :1])
