"""What AllenNLP's commands import: once, in the process whose forks do the runs."""

from allennlp.common.plugins import import_plugins

import allennlp_coref_rc  # noqa: F401

import_plugins()
