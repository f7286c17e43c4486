"""Imports all that AllenNLP's commands need. One process imports this module, and its forks do the runs."""

from allennlp_coref_rc.allennlp_runtime.lazy_imports import quick_imports
from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_plugins, register_own

with quick_imports():
    import_plugins()
    register_own()
