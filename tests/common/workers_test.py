"""When workers take over from the process that has begun alone. Their work itself is tested elsewhere."""

import subprocess
import sys
from unittest.mock import patch

import pytest
import torch

from allennlp_coref_rc.common import workers
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.common.workers import START, WARM_UP, Workers, chunks, pays
from tests.shared import PROJECT


class Clock:
    """
    Stands in for the module `time`. Work takes only the time that a test says, and always waits for the
    processors.
    """

    def __init__(self):
        self.now = self.waited = 0.0

    def thread_time(self):
        return self.now

    def monotonic(self):
        self.waited += 1000.0
        return self.now + self.waited


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(workers, "time", clock)
    monkeypatch.setattr(workers, "num_cpus", lambda: 4)
    return clock


class Recorded(Workers):
    """Workers whose processes are this one."""

    started = None

    def _start(self, number):
        self.started = (self.started or []) + [number]
        self._number = number
        self._executor = self

    def _together(self, function, chunks):
        for chunk in chunks:
            yield chunk, function(chunk.items)


def work(processes, clock, seconds, number=20):
    """The chunk before which workers start, if each chunk takes some seconds; all are worked on."""

    def function(items):
        clock.now += next(durations)
        before.append(processes.started is None)
        return items

    durations = iter(seconds)
    before = []
    items = [(f"place {i}", i) for i in range(number)]
    done = list(processes.map(function, chunks(items, 1), number))
    assert [(chunk.number, result) for chunk, result in done] == [(i, [items[i]]) for i in range(number)]
    return before.count(True)


def made_semaphore(items):
    """Whether a progress bar makes one in this process, which has to be removed when the process ends."""
    with patch("multiprocessing.resource_tracker.register") as register:
        progress_bar(items)
    return register.called


def test_workers_leave_no_semaphores():
    """In a process of its own, whose workers are forks of one that has imported what commands preload."""
    program = (
        "from allennlp_coref_rc.annotation_runs.run import PRELOADED\n"
        "from tests.common.workers_test import Workers, chunks, made_semaphore\n"
        "with Workers(1, preload=PRELOADED) as processes:\n"
        "    print([made for _, made in processes.map(made_semaphore, chunks([('place', 1)], 1))])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[False]\n", 0), done.stderr


def test_workers_pay_where_they_are_done_earlier():
    assert pays(START * 2.1, workers=2) and not pays(START * 1.9, workers=2)
    assert pays(START * 1.2, workers=10) and not pays(START * 1.1, workers=10)
    assert not pays(START * 2.1, workers=2, preparation=START)
    assert not pays(1e9, workers=1) and not pays(1e9, workers=0)


@pytest.mark.parametrize(
    "seconds, alone, started",
    [
        ([0.5] * 20, 20, None),
        # What is done once, and is short, does not count.
        ([WARM_UP] + [0.01] * 19, 20, None),
        # After the first chunk, 17 of its 20 seconds count, times the 19 chunks that are left.
        ([20.0] * 20, 1, [4]),
        # Few chunks need few workers, and the last one none.
        ([100.0] * 3, 1, [2]),
        ([100.0] * 2, 2, None),
    ],
)
def test_workers_take_over_where_much_is_left(clock, seconds, alone, started):
    with Recorded() as processes:
        assert work(processes, clock, seconds, number=len(seconds)) == alone
        assert processes.started == started


def test_long_preparation_speaks_against_workers(clock):
    def prepare():
        clock.now += 1000.0

    with Recorded() as processes:
        processes.call(prepare)
        assert work(processes, clock, [20.0] * 20) == 20


def test_a_process_that_uses_a_gpu_goes_on_alone(clock, monkeypatch):
    """Each worker would load the same model there. A config need not say which device it uses."""
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    with Recorded() as processes, Recorded(3) as three:
        assert work(processes, clock, [20.0] * 20) == 20
        assert work(three, clock, [20.0] * 20) == 0
    assert (processes.started, three.started) == (None, [3])


def test_a_number_that_is_given_is_kept_to(clock):
    with Recorded(0) as alone, Recorded(3) as three:
        assert work(alone, clock, [100.0] * 20) == 20
        assert work(three, clock, [0.1] * 20) == 0
    assert (alone.started, three.started) == (None, [3])
