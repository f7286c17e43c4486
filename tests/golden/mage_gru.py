"""Golden values of MAGE-GRU: parameters and typed edges in our shapes, and how far apart outputs are."""

from collections.abc import Mapping
from typing import Any

import torch
from torch.func import functional_call

from allennlp_coref_rc.data.annotation_layers.edges import PADDING
from allennlp_coref_rc.modules.seq2seq_encoders import MageGRU
from tests.golden.coref_gru import State, gru_state, unpacked
from tests.golden.derivatives import difference, leaves


def state_of(golden: Mapping[str, Any]) -> State:
    state: State = {}
    for prefix, suffix in (("fwd_", ""), ("bwd_", "_reverse")):
        state.update(gru_state(unpacked(golden, prefix), suffix=suffix))
    return state


def sources(edges: list[tuple[int, int]], length: int) -> torch.LongTensor:
    """For each token the sources of the edges into it. Shape: (1, length, edges)."""
    found: list[list[int]] = [[source for source, target in edges if target == t] for t in range(length)]
    width = max(map(len, found))
    return torch.tensor([[row + [PADDING] * (width - len(row)) for row in found]])


def differences(golden: Mapping[str, Any], backend: str = "auto") -> dict[str, float]:
    """
    By output the largest difference, in both directions together; the gate keeps the previous state (the
    paper's equation) or what was gathered (the authors' code).
    """
    length, state_sizes = len(golden["X"]), {"sequential": int(golden["sizes"][0])}
    annotations = {}
    for kind, size in enumerate(golden["sizes"][1:], start=1):
        own = [(int(source), int(target)) for source, target, of in golden["edges"] if of == kind]
        turned = [(target, source) for source, target in own]
        # Relations go by their names in the state.
        state_sizes[f"type_{kind}"] = int(size)
        annotations[f"type_{kind}"] = {
            "antecedents": sources(own, length),
            "descendants": sources(turned, length),
        }
    mask = torch.ones(1, length, dtype=torch.bool)
    names = [name for name in golden if name[:4] in ("fwd_", "bwd_")]
    result = {}
    for carry in ("previous", "gathered"):
        encoder = MageGRU(golden["X"].shape[1], state_sizes=state_sizes, carry=carry, backend=backend)
        by = leaves(golden, ["X", *names])
        arguments = by["X"].unsqueeze(0), mask, annotations
        output = functional_call(encoder, state_of(by), arguments).squeeze(0)
        result[f"out_{carry}"] = (output - torch.as_tensor(golden[f"out_{carry}"])).abs().max().item()
        if carry == "previous":
            result["grad"] = difference(golden, by, (output * torch.as_tensor(golden["upstream"])).sum())
    return result
