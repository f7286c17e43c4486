from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import torch


class Attention(NamedTuple):
    """
    The attention of the tokens of one side (passage or question), for explanations.

    # Parameters

    kind : `str`
        "gating" or "self_belief".
    side, to : `str`
        The side whose tokens attend, and the side they attend to: "passage" or "question".
    weights : `torch.FloatTensor`
        Shape: (batch_size, n, m). The attention of each of n tokens of one side to each of m tokens of the
        other.
    layer : `int`, optional (default = `None`)
        The layer of the reader, from 1; `None` if it comes after all layers.
    """

    kind: str
    side: str
    to: str
    weights: torch.Tensor
    layer: Optional[int] = None

    def to_json(self, text: int, tokens: dict[str, Sequence[str]]) -> dict[str, Any]:
        """The attention in one text of the batch, without padding. `tokens` are its tokens, by side."""
        values = self._asdict()
        values["weights"] = self.weights[text, : len(tokens[self.side]), : len(tokens[self.to])].tolist()
        return {name: value for name, value in values.items() if value is not None}
