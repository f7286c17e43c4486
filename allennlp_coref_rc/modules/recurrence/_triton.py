import functools
import math
from typing import Any, NamedTuple, Optional

import torch
from torch.nn.functional import pad

from allennlp_coref_rc.data.annotation_layers.edges import FIRST_MENTION, OTHER_SEQUENCE
from allennlp_coref_rc.modules.recurrence.edges import joined
from allennlp_coref_rc.modules.recurrence.recurrence_input import RecurrenceInput

DTYPES = (torch.float32, torch.bfloat16)

MAX_SIZE = 512

MAX_SIZE_ON_CHIP = 128
"""
Up to here the recurrent weights fit into one multiprocessor's registers (3 x 128 x 128 numbers of 4 bytes).
"""

MIN_BLOCK = 32

MIN_TRITON = (3, 5)
"""Earlier releases (of torch before 2.9) multiply no single column, and some index no tuple."""

CHUNK_ELEMENTS = 8192
"""How many of one gate's recurrent weights are read at once where they don't stay on the chip."""

REGISTERS = 65536
"""The registers of a multiprocessor, the same on every GPU that `MIN_CAPABILITY` allows."""

OTHER_SHARED_MEMORY = 24 * 1024
"""Bytes of shared memory that the kernels need for the exchange between threads, at most."""

MIN_CAPABILITY = (8, 0)

EDGE_OPTIONS = ("RELATIONS", "NUM_RELATIONS", "EDGES", "SIZE", "num_stages", "enable_fp_fusion")
"""The options that `edge_weights` and `edge_gradients` share with the other kernels."""

TOKENS = 128
"""How many tokens a program of `edge_weights` takes."""

SCANNED_TOKENS = 1024
"""How many tokens a program of `edge_sources` takes at once."""


def why_not(given: RecurrenceInput) -> Optional[str]:
    """Why this backend can't run on this input; `None` if it can."""
    inputs = given.inputs
    # Inputs that are not projected yet may be of any size.
    size = given.weight_hh.size(0) // 3
    if inputs.dtype not in DTYPES:
        return f"the fused recurrence takes float32 and bfloat16 and the inputs are {inputs.dtype}"
    if size > MAX_SIZE:
        return f"the fused recurrence takes states of up to {MAX_SIZE} numbers and these have {size}"
    if given.weight_hh.size(1) > size or any(edge.to != edge.start for edge in given.edges):
        return "the fused recurrence reads each part of a state into the same part, and these edges move some"
    return why_not_on(inputs.device)


@functools.lru_cache(maxsize=None)
def why_not_on(device: torch.device) -> Optional[str]:
    """Why no kernel runs on `device`, found out by running one."""
    try:
        from allennlp_coref_rc.modules.recurrence import _triton_kernels
    except ImportError as error:
        return f"the fused recurrence needs Triton, which can't be imported: {error}"
    if device.type != "cuda" and not (device.type == "cpu" and _triton_kernels.INTERPRETED):
        return (
            f"the fused recurrence runs on a GPU and the inputs are on {device} (on the CPU it runs in Triton's "
            "interpreter, if TRITON_INTERPRET=1 is set before anything imports Triton)"
        )
    if _triton_kernels.VERSION < MIN_TRITON:
        needed, own = (".".join(map(str, version)) for version in (MIN_TRITON, _triton_kernels.VERSION))
        return (
            f"the fused recurrence needs Triton {needed} (which torch 2.9 brings) or newer, and this is {own}"
        )
    if device.type == "cuda":
        capability = torch.cuda.get_device_capability(device)
        if capability < MIN_CAPABILITY:
            needed, own = (".".join(map(str, version)) for version in (MIN_CAPABILITY, capability))
            return f"the fused recurrence needs compute capability {needed} and {device} has {own}"
    try:
        with _on(device):
            _triton_kernels.one[(1,)](torch.empty(1, device=device))
    # A missing C compiler, another driver and the like raise errors of no common type.
    except Exception as error:
        return (
            f"Triton can't run a kernel on {device}: {type(error).__name__}: {error} (Triton needs a C compiler and "
            "the headers of Python; coref-rc environment names what is missing)"
        )
    return None


def fused(given: RecurrenceInput) -> torch.Tensor:
    """
    `recurrence` with one kernel for forward, which does all time steps and gathers the states, and another
    for backward (_triton_kernels.py). Sums, gates and the state that passes from one token to the next are
    float32. In bfloat16, states that are read back from memory are rounded. Call `why_not` first.

    Up to size 128 the recurrent weights stay in registers. Beyond that, each multiprocessor reads them again
    at every step. In bfloat16, it keeps as many as fit in shared memory; vectors that are multiplied by these
    are rounded to bfloat16.
    """
    inputs, edges, weight_hh, bias_hh, mask, memory, reverse, _, bias, keys, _ = given
    if keys is None:
        edges = [edge for edge in edges if edge.sources.size(2)]
    relations: list[int] = []
    first = 0
    for edge in edges:
        relations += [first, first + edge.sources.size(2), edge.start, edge.stop]
        first = relations[-3]
    sources = weights = None
    if edges:
        sources = joined([edge.sources for edge in edges]).contiguous()
        weights = joined([edge.weights for edge in edges])
    tensors = [
        tensor if tensor is None else tensor.contiguous()
        for tensor in (weight_hh, bias, bias_hh, memory, weights)
    ]
    # They may be a part of rows that are longer.
    if inputs.stride(2) != 1 or inputs.stride(0) != inputs.size(1) * inputs.stride(1):
        inputs = inputs.contiguous()
    tensors.insert(0, inputs)
    needs_grad = torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in tensors)
    steps = _Steps(mask.contiguous(), sources, keys is not None, tuple(relations), reverse)
    return _Recurrence.apply(needs_grad, steps, *tensors)


def edge_sources(
    mask: torch.Tensor,
    given: Optional[torch.Tensor],
    reverse: bool,
    memory_mask: Optional[torch.Tensor],
    continues: bool,
) -> torch.Tensor:
    """
    `edges.sources_of` with one kernel, where `given` has the edges of all relations. Call `why_not_on` first.
    """
    from allennlp_coref_rc.modules.recurrence import _triton_kernels

    batch_size, length = mask.shape
    edges = 1 + (0 if given is None else given.size(2))
    sources = torch.empty(batch_size, length, edges, dtype=torch.int64, device=mask.device)
    tensors = (tensor if tensor is None else tensor.contiguous() for tensor in (mask, memory_mask, given))
    memory_length = 0 if memory_mask is None else memory_mask.size(1)
    with _on(mask.device):
        _triton_kernels.edge_sources[(batch_size,)](
            *tensors,
            sources,
            length,
            memory_length,
            OTHER_SEQUENCE=OTHER_SEQUENCE,
            FIRST_MENTION=FIRST_MENTION,
            EDGES=edges,
            HAS_MEMORY=memory_mask is not None,
            CONTINUES=continues and memory_length > 0,
            REVERSE=reverse,
            BLOCK=SCANNED_TOKENS,
            num_warps=4,
        )
    return sources


class _Steps(NamedTuple):
    """
    The steps in the order of time: the mask, the sources of all relations, whether the weights are a softmax
    over the edges whose given weights are not 0, the relations' places and slices, the direction.
    """

    mask: torch.Tensor
    sources: Optional[torch.Tensor]
    is_softmax: bool
    relations: tuple[int, ...]
    reverse: bool


class _Recurrence(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        needs_grad: bool,
        steps: _Steps,
        inputs: torch.Tensor,
        weight_hh: torch.Tensor,
        bias: Optional[torch.Tensor],
        bias_hh: torch.Tensor,
        memory: Optional[torch.Tensor],
        weights: Optional[torch.Tensor],
    ) -> torch.Tensor:
        from allennlp_coref_rc.modules.recurrence import _triton_kernels

        mask, sources, is_softmax, relations, reverse = steps
        batch_size, length, width = inputs.shape
        size = weight_hh.size(1)
        options = _options(weight_hh, size, sources, relations, reverse)
        of_edges = {name: options[name] for name in EDGE_OPTIONS}
        stride = inputs.stride(1)
        states = weight_hh.new_empty(batch_size, length, size)
        gates = weight_hh.new_empty(batch_size, length, 4 * size) if needs_grad else None
        previous = torch.empty_like(states) if needs_grad else None
        with _on(inputs.device):
            if is_softmax and weights is not None:
                given, tokens = weights, batch_size * length
                weights = torch.empty_like(given, dtype=torch.float32)
                _triton_kernels.edge_weights[(math.ceil(tokens / TOKENS),)](
                    inputs,
                    given,
                    mask,
                    weights,
                    tokens,
                    STRIDE=stride,
                    TOKENS=TOKENS,
                    **of_edges,
                    num_warps=4,
                )
            _triton_kernels.forward[(batch_size,)](
                inputs,
                sources,
                weights,
                *_packed(weight_hh.view(3, size, size), options),
                bias,
                bias_hh,
                mask,
                memory,
                states,
                gates,
                previous,
                _scratch(states, options, 1),
                length,
                0 if memory is None else memory.size(1),
                options["DEPTH"],
                STRIDE=stride,
                HAS_MEMORY=memory is not None,
                HAS_BIAS=bias is not None,
                HIDDEN_BIASES=bias_hh.size(0) // size,
                SAVE=needs_grad,
                **options,
            )
        ctx.options, ctx.width = options, width
        ctx.is_softmax, ctx.has_one_bias = is_softmax, bias_hh.size(0) == size
        ctx.save_for_backward(mask, sources, weight_hh, memory, weights, states, gates, previous)
        return states

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_output: torch.Tensor) -> tuple[Optional[torch.Tensor], ...]:
        from allennlp_coref_rc.modules.recurrence import _triton_kernels

        mask, sources, weight_hh, memory, weights, states, gates, previous = ctx.saved_tensors
        batch_size, length, size = states.shape
        options, width = ctx.options, ctx.width
        memory_length = 0 if memory is None else memory.size(1)
        if grad_output.stride(2) != 1:
            grad_output = grad_output.contiguous()
        # The kernel adds to these, in float32 whatever the dtype.
        grad_states = gates.new_empty(batch_size, length + memory_length, size, dtype=torch.float32)
        grad_gates = gates.new_empty(batch_size, length, width + 3 * size)
        grad_weights = torch.empty_like(weights) if ctx.needs_input_grad[-1] and not ctx.is_softmax else None
        needs_weights = ctx.is_softmax or grad_weights is not None
        with _on(states.device):
            _triton_kernels.backward[(batch_size,)](
                grad_output,
                grad_states,
                grad_gates,
                sources,
                weights,
                *_packed(weight_hh.view(3, size, size), options, transposed=True),
                mask,
                gates,
                previous,
                _scratch(states, options, 3),
                length,
                memory_length,
                options["DEPTH"],
                *grad_output.stride()[:2],
                WIDTH=width,
                WEIGHT_GRADS=needs_weights,
                # At 128, registers do not suffice for three sums.
                ONE_SUM=options["BLOCK"] == MAX_SIZE_ON_CHIP,
                **options,
            )
            if needs_weights:
                _triton_kernels.edge_gradients[(batch_size * length,)](
                    grad_states,
                    grad_weights,
                    grad_gates,
                    sources,
                    weights,
                    memory,
                    states,
                    length,
                    memory_length,
                    WIDTH=width,
                    BLOCK=options["BLOCK"],
                    HAS_MEMORY=memory is not None,
                    SCORES=_power_of_two(options["NUM_RELATIONS"]) if ctx.is_softmax else 0,
                    REVERSE=options["REVERSE"],
                    **{name: options[name] for name in EDGE_OPTIONS},
                    num_warps=1,
                )

        rows = grad_gates.view(-1, width + 3 * size)
        sums = rows.sum(0)
        # Autocast lets products alone that have their place.
        grad_weight_hh = torch.mm(
            rows[:, width:].t(), previous.view(-1, size), out=torch.empty_like(weight_hh)
        )
        return (
            None,
            None,
            grad_gates[..., :width],
            grad_weight_hh,
            sums[: 3 * size] if ctx.needs_input_grad[4] else None,
            sums[width + 2 * size :] if ctx.has_one_bias else sums[width:],
            None if memory is None else grad_states[:, length:].to(memory.dtype),
            grad_weights,
        )


def _options(
    weight: torch.Tensor,
    size: int,
    sources: Optional[torch.Tensor],
    relations: tuple[int, ...],
    reverse: bool,
) -> dict[str, Any]:
    """
    The constants that the kernels are compiled with. This is the only place that chooses by size how they
    run.
    """
    block = _power_of_two(size, MIN_BLOCK)
    # With this number a thread's share of the recurrent weights, at most 192 of them, fits into its 255
    # registers.
    warps = {32: 1, 64: 4, 128: 8}.get(block, 16)
    parts = 32 * warps // block
    on_chip = block <= MAX_SIZE_ON_CHIP
    held = 0 if on_chip or weight.dtype != torch.bfloat16 else _held(block, weight.device)
    chunk = max(1, CHUNK_ELEMENTS // (4 * parts * block))
    return {
        # Triton does not take an empty tuple as an argument.
        "RELATIONS": relations or (0,),
        "NUM_RELATIONS": len(relations) // 4,
        "EDGES": 0 if sources is None else sources.size(2),
        "SIZE": size,
        "BLOCK": block,
        "PARTS": parts,
        "DEPTH": math.ceil(max(size - held, 0) / (4 * parts * chunk)) * chunk,
        "CHUNK": chunk,
        "HELD": held,
        "REVERSE": reverse,
        "ON_CHIP": on_chip,
        "num_warps": warps,
        # All that there are: left to itself, the compiler spills some to leave room for a program that never
        # comes.
        "maxnreg": min(255, REGISTERS // (32 * warps)),
        # Loads must not be moved ahead of the stores of an earlier step.
        "num_stages": 1,
        # A product and the sum that it is added to are one instruction, and rounded once. Left out, it would
        # depend on Triton's version and on the environment.
        "enable_fp_fusion": True,
    }


def _power_of_two(number: int, least: int = 1) -> int:
    """The smallest one that is neither below the number nor below `least`."""
    return max(least, 1 << (number - 1).bit_length())


def _held(block: int, device: torch.device) -> int:
    """For how many inputs the weights in bfloat16 fit into shared memory, as a power of two."""
    held = block // 2
    # A matrix unit takes 16 at least.
    while held >= 16 and 3 * block * held * 2 > _shared_memory(device) - OTHER_SHARED_MEMORY:
        held //= 2
    return held if held >= 16 else 0


def _shared_memory(device: torch.device) -> int:
    """The bytes of shared memory that one program may have."""
    if device.type != "cuda":
        return 0
    # Not all builds of PyTorch know it; 48 KiB is what every GPU has.
    return getattr(torch.cuda.get_device_properties(device), "shared_memory_per_block_optin", 48 * 1024)


def _packed(
    weight: torch.Tensor, options: dict[str, Any], transposed: bool = False
) -> tuple[torch.Tensor, Optional[torch.Tensor]]:
    """
    The weights of each gate, (3, outputs, inputs), or their transpose: as they are if `ON_CHIP`, where
    `backward` transposes them, else padded with zeros and in the order that the kernels read. The weights of
    the first `HELD` inputs are the second tensor. The others are the first tensor, (3, DEPTH, PARTS, outputs,
    4), in which input (d * PARTS + p) * 4 + i is at [:, d, p, :, i].
    """
    if options["ON_CHIP"]:
        return weight.contiguous(), None
    weight = weight.transpose(1, 2) if transposed else weight
    block, depth, parts, held = (options[name] for name in ("BLOCK", "DEPTH", "PARTS", "HELD"))
    size = weight.size(1)
    padding = 0, max(held + depth * parts * 4 - size, 0), 0, block - size
    weight = pad(weight, padding) if any(padding) else weight
    rest = weight[:, :, held : held + depth * parts * 4]
    rest = rest.reshape(3, block, depth, parts, 4).permute(0, 2, 3, 1, 4).contiguous()
    return rest, weight[:, :, :held].contiguous() if held else None


def _scratch(like: torch.Tensor, options: dict[str, Any], vectors: int) -> Optional[torch.Tensor]:
    if options["ON_CHIP"]:
        return None
    return like.new_empty(like.size(0), vectors * options["BLOCK"], dtype=torch.float32)


def _on(device: torch.device) -> torch.cuda.device:
    # Triton launches on the current device, whatever the tensors' is. `device(-1)` changes nothing.
    return torch.cuda.device(device if device.type == "cuda" else -1)
