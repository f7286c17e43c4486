"""The authors' parameters and one-hot cluster arrays, in our shapes."""

from typing import Dict, Optional

import numpy
import torch

from allennlp_coref_rc.annotations.edges import FIRST_MENTION, PADDING


def gru_state(gates: Dict[str, numpy.ndarray], keys: Optional[numpy.ndarray] = None, suffix: str = "") -> Dict:
    """
    A state dict of `CorefGru` (or, without keys, of `torch.nn.GRU`) from the authors' `W?`, `U?`, `b?` with ? of r, z
    and h. Their update gate lets the candidate in, ours keeps the old state: its weights change sign.
    """

    def stack(name: str) -> torch.Tensor:
        values = [sign * gates[name + gate].T for gate, sign in (("r", 1), ("z", -1), ("h", 1))]
        return torch.tensor(numpy.concatenate(values), dtype=torch.float32)

    state = {
        "weight_ih_l0": stack("W"),
        "weight_hh_l0": stack("U"),
        "bias_ih_l0": stack("b"),
        "bias_hh_l0": torch.zeros(3 * gates["br"].shape[0]),
    }
    if keys is not None:
        state["keys"] = torch.tensor(keys)
    return {name + suffix: value for name, value in state.items()}


def sources(reads: numpy.ndarray, writes: numpy.ndarray, reverse: bool = False, start: Optional[int] = None):
    """
    The sources of coreference edges from 0/1 arrays of shape (batch_size, sequence_length, slots), slot 0 being the
    sequence: what a token reads in a slot is what was last written there. Where nothing was, `FIRST_MENTION`, or with
    `start` the position `start + slot`.
    """
    batch_size, length, slots = reads.shape
    result = numpy.full((batch_size, length, slots - 1), PADDING)
    for b in range(batch_size):
        for slot in range(1, slots):
            latest = FIRST_MENTION if start is None else start + slot
            for t in reversed(range(length)) if reverse else range(length):
                if reads[b, t, slot]:
                    result[b, t, slot - 1] = latest
                if writes[b, t, slot]:
                    latest = t
    return torch.tensor(result)
