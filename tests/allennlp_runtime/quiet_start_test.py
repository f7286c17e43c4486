import signal
import subprocess
import sys

import pytest

from allennlp_coref_rc.allennlp_runtime import quiet_start

INTERRUPTED = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Interrupt(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.argv[0] = "coref-rc"
from allennlp_coref_rc.__main__ import main

main(["evaluate", "nowhere", "test"])
"""


@pytest.mark.parametrize(
    "module",
    ["wrapt", "allennlp_coref_rc.allennlp_runtime.lazy_registry", "allennlp_coref_rc.commands.draw", "torch"],
)
def test_an_interruption_of_the_imports_shows_nothing(module):
    """The process ends by the signal, which a shell gives the status 130."""
    command = [sys.executable, "-c", INTERRUPTED, module]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (-signal.SIGINT, "")


@pytest.mark.parametrize(
    "name, module, before, after",
    [
        ("/usr/bin/coref-rc", "", signal.default_int_handler, signal.SIG_DFL),
        ("-m", "allennlp_coref_rc", signal.default_int_handler, signal.SIG_DFL),
        ("-m", "allennlp_coref_rc", signal.SIG_IGN, signal.SIG_IGN),
        ("-m", "package_of_a_user", signal.default_int_handler, signal.default_int_handler),
        ("/usr/bin/allennlp", "", signal.default_int_handler, signal.default_int_handler),
        ("", "", signal.default_int_handler, signal.default_int_handler),
    ],
)
def test_only_a_command_is_ended_by_an_interruption(name, module, before, after, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name])
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", module, "train"])
    original = signal.signal(signal.SIGINT, before)
    try:
        quiet_start.begin()
        assert signal.getsignal(signal.SIGINT) == after
        quiet_start.end()
        assert signal.getsignal(signal.SIGINT) == before
    finally:
        signal.signal(signal.SIGINT, original)
