"""
Lets Ctrl-C end a command without a traceback while packages are imported. Of this package, this module comes first:
`main`, which says that a command was stopped, is not there yet. Other packages may go on after an interruption, half
imported.
"""

import os
import signal
import sys

COMMANDS = ("coref-rc", "-m")
"""What `sys.argv` begins with while `coref-rc`, or a package after `python -m`, is imported."""


def begin() -> None:
    """Ends this process at Ctrl-C, as the system does, if it is a command."""
    if os.path.basename(sys.argv[0]) in COMMANDS and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def end() -> None:
    """Lets Ctrl-C raise a `KeyboardInterrupt` again."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


begin()
