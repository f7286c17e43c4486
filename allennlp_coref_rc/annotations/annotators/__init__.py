"""
Annotators, which add structure to a text: rules, trained models, other packages, and annotations made before.

Each annotator is imported only when it is asked for. So `sieve_coref` starts at once, although other
annotators need large packages.
"""

from importlib import import_module
from typing import Any

from allennlp_coref_rc.annotations.annotator_modules import MODULES
from allennlp_coref_rc.annotations.annotators.annotator import (
    Annotator,
    annotate_documents,
    annotate_questions,
    annotate_texts,
)


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
