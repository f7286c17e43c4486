import ctypes
import functools
import logging
import subprocess
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional

import torch

from allennlp_coref_rc.modules.recurrence import _library
from allennlp_coref_rc.modules.recurrence.edges import Slice
from allennlp_coref_rc.modules.recurrence.recurrence_input import RecurrenceInput

logger = logging.getLogger(__name__)

SUFFIXES = {torch.float32: "float32", torch.float64: "float64"}


def why_not(given: RecurrenceInput) -> Optional[str]:
    """
    Why this backend can't run on this input; `None` if it can. Compiles it if that has not been done yet.
    """
    if given.inputs.device.type != "cpu":
        return f"the compiled recurrence runs on the CPU and the inputs are on {given.inputs.device}"
    if given.inputs.dtype not in SUFFIXES:
        return (
            f"the compiled recurrence computes in float32 and float64 and the inputs are {given.inputs.dtype}"
        )
    return _load()[1]


def cpp(given: RecurrenceInput) -> torch.Tensor:
    """
    `recurrence` with its time loop, forward and backward, in C++ (recurrence.cpp). Call `why_not` first.
    """
    inputs, edges, weight_hh, bias_hn, mask, memory, reverse, weight_ih, bias, keys, _ = given
    if keys is None:
        weights = [edge.weights.contiguous() for edge in edges]
    else:
        # Forward writes the edges' weights over those given.
        weights = [edge.weights.detach().clone(memory_format=torch.contiguous_format) for edge in edges]
    parameters = (weight_ih, bias, keys, weight_hh, bias_hn, memory)
    tensors = (
        inputs if inputs.stride(2) == 1 else inputs.contiguous(),
        *(tensor if tensor is None else tensor.contiguous() for tensor in parameters),
    )
    needs_grad = torch.is_grad_enabled() and any(
        x is not None and x.requires_grad for x in (*tensors, *weights)
    )
    sources = [edge.sources.contiguous() for edge in edges]
    slices = [edge.carried for edge in edges]
    steps = _Steps(mask.contiguous(), sources, slices, reverse)
    return _Recurrence.apply(needs_grad, steps, *tensors, *weights)


class _Steps(NamedTuple):
    """
    The steps in the order of time: the mask, the sources and the slice of each relation, and the direction.
    """

    mask: torch.Tensor
    sources: list[torch.Tensor]
    slices: list[Slice]
    reverse: bool


class _Recurrence(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        needs_grad: bool,
        steps: _Steps,
        inputs: torch.Tensor,
        weight_ih: Optional[torch.Tensor],
        bias: Optional[torch.Tensor],
        keys: Optional[torch.Tensor],
        weight_hh: torch.Tensor,
        bias_hn: torch.Tensor,
        memory: Optional[torch.Tensor],
        *weights: torch.Tensor,
    ) -> torch.Tensor:
        batch_size, length, _ = inputs.shape
        size = bias_hn.size(0)
        states = inputs.new_empty(batch_size, length, size)
        gates = inputs.new_empty(batch_size, length, 4 * size) if needs_grad else None
        tensors = {
            "inputs": inputs,
            "weight_ih": weight_ih,
            "bias": bias,
            "keys": keys,
            "weight_hh": weight_hh,
            "bias_hn": bias_hn,
            "memory": memory,
            "states": states,
            "gates": gates,
        }
        _call("forward", tensors, steps, weights)
        ctx.reverse, ctx.slices = steps.reverse, steps.slices
        # Of projected inputs backward needs nothing.
        kept = None if weight_ih is None else inputs
        read = (steps.mask, *steps.sources, *weights)
        ctx.save_for_backward(kept, weight_ih, keys, weight_hh, memory, states, gates, *read)
        return states

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_states: torch.Tensor) -> tuple[Optional[torch.Tensor], ...]:
        inputs, weight_ih, keys, weight_hh, memory, states, gates, mask, *rest = ctx.saved_tensors
        sources, weights = rest[: len(ctx.slices)], rest[len(ctx.slices) :]
        size = states.size(2)
        grad_inputs = grad_weight_ih = grad_bias = None
        if weight_ih is None:
            grad_inputs = states.new_empty(*states.shape[:2], 3 * size)
        else:
            grad_weight_ih, grad_bias = torch.zeros_like(weight_ih), states.new_zeros(3 * size)
            if ctx.needs_input_grad[2]:
                grad_inputs = states.new_empty(inputs.shape)
        grad_weight_hh, grad_bias_hn = torch.zeros_like(weight_hh), states.new_zeros(size)
        grad_memory, grad_keys = (
            None if tensor is None else torch.zeros_like(tensor) for tensor in (memory, keys)
        )
        grad_weights = [
            torch.zeros_like(weight) if needed or keys is not None else None
            for weight, needed in zip(weights, ctx.needs_input_grad[-len(weights) :])
        ]
        names = "inputs", "weight_ih", "bias", "keys", "weight_hh", "bias_hn", "memory"
        grads = (grad_inputs, grad_weight_ih, grad_bias, grad_keys, grad_weight_hh, grad_bias_hn, grad_memory)
        tensors = {
            "inputs": inputs,
            "weight_ih": weight_ih,
            "keys": keys,
            "weight_hh": weight_hh,
            "memory": memory,
            "states": states,
            "gates": gates,
            "grad_states": grad_states.clone(memory_format=torch.contiguous_format),
            **{f"grad_{name}": grad for name, grad in zip(names, grads)},
        }
        steps = _Steps(mask, sources, ctx.slices, ctx.reverse)
        _call("backward", tensors, steps, weights, grad_weights)
        return (None, None, *grads, *(grad_weights if keys is None else [None] * len(weights)))


class _Relation(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("sources", "weights", "grad_weights")] + [
        (name, ctypes.c_int64) for name in ("edges", "start", "stop", "to")
    ]


_NUMBERS = """
    batch length memory_length size width features threads num_relations reverse inputs_batch_stride inputs_time_stride
""".split()

_ARRAYS = """
    mask inputs weight_ih bias keys weight_hh bias_hn memory states gates
    grad_states grad_memory grad_inputs grad_weight_ih grad_bias grad_keys grad_weight_hh grad_bias_hn
""".split()


class _Problem(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int64) for name in _NUMBERS),
        ("relations", ctypes.POINTER(_Relation)),
        *((name, ctypes.c_void_p) for name in ("parallel", *_ARRAYS)),
    ]


def _call(
    name: str,
    tensors: dict[str, Optional[torch.Tensor]],
    steps: _Steps,
    weights: Sequence[torch.Tensor],
    grad_weights: Sequence[Optional[torch.Tensor]] = (),
) -> None:
    mask, sources, slices, reverse = steps
    relations = (_Relation * len(sources))()
    for i, carried in enumerate(slices):
        grad = grad_weights[i] if grad_weights else None
        addresses = (None if x is None else x.data_ptr() for x in (sources[i], weights[i], grad))
        relations[i] = _Relation(*addresses, sources[i].size(2), *carried)
    given = {key: tensor for key, tensor in {**tensors, "mask": mask}.items() if tensor is not None}
    states, inputs, memory = given["states"], given.get("inputs"), given.get("memory")
    problem = _Problem(
        batch=states.size(0),
        length=states.size(1),
        memory_length=0 if memory is None else memory.size(1),
        size=states.size(2),
        width=given["weight_hh"].size(1),
        features=given["weight_ih"].size(1) if "weight_ih" in given else 0,
        threads=torch.get_num_threads(),
        num_relations=len(relations),
        reverse=reverse,
        inputs_batch_stride=0 if inputs is None else inputs.stride(0),
        inputs_time_stride=0 if inputs is None else inputs.stride(1),
        relations=relations,
        parallel=_openmp(),
        **{key: tensor.data_ptr() for key, tensor in given.items()},
    )
    run = function(name, states.dtype)
    assert run is not None
    run(ctypes.byref(problem))


@functools.lru_cache(maxsize=None)
def _openmp() -> Optional[int]:
    """
    The function by which the threads that PyTorch has started already run ours too, if they are GNU OpenMP's.
    """
    try:
        return ctypes.cast(ctypes.CDLL(None).GOMP_parallel, ctypes.c_void_p).value
    except (AttributeError, OSError):
        return None


def function(name: str, dtype: torch.dtype) -> Optional[Callable[..., None]]:
    """The library's function for numbers of this type and for this processor, or `None` if there is none."""
    library = _load()[0]
    if library is None or dtype not in SUFFIXES:
        return None
    return getattr(library, f"{name}_{SUFFIXES[dtype]}_{_variant(library)}")


def _variant(library: ctypes.CDLL) -> str:
    """
    The instruction set that PyTorch uses, which ATEN_CPU_CAPABILITY may lower, if the library has code for
    it.
    """
    name = torch.backends.cpu.get_cpu_capability().lower()
    return name if hasattr(library, f"forward_float32_{name}") else "default"


@functools.lru_cache(maxsize=None)
def _load() -> tuple[Optional[ctypes.CDLL], Optional[str]]:
    """
    The compiled library, or `None` and the reason why there is none. A library that cannot be loaded here is
    ignored.
    """
    prebuilt = _library.prebuilt()
    if _library.is_whole(prebuilt):
        try:
            return ctypes.CDLL(str(prebuilt)), None
        except OSError as error:
            logger.info("Cannot load %s, so the recurrence is compiled: %s", prebuilt, error)
    try:
        return ctypes.CDLL(str(_library.build())), None
    except (OSError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", None) or ""
        return None, f"the compiled recurrence could not be built: {error} {output}".strip()
