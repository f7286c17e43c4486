import concurrent.futures
import ctypes
import functools
import logging
import math
import subprocess
import sys
from unittest.mock import Mock

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.modules.recurrence import (
    BACKENDS,
    NO_SOURCE,
    Edges,
    RecurrenceInput,
    _cpp,
    _library,
    recurrence,
    sequential_sources,
)
from allennlp_coref_rc.modules.recurrence.edges import joined
from scripts.benchmarks.recurrence_oracle import Case, assert_as_good_as

# The fused kernel has a test module of its own.
FAST_BACKENDS = [name for name in BACKENDS if name not in ("auto", "reference", "triton")]


@pytest.fixture(autouse=True)
def one_thread():
    """Where cores are shared, PyTorch's threads wait for each other at every small operation."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@functools.lru_cache(maxsize=None)
def oracle_of(*arguments):
    case = Case(*arguments)
    return case, case.run("reference", torch.float64), case.run("reference", torch.float32)


def check(backend, *arguments):
    """Whether a backend is as exact as the reference, in both dtypes, on a case of these arguments."""
    case, oracle, yardstick = oracle_of(*arguments)
    assert_as_good_as(case.run(backend, torch.float32), oracle, yardstick, torch.float32)
    assert_as_good_as(case.run(backend, torch.float64), oracle, oracle, torch.float64)


def loop(case):
    """The equations, computed one number at a time."""
    inputs, weight_hh, bias_hn = (case.tensors[name].numpy() for name in ("inputs", "weight_hh", "bias_hn"))
    mask = case.mask.numpy()
    (batch_size, length, _), size, width = inputs.shape, len(bias_hn), weight_hh.shape[1]
    memory = (
        case.tensors["memory"].numpy() if "memory" in case.tensors else numpy.zeros((batch_size, 0, size))
    )
    output = numpy.zeros((batch_size, length, size))

    def sigmoid(x):
        return 1 / (1 + math.exp(-x))

    for b in range(batch_size):
        done = set()
        for t in reversed(range(length)) if case.reverse else range(length):
            if not mask[b, t]:
                continue
            m = [0.0] * width
            for i, ((start, stop, *to), sources) in enumerate(zip(case.slices, case.sources)):
                for e in range(sources.size(2)):
                    source, weight = sources[b, t, e].item(), case.tensors[f"weights_{i}"][b, t, e].item()
                    for j, k in zip(range(start, stop), range(*(to or [start]), width)):
                        if source >= length:
                            m[k] += weight * memory[b, source - length, j]
                        elif source in done:
                            m[k] += weight * output[b, source, j]
            for j in range(size):
                hidden = [sum(weight_hh[k * size + j, i] * m[i] for i in range(width)) for k in range(3)]
                r = sigmoid(inputs[b, t, j] + hidden[0])
                z = sigmoid(inputs[b, t, size + j] + hidden[1])
                n = math.tanh(inputs[b, t, 2 * size + j] + r * (hidden[2] + bias_hn[j]))
                output[b, t, j] = (1 - z) * n + z * m[j]
            done.add(t)
    return output


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("memory_length", [None, 2])
@pytest.mark.parametrize("extra", [0, 1, 5])
def test_reference_is_the_equations(extra, memory_length, reverse):
    case = Case(5, 6, 3, memory_length, reverse, extra=extra)
    output = case.function("reference")(*case.tensors.values())
    numpy.testing.assert_allclose(output.numpy(), loop(case), rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["reference"] + FAST_BACKENDS)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("extra", [0, 3])
def test_gradcheck(backend, reverse, extra):
    case = Case(4, 3, 2, 2, reverse, extra=extra)
    tensors = [tensor.requires_grad_() for tensor in case.tensors.values()]
    # It compares the product of each gradient with random vectors.
    assert torch.autograd.gradcheck(case.function(backend), tensors, fast_mode=True)


@pytest.mark.parametrize("backend", FAST_BACKENDS)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("batch_size, memory_length", [(0, None), (1, 3), (5, None), (6, 3)])
@pytest.mark.parametrize("size", [2, 34, 100])
@pytest.mark.parametrize("length", [0, 1, 63])
def test_fast_backends_are_as_exact_as_the_reference(
    backend, length, size, batch_size, memory_length, reverse
):
    check(backend, batch_size, length, size, memory_length, reverse)


@pytest.mark.parametrize("backend", FAST_BACKENDS)
@pytest.mark.parametrize("size, extra", [(2, 1), (34, 34), (34, 67), (100, 28)])
def test_fast_backends_are_as_exact_where_more_is_read_than_the_state(backend, size, extra):
    check(backend, 6, 30, size, 3, size == 34, 0, extra)


@pytest.mark.parametrize("backend", FAST_BACKENDS)
@pytest.mark.parametrize("size, features", [(2, 1), (34, 20), (20, 67), (64, 128)])
@pytest.mark.parametrize("keys", [False, True])
def test_fast_backends_are_as_exact_where_they_project(backend, keys, size, features):
    # More sequences than a thread reads at the same time, and more tokens than are projected at once.
    check(backend, 11, 30, size, 3, size == 34, 0, 0, features, keys)


@pytest.mark.parametrize("backend", FAST_BACKENDS)
def test_a_sequence_is_projected_as_it_is_alone(backend):
    """
    The result does not depend on other sequences and padding in the batch, except for the rounding of
    PyTorch's matrix products.
    """
    case = Case(11, 30, 20, 3, features=7, keys=True)
    output = case.function(backend)(*case.tensors.values())
    for i in (0, 2, 3, 10):
        alone = Case(11, 30, 20, 3, features=7, keys=True)
        names = ("inputs", "memory", *(f"weights_{r}" for r in range(len(case.sources))))
        alone.tensors.update({name: case.tensors[name][i : i + 1] for name in names})
        alone.mask, alone.sources = case.mask[i : i + 1], [sources[i : i + 1] for sources in case.sources]
        other = alone.function(backend)(*alone.tensors.values())
        if backend == "cpp":
            assert torch.equal(other[0], output[i])
        else:
            torch.testing.assert_close(other[0], output[i])


def check_strides_and_partial_gradients(case, backend, dtype):
    expected = case.run("reference", dtype)["output"].to(dtype)
    tensors = {name: tensor.to(dtype, copy=True) for name, tensor in case.tensors.items()}
    tensors["inputs"] = tensors["inputs"].transpose(0, 1).contiguous().transpose(0, 1)
    tensors["weight_hh"] = tensors["weight_hh"].t().contiguous().t()
    tensors["memory"] = tensors["memory"].repeat(1, 1, 2)[:, :, :6]
    tensors["weights_1"] = tensors["weights_1"].transpose(1, 2).contiguous().transpose(1, 2)
    case.sources[1] = case.sources[1].transpose(1, 2).contiguous().transpose(1, 2)
    # Only some tensors ask for a gradient, and the upstream gradient is an expanded number.
    tensors["inputs"].requires_grad_()
    output = case.function(backend)(*tensors.values())
    torch.testing.assert_close(output.detach(), expected)
    (gradient,) = torch.autograd.grad(output.sum(), tensors["inputs"])
    case.upstream = torch.ones_like(case.upstream)
    torch.testing.assert_close(gradient, case.run("reference", dtype)["inputs"].to(dtype))
    with torch.no_grad():
        assert torch.equal(case.function(backend)(*tensors.values()), output)


@pytest.mark.parametrize("backend", FAST_BACKENDS)
@pytest.mark.parametrize("features, keys", [(None, False), (5, True)])
def test_any_strides_and_partial_gradients(backend, features, keys):
    case = Case(5, 7, 6, 2, features=features, keys=keys)
    check_strides_and_partial_gradients(case, backend, torch.float64)


@pytest.mark.parametrize("backend", ["reference"] + FAST_BACKENDS)
@pytest.mark.parametrize("features, keys", [(None, False), (5, False), (5, True)])
def test_masked_tokens_are_zero_and_change_nothing(backend, features, keys):
    case = Case(6, 9, 4, 2, features=features, keys=keys)
    output = case.function(backend)(*case.tensors.values())
    assert (output[~case.mask] == 0).all()
    for name, tensor in case.tensors.items():
        if name == "inputs" or name.startswith("weights"):
            tensor[~case.mask] = math.nan
    assert torch.equal(case.function(backend)(*case.tensors.values()), output)
    if features and backend != "cpp":
        # PyTorch's gradient of `weight_ih` multiplies masked inputs by zeros.
        case.tensors["inputs"].nan_to_num_()
    gradients = case.run(backend, torch.float64)
    assert (gradients["inputs"][~case.mask] == 0).all()
    assert all(gradient.isfinite().all() for gradient in gradients.values())


@pytest.mark.parametrize("backend", FAST_BACKENDS)
def test_two_runs_give_the_same_numbers(backend):
    case = Case(7, 20, 34, 2)
    first, second = case.run(backend, torch.float32), case.run(backend, torch.float32)
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("extra", [0, 1])
def test_the_reference_has_second_derivatives(extra):
    case = Case(2, 2, 1, extra=extra)
    tensors = [tensor.requires_grad_() for tensor in case.tensors.values()]
    assert torch.autograd.gradgradcheck(case.function("reference"), tensors)


@pytest.mark.parametrize("backend", ["auto"] + FAST_BACKENDS)
def test_second_derivatives_are_refused(backend):
    """
    A backward that is written by hand has none: of a gradient's penalty beside the loss, a part would be
    missing.
    """
    case = Case(3, 4, 2)
    tensors = [tensor.requires_grad_() for tensor in case.tensors.values()]
    for loss in (torch.sum, lambda states: states.square().sum()):
        with pytest.raises(ConfigurationError, match="create_graph.*'reference'"):
            torch.autograd.grad(loss(case.function(backend)(*tensors)), tensors[0], create_graph=True)
    with torch.no_grad():
        case.function(backend)(*tensors)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_do_not_change_the_compiled_loop(threads):
    case = Case(7, 20, 34, 2, features=20, keys=True)
    expected = case.run("cpp", torch.float32)
    torch.set_num_threads(threads)
    results = case.run("cpp", torch.float32)
    parameters = ("weight_ih", "bias", "keys", "weight_hh", "bias_hn")
    for name in expected:
        # Each thread adds up its own part of the parameters' gradients.
        assert torch.equal(results[name], expected[name]) or name in parameters


@pytest.mark.parametrize("backend", ["reference", "auto"] + FAST_BACKENDS)
def test_reduced_precision_inputs_are_promoted(backend):
    case = Case(5, 9, 6, 2)
    tensors = [tensor.float().requires_grad_() for tensor in case.tensors.values()]
    inputs = tensors[0].detach().bfloat16().requires_grad_()
    expected = case.function("reference")(inputs.float(), *tensors[1:])
    gradients = torch.autograd.grad(expected.sum(), tensors[1:], allow_unused=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = case.function(backend)(inputs, *tensors[1:])
    output.sum().backward()
    torch.testing.assert_close(output, expected)
    assert inputs.grad.dtype == torch.bfloat16
    for tensor, gradient in zip(tensors[1:], gradients):
        if gradient is not None:
            torch.testing.assert_close(tensor.grad, gradient, rtol=1e-5, atol=1e-5)


def check_saturation(case, backend):
    inputs, *others = (tensor.float() for tensor in case.tensors.values())
    for factor in (1e2, 1e4, 1e30):
        tensors = [inputs * factor, *others]
        torch.testing.assert_close(case.function(backend)(*tensors), case.function("reference")(*tensors))
    inputs[0, 1, 0] = math.nan
    assert case.function(backend)(inputs, *others)[0, 1, 0].isnan()


@pytest.mark.parametrize("backend", FAST_BACKENDS)
def test_large_inputs_saturate(backend):
    check_saturation(Case(2, 4, 4), backend)


@settings(deadline=None, max_examples=100)
@given(
    mask=st.integers(0, 7).flatmap(
        lambda length: st.lists(
            st.lists(st.booleans(), min_size=length, max_size=length), min_size=1, max_size=3
        )
    ),
    reverse=st.booleans(),
    start=st.none() | st.integers(7, 9),
)
def test_sequential_sources(mask, reverse, start):
    batch_size, length = len(mask), len(mask[0])
    starts = None if start is None else torch.arange(start, start + batch_size)
    sources = sequential_sources(torch.tensor(mask).bool().view(batch_size, length), reverse, starts)
    assert sources.shape == (batch_size, length, 1)
    for b in range(batch_size):
        for t in range(length):
            before = [s for s in range(length) if mask[b][s] and (s > t if reverse else s < t)]
            nothing = NO_SOURCE if start is None else start + b
            expected = (min(before) if reverse else max(before)) if before else nothing
            assert sources[b, t, 0] == expected


def test_unknown_backend():
    case = Case(1, 1, 2)
    with pytest.raises(ConfigurationError, match="'fast' .* auto, reference, plain, cpp"):
        case.function("fast")(*case.tensors.values())


@pytest.mark.parametrize(
    "change, message",
    [
        ({"inputs": torch.zeros(2, 3, 11)}, r"inputs has shape \(2, 3, 11\), expected \(2, 3, 12\)"),
        ({"inputs": torch.zeros(2, 3, 0)}, r"inputs has shape \(2, 3, 0\), expected an input_size above 0"),
        ({"mask": None}, "mask is NoneType, expected a dense tensor"),
        (
            {"weight_hh": torch.zeros(11, 4)},
            r"weight_hh has shape \(11, 4\), expected \(3 \* hidden_size, hidden_size",
        ),
        ({"mask": torch.ones(2, 4).bool()}, r"mask has shape \(2, 4\), expected \(2, 3\)"),
        ({"memory": torch.zeros(1, 2, 4)}, r"memory has shape \(1, 2, 4\), expected \(2, memory_length, 4\)"),
        (
            {"weight_ih": torch.zeros(12, 12)},
            "weight_ih and bias are given without each other, expected both or neither",
        ),
        ({"keys": torch.zeros(1, 12)}, "keys are given without weight_ih, expected both or neither"),
        ({"weights": torch.ones(2, 3, 2)}, r"edges\[0\].weights has shape \(2, 3, 2\), expected \(2, 3, 1\)"),
        ({"slice": (2, 5)}, r"edges\[0\] has the slice 2:5 of a state of size 4"),
        ({"sources": torch.zeros(2, 3, 1).int()}, r"edges\[0\].sources is torch.int32, expected torch.int64"),
        (
            {"sources": torch.full((2, 3, 1), 3)},
            r"edges\[0\] has the source 3, expected less than 3, the sequence",
        ),
    ],
)
def test_misfits(change, message):
    given = {
        "inputs": torch.zeros(2, 3, 12),
        "weight_hh": torch.zeros(12, 4),
        "bias_hn": torch.zeros(4),
        "mask": torch.ones(2, 3).bool(),
        "memory": None,
        "sources": torch.zeros(2, 3, 1).long(),
        "weights": torch.ones(2, 3, 1),
        "slice": (0, 4),
        **change,
    }
    edges = [Edges(given.pop("sources"), given.pop("weights"), *given.pop("slice"))]
    with pytest.raises(ConfigurationError, match=message):
        recurrence(RecurrenceInput(edges=edges, **given))


def test_what_the_compiled_backend_does_not_support():
    case = Case(1, 2, 2)
    tensors = [tensor.bfloat16() for tensor in case.tensors.values()]
    with pytest.raises(ConfigurationError, match="not supported: .* torch.bfloat16"):
        case.function("cpp")(*tensors)
    assert case.function("auto")(*tensors).dtype == torch.bfloat16


@pytest.mark.parametrize("compiler", ["no-such-compiler", "false"])
def test_without_a_compiler(compiler, tmp_path, monkeypatch, caplog, forgotten):
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    case = Case(3, 4, 2)
    expected = case.function("plain")(*case.tensors.values())
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert torch.equal(case.function("auto")(*case.tensors.values()), expected)
        with pytest.raises(ConfigurationError, match=f"not supported: .* could not be built: .*{compiler}"):
            case.function("cpp")(*case.tensors.values())
    assert caplog.text.count("runs in plain PyTorch instead") == 1


@pytest.mark.usefixtures("variant")
@pytest.mark.parametrize("size, extra, features", [(34, 0, 5), (20, 37, None), (64, 0, 64), (64, 0, 97)])
def test_code_of_every_instruction_set_is_as_exact(size, extra, features):
    # More sequences than a thread reads at the same time, and more tokens than backward keeps.
    check("cpp", 11, 30, size, 3, True, 0, extra, features, features is not None)


def test_instruction_set_is_that_of_torch(monkeypatch):
    library, _ = _cpp._load()
    for capability, variant in [("NO AVX", "default"), ("DEFAULT", "default"), ("SVE256", "default")]:
        monkeypatch.setattr(
            torch.backends.cpu, "get_cpu_capability", lambda capability=capability: capability
        )
        assert _cpp._variant(library) == variant
    for variant in _library.VARIANTS:
        monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", variant.upper)
        assert _cpp._variant(library) == variant


def test_without_openmp(monkeypatch):
    """Threads of the C++ library, where PyTorch's are not GNU OpenMP's."""
    case = Case(7, 20, 34, 2)
    torch.set_num_threads(3)
    expected = case.run("cpp", torch.float32)
    monkeypatch.setattr(_cpp, "_openmp", lambda: None)
    results = case.run("cpp", torch.float32)
    assert all(torch.equal(results[name], expected[name]) for name in expected)


@pytest.mark.parametrize(
    "needed", [("inputs", "weights_1"), ("weight_ih",), ("keys",), ("bias_hn", "memory")]
)
def test_gradients_that_nobody_needs(needed):
    case = Case(5, 9, 6, 2, features=4, keys="keys" in needed)
    expected = case.run("cpp", torch.float32)
    tensors = {name: tensor.float() for name, tensor in case.tensors.items()}
    for name in needed:
        tensors[name].requires_grad_()
    output = case.function("cpp")(*tensors.values())
    output.backward(case.upstream.float())
    for name, tensor in tensors.items():
        assert (
            tensor.grad is None
            if not tensor.requires_grad
            else torch.equal(tensor.grad.double(), expected[name])
        )


@pytest.fixture
def quick_compiler(tmp_path, monkeypatch):
    """A compiler that gives a copy of the library, and an empty cache."""
    library, _ = _cpp._load()
    program = tmp_path / "compiler"
    program.write_text(
        f'#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\n[ "$1" = --version ] || cp {library._name} "$1"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("CXX", str(program))
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_compiled_once_and_then_cached(quick_compiler, monkeypatch):
    started = Mock(side_effect=_library.compile_into)
    monkeypatch.setattr(_library, "compile_into", started)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        first, *others = (task.result() for task in [pool.submit(_library.build) for _ in range(4)])
    assert others == [first] * 3 and started.call_count == 1
    assert [path for path in quick_compiler.rglob("*") if path.is_file()] == [first]
    written = first.stat().st_mtime_ns
    assert _library.build().stat().st_mtime_ns == written


@pytest.mark.parametrize("compiler", ["there", "missing"])
def test_compiled_ahead_of_use(compiler, quick_compiler, monkeypatch):
    if compiler == "missing":
        monkeypatch.setenv("CXX", "no-such-compiler")
    done = subprocess.run([sys.executable, _library.__file__, "--build"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert quick_compiler.exists() == (compiler == "there")
    if compiler == "there":
        assert _library.is_whole(_library.cached())


def test_a_damaged_library_is_compiled_again(quick_compiler):
    """
    Loading one that was cut short would end the process by SIGBUS; an empty one would never be replaced.
    """
    library = _library.build()
    content = library.read_bytes()
    for damaged in (
        b"",
        content[:4096],
        content[:-1],
        content[:4096] + bytes([content[4096] ^ 1]) + content[4097:],
    ):
        library.write_bytes(damaged)
        assert not _library.is_whole(library)
    assert _library.build() == library and _library.is_whole(library)
    ctypes.CDLL(str(library))


@pytest.mark.parametrize("prebuilt", ["none", "damaged", "foreign", "whole"])
def test_a_prebuilt_library_is_taken_if_it_belongs_here(
    prebuilt, quick_compiler, tmp_path, monkeypatch, forgotten
):
    given = tmp_path / "prebuilt.so"
    content = _library.build().read_bytes()
    if prebuilt == "foreign":
        # A whole file, but made for another machine: the header of an ELF file says which.
        given.write_bytes(content[:18] + b"\xff\xff" + content[20 : -_library.DIGEST])
        _library._seal(given)
    elif prebuilt != "none":
        given.write_bytes(content if prebuilt == "whole" else content[:-1])
    monkeypatch.setattr(_library, "prebuilt", lambda: given)
    # That which the compiler copies was loaded before.
    _cpp._load.cache_clear()
    library, reason = _cpp._load()
    assert reason is None
    assert library._name == str(given if prebuilt == "whole" else _library.build())


def test_a_compiler_that_fails_leaves_nothing(tmp_path, monkeypatch):
    source = tmp_path / "wrong.cpp"
    source.write_text("this is no C++")
    monkeypatch.setattr(_library, "SOURCES", [source])
    with pytest.raises(subprocess.CalledProcessError) as error:
        _library.compile_into(tmp_path / "cache" / "library.so")
    assert "wrong.cpp" in error.value.stderr
    assert not list((tmp_path / "cache").iterdir())


def test_parts_of_one_tensor_are_joined_without_a_copy():
    whole = torch.randn(2, 3, 4)
    parts = whole.split([1, 0, 3], dim=2)
    assert joined(parts) is whole and joined([parts[0], parts[2]]) is whole
    others = [
        parts[::-1],
        parts[:1],
        [whole[:, :2, :1], whole[:, 1:, 1:]],
        [whole[..., :2], whole[..., :2]],
        [whole],
    ]
    others += [[torch.ones(()).expand(2, 3, 2), torch.ones(2, 3, 1)]]
    for tensors in others:
        assert torch.equal(joined(tensors), torch.cat(list(tensors), dim=-1))
