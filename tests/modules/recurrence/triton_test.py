"""
The fused kernel, on a GPU where there is one and else in Triton's interpreter, which is slow: hence small
sizes.
"""

import functools
import importlib
import itertools
import logging
import math
import sys
import types

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.data.annotation_layers.edges import PADDING
from allennlp_coref_rc.modules.recurrence import (
    Edges,
    RecurrenceInput,
    _triton,
    dispatch,
    recurrence,
    sequential_sources,
)
from allennlp_coref_rc.modules.seq2seq_encoders import CorefGRU, recurrent_encoder
from scripts.benchmarks.recurrence_oracle import Case, assert_as_good_as, poisoned_memory
from tests.modules.recurrence.recurrence_test import (
    check_saturation,
    check_strides_and_partial_gradients,
    one_thread,  # noqa: F401
)

pytestmark = pytest.mark.slow

DEVICE = (
    torch.device("cuda", torch.cuda.current_device()) if torch.cuda.is_available() else torch.device("cpu")
)


def without_edges(inputs, size):
    mask = torch.ones(inputs.shape[:2], dtype=torch.bool, device=inputs.device)
    return RecurrenceInput(inputs, [], inputs.new_zeros(3 * size, size), inputs.new_zeros(size), mask)


REASON = _triton.why_not(without_edges(torch.empty(1, 1, 3, device=DEVICE), 1))

needs_triton = pytest.mark.skipif(REASON is not None, reason=str(REASON))


@pytest.fixture(autouse=True)
def poisoned():
    with poisoned_memory():
        assert torch.utils.deterministic.fill_uninitialized_memory
        assert torch.empty(3, device=DEVICE).isnan().all()
        yield


@pytest.fixture(autouse=True, scope="module")
def language_made_ready_once():
    """
    Triton's interpreter makes its language ready for a kernel, and again for each call of a function in it,
    which changes nothing more and takes a third of the time.
    """
    with pytest.MonkeyPatch.context() as patch:
        if REASON is None and DEVICE.type == "cpu":
            function = importlib.import_module("triton.runtime.interpreter").InterpretedFunction
            patch.setattr(function, "__call__", lambda self, *args, **kwargs: self.rewrite()(*args, **kwargs))
        yield


@functools.lru_cache(maxsize=None)
def case_of(*arguments):
    case = Case(*arguments).on(DEVICE)
    return case, case.run("reference", torch.float64)


def check(case, oracle, dtype=torch.float32):
    results = case.run("triton", dtype)
    assert_as_good_as(results, oracle, case.run("reference", dtype), dtype)
    return results


@needs_triton
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    "batch_size, length, size, memory_length, reverse",
    [
        (1, 1, 2, None, False),
        (5, 1, 34, 3, True),
        (3, 4, 2, None, True),
        (3, 4, 2, 3, False),
        (3, 4, 34, 3, True),
        (3, 4, 34, None, False),
    ],
)
def test_as_exact_as_the_reference(batch_size, length, size, memory_length, reverse, dtype):
    check(*case_of(batch_size, length, size, memory_length, reverse), dtype)


@needs_triton
@pytest.mark.parametrize("features, keys", [(5, False), (5, True), (40, True)])
def test_inputs_of_any_size_are_projected(features, keys):
    check(*case_of(3, 4, 10, 3, True, 0, 0, features, keys))


@pytest.fixture
def products_of_bfloat16(monkeypatch):
    """
    Triton's interpreter keeps bfloat16 as integers, and multiplies those in `tl.dot`; here it multiplies
    numbers.
    """
    interpreter = pytest.importorskip("triton.runtime.interpreter")
    create_dot = interpreter.InterpreterBuilder.create_dot

    def as_numbers(handle):
        if handle.dtype.scalar.name != "bf16":
            return handle
        numbers = (handle.data.astype(numpy.uint32) << 16).view(numpy.float32)
        return interpreter.TensorHandle(numbers, interpreter.tl.float32)

    def dot(self, a, b, *rest):
        return create_dot(self, as_numbers(a), as_numbers(b), *rest)

    monkeypatch.setattr(interpreter.InterpreterBuilder, "create_dot", dot)


@needs_triton
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "dtype, shared, held",
    [(torch.float32, 0, 0), (torch.bfloat16, 0, 0), (torch.bfloat16, 3 * 64 * 16 * 2, 16)],
)
def test_weights_that_do_not_all_stay_on_the_chip(
    dtype, shared, held, reverse, monkeypatch, products_of_bfloat16
):
    """
    With room for 16 inputs' weights in shared memory, in bfloat16 those are held and the other 18 are not.
    """
    monkeypatch.setattr(_triton, "MAX_SIZE_ON_CHIP", 0)
    monkeypatch.setattr(_triton, "CHUNK_ELEMENTS", 16 * 64)
    monkeypatch.setattr(_triton, "_shared_memory", lambda device: shared + _triton.OTHER_SHARED_MEMORY)
    assert _triton._options(torch.empty(0, dtype=dtype), 34, None, (), reverse)["HELD"] == held
    check(*case_of(3, 3, 34, 2, reverse), dtype)


@pytest.mark.parametrize("kibibytes, at_256, at_512", [(227, 128, 64), (163, 64, 32), (40, 0, 0)])
def test_what_is_held_fits_into_shared_memory(kibibytes, at_256, at_512, monkeypatch):
    """An H100 has 227 KiB, an A100 163."""
    monkeypatch.setattr(_triton, "_shared_memory", lambda device: 1024 * kibibytes)
    assert [_triton._held(block, DEVICE) for block in (256, 512)] == [at_256, at_512]


def test_packed_weights():
    """
    A product of packed weights and a vector in the kernels' shapes is the product of the matrix and the
    vector.
    """
    generator = torch.Generator().manual_seed(0)
    weight, vector = (
        torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in ((3, 5, 5), (5,))
    )
    for held, depth, parts in [(0, 4, 1), (0, 2, 2), (2, 1, 1)]:
        options = {"BLOCK": 16, "DEPTH": depth, "PARTS": parts, "HELD": held, "ON_CHIP": False}
        rest, first = _triton._packed(weight, options)
        padded = torch.nn.functional.pad(vector[held:], (0, depth * parts * 4 - (5 - held)))
        product = (rest * padded.view(depth, parts, 1, 4)).sum((1, 2, 4))
        if held:
            product += first @ vector[:held]
        torch.testing.assert_close(product[:, :5], weight @ vector)
        assert (product[:, 5:] == 0).all()


@needs_triton
@pytest.mark.skipif(DEVICE.type == "cpu", reason="too slow in Triton's interpreter")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_sizes_for_a_gpu(dtype):
    for size, reverse in itertools.product([2, 34, 64, 100, 128, 200, 256, 512], [False, True]):
        check(*case_of(37, 63, size, 5, reverse), dtype)


@needs_triton
def test_without_edges_and_with_one_relation():
    case = Case(3, 4, 5).on(DEVICE)
    tensors = {name: case.tensors[name].float() for name in ("inputs", "weight_hh", "bias_hn")}
    sources = sequential_sources(case.mask)
    for edges in ([], [Edges(sources, torch.ones(sources.shape, device=DEVICE), 0, 5)]):
        outputs = [
            recurrence(RecurrenceInput(edges=edges, mask=case.mask, **tensors), backend=backend)
            for backend in ("triton", "reference")
        ]
        torch.testing.assert_close(*outputs)


@needs_triton
def test_any_strides_and_partial_gradients():
    check_strides_and_partial_gradients(Case(5, 4, 6, 2).on(DEVICE), "triton", torch.float32)


@needs_triton
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("annotated", [True, False])
def test_both_directions_of_a_layer_are_projected_at_once(annotated, dtype, monkeypatch):
    """As on a GPU. Each direction then reads a part of longer rows, and gets a part of a gradient's rows."""
    monkeypatch.setattr(recurrent_encoder, "spares_launches", lambda tensor: True)
    case = Case(3, 4, 6, features=5).on(DEVICE)
    edges = torch.where(case.sources[1] < 0, PADDING, case.sources[1])
    layers = {"coref": {"antecedents": edges, "descendants": edges.flip(1)}} if annotated else None
    results = {}
    for backend, type_ in (("reference", torch.float64), ("reference", dtype), ("triton", dtype)):
        torch.manual_seed(0)
        encoder = CorefGRU(5, 6, backend=backend).to(DEVICE, type_)
        torch.nn.init.normal_(encoder.bias_hh_l0), torch.nn.init.normal_(encoder.bias_ih_l0_reverse)
        inputs = case.tensors["inputs"].to(type_).requires_grad_()
        output = encoder(inputs, case.mask, layers)
        used = {name: x for name, x in encoder.named_parameters() if annotated or "keys" not in name}
        upstream = torch.cat([case.upstream, case.upstream.flip(0)], dim=-1).to(type_)
        gradients = torch.autograd.grad(output, [inputs, *used.values()], upstream)
        found = dict(zip(["output", "inputs", *used], (x.detach().double() for x in (output, *gradients))))
        results[backend, type_] = found
    exact, yardstick = results["reference", torch.float64], results["reference", dtype]
    assert_as_good_as(results["triton", dtype], exact, yardstick, dtype)


@needs_triton
def test_masked_tokens_are_zero_and_change_nothing():
    case = Case(4, 4, 4, 2).on(DEVICE)
    results = case.run("triton", torch.float32)
    assert (results["output"][~case.mask] == 0).all()
    assert (results["inputs"][~case.mask] == 0).all()
    for name, tensor in [*case.tensors.items(), ("upstream", case.upstream)]:
        if name in ("inputs", "upstream") or name.startswith("weights"):
            tensor[~case.mask] = math.nan
    again = case.run("triton", torch.float32)
    assert all(torch.equal(results[name], again[name]) for name in results)


@needs_triton
def test_autocast():
    """In bfloat16 it computes in bfloat16, as autocast's products do; float16 the kernels do not take."""
    case, oracle = case_of(5, 4, 6, 2, False, 0, 0, 5, True)
    with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
        results = case.run("triton", torch.float32)
    assert_as_good_as(results, oracle, case.run("reference", torch.bfloat16), torch.bfloat16)
    tensors = [tensor.float() for tensor in case.tensors.values()]
    for dtype, returned in ((torch.bfloat16, torch.bfloat16), (torch.float16, torch.float32)):
        with torch.autocast(DEVICE.type, dtype=dtype):
            assert case.function("triton")(*tensors).dtype == returned


@needs_triton
def test_large_inputs_saturate():
    check_saturation(Case(2, 3, 4).on(DEVICE), "triton")


@pytest.mark.parametrize(
    "dtype, size, message",
    [
        (torch.float64, 2, "takes float32 and bfloat16 and the inputs are torch.float64"),
        (torch.float32, 513, "takes states of up to 512 numbers and these have 513"),
    ],
)
def test_what_it_does_not_support(dtype, size, message):
    given = without_edges(torch.zeros(1, 1, 3 * size, dtype=dtype), size)
    with pytest.raises(ConfigurationError, match=f"not supported: .*{message}.*'triton'"):
        recurrence(given, backend="triton")
    few = given._replace(
        inputs=given.inputs[..., :1], weight_ih=given.inputs[0, 0, :, None], bias=given.inputs[0, 0]
    )
    with pytest.raises(ConfigurationError, match=message):
        recurrence(few, backend="triton")


@pytest.mark.parametrize("extra", [0, 2])
def test_parts_that_are_read_elsewhere_are_not_supported(extra):
    case = Case(2, 3, 4, extra=extra)
    case.slices = [(0, 2, 0), (2, 4, 2), (0, 2, 2), (0, 4, 0)]
    with pytest.raises(ConfigurationError, match="not supported: .* these edges move some"):
        case.function("triton")(*(tensor.float() for tensor in case.tensors.values()))
    assert case.function("auto")(*(tensor.float() for tensor in case.tensors.values())).shape == (2, 3, 4)


def test_without_triton(forgotten, monkeypatch, caplog):
    name = "allennlp_coref_rc.modules.recurrence._triton_kernels"
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delattr("allennlp_coref_rc.modules.recurrence._triton_kernels", raising=False)
    monkeypatch.setitem(sys.modules, "triton", None)
    case = Case(2, 3, 2)
    with pytest.raises(ConfigurationError, match="not supported: the fused recurrence needs Triton"):
        case.function("triton")(*(tensor.float() for tensor in case.tensors.values()))
    # These are treated as inputs on a GPU would be.
    inputs = types.SimpleNamespace(device=torch.device("cuda"), dtype=torch.float32, size=lambda dim: 6)
    given = RecurrenceInput(inputs, [], torch.zeros(6, 2), torch.zeros(2), torch.ones(1, 1))
    for _ in range(2):
        assert dispatch._backend("auto", given).__name__ == "plain"
    # The screen shows warnings alone.
    (record,) = caplog.records
    assert record.levelno == logging.WARNING and "runs in plain PyTorch instead" in record.message


@needs_triton
def test_on_the_cpu_only_in_the_interpreter(forgotten, monkeypatch):
    monkeypatch.setattr("allennlp_coref_rc.modules.recurrence._triton_kernels.INTERPRETED", False)
    case = Case(2, 3, 2)
    with pytest.raises(ConfigurationError, match="not supported: .* runs on a GPU and the inputs are on cpu"):
        case.function("triton")(*(tensor.float() for tensor in case.tensors.values()))


@needs_triton
def test_an_older_triton(forgotten, monkeypatch):
    monkeypatch.setattr("allennlp_coref_rc.modules.recurrence._triton_kernels.VERSION", (3, 4))
    reason = _triton.why_not(without_edges(torch.zeros(1, 1, 6, device=DEVICE), 2))
    assert (
        reason == "the fused recurrence needs Triton 3.5 (which torch 2.9 brings) or newer, and this is 3.4"
    )


@needs_triton
def test_a_device_without_what_triton_needs(forgotten, monkeypatch):
    class Broken:
        def __getitem__(self, grid):
            raise RuntimeError("no C compiler")

    monkeypatch.setattr("allennlp_coref_rc.modules.recurrence._triton_kernels.one", Broken())
    inputs = torch.zeros(1, 1, 6, device=DEVICE)
    reason = _triton.why_not(without_edges(inputs, 2))
    assert reason.startswith(f"Triton can't run a kernel on {DEVICE}: RuntimeError: no C compiler (")
    assert "headers of Python; coref-rc environment" in reason
