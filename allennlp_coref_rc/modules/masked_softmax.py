import torch


def at_least_float32(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor in float32, or unchanged if its dtype is more precise."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """
    The softmax over the unmasked entries of the last dimension, computed in float32 at least. A row in which
    everything is masked is zero. (AllenNLP's function multiplies scores by the mask before the exponential,
    and adds 1e-13, which is 0 in float16.)

    # Parameters

    scores : `torch.Tensor`
        Shape: (..., n).
    mask : `torch.BoolTensor`
        Its shape has to broadcast to the shape of `scores`.

    # Returns

    `torch.Tensor`
        Has the shape and the dtype of `scores`.
    """
    precise = at_least_float32(scores)
    # Not minus infinity, so that a row that is all masked has no NaN to begin with.
    lowest = torch.finfo(precise.dtype).min
    softmax = precise.masked_fill(~mask, lowest).softmax(dim=-1)
    return (softmax * mask).to(scores.dtype)
