"""Patches of the packages of Hugging Face: they get back what AllenNLP uses and their later releases lack."""

import sys
from importlib import import_module
from typing import Any


def add_repositories(huggingface_hub: Any) -> None:
    """
    Adds the classes that `allennlp.common.push_to_hf` imports. They are empty, since `push-to-hf` is refused.
    """
    for name in {"HfFolder", "Repository"} - {*dir(huggingface_hub)}:
        setattr(huggingface_hub, name, type(name, (), {}))


def add_adamw(_: Any) -> None:
    """Adds the optimizer from which `allennlp.training.optimizers` derives `huggingface_adamw`."""
    # While transformers is imported, it puts a lazy module in its place, and later perhaps another one.
    lazy: Any = sys.modules["transformers"]
    if "AdamW" not in dir(lazy):
        type(lazy).AdamW = property(lambda _: import_module(f"{__package__}._adamw").AdamW)


def add_encode_plus(tokenization: Any) -> None:
    """
    Adds the earlier name of a tokenizer's call, by which `pretrained_transformer_tokenizer` of AllenNLP calls
    it.
    """
    cls = tokenization.PreTrainedTokenizerBase
    if not hasattr(cls, "encode_plus"):
        cls.encode_plus = lambda self, *args, **kwargs: self(*args, **kwargs)
