import functools
import logging
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import torch

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.edges import FIRST_MENTION, OTHER_SEQUENCE
from allennlp_coref_rc.modules.pair import check_tensor
from allennlp_coref_rc.modules.recurrence import _cpp, _triton
from allennlp_coref_rc.modules.recurrence._plain import plain
from allennlp_coref_rc.modules.recurrence._reference import reference
from allennlp_coref_rc.modules.recurrence.edges import NO_SOURCE, Edges, joined, sequential_sources
from allennlp_coref_rc.modules.recurrence.recurrence_input import RecurrenceInput

logger = logging.getLogger(__name__)

BACKENDS = ("auto", "reference", "plain", "cpp", "triton")


def recurrence(given: RecurrenceInput, backend: str = "auto") -> torch.Tensor:
    """
    A GRU whose previous state is a weighted sum of slices of any earlier states:

        m_t[to_r] = sum over the edges (s, w) of relation r into t of  w * h_s[slice_r]
        r_t = sigmoid(x_t[r] + m_t U_r)
        z_t = sigmoid(x_t[z] + m_t U_z)
        n_t = tanh(x_t[n] + r_t * (m_t U_n + b_n))
        h_t = (1 - z_t) * n_t + z_t * m_t[:hidden_size]

    x_t are projected inputs; if the weights are given, the recurrence itself projects the inputs. The weights
    w of the edges are given; if there are keys, they are a softmax. With one relation over the whole state,
    from each token to the next, this is a GRU. With a sequential half and a coreferent half it is the
    Coref-GRU (Dhingra et al., NAACL 2018, Appendix A). m_t may be wider than the state, as in variants of
    MAGE-GRU: the part beyond `hidden_size` enters the gates but is not carried on. Gates are named and
    ordered as in `torch.nn.GRU`, so z is one minus the paper's. The paper has a memory of `batch x tokens x
    clusters x size` numbers. Here states are read back from the outputs, so memory does not grow with the
    number of clusters.

    # Parameters

    given : `RecurrenceInput`
    backend : `str`, optional (default = `"auto"`)
        `"reference"`: a readable loop through autograd, which alone can be differentiated twice. `"plain"`:
        the same in PyTorch with a backward written by hand. `"cpp"`: the same as plain, but with the time
        loop in C++, on the CPU in float32 and float64; it is compiled into the wheel or on first use, which
        takes some seconds and needs a C++ compiler. `"triton"`: one kernel for forward and one for backward,
        on the GPU in float32 and bfloat16, up to size 512, if edges add each part of a state to the same
        part. `"auto"`: the fastest backend that can run on this input. A warning says once why a faster one
        cannot.

    For backward, the gates and the values that they were computed from are kept: 4 to 6 numbers for each number
    of the state.

    Tensors of different dtypes are promoted. Autocast has no effect inside, but for one: under autocast in
    bfloat16, the fused kernels take float32 as bfloat16, and return bfloat16. The state that passes from one
    token to the next, sums and gates are float32 even then.

    # Returns

    `torch.FloatTensor`
        Shape: (batch_size, sequence_length, hidden_size). Zero where masked.

    # Raises

    `ConfigurationError`
        If a tensor is sparse, on another device or without values, shapes do not fit each other, sources are
        not int64, a source lies beyond the memory (checked on the CPU), or `backend` is unknown or can't run
        here (`not supported: ...`). In backward, if `create_graph` asks for second derivatives and the
        backend is not `"reference"`.
    """
    if backend not in BACKENDS:
        raise ConfigurationError(
            f"recurrence backend {backend!r} is unknown; choose one of {', '.join(BACKENDS)}"
        )
    _check_shapes(given)
    if given.inputs.size(0) == 0 or given.inputs.size(1) == 0:
        # Empty, but still a part of the graph, with gradients of zero for all parameters.
        parameters = (given.weight_hh, given.bias_hn, given.keys)
        nothing = sum(0 * one.sum() for one in parameters if one is not None)
        return given.projected().inputs[..., : given.weight_hh.size(0) // 3] + nothing
    given = _prepared(given)
    run = _backend(backend, given)
    if run is not _triton.fused:
        given = _with_one_hidden_bias(given)
    elif given.inputs.dtype == torch.float32 and _autocast_is_bfloat16(given.inputs.device.type):
        given = _in_dtype(given, torch.bfloat16)
    # The compiled loop does all this itself, and the fused kernels a part of it.
    if run is not _cpp.cpp:
        if not any(edge.sources.size(2) for edge in given.edges):
            given = given._replace(keys=None)
        if run is _triton.fused:
            given = given.multiplied()
        else:
            given = given.projected()
            given = given._replace(edges=[_readable(edge, given.mask, given.reverse) for edge in given.edges])
    with torch.autocast(given.inputs.device.type, enabled=False):
        states = run(given)
    if run is not reference and states.requires_grad:
        states.register_hook(_refuse_create_graph)
    return states


def edge_sources(
    mask: torch.Tensor,
    relations: Sequence[torch.Tensor] = (),
    reverse: bool = False,
    memory_mask: Optional[torch.Tensor] = None,
    continues: bool = True,
) -> Sequence[torch.Tensor]:
    """
    The sources of the edges of a text, as the `recurrence` counts them: first those of its sequential edges,
    as `sequential_sources` says, then those of each relation. On a GPU they are parts of one tensor.

    # Parameters

    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length).
    relations : `Sequence[torch.LongTensor]`, optional (default = `()`)
        Shape of each: (batch_size, sequence_length, edges). As in the annotation layers of edges. Without a
        memory, edges into another sequence become `FIRST_MENTION`.
    reverse : `bool`, optional (default = `False`)
    memory_mask : `torch.BoolTensor`, optional (default = `None`)
        Shape: (batch_size, memory_length). The mask of the other sequence, whose states are the memory.
    continues : `bool`, optional (default = `True`)
        Whether the first token has a sequential edge from the token of the memory that was read last.
    """
    length = mask.size(1)
    if mask.is_cuda and _triton.why_not_on(mask.device) is None:
        given = joined(relations) if relations else None
        joint = _triton.edge_sources(mask, given, reverse, memory_mask, continues)
        return joint.split([1, *(relation.size(2) for relation in relations)], dim=2)
    start = None
    if memory_mask is not None and memory_mask.size(1) and continues:
        start = _last_read(memory_mask, reverse) + length
    sources = [sequential_sources(mask, reverse, start)]
    for relation in relations:
        elsewhere = FIRST_MENTION if memory_mask is None else OTHER_SEQUENCE + length - relation
        sources.append(torch.where(relation <= OTHER_SEQUENCE, elsewhere, relation))
    return sources


def _last_read(mask: torch.Tensor, reverse: bool) -> torch.Tensor:
    """The position that was read last, of each sequence. Shape: (batch_size,)."""
    positions = torch.arange(mask.size(1), device=mask.device).expand_as(mask)
    if reverse:
        return torch.where(mask, positions, mask.size(1)).amin(dim=1).clamp(max=mask.size(1) - 1)
    return torch.where(mask, positions, 0).amax(dim=1)


def _with_one_hidden_bias(given: RecurrenceInput) -> RecurrenceInput:
    """The same with `bias_hn` of the candidate alone."""
    size = given.weight_hh.size(0) // 3
    if given.bias is None or given.bias_hn.size(0) == size:
        return given
    bias_hr_hz, bias_hn = given.bias_hn.split([2 * size, size])
    return given._replace(bias=given.bias + torch.nn.functional.pad(bias_hr_hz, (0, size)), bias_hn=bias_hn)


def _refuse_create_graph(grad: torch.Tensor) -> None:
    """
    PyTorch's `once_differentiable` lets second derivatives that do not lead through `grad` be silently 0.
    """
    if torch.is_grad_enabled():
        raise ConfigurationError(
            "recurrence: found create_graph=True, which only the backend 'reference' supports"
        )


def _prepared(given: RecurrenceInput) -> RecurrenceInput:
    """The same in one dtype, with `to` of the edges filled in."""
    weights = [edge.weights for edge in given.edges]
    dtype = functools.reduce(torch.promote_types, (x.dtype for x in [*_floating(given).values(), *weights]))
    edges = [edge._replace(to=edge.carried[2]) for edge in given.edges]
    return _in_dtype(given._replace(edges=edges, mask=given.mask.bool()), dtype)


def _floating(given: RecurrenceInput) -> dict[str, Any]:
    names = "inputs", "weight_hh", "bias_hn", "memory", "weight_ih", "bias", "keys"
    return {name: tensor for name in names if (tensor := getattr(given, name)) is not None}


def _in_dtype(given: RecurrenceInput, dtype: torch.dtype) -> RecurrenceInput:
    edges = [edge._replace(weights=edge.weights.to(dtype)) for edge in given.edges]
    return given._replace(
        edges=edges, **{name: tensor.to(dtype) for name, tensor in _floating(given).items()}
    )


def _autocast_is_bfloat16(device: str) -> bool:
    return torch.is_autocast_enabled(device) and torch.get_autocast_dtype(device) == torch.bfloat16


def _backend(name: str, given: RecurrenceInput) -> Callable[[RecurrenceInput], torch.Tensor]:
    """The function that runs backend `name`, or for "auto" the fastest that can run on this input."""
    wanted = name
    if name == "auto":
        name = "triton" if given.inputs.device.type == "cuda" else "cpp"
    if name in ("cpp", "triton"):
        run, why_not = (_cpp.cpp, _cpp.why_not) if name == "cpp" else (_triton.fused, _triton.why_not)
        reason = why_not(given)
        if reason is None:
            return run
        if wanted == name:
            raise ConfigurationError(f"not supported: {reason}; choose another backend than {name!r}")
        _warn_once(f"{reason}; the recurrence runs in plain PyTorch instead, which is slower")
    return reference if name == "reference" else plain


@functools.lru_cache(maxsize=None)
def _warn_once(message: str) -> None:
    logger.warning(message)


def _readable(edges: Edges, mask: torch.Tensor, reverse: bool) -> Edges:
    """
    The edges with `NO_SOURCE`, of weight 0, wherever the state is masked or not yet there, or the reader is
    masked.
    """
    sources, length = edges.sources, mask.size(1)
    source_mask = mask.gather(1, sources.clamp(0, length - 1).flatten(1)).view_as(sources)
    positions = torch.arange(length, device=mask.device).view(1, length, 1)
    earlier = sources > positions if reverse else sources < positions
    readable = ((sources >= length) | ((sources >= 0) & earlier & source_mask)) & mask.unsqueeze(-1)
    unreadable = ~readable
    return edges._replace(
        sources=sources.masked_fill(unreadable, NO_SOURCE), weights=edges.weights.masked_fill(unreadable, 0)
    )


def _check_shapes(given: RecurrenceInput) -> None:
    inputs, edges, weight_hh, bias_hn, mask, memory, _, weight_ih, bias, keys, products = given

    check_tensor("recurrence", "inputs", inputs, ("batch_size", "sequence_length", "input_size"))
    batch_size, length, input_size = inputs.shape
    if not input_size:
        raise ConfigurationError(
            f"recurrence: inputs has shape {tuple(inputs.shape)}, expected an input_size above 0"
        )

    def check(name: str, tensor: torch.Tensor, *expected: Union[int, str]) -> None:
        check_tensor("recurrence", name, tensor, expected, inputs.device)

    check("weight_hh", weight_hh, "3 * hidden_size", "hidden_size or more")
    size = weight_hh.size(0) // 3
    if not size or weight_hh.size(0) != 3 * size or weight_hh.size(1) < size:
        raise ConfigurationError(
            f"recurrence: weight_hh has shape {tuple(weight_hh.shape)}, expected (3 * hidden_size, hidden_size or more)"
        )
    # Of all gates, if there are the biases of the inputs to add them to.
    check("bias_hn", bias_hn, 3 * size if bias is not None and bias_hn.size(0) == 3 * size else size)
    if (weight_ih is None) != (bias is None):
        raise ConfigurationError(
            "recurrence: weight_ih and bias are given without each other, expected both or neither"
        )
    if weight_ih is None or bias is None:
        if keys is not None:
            raise ConfigurationError("recurrence: keys are given without weight_ih, expected both or neither")
        check("inputs", inputs, batch_size, length, 3 * size)
    else:
        check("weight_ih", weight_ih, 3 * size, input_size)
        check("bias", bias, 3 * size)
        if keys is not None:
            check("keys", keys, len(edges), input_size)
        if products is not None:
            check("products", products, batch_size, length, 3 * size + (0 if keys is None else len(edges)))
    check("mask", mask, batch_size, length)
    if memory is not None:
        check("memory", memory, batch_size, "memory_length", size)
    num_states = length + (0 if memory is None else memory.size(1))
    for i, (sources, weights, start, stop, to) in enumerate(edges):
        check(f"edges[{i}].sources", sources, batch_size, length, "edges")
        if sources.dtype != torch.int64:
            raise ConfigurationError(
                f"recurrence: edges[{i}].sources is {sources.dtype}, expected torch.int64"
            )
        check(f"edges[{i}].weights", weights, *sources.shape)
        if not 0 <= start <= stop <= size:
            raise ConfigurationError(
                f"recurrence: edges[{i}] has the slice {start}:{stop} of a state of size {size}"
            )
        to = start if to is None else to
        if not 0 <= to <= weight_hh.size(1) - (stop - start):
            raise ConfigurationError(
                f"recurrence: edges[{i}] adds its slice at {to}:{to + stop - start}, expected that within "
                f"0:{weight_hh.size(1)}, the columns of weight_hh"
            )
        # Only on the CPU: elsewhere looking at a value means waiting for the device.
        if sources.device.type == "cpu" and sources.numel() and sources.max() >= num_states:
            raise ConfigurationError(
                f"recurrence: edges[{i}] has the source {sources.max().item()}, expected less than {num_states}, the "
                f"sequence length {length} plus the memory's"
            )
