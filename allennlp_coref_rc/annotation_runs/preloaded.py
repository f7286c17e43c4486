"""What workers import: once, in the process whose forks they are, and which is quiet from then on, as they are."""

import importlib
import signal

from allennlp_coref_rc.registration import register_own
from allennlp_coref_rc.screen.quiet import quiet_logs

# The command ends them; it gets Ctrl-C too.
signal.signal(signal.SIGINT, signal.SIG_IGN)
quiet = quiet_logs()
quiet.__enter__()
importlib.import_module("allennlp_coref_rc.annotation_runs.job")
register_own()
