from collections.abc import Callable
from functools import partial
from typing import Any, Optional

import torch
from allennlp.modules import Seq2SeqEncoder
from torch.func import functional_call

from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders.annotated_seq2seq_encoder import encode


def repeated(encoder: Seq2SeqEncoder, times: int) -> list[Callable[[TokenVectors], torch.Tensor]]:
    """
    `encode` with the same encoder, for each time that it is used in a forward pass. The gradients that its
    parameters get from these uses are summed for all parameters at once. Autograd would add them one by one,
    each in a launch of its own on a GPU.
    """
    parameters = {f"encoder.{name}": one for name, one in encoder.named_parameters() if one.requires_grad}
    # Autocast casts a parameter once for all uses, but only the parameter itself.
    if not torch.is_grad_enabled() or any(map(torch.is_autocast_enabled, ("cpu", "cuda"))):
        return [partial(encode, encoder)] * times
    aliases = iter(_Aliases.apply(times, *parameters.values()))
    module = _Encode(encoder)
    # `zip` takes a name first, and ends before it takes an alias too many.
    return [partial(functional_call, module, dict(zip(parameters, aliases))) for _ in range(times)]


class _Encode(torch.nn.Module):
    def __init__(self, encoder: Seq2SeqEncoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, *text: Any) -> torch.Tensor:
        return encode(self.encoder, TokenVectors(*text))


class _Aliases(torch.autograd.Function):
    """The parameters, as many times as they are used."""

    @staticmethod
    def forward(ctx: Any, times: int, *parameters: torch.Tensor) -> tuple[torch.Tensor, ...]:
        # A use may give a parameter no gradient.
        ctx.set_materialize_grads(False)
        ctx.times = times
        return tuple(one.view_as(one) for _ in range(times) for one in parameters)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: Optional[torch.Tensor]) -> tuple[Optional[torch.Tensor], ...]:
        number = len(grads) // ctx.times
        sums: dict[int, torch.Tensor] = {}
        for start in range(0, len(grads), number):
            new = {i: grad for i, grad in enumerate(grads[start : start + number]) if grad is not None}
            both = [i for i in new if i in sums]
            if both:
                added = torch._foreach_add([sums[i] for i in both], [new[i] for i in both])
                new.update(zip(both, added))
            sums.update(new)
        return None, *map(sums.get, range(number))
