import numpy
import pytest
import torch

from allennlp_coref_rc.annotations.edges import OTHER_SEQUENCE
from allennlp_coref_rc.modules.seq2seq_encoders import CorefGru, EncoderInput
from tests.golden import gru_state, sources
from tests.shared import GOLDEN, needs_golden

TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def golden():
    return numpy.load(GOLDEN / "corefgru_layer.npz")


def gates_of(golden, prefix):
    return {name + gate: golden[f"{prefix}_{name}{gate}"] for name in "WUb" for gate in "rzh"}


@needs_golden
@pytest.mark.parametrize("backend", ["reference", "auto"])
@pytest.mark.parametrize("start_from_memory", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_layer_agrees_with_the_authors_code(golden, reverse, start_from_memory, backend):
    prefix = "bwd" if reverse else "fwd"
    inputs, mask = torch.tensor(golden["X"]), torch.tensor(golden["M"]) > 0
    reads, writes = (golden["Eo"], golden["Ei"]) if reverse else (golden["Ei"], golden["Eo"])
    encoder = CorefGru(5, 8, backend=backend)
    state = {}
    for p, suffix in (("fwd", ""), ("bwd", "_reverse")):
        state.update(gru_state(gates_of(golden, p), golden[f"{p}_Watt"], suffix))
    encoder.load_state_dict(state)

    memory = memory_mask = None
    first_of_memory = None
    if start_from_memory:
        # The authors' memory has slots of half states: slot 0 of the sequential half, the others of the coreferent one.
        slots = torch.tensor(golden[f"{prefix}_mem_init"])
        memory = torch.zeros(*slots.shape[:2], 8)
        memory[:, 0, :4] = slots[:, 0]
        memory[:, 1:, 4:] = slots[:, 1:]
        memory_mask = torch.zeros(slots.shape[:2], dtype=torch.bool)
        memory_mask[:, 0] = True  # the state that the sequence starts from
    edges = sources(reads, writes, reverse, first_of_memory)
    if start_from_memory:
        slot = torch.arange(1, reads.shape[2]).expand_as(edges)
        edges = torch.where(edges == -1, OTHER_SEQUENCE - slot, edges)
    name = "descendants" if reverse else "antecedents"
    out = encoder._read(EncoderInput(inputs, mask, {"coref": {name: edges}}), reverse, memory, memory_mask)

    expected = torch.tensor(golden[f"{prefix}_out" + ("_meminit" if start_from_memory else "")])
    torch.testing.assert_close(out, expected * mask.unsqueeze(-1), atol=TOLERANCE, rtol=0)


@needs_golden
@pytest.mark.parametrize("reverse", [False, True])
def test_plain_gru_agrees_with_the_authors_code(golden, reverse):
    inputs, mask = torch.tensor(golden["X"]), torch.tensor(golden["M"]) > 0
    encoder = CorefGru(5, 6)
    for prefix, suffix in (("gru", ""), ("grub", "_reverse")):
        encoder.load_state_dict(gru_state(gates_of(golden, prefix), suffix=suffix), strict=False)
    out = encoder._read(EncoderInput(inputs, mask), reverse)
    expected = torch.tensor(golden["grub_out" if reverse else "gru_out"]) * mask.unsqueeze(-1)
    torch.testing.assert_close(out, expected, atol=TOLERANCE, rtol=0)
