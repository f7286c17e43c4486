from argparse import Namespace

import pytest
import torch

from scripts.benchmarks import __main__ as benchmarks
from scripts.benchmarks import gpu
from scripts.benchmarks import recurrence_oracle as oracle
from scripts.benchmarks.harness import Report
from tests.scripts.benchmarks.conftest import table

pytestmark = pytest.mark.slow


@pytest.fixture
def report():
    return Report(Namespace(json=None, device="cpu"))


def test_everything_in_tiny_sizes_on_the_cpu(monkeypatch, capsys):
    """As it does without being asked where there is no GPU."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert benchmarks.measure(["gpu", "--seconds", "900"]) == 0
    text = capsys.readouterr().out
    assert "figures mean nothing" in text and "No figures" not in text and "Left out" not in text
    parts = dict(part.partition("\n\n")[::2] for part in text.split("\n## ")[1:])
    assert tuple(parts) == gpu.PARTS
    rows = {part: table(f"| machine | instruction set |\n\n{lines}") for part, lines in parts.items()}
    assert [(row["size"], row["cases"]) for row in rows["agreement"]] == [("2", "16"), ("7", "16")]
    assert [row["model"] for row in rows["devices"]] == list(gpu.READERS)
    assert {row["backend"] for row in rows["recurrence"]} == {"", "cpp"}
    assert [row["variant"] for row in rows["updates"]] == ["", "bfloat16"]


def step(name, clock, seconds, error=None):
    def run(report, left):
        clock[0] += seconds
        report.add({"left": left})
        if error:
            raise error

    return name, run


def test_what_does_not_fit_is_left_out_and_what_fails_is_named(report, monkeypatch, capsys):
    clock = [0.0]
    monkeypatch.setattr(gpu.time, "monotonic", lambda: clock[0])
    first = [step(f"step {i}", clock, 4) for i in range(4)]
    error = MemoryError("no memory")
    second = [
        step("fails", clock, 1, error),
        step("short", clock, 1),
        step("long", clock, 20),
        step("never", clock, 1),
    ]
    assert gpu.measure_parts(report, [("first", first, 10), ("second", second, 7)]) == 1
    assert [row["left"] for row in report.content["rows"]] == [10.0, 6.0, 7.0, 6.0, 5.0]
    missing = [f"Left out, for want of time: {name}" for name in ("step 2", "step 3")]
    failed = ["**No figures for fails:** MemoryError: no memory", "Left out, for want of time: never"]
    assert report.content["notes"] == ["## first", *missing, "## second", *failed]
    assert all(text in capsys.readouterr().out for text in failed[:1])


def test_kernels_that_compute_something_else_have_no_figures(report, monkeypatch):
    exact = oracle.recurrence

    def wrong(given, backend):
        output = exact(given, backend=backend)
        return output if backend == "reference" else output * (1 + 1e-3)

    monkeypatch.setattr(oracle, "recurrence", wrong)
    assert gpu.measure_parts(report, [("agreement", gpu.steps("agreement", tiny=True), 60)]) == 2
    assert not report.content["rows"]
    assert "No figures for size 2, float32:** AssertionError: output: error" in report.content["notes"][1]


def test_numbers_that_no_kernel_writes_show():
    with oracle.poisoned_memory():
        assert torch.empty(3).isnan().all()
    assert not torch.are_deterministic_algorithms_enabled()
