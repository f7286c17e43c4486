"""Imports all that AllenNLP's commands need, once, in the process whose forks do the runs."""

import allennlp.commands  # noqa: F401

from allennlp_coref_rc.registration import import_plugins, register_own

import_plugins()
register_own()
