"""Reading comprehension with coreference, SRL and discourse structure: a plugin for AllenNLP."""

from allennlp_coref_rc.environment import check_environment

check_environment()

from allennlp_coref_rc import annotations, commands, data, metrics, models, modules, predictors, training  # noqa: E402
from allennlp_coref_rc.version import VERSION as __version__  # noqa: E402
