import json
import subprocess
from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.slow


@pytest.fixture
def gpu(load):
    return load("gpu")


@pytest.fixture
def page(load, tmp_path):
    return load("kit").Page(str(tmp_path / "new" / "page"), "Title", {"processor": "some"})


def contents(page_name):
    return json.loads(Path(f"{page_name}.json").read_text())["parts"], Path(f"{page_name}.md").read_text()


def test_a_tiny_kit_measures_everything_on_the_cpu(gpu, load, monkeypatch, tmp_path, capsys):
    """As it does without being asked where there is no GPU."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    name = str(tmp_path / "gpu")
    monkeypatch.setattr("sys.argv", ["gpu.py", "--output", name])
    assert gpu.main() == 0
    assert "found no GPU" in capsys.readouterr().err
    parts, text = contents(name)
    assert list(parts) == list(gpu.COLUMNS) and not any(part["left out"] for part in parts.values())
    assert [row[:3] for row in parts["agreement"]["rows"]] == [[2, "float32", 12], [7, "float32", 12]]
    recurrence = load("recurrence")
    layers = [row[4:6] for row in parts["recurrence"]["rows"] if row[5] != recurrence.ONNX]
    names = (recurrence.BASELINE, recurrence.LSTM, "C-GRU", "MAGE")
    assert layers == [[passes, name] for passes in ("forward+backward", "forward") for name in names]
    assert [row[3] for row in parts["updates"]["rows"]] == ["float32", "bfloat16"]
    ((_, trained, ended, epochs, *_, accuracy),) = parts["run"]["rows"]
    assert (trained, ended, epochs) == ("on the CPU", "yes", 1) and 0 <= accuracy <= 1
    lines = [line for line in text.splitlines() if line.startswith("| lambada")]
    assert len(lines) == 2 and "figures mean nothing" in text and all(f"## {part}" in text for part in parts)


def test_configs_and_parts_of_the_whole_kit_exist(gpu, load):
    read_config = load("batches").read_config
    arguments = gpu.options().parse_args([])
    for name in (*gpu.FULL.models, *gpu.TINY.models, arguments.config):
        assert "model" in read_config(name)
    parts = gpu.parts(gpu.FULL, arguments)
    assert sum(part.seconds for part in parts) == pytest.approx(arguments.seconds) and arguments.seconds <= 480
    steps = {part.name: [step.name for step in part.steps] for part in parts}
    assert len(steps["agreement"]) == 9 * 2 and len(steps["recurrence"]) == 5 * 2 * 2
    assert len(steps["updates"]) == 3 and len(steps["run"]) == 3
    only = gpu.parts(gpu.FULL, gpu.options().parse_args(["--only", "run"]))
    assert [(part.name, part.seconds) for part in only] == [("run", 480)]


class Clock:
    def __init__(self):
        self.now = 0.0

    def step(self, kit, name, seconds, rows=(), error=None):
        def run(left):
            self.now += seconds
            yield from rows
            yield [left]
            if error:
                raise error

        return kit.Step(name, run)


def test_what_does_not_fit_is_left_out_and_what_fails_is_named(load, page, monkeypatch, tmp_path):
    kit, clock = load("kit"), Clock()
    monkeypatch.setattr(kit.time, "monotonic", lambda: clock.now)
    first = kit.Part("first", "About.", 10, ["left"], [clock.step(kit, f"step {i}", 4) for i in range(4)])
    # Two seconds of the first part are left over.
    error = MemoryError("no memory")
    steps = [clock.step(kit, "fails", 1, error=error), clock.step(kit, "short", 1), clock.step(kit, "long", 20)]
    second = kit.Part("second", "About.", 5, ["left"], [*steps, clock.step(kit, "never", 1)])
    kit.measure([first, second], page)
    parts, text = contents(tmp_path / "new" / "page")
    assert parts["first"]["rows"] == [[10.0], [6.0]] and parts["first"]["left out"] == ["step 2", "step 3"]
    assert parts["second"]["rows"] == [[7.0], [6.0], [5.0]] and parts["second"]["left out"] == ["never"]
    assert parts["second"]["failed"] == {"fails": "MemoryError: no memory"} and page.failures == 1
    assert "Left out, for want of time: step 2; step 3." in text
    assert "**No figures for fails:** MemoryError: no memory" in text
    assert parts["first"]["seconds"] == 8


def test_a_kit_that_is_stopped_leaves_what_it_has_measured(load, page, tmp_path):
    kit = load("kit")
    steps = [Clock().step(kit, "stopped", 0, rows=[[1.5], [2.5]], error=KeyboardInterrupt())]
    with pytest.raises(KeyboardInterrupt):
        kit.measure([kit.Part("part", "About.", 9, ["value"], steps)], page)
    parts, text = contents(tmp_path / "new" / "page")
    assert parts["part"]["rows"][:2] == [[1.5], [2.5]] and "| 2.5 |" in text


def test_kernels_that_compute_something_else_have_no_figures(gpu, load, page, monkeypatch):
    agreement, kit = load("agreement"), load("kit")
    exact = agreement.recurrence

    def wrong(given, backend):
        output = exact(given, backend=backend)
        return output if backend == "reference" else output * (1 + 1e-4)

    monkeypatch.setattr(agreement, "recurrence", wrong)
    part = gpu.parts(gpu.TINY, gpu.options().parse_args(["--only", "agreement"]))
    kit.measure(part, page)
    found = page.content["parts"]["agreement"]
    assert not found["rows"] and list(found["failed"]) == ["size 2, float32", "size 7, float32"]
    assert "Disagreement: 0 relations: output is wrong by 1.0e-04" in found["failed"]["size 2, float32"]


def test_numbers_that_no_kernel_writes_show(load):
    agreement = load("agreement")
    with agreement.poisoned():
        assert torch.empty(3).isnan().all()
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize("accuracy, good", [(0.85, True), (0.5, False)])
def test_whole_runs_come_to_the_same(gpu, load, page, monkeypatch, accuracy, good):
    seen = []

    def train(command, **options):
        folder, overrides = Path(command[command.index("-s") + 1]), json.loads(command[-1])
        seen.append(overrides)
        assert options["timeout"] > 0
        folder.mkdir()
        if overrides["trainer.cuda_device"] < 0:
            for epoch in (9, 10):
                metrics = {"best_validation_accuracy": epoch / 100, "epoch": epoch}
                (folder / f"metrics_epoch_{epoch}.json").write_text(json.dumps(metrics))
            raise subprocess.TimeoutExpired(command, options["timeout"])
        found = accuracy if "trainer.use_amp" in overrides else 0.9
        (folder / "metrics.json").write_text(json.dumps({"best_validation_accuracy": found, "training_epochs": 3}))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(gpu.subprocess, "run", train)
    load("kit").measure(gpu.parts(gpu.FULL, gpu.options().parse_args(["--only", "run", "--task", "3"])), page)
    found = page.content["parts"]["run"]
    data = {"dataset_reader.folder": "bundled://simulated", "dataset_reader.task": 3}
    assert seen == [{**data, **trainer} for trainer in gpu.ON_GPU.values()]
    rows = [(*row[1:4], row[6]) for row in found["rows"]]
    stopped = ("on the CPU", "no", 11, 0.1)
    if good:
        assert rows == [("on the GPU", "yes", 4, 0.9), ("on the GPU, use_amp", "yes", 4, accuracy), stopped]
        assert not found["failed"]
    else:
        assert rows == [("on the GPU", "yes", 4, 0.9), stopped]
        (error,) = found["failed"].values()
        assert "runs come to different validation accuracies" in error
