"""`coref-rc` itself: its help, its start, and what it does with errors."""

import errno
import json
import os
import subprocess
import sys
from unittest.mock import Mock

import pytest
from allennlp import commands
from allennlp.commands import Subcommand
from allennlp.common.plugins import import_plugins

from allennlp_coref_rc.__main__ import ALLENNLP, INSTEAD, OWN, main
from allennlp_coref_rc.allennlp_runtime import environment, environment_report
from tests.commands.draw_curves_test import run_folder
from tests.json_lines import write_lines
from tests.safe_archives.crafted import run
from tests.shared import PROJECT
from tests.stops import status_of


def test_all_commands_of_allennlp_are_there():
    import_plugins()
    assert {*ALLENNLP, *INSTEAD} == set(Subcommand.list_available())
    assert not set(ALLENNLP) & {*OWN, *INSTEAD}


def test_help_lists_all_commands(capsys):
    assert status_of(["--help"]) == 0
    printed = capsys.readouterr().out
    assert all(f"  {name}" in printed for name in (*OWN, *ALLENNLP))


@pytest.mark.parametrize("name", OWN)
def test_help_of_a_command(capsys, name):
    assert status_of([name, "--help"]) == 0
    assert " ".join(OWN[name].__doc__.split())[:40] in " ".join(capsys.readouterr().out.split())


def test_a_closed_pipe_exits_quietly():
    """As with `coref-rc configs | head`."""
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "allennlp_coref_rc", "configs"]
    result = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (result.returncode, result.stderr) == (141, "")


def test_a_broken_pipe_of_another_process_is_shown(monkeypatch, capsys):
    monkeypatch.setattr(OWN["configs"], "run", Mock(side_effect=BrokenPipeError(errno.EPIPE, "Broken pipe")))
    assert status_of(["configs"]) == 2 and "Broken pipe" in capsys.readouterr().err


LIGHT = """
import sys
from allennlp_coref_rc.__main__ import main

for words in sys.stdin.read().splitlines():
    try:
        main(words.split())
    except SystemExit as stop:
        assert not stop.code, words
    heavy = {"torch", "allennlp", "allennlp_models", "spacy", "inflect", "transformers"} & {*sys.modules}
    assert not heavy, (words, heavy)
"""

COMMANDS = """--help
annotate --help
configs
data simulate stories --tasks 1 --train 30 --valid 30
data mix stories mixed --tasks 1
compare a=predictions.jsonl b=predictions.jsonl
draw curves training curves --curve C-GRU run"""


def test_nothing_heavy_is_imported(tmp_path):
    """It runs in a process of its own, since this one has imported everything."""
    write_lines(tmp_path / "predictions.jsonl", [{"id": 1, "correct": True}, {"id": 2, "correct": False}])
    run_folder(tmp_path / "run", metrics={"x": 1}, losses=[(0.5, 0.5)] * 2)
    words = [sys.executable, "-c", LIGHT]
    done = subprocess.run(words, input=COMMANDS, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_command_whose_package_is_missing_says_so(capsys, monkeypatch):
    monkeypatch.setattr("allennlp_coref_rc.commands.allennlp.find_spec", lambda name: None)
    assert status_of(["checklist", "model.tar.gz", "sentiment-analysis"]) == 2
    expected = "coref-rc: checklist: found no package checklist, which this command needs\n"
    assert capsys.readouterr().err == expected


def test_what_the_user_did_wrong_has_a_traceback_only_on_demand(capsys):
    assert status_of(["compare", "nowhere.jsonl", "other.jsonl"]) == 2
    assert capsys.readouterr().err == "coref-rc: nowhere.jsonl: no such file\n"
    with pytest.raises(Exception, match="nowhere.jsonl: no such file"):
        main(["compare", "nowhere.jsonl", "other.jsonl", "--debug"])


def run_python(program, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in variables}
    environment.update({name: value for name, value in variables.items() if value is not None})
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd=PROJECT
    )


@pytest.mark.parametrize("given, expected", [(None, "passive"), ("active", "active")])
def test_threads_wait_without_spinning_unless_the_user_says_otherwise(given, expected):
    program = "import os, sys, allennlp_coref_rc.__main__; print(os.environ['OMP_WAIT_POLICY'])"
    assert run_python(program, OMP_WAIT_POLICY=given).stdout.split() == [expected]


@pytest.mark.parametrize("module, is_frozen", [("triton", False), ("json", True)])
def test_objects_of_triton_are_collected_at_exit(module, is_frozen):
    """Its bindings print a report on each object that is not."""
    program = (
        "import atexit, gc, sys, types\natexit.register(lambda: print(gc.get_freeze_count() > 0))\n"
        "from allennlp_coref_rc import __main__ as main\natexit.register(main.skip_garbage_collection)\n"
        f"sys.modules.setdefault({module!r}, types.ModuleType({module!r}))\ngc.freeze()"
    )
    assert run_python(program).stdout.split() == [str(is_frozen)]


def test_an_environment_that_does_not_work_is_named_in_lines(tmp_path):
    """Without a traceback."""
    (tmp_path / "sitecustomize.py").write_text(
        "from importlib import metadata\nreal = metadata.version\n"
        "metadata.version = lambda name: '4.47.0' if name == 'transformers' else real(name)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(PROJECT)])}
    words = [sys.executable, "-m", "allennlp_coref_rc", "configs"]
    ran = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    assert "transformers 4.47.0" in ran.stderr and ran.stdout == ""


def test_problems_on_the_screen_and_for_programs(monkeypatch, capsys):
    report = environment_report.Report({"torch": "2.13.0"}, ["torch is missing"], ["no compiler"], {})
    monkeypatch.setattr(environment_report, "report", lambda: report)
    status, printed, _ = run(capsys, "environment")
    assert status == 2 and printed.endswith("\nRemarks:\n  no compiler\n\nProblems:\n  torch is missing\n")
    status, printed, _ = run(capsys, "environment", "--json")
    assert status == 2 and json.loads(printed)["problems"] == ["torch is missing"]


def test_the_command_works_where_the_package_does_not(monkeypatch, capsys):
    """Where importing the package is an error otherwise."""
    monkeypatch.setattr(environment, "problems", lambda: ["torch is missing"])
    monkeypatch.setattr("sys.argv", ["coref-rc", "environment"])
    environment.check_environment()
    monkeypatch.setattr("sys.argv", ["coref-rc", "train"])
    with pytest.raises(SystemExit) as stop:
        environment.check_environment()
    assert stop.value.code == 2
    assert "torch is missing" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["program.py"])
    with pytest.raises(ImportError, match="torch is missing"):
        environment.check_environment()


HELPS = """
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
    ran = subprocess.run([sys.executable, "-c", HELPS, *names], capture_output=True, text=True, check=True)
    helps, has_torch = map(json.loads, ran.stdout.splitlines())
    for name in names:
        monkeypatch.setattr(sys, "argv", ["allennlp", name, "--help"])
        try:
            commands.parse_args("coref-rc")
        except SystemExit:
            assert helps[name] == capsys.readouterr().out != "", name
    assert not has_torch
