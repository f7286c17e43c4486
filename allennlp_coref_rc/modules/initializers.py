import math
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.nn import Initializer


def gated_normal_(tensor: torch.Tensor, gates: int = 1) -> torch.Tensor:
    """
    Splits the rows into `gates` blocks of equal size, and fills each from a normal distribution. The standard
    deviation is `sqrt(6 / (fan_in + fan_out))` of the block: the bound of Glorot's uniform distribution, used
    as a deviation. All weights of the authors' Coref-GRU code begin like this.
    """
    block_size, fan_in = tensor.size(0) // gates, tensor.size(1)
    with torch.no_grad():
        return tensor.normal_(0.0, math.sqrt(6.0 / (fan_in + block_size)))


@Initializer.register("gated_normal")
class GatedNormal(Initializer):
    """
    `gated_normal_` as an AllenNLP initializer: with `gates: 3` for `torch.nn.GRU`, and 1 for plain weights.

    Registered as an `Initializer` with name "gated_normal".
    """

    def __init__(self, gates: int = 1) -> None:
        self._gates = gates

    def __call__(self, tensor: torch.Tensor, parameter_name: str = "a parameter", **kwargs: Any) -> None:
        if tensor.dim() < 2:
            raise ConfigurationError(
                f"gated_normal is for matrices: found {parameter_name} of shape {tuple(tensor.shape)}; expected an "
                "initializer whose regexes do not match it, or whose prevent_regexes do"
            )
        gated_normal_(tensor, self._gates)
