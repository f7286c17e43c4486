import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """
    The softmax over the last dimension, over what is not masked, computed in float32 at least. A row that is all masked
    is zero. (AllenNLP's own multiplies scores by the mask before the exponential, and adds 1e-13, which float16 lacks.)

    # Parameters

    scores : `torch.Tensor`
        Shape: (..., n).
    mask : `torch.BoolTensor`
        Of a shape that broadcasts to that of `scores`.

    # Returns

    `torch.Tensor`
        Of the shape and the dtype of `scores`.
    """
    dtype = torch.promote_types(scores.dtype, torch.float32)
    # Not minus infinity, so that a row that is all masked has no NaN to begin with.
    lowest = torch.finfo(dtype).min
    softmax = scores.to(dtype).masked_fill(~mask, lowest).softmax(dim=-1)
    return (softmax * mask).to(scores.dtype)
