"""
The fused recurrence's kernels fit into a GPU that is not here, and do there what they should, by their code.
"""

import csv

import pytest

pytest.importorskip("triton")
from allennlp_coref_rc.modules.recurrence import _triton_kernels
from scripts.benchmarks import registers
from tests.shared import PROJECT

KNOWN = PROJECT / "docs/results/gpu_registers.csv"

QUICK = [(64, "float32"), (50, "float32"), (128, "bfloat16"), (256, "float32")]
"""
Weights that stay on the chip, in rows that are no multiple of four, as many as a thread can hold, and weights
that do not stay there.
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """By launch and cell, what the installed Triton makes of the two kernels of the recurrence."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        wanted = [
            (launch["kernel"], capability, *cell, launch)
            for cell in QUICK
            for capability in (80, 90, 100)
            for launch in registers.launches(registers.Cell(*cell), capability)
            if launch["kernel"] in ("forward", "backward")
        ]
        found = registers.compile_all([launch for *_, launch in wanted])
    return {tuple(key): (launch, used) for (*key, launch), used in zip(wanted, found)}


def test_a_thread_loads_weights_of_one_output(compiled):
    """
    Triton 3.4 to 3.6 had spread weights otherwise, so that all sums went from thread to thread, and 3.7 had
    left weights in shared memory if their rows were not multiples of four.
    """
    assert len(compiled) == 24
    for key, (launch, used) in compiled.items():
        warps, size = launch["options"]["num_warps"], launch["constants"]["SIZE"]
        row = f"sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [{warps}], order = [0]"
        rows = f"sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [{warps}, 1], order = [1, 0]"
        single = launch["constants"]["ON_CHIP"] and (size % 4 or launch["kernel"] == "backward")
        assert used["layouts"] == [f"blocked<{{{row if single else rows}}}>"], key
        # The gates' numbers pass from thread to thread there, but no weights.
        assert used["shared"] <= 32 * launch["constants"]["BLOCK"] * 4, key


def test_a_step_takes_as_much_as_with_a_known_triton(compiled):
    with open(KNOWN, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["Triton"] == "3.7.1"]
    known = {(row["kernel"], int(row["GPU"][3:]), int(row["size"]), row["dtype"]): row for row in rows}
    for key, (launch, used) in compiled.items():
        assert registers.problems(launch, used) == [], key
        # In Triton 3.5, the sum over parts of all gates passes from thread to thread.
        is_sum = _triton_kernels.VERSION == (3, 5) and launch["kernel"] == "forward"
        assert (used["shuffles"], used["spills"]) == (4 * is_sum, 0), key
        assert used["barriers"] <= int(known[key]["barriers"]) + is_sum and used["registers"] > 100, key
        # Compilers unroll a loop over weights that do not stay on the chip as they like.
        most = (1.08 if is_sum else 1.05) if launch["constants"]["ON_CHIP"] else 1.25
        assert used["instructions"] <= most * int(known[key]["instructions"]), key


def test_what_is_in_a_loop():
    code = """
        /*0000*/                   MOV R1, c[0x0][0x28] ;  /* 0x00000a0000017a02 */
        /*0010*/                   LDL R2, [R1] ;
        /*0020*/                   SHFL.BFLY PT, R2, R2, 0x10, 0x1f ;
        /*0030*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0040*/               @P0 BRA 0x30 ;
        /*0050*/                   STL [R1], R2 ;
        /*0060*/              @!P0 BRA.U 0x10 ;
        /*0070*/                   SHFL.IDX PT, R2, R2, RZ, 0x1f ;
        /*0080*/                   BRA 0x80;
    """
    assert registers.in_loop(code) == {"instructions": 6, "shuffles": 1, "barriers": 1, "spills": 2}


@pytest.mark.slow
def test_registers_suffice(request, monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    every = request.config.getoption("every_cell")
    cells = [registers.Cell(size, *variant) for size in registers.SIZES for variant in registers.VARIANTS]
    launches = [
        launch
        for cell in (cells if every else [registers.Cell(128, "float32")])
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
