from typing import Any, Dict, NamedTuple, Optional, Sequence

import torch


class Attention(NamedTuple):
    """
    The attention of one side's tokens, for explanations.

    # Parameters

    kind : `str`
        "gating" or "self_belief".
    side, to : `str`
        The side whose tokens attend, and the side they attend to: "passage" or "question".
    weights : `torch.FloatTensor`
        Shape: (batch_size, n, m). The attention of each of n tokens of one side to each of m tokens of the other.
    layer : `int`, optional (default = `None`)
        The reader's layer, from 1; `None` behind all layers.
    """

    kind: str
    side: str
    to: str
    weights: torch.Tensor
    layer: Optional[int] = None

    def to_json(self, text: int, tokens: Dict[str, Sequence[str]]) -> Dict[str, Any]:
        """The same of one text of the batch, whose tokens are given by side, without padding."""
        values = self._asdict()
        values["weights"] = self.weights[text, : len(tokens[self.side]), : len(tokens[self.to])].tolist()
        return {name: value for name, value in values.items() if value is not None}
