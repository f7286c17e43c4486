"""Imports all that AllenNLP's commands need. One process imports this module, and its forks do the runs."""

from allennlp_coref_rc.common.quick_imports import quick_imports
from allennlp_coref_rc.registration import import_plugins, register_own

with quick_imports():
    import allennlp.commands  # noqa: F401

    import_plugins()
    register_own()
