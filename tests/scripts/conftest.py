import pytest

from tests.scripts.scripts import load_script


@pytest.fixture
def evaluate(monkeypatch, capsys):
    """Runs a script by its name and arguments, and gives what it prints."""

    def run(name, *arguments):
        monkeypatch.setattr("sys.argv", [f"{name}.py", *map(str, arguments)])
        load_script(name).main()
        return capsys.readouterr().out

    return run
