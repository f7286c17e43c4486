"""The fused recurrence's kernels fit into a GPU that is not here, as the compiler sees it."""

import pytest

pytest.importorskip("triton")
from scripts.benchmarks import registers

pytestmark = pytest.mark.slow

TIGHTEST = (128, "float32", "edges, memory")
"""Here a thread holds 192 weights, of at most 255 registers. `--every-cell` compiles all others too."""


def test_registers_suffice(request, monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    every = request.config.getoption("every_cell")
    cells = [registers.Cell(size, *variant) for size in registers.SIZES for variant in registers.VARIANTS]
    launches = [
        launch
        for cell in (cells if every else [registers.Cell(*TIGHTEST)])
        for capability in (registers.SHARED if every else (90,))
        for launch in registers.launches(cell, capability)
    ]
    found = list(registers.compile_all(launches))
    assert len(found) == len(launches) >= 5
    for launch, used in zip(launches, found):
        assert used["registers"] > 16 and not registers.problems(launch, used), (launch, used)


def test_problems():
    fits = {"registers": 255, "stack": 0, "shared": 163 * 1024, "threads": 256}
    launch = {"capability": 80}
    assert registers.problems(launch, fits) == []
    assert registers.problems(launch, {**fits, "stack": 8}) == ["stack: found 8, expected at most 0"]
    # 121 registers are given out as 128.
    assert registers.problems(launch, {**fits, "registers": 121, "threads": 512}) == []
    (text,) = registers.problems(launch, {**fits, "registers": 129, "threads": 512})
    assert text == "registers: found 69632, expected at most 65536"
    (text,) = registers.problems(launch, {**fits, "shared": 163 * 1024 + 1})
    assert text == "shared memory: found 166913, expected at most 166912"
    assert registers.problems({"capability": 90}, {**fits, "shared": 163 * 1024 + 1}) == []


def test_launches_are_those_of_the_layer():
    """Two kernels in training without edges, five with edges, and those of forward in inference."""
    names = {
        cell: [launch["kernel"] for launch in registers.launches(registers.Cell(20, "bfloat16", *cell), 90)]
        for cell in [("nothing", True), ("edges", True), ("edges, memory", False)]
    }
    assert names == {
        ("nothing", True): ["forward", "backward"],
        ("edges", True): ["edge_sources", "edge_weights", "forward", "backward", "edge_gradients"],
        ("edges, memory", False): ["edge_sources", "edge_weights", "forward"],
    }
    *_, launch = registers.launches(registers.Cell(20, "bfloat16", training=False), 90)
    assert launch["types"]["inputs"] == launch["types"]["memory"] == "*bf16"
    assert launch["constants"]["SIZE"] == 20 and launch["constants"]["gates"] is None
    assert launch["options"]["enable_fp_fusion"] is True
