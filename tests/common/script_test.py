from pathlib import Path

import pytest

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run


def status(main):
    with pytest.raises(SystemExit) as error:
        run(main)
    return error.value.code


def test_the_exit_status_is_what_main_returns(capsys):
    assert status(lambda: None) is None and status(lambda: 1) == 1
    assert capsys.readouterr().err == ""


def test_what_the_user_can_mend_is_one_line(capsys, monkeypatch):
    def main():
        raise ConfigurationError("data.txt, line 3: found 'x', expected a number")

    monkeypatch.setattr("sys.argv", ["scripts/evaluate.py"])
    assert status(main) == 2
    assert capsys.readouterr().err == "evaluate.py: error: data.txt, line 3: found 'x', expected a number\n"
    assert status(lambda: Path("nowhere.txt").read_text()) == 2
    assert capsys.readouterr().err == "evaluate.py: error: nowhere.txt: no such file\n"


def test_a_fault_of_the_program_has_its_traceback():
    with pytest.raises(ZeroDivisionError):
        run(lambda: 1 // 0)


def test_wrong_options_are_one_line_and_help_is_the_docstring(capsys):
    parser = ScriptParser("What it does.\n\n    python script.py FILE")
    parser.add_argument("file")
    parser.prog = "script.py"
    assert status(lambda: parser.parse_args([])) == 2
    assert capsys.readouterr().err == "script.py: error: the following arguments are required: file\n"
    assert status(lambda: parser.parse_args(["--help"])) == 0
    assert "What it does.\n\n    python script.py FILE" in capsys.readouterr().out
