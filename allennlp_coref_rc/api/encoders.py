from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """The encoders of `allennlp_coref_rc`, which import PyTorch."""
    if name not in ("CorefGRU", "MageGRU", "DASSA"):
        raise AttributeError(f"module 'allennlp_coref_rc' has no attribute {name!r}")
    return getattr(import_module("allennlp_coref_rc.modules.seq2seq_encoders"), name)
