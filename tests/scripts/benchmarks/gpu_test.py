import json
import os
import subprocess
from argparse import Namespace
from functools import partial
from pathlib import Path

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
    started = []
    monkeypatch.setattr(gpu, "reproduce", lambda *arguments: started.append(arguments[:2]))
    assert benchmarks.measure(["gpu", "--seconds", "900"]) == 0
    text = capsys.readouterr().out
    assert "figures mean nothing" in text and "No figures" not in text and "Left out" not in text
    parts = [part.partition("\n\n")[::2] for part in text.split("\n## ")[1:]]
    assert tuple(part.strip() for part, _ in parts) == gpu.PARTS
    rows = {
        part: table(f"| machine | instruction set |\n\n{lines}")
        for part, lines in parts
        if part in ("recurrence", "agreement", "updates", "devices")
    }
    assert [(row["size"], row["cases"]) for row in rows["agreement"]] == [("2", "16"), ("7", "16")]
    assert [row["model"] for row in rows["devices"]] == list(gpu.READERS)
    assert {row["backend"] for row in rows["recurrence"]} == {"", "cpp"}
    assert "| tokens | kernel |" in parts[3][1] and "| no edges | forward, nothing saved |" in parts[4][1]
    assert [row["variant"] for row in rows["updates"]] == ["", "bfloat16"]
    assert started == [("cpu", {})] and "| training_loss |" in parts[-1][1]


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


def test_another_version(report, monkeypatch):
    def measures(command, cwd, env, **options):
        assert command[3:6] == ["recurrence", "--clusters", "2"] and env["PYTHONPATH"].startswith(
            cwd + os.pathsep
        )
        row = {"layer": "C-GRU", "clock ms": {"median": 2.0, "min": 1.0, "max": 3.0}}
        command[-1].write_text(json.dumps({"rows": [row]}))

    monkeypatch.setattr(gpu.subprocess, "run", measures)
    *_, (name, measure) = gpu.steps("recurrence", True, "/older")
    measure(report, 9)
    row = {"version": "/older", "layer": "C-GRU", "clock ms": {"median": 2.0, "min": 1.0, "max": 3.0}}
    assert report.content["rows"] == [row] and name.endswith(", in /older")


def test_why_reproduce_fails(report, monkeypatch):
    def ends(command, env, **options):
        folder = Path(command[command.index("--output") + 1], "run")
        folder.mkdir(parents=True)
        (folder / "log.txt").write_text("the last line")
        assert env["PYTORCH_NVML_BASED_CUDA_CHECK"] == "1" and "--gpus" not in command
        return subprocess.CompletedProcess(command, -11, "a message")

    monkeypatch.setattr(gpu.subprocess, "run", ends)
    assert gpu.measure_parts(
        report, [("", [("", partial(gpu.reproduce, *gpu.REPRODUCTIONS["reproduce_nvml"]))], 9)]
    )
    assert report.content["notes"][1].endswith("status -11\nthe last line\na message")


def test_numbers_that_no_kernel_writes_show():
    with oracle.poisoned_memory():
        assert torch.empty(3).isnan().all()
    assert not torch.are_deterministic_algorithms_enabled()
