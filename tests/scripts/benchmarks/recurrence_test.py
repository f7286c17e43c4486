import pytest
import torch

pytestmark = pytest.mark.slow

SMALL = ["--shape", 2, 5, 8, "--clusters", 2, "--rounds", 1, "--warm-up", 0]


def test_a_row_for_each_layer_and_pass(compare, load, monkeypatch):
    monkeypatch.setattr(load("recurrence"), "has_onnx", lambda: False)
    header, *rows = compare("recurrence", "Recurrence", *SMALL)
    assert header[:7] == ["batch", "tokens", "size", "passes", "layer", "backend", "clusters"]
    layers = [
        ("torch.nn.GRU", ""),
        ("0.75 torch.nn.LSTM", ""),
        ("C-GRU", "plain"),
        ("C-GRU", "cpp"),
        ("MAGE", "plain"),
        ("MAGE", "cpp"),
    ]
    passes = ("forward", "forward+backward")
    assert [tuple(row[3:6]) for row in rows] == [(name, *layer) for name in passes for layer in layers]


@pytest.mark.parametrize("layer", ["C-GRU", "GRU"])
def test_a_backend_that_computes_something_else_has_no_figures(load, capsys, monkeypatch, layer):
    recurrence = load("recurrence")
    monkeypatch.setattr(recurrence, "has_onnx", lambda: False)
    original = recurrence.Task.recurrence

    def wrong(task, competitor, coref):
        off = 1e-2 if competitor.backend == "cpp" and competitor.layer == layer else 0
        return original(task, competitor, coref) * (1 + off)

    monkeypatch.setattr(recurrence.Task, "recurrence", wrong)
    arguments = recurrence.options().parse_args(list(map(str, SMALL)))
    assert load("harness").compare(recurrence.Recurrence(arguments)) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "backend='cpp'" in captured.err and "differs from" in captured.err


def test_onnx_runtime_computes_the_same(load):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    recurrence = load("recurrence")
    arguments = recurrence.options().parse_args(list(map(str, [*SMALL, "--backends", "cpp"])))
    benchmark = recurrence.Recurrence(arguments)
    forward, both = benchmark.settings()
    layers = [[layer.layer for layer in benchmark.competitors(setting)] for setting in (forward, both)]
    assert recurrence.ONNX in layers[0] and recurrence.ONNX not in layers[1]
    assert benchmark.problems(forward) == []
    task = benchmark.task(forward)
    torch.testing.assert_close(task.onnx()(), task.gru(task.inputs)[0], rtol=0, atol=1e-6)


def test_the_token_before_of_the_same_cluster(load):
    clusters = torch.tensor([[0, 1, 0, 0, 2, 1]])
    assert load("recurrence").latest_of_same_cluster(clusters).tolist() == [[-1, -1, 0, 2, -1, 1]]
