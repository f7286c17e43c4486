from collections.abc import Iterable
from typing import Any

import torch


class AdamW(torch.optim.Optimizer):
    """
    Adam with weight decay, as transformers had it before 4.49. PyTorch's decays weights before the update,
    and adds `eps` after it has corrected the bias.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        correct_bias: bool = True,
    ) -> None:
        keys = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "correct_bias": correct_bias,
        }
        super().__init__(params, keys)

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        loss = closure() if closure else None
        for group in self.param_groups:
            first, second = group["betas"]
            for parameter in group["params"]:
                if (gradient := parameter.grad) is None:
                    continue
                state = self.state[parameter]
                if not state:
                    zeros = torch.zeros_like(parameter)
                    state.update(step=0, exp_avg=zeros, exp_avg_sq=zeros.clone())
                state["step"] += 1
                mean = state["exp_avg"].mul_(first).add_(gradient, alpha=1 - first)
                square = state["exp_avg_sq"].mul_(second).addcmul_(gradient, gradient, value=1 - second)
                size = group["lr"]
                if group["correct_bias"]:
                    size *= (1 - second ** state["step"]) ** 0.5 / (1 - first ** state["step"])
                parameter.addcdiv_(mean, square.sqrt().add_(group["eps"]), value=-size)
                parameter.add_(parameter, alpha=-group["lr"] * group["weight_decay"])
        return loss
