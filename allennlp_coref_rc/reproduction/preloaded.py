"""What AllenNLP's commands import: once, in the process whose forks do the runs."""

import os

from allennlp.common.plugins import import_plugins

from allennlp_coref_rc.reproduction.execution import printing_to

# NLTK says at length that it cannot download what no run needs.
with printing_to(os.devnull):
    import_plugins()
