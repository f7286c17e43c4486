"""Patches of `allennlp.modules` and `allennlp.nn`."""

import re
from typing import Any

from allennlp_coref_rc.common.wrapping import wrapping

POSITIONS = re.compile(r"(^|\.)embeddings\.(position_ids|token_type_ids)$")
"""Constants that transformers saved with the weights of a model up to 4.30, and no longer expects there."""


@wrapping("PretrainedTransformerEmbedder.__init__")
def enable_gradient_checkpointing(original: Any, embedder: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """
    Enables gradient checkpointing. AllenNLP sets it in a model's config, where transformers no longer reads
    it.
    """
    original(*args, **kwargs)
    if kwargs.get("gradient_checkpointing"):
        # The other kind has no gradients at all if the embeddings are frozen.
        embedder.transformer_model.gradient_checkpointing_enable({"use_reentrant": False})


@wrapping("CnnEncoder.forward")
def convolve_in_full_precision(original: Any, encoder: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """
    Takes CNNs out of mixed precision. In float16, AllenNLP does not find the windows that it has masked: a
    word without any other window is as good as minus infinity.
    """
    import torch

    def forward(tokens: Any, mask: Any) -> Any:
        with torch.autocast(tokens.device.type, enabled=False):
            return original(tokens.to(next(encoder.parameters()).dtype), mask)

    return forward(*args, **kwargs)


@wrapping("Module.load_state_dict")
def ignore_position_buffers(original: Any, module: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """
    Leaves `POSITIONS` out of weights. All archives that AllenNLP has published with a transformer have them.
    """

    def load_state_dict(state_dict: dict[str, Any], strict: bool = True) -> Any:
        expected = module.state_dict().keys()
        kept = {
            name: value
            for name, value in state_dict.items()
            if name in expected or not POSITIONS.search(name)
        }
        return original(kept, strict)

    return load_state_dict(*args, **kwargs)
