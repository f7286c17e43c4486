"""Imports what workers need. One process imports this module and becomes quiet; the workers are its forks."""

import signal
import threading

from tqdm import tqdm

from allennlp_coref_rc.allennlp_runtime.console.quiet import quiet_logs
from allennlp_coref_rc.allennlp_runtime.lazy_imports import quick_imports
from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_allennlp, register_own

# Ctrl-C also reaches the command, and that ends the workers.
signal.signal(signal.SIGINT, signal.SIG_IGN)
# Each worker would make a lock for progress bars of all processes, whose semaphore is left when the worker ends.
tqdm.set_lock(threading.RLock())
quiet = quiet_logs()
quiet.__enter__()
import_allennlp()
with quick_imports():
    register_own()
