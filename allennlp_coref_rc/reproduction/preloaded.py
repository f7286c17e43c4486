"""What AllenNLP's commands import: once, in the process whose forks do the runs."""

import io
from contextlib import redirect_stderr, redirect_stdout

from allennlp.common.plugins import import_plugins

import allennlp_coref_rc  # noqa: F401

# NLTK says at length that it cannot download what no run needs.
with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
    import_plugins()
