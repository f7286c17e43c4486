from typing import Any, Optional, Sequence, Tuple

import torch

Linear = Tuple[torch.Tensor, Optional[torch.Tensor]]
"""The weight and the bias of a linear layer, in the shapes of `torch.nn.Linear`."""


def linears(inputs: torch.Tensor, layers: Sequence[Linear]) -> Tuple[torch.Tensor, ...]:
    """
    The outputs of several linear layers that read the same inputs. The backward pass adds the gradient by each of them
    to one tensor, where autograd makes a tensor of the inputs' size for each, and adds those.

    # Parameters

    inputs : `torch.FloatTensor`
        Shape: (..., size).
    layers : `Sequence[Linear]`

    # Returns

    `Tuple[torch.FloatTensor, ...]`
        Each of shape (..., size of the layer's output).
    """
    if torch.is_autocast_enabled(inputs.device.type):
        # It casts what PyTorch's own functions are given.
        return tuple(torch.nn.functional.linear(inputs, *layer) for layer in layers)
    weights, biases = zip(*layers)
    return _Linears.apply(inputs, len(weights), *weights, *biases)


class _Linears(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, number: int, *parameters: Any) -> Tuple[torch.Tensor, ...]:
        weights, biases = parameters[:number], parameters[number:]
        rows = inputs.reshape(-1, inputs.size(-1))
        ctx.shape, ctx.has_bias = inputs.shape, [bias is not None for bias in biases]
        ctx.save_for_backward(rows, *weights)
        outputs = (torch.nn.functional.linear(rows, weight, bias) for weight, bias in zip(weights, biases))
        return tuple(output.view(*inputs.shape[:-1], output.size(1)) for output in outputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: torch.Tensor) -> Tuple[Optional[torch.Tensor], ...]:
        rows, *weights = ctx.saved_tensors
        grad_rows: Optional[torch.Tensor] = None
        grad_weights, grad_biases = [], []
        for grad, weight, has_bias in zip(grads, weights, ctx.has_bias):
            grad = grad.reshape(-1, weight.size(0))
            if ctx.needs_input_grad[0]:
                grad_rows = grad @ weight if grad_rows is None else grad_rows.addmm_(grad, weight)
            grad_weights.append(grad.t() @ rows)
            grad_biases.append(grad.sum(0) if has_bias else None)
        return (None if grad_rows is None else grad_rows.view(ctx.shape), None, *grad_weights, *grad_biases)
