import json
import subprocess
import sys

from allennlp import commands

from allennlp_coref_rc.__main__ import ALLENNLP

HELP = """
import contextlib, io, json, sys
from allennlp_coref_rc.__main__ import main

helps = {}
for name in sys.argv[1:]:
    sys.argv = ["coref-rc", name, "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as screen, contextlib.suppress(SystemExit):
        main()
    helps[name] = screen.getvalue()
print(json.dumps(helps))
print(json.dumps("torch._C" in sys.modules))
"""


def test_help_is_that_of_allennlp_and_comes_without_pytorch(monkeypatch, capsys):
    """In a process of its own, since PyTorch is imported here."""
    monkeypatch.setenv("COLUMNS", "100")
    # Without the package checklist, the command of that name is an error.
    names = sorted({*ALLENNLP} - {"checklist"})
    ran = subprocess.run([sys.executable, "-c", HELP, *names], capture_output=True, text=True, check=True)
    helps, has_torch = map(json.loads, ran.stdout.splitlines())
    for name in names:
        monkeypatch.setattr(sys, "argv", ["allennlp", name, "--help"])
        try:
            commands.parse_args("coref-rc")
        except SystemExit:
            assert helps[name] == capsys.readouterr().out != "", name
    assert not has_torch
