import importlib

import pytest
import torch

from allennlp_coref_rc.common import script
from tests.shared import PROJECT


@pytest.fixture
def load(monkeypatch):
    """Imports a benchmark by its name; what would be a process of its own, which imports anew, is this process."""
    monkeypatch.syspath_prepend(str(PROJECT / "scripts" / "benchmarks"))
    threads = torch.get_num_threads()

    def import_benchmark(name):
        module = importlib.import_module(name)
        for one in (module, importlib.import_module("harness")):
            if hasattr(one, "in_own_process"):
                monkeypatch.setattr(one, "in_own_process", lambda function, *arguments: function(*arguments))
        return module

    yield import_benchmark
    torch.set_num_threads(threads)


@pytest.fixture
def compare(load, capsys):
    """Runs a benchmark that compares; the rows of its table, cell by cell."""

    def run(name, benchmark, *arguments):
        module = load(name)
        harness = load("harness")
        given = harness.parse(module.options(), list(map(str, arguments)))
        assert harness.compare(getattr(module, benchmark)(given)) == 0
        return rows(capsys.readouterr().out)

    return run


@pytest.fixture
def call(load, monkeypatch, capsys):
    """Runs the `main` of a benchmark; the rows of its table, cell by cell."""

    def run(name, *arguments):
        module = load(name)
        monkeypatch.setattr("sys.argv", [f"{name}.py", *map(str, arguments)])
        module.main()
        return rows(capsys.readouterr().out)

    return run


def rows(text):
    """Of the last table, below the machine."""
    machine, table = text.split("\n\n")[-2:]
    assert machine.startswith("| machine |") and "| instruction set |" in machine
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    assert set(lines.pop(1)) == {"---"} and len({len(line) for line in lines}) == 1
    return lines


@pytest.fixture
def fails(call, capsys):
    """Runs the `main` of a benchmark as a script; what it says is wrong."""

    def run(name, *arguments):
        with pytest.raises(SystemExit) as error:
            script.run(lambda: call(name, *arguments))
        captured = capsys.readouterr()
        assert error.value.code == 2 and captured.out == "" and captured.err.endswith("\n")
        return captured.err

    return run
