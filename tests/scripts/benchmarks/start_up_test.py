import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def without_allennlp(load, monkeypatch):
    """Its import takes seconds; here the others are compared with Python's own start."""
    start_up = load("start_up")
    commands = {"import json": ["-c", "import json"], **start_up.COMMANDS}
    del commands["import allennlp.commands"]
    monkeypatch.setattr(start_up, "COMMANDS", commands)
    return start_up


def test_help_and_real_runs(call, without_allennlp):
    """The real runs find in the inputs that are written for them what they need."""
    chosen = [f"coref-rc {command}" for command in ("--help", "draw curves", "data simulate")]
    header, *rows = call("start_up", "--rounds", 1, "--warm-up", 0, "--only", *chosen)
    assert header == ["command", "processor s", "ratio", "clock s", "imports"]
    rows = {row[0].strip("`"): row for row in rows}
    assert set(rows) == {"import json", *chosen}
    assert rows["import json"][2] == "1.00 (1.00–1.00)" and rows[chosen[0]][4] == "none of these"
    assert "matplotlib" in rows[chosen[1]][4] and "torch" not in rows[chosen[1]][4]


def test_a_command_that_fails_has_no_figures(fails, without_allennlp, monkeypatch):
    monkeypatch.setitem(without_allennlp.COMMANDS, "coref-rc --help", ["-c", "raise ValueError('no help')"])
    message = fails("start_up", "--rounds", 1, "--only", "coref-rc --help")
    assert message.endswith("ended with status 1: ValueError: no help\n")
