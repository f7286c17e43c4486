import torch

LEVELS = 2**16


class FastDropout(torch.nn.Dropout):
    """
    `torch.nn.Dropout` in less than half the time on a CPU. There it draws 16 random bits for each number instead of 32.
    So the probability is rounded to a multiple of 2^-16, and kept values are scaled by the rounded probability. The
    mask of dropped values is kept as bytes.
    """

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        if not self.training or self.p == 0.0 or inputs.device.type != "cpu":
            return super().forward(inputs)
        dropped = round(self.p * LEVELS)
        if dropped == LEVELS:
            return inputs * 0.0
        bits = torch.empty((inputs.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None).view(torch.int16)
        # Kept for the backward pass as bytes, a quarter of what numbers take; booleans are slow to make and multiply
        # by.
        kept = torch.empty(inputs.shape, dtype=torch.uint8)
        torch.ge(bits[: inputs.numel()].view(inputs.shape), dropped - LEVELS // 2, out=kept)
        return (inputs * kept).mul_(LEVELS / (LEVELS - dropped))
