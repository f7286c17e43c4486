"""
Lets Ctrl-C end a command without a traceback while packages are imported, which may continue half imported.
This module comes first, when `main`, which says that a command was stopped, is not there yet.
"""

import signal

from allennlp_coref_rc.allennlp_runtime.environment import is_command


def begin() -> None:
    """
    Ends this process at Ctrl-C, as the system does, if it is `coref-rc` or `python -m allennlp_coref_rc`.
    """
    if is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def end() -> None:
    """Lets Ctrl-C raise a `KeyboardInterrupt` again."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


begin()
