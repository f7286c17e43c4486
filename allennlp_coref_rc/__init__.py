"""
Reading comprehension with coreference, SRL and discourse structure: a plugin for AllenNLP.

    import allennlp_coref_rc

    passage = allennlp_coref_rc.annotate("Mary got the milk. She went to the office.", "sieve_coref")
    print(passage.cluster_texts)  # [['Mary', 'She']]

    reader = allennlp_coref_rc.load()
    print(reader.answer("Mary got the milk. She went to the office.", "Where is the milk?").answer)  # office

`annotate` gives an `AnnotatedText`, `load` a `Reader`, and its `answer` an `Answer`. `collate` makes batches for the
encoders `CorefGRU`, `MageGRU` and `DASSA` in any PyTorch program.

Importing this package makes its readers, models, encoders and annotators known to AllenNLP by their
registered names, and annotators to spaCy as components. It imports neither AllenNLP nor PyTorch nor spaCy
itself.
"""

from allennlp_coref_rc.allennlp_runtime import quiet_start  # isort: skip  before what takes long

from importlib import import_module
from typing import Any

from allennlp_coref_rc.allennlp_runtime.environment import check_environment
from allennlp_coref_rc.allennlp_runtime.patches import patch_allennlp
from allennlp_coref_rc.api.annotate import annotate
from allennlp_coref_rc.api.collate import collate, label_names
from allennlp_coref_rc.api.load import load
from allennlp_coref_rc.common.version import VERSION as __version__


def __getattr__(name: str) -> Any:
    """The encoders, which import PyTorch."""
    if name not in ("CorefGRU", "MageGRU", "DASSA"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.modules.seq2seq_encoders"), name)


check_environment()

patch_allennlp()
