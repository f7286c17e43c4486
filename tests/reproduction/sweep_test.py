"""What a sweep says of runs whose processes die. Forks of this process take the place of all processes."""

import multiprocessing
import os
import signal

import pytest

from allennlp_coref_rc.reproduction import session, sweep
from allennlp_coref_rc.reproduction.runs import LOG, Run


@pytest.fixture
def sweep_of(tmp_path, monkeypatch, capfd):
    """Sweeps over one run, which writes into its log and then does what is given for each attempt."""
    run, attempts = Run("tiny.jsonnet", seed=1, output=str(tmp_path)), tmp_path / "attempts"
    methods, fork = [], multiprocessing.get_context("fork")

    def function(*endings):
        def execute(run, **options):
            with open(attempts, "a") as file:
                file.write(".")
            os.makedirs(run.path(), exist_ok=True)
            with open(run.path(LOG), "a") as file:
                file.writelines(f"line {i}\n" for i in range(20))
            endings[attempts.stat().st_size - 1]()

        for name, value in sweep.environment(1).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sweep, "execute", execute)
        monkeypatch.setattr(multiprocessing, "get_context", lambda method: methods.append(method) or fork)
        monkeypatch.setattr(Run, "finished", False)
        monkeypatch.setattr(Run, "progress", lambda run: 0.0)
        failed = session.run_all({run: 1.0}, [None], None, 1, "none")
        return failed, methods, capfd.readouterr().err.replace(str(run.path(LOG)), LOG)

    return function


def ended_by(number):
    return lambda: os.kill(os.getpid(), number)


def well():
    pass


KILLED = "SIGKILL ended its process (from outside; the system does this if memory runs out)"


@pytest.mark.parametrize(
    "endings, failed, words",
    [
        ([ended_by(signal.SIGSEGV)] * 2, 1, "SIGSEGV ended its process"),
        ([ended_by(signal.SIGKILL)] * 2, 1, KILLED),
        ([ended_by(signal.SIGSEGV), well], 0, "SIGSEGV ended its process"),
        ([lambda: os._exit(1)], 1, "its process ended with code 1"),
    ],
)
def test_a_run_whose_process_ends(sweep_of, endings, failed, words):
    found, methods, said = sweep_of(*endings)
    # After a signal it is tried once more.
    again = len(endings) == 2
    assert found == failed and methods == ["forkserver", "spawn"][: len(endings)]
    assert (f": {words}; tried once more, in a new process\n" in said) == again == ("once more" in said)
    _, _, end = said.partition("[failed] ")
    assert bool(end) == bool(failed)
    if failed:
        assert f": {words}; from {LOG}:\n  line 8\n" in end
        assert "\n  line 19\n" in end and "line 7\n" not in end


def test_a_process_that_dies_before_its_first_word(tmp_path):
    run = Run("tiny.jsonnet", seed=1, output=str(tmp_path))
    assert sweep.why_it_died(run, -11) == f"SIGSEGV ended its process before it wrote {run.path(LOG)}"


def test_a_crash_prints_its_innermost_functions(tmp_path):
    run = Run("tiny.jsonnet", seed=1, output=str(tmp_path))
    os.makedirs(run.path())
    with open(run.path(LOG), "w") as file:
        file.writelines(
            f"{line}\n" for line in ["epoch 1", "Current thread 0x1f (most recent call first):", *range(50)]
        )
    lines = sweep.why_it_died(run, -6).splitlines()
    assert lines[0].startswith("SIGABRT ended its process; from ")
    assert lines[1:] == ["  Current thread 0x1f (most recent call first):", *(f"  {i}" for i in range(11))]
