import json
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def test_it_stops_where_there_is_no_gpu(load, capsys, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert load("gpu").main() == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "there is no GPU here" in captured.err


def test_the_parts_are_benchmarks_with_options_and_configs_that_exist(load):
    gpu, read_config = load("gpu"), load("batches").read_config
    for name in (*gpu.CNN, *gpu.NARRATIVEQA[1:], gpu.options().parse_args([]).config):
        assert "model" in read_config(name)
    for part in gpu.PARTS.values():
        arguments = part.options().parse_args(part.arguments)
        benchmark = part.benchmark(arguments)
        for setting in benchmark.settings():
            assert len(benchmark.competitors(setting)) > 1


@pytest.mark.parametrize("accuracy, good", [(0.85, True), (0.5, False)])
def test_whole_runs_come_to_the_same(load, capsys, monkeypatch, tmp_path, accuracy, good):
    gpu, seen = load("gpu"), []

    def train(command, **_):
        folder, overrides = Path(command[command.index("-s") + 1]), json.loads(command[-1])
        seen.append(overrides)
        folder.mkdir()
        found = 0.9 if overrides["trainer.cuda_device"] < 0 else accuracy
        (folder / "metrics.json").write_text(json.dumps({"best_validation_accuracy": found, "training_epochs": 3}))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(gpu.subprocess, "run", train)
    arguments = gpu.options().parse_args(["--json", str(tmp_path / "gpu")])
    arguments.device, arguments.json = "cpu", gpu.json_file(arguments, "run")
    if not good:
        with pytest.raises(gpu.ConfigurationError, match="runs come to different accuracies"):
            gpu.compare_runs(arguments)
        return
    gpu.compare_runs(arguments)
    assert seen == list(gpu.TRAINERS.values())
    rows = json.loads((tmp_path / "gpu-run.json").read_text())["rows"]
    assert [row["epochs"] for row in rows] == [4, 4, 4]
    assert [row["validation accuracy"] for row in rows] == [0.9, 0.85, 0.85]
