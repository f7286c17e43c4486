import json

import pytest

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.allennlp_runtime import environment, environment_report

REPORT = environment_report.Report({"torch": "2.13.0", "numpy": "2.4"}, [], [], {"fastcoref": "an annotator"})


@pytest.fixture
def says(monkeypatch, capsys):
    """The text that the command prints for a report, and its exit status."""

    def run(report, *options):
        monkeypatch.setattr(environment_report, "report", lambda: report)
        try:
            main(["environment", *options])
            status = 0
        except SystemExit as stop:
            status = stop.code
        return status, capsys.readouterr().out

    return run


def test_problems(says):
    status, printed = says(REPORT._replace(problems=["torch is missing"], remarks=["no compiler"]))
    assert status == 2 and printed.endswith("\nRemarks:\n  no compiler\n\nProblems:\n  torch is missing\n")


def test_for_programs(says):
    status, printed = says(REPORT._replace(problems=["torch is missing"]), "--json")
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
