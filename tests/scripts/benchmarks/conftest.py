import pytest
import torch

from allennlp_coref_rc.common import script
from scripts.benchmarks import __main__ as benchmarks
from scripts.benchmarks import harness


@pytest.fixture
def call(monkeypatch, capsys):
    """
    Measures a subject; the columns and rows of its last table. What would be a process of its own, which
    imports anew, is this process.
    """
    monkeypatch.setattr(harness, "in_own_process", lambda function, *arguments: function(*arguments))
    threads = torch.get_num_threads()

    def run(*words):
        assert benchmarks.measure(list(map(str, words))) == 0
        return table(capsys.readouterr().out)

    yield run
    torch.set_num_threads(threads)


def table(text):
    """The last table, below that of the machine, as dictionaries of texts."""
    machine, *_, rows = text.split("\n\n")
    assert machine.startswith("| machine |") and "| instruction set |" in machine
    columns, dashes, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in rows.splitlines()]
    assert set(dashes) == {"---"} and {len(row) for row in rows} == {len(columns)}
    return [dict(zip(columns, row)) for row in rows]


@pytest.fixture
def fails(call, capsys):
    """Measures a subject as a program; what it says is wrong, without any figures."""

    def run(*words):
        with pytest.raises(SystemExit) as error:
            script.run(lambda: call(*words))
        captured = capsys.readouterr()
        assert error.value.code == 2 and captured.out == "" and captured.err.endswith("\n")
        return captured.err

    return run


@pytest.fixture
def subject():
    """A subject with the options of a command line."""

    def make(*words):
        words = list(map(str, words))
        return benchmarks.subject_class(words[0])(benchmarks.options(words).parse_args(words))

    return make
