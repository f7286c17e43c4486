"""Patches of `allennlp.modules` and `allennlp.nn`."""

import functools
import re
from typing import Any

POSITIONS = re.compile(r"(^|\.)embeddings\.(position_ids|token_type_ids)$")
"""Constants that transformers saved with the weights of a model up to 4.30, and no longer expects there."""


def enable_gradient_checkpointing(embedders: Any) -> None:
    """Enables gradient checkpointing. AllenNLP sets it in a model's config, where transformers no longer reads it."""
    cls = embedders.PretrainedTransformerEmbedder
    original = cls.__init__

    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if kwargs.get("gradient_checkpointing"):
            # The other kind has no gradients at all if the embeddings are frozen.
            self.transformer_model.gradient_checkpointing_enable({"use_reentrant": False})

    cls.__init__ = init


def convolve_in_full_precision(encoders: Any) -> None:
    """
    Takes CNNs out of mixed precision. In float16, AllenNLP does not find the windows that it has masked: a word without
    any other window is as good as minus infinity.
    """
    import torch

    cls = encoders.CnnEncoder
    original = cls.forward

    @functools.wraps(original)
    def forward(self: Any, tokens: Any, mask: Any) -> Any:
        with torch.autocast(tokens.device.type, enabled=False):
            return original(self, tokens.to(next(self.parameters()).dtype), mask)

    cls.forward = forward


def ignore_position_buffers(module: Any) -> None:
    """Leaves `POSITIONS` out of weights. All archives that AllenNLP has published with a transformer have them."""
    original = module.Module.load_state_dict

    @functools.wraps(original)
    def load_state_dict(self: Any, state_dict: dict[str, Any], strict: bool = True) -> Any:
        expected = self.state_dict().keys()
        kept = {name: value for name, value in state_dict.items() if name in expected or not POSITIONS.search(name)}
        return original(self, kept, strict)

    module.Module.load_state_dict = load_state_dict
