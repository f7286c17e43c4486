import functools
import logging
from collections.abc import Callable, Sequence

import torch
from torch.utils.checkpoint import checkpoint

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.modules.gpu import once
from allennlp_coref_rc.modules.recurrence import _cpp, _triton
from allennlp_coref_rc.modules.recurrence._plain import plain
from allennlp_coref_rc.modules.recurrence._reference import reference
from allennlp_coref_rc.modules.recurrence.edges import NO_SOURCE, Edges, joined
from allennlp_coref_rc.modules.recurrence.recurrence_input import RecurrenceInput

logger = logging.getLogger(__name__)

BACKENDS = ("auto", "reference", "plain", "cpp", "triton")


def recurrence(given: RecurrenceInput, backend: str = "auto", recompute: bool = False) -> torch.Tensor:
    """
    A GRU whose previous state is a weighted sum of slices of any earlier states:

        m_t[to_r] = sum over the edges (s, w) of relation r into t of  w * h_s[slice_r]
        r_t = sigmoid(x_t[r] + m_t U_r)
        z_t = sigmoid(x_t[z] + m_t U_z)
        n_t = tanh(x_t[n] + r_t * (m_t U_n + b_n))
        h_t = (1 - z_t) * n_t + z_t * m_t[:hidden_size]

    x_t are projected inputs; if the weights are given, the recurrence itself projects the inputs. The weights w of the
    edges are given; if there are keys, they are a softmax. With one relation over the whole state, from each token to
    the next, this is a GRU. With a sequential half and a coreferent half it is the Coref-GRU (Dhingra et al., NAACL
    2018, Appendix A). m_t may be wider than the state, as in variants of MAGE-GRU: the part beyond `hidden_size` enters
    the gates but is not carried on. Gates are named and ordered as in `torch.nn.GRU`, so z is one minus the paper's.
    The paper has a memory of `batch x tokens x clusters x size` numbers. Here states are read back from the outputs, so
    memory does not grow with the number of clusters.

    # Parameters

    given : `RecurrenceInput`
    backend : `str`, optional (default = `"auto"`)
        `"reference"`: a readable loop through autograd, which alone can be differentiated twice. `"plain"`: the same in
        PyTorch with a backward written by hand. `"cpp"`: the same as plain, but with the time loop in C++, on the CPU
        in float32 and float64; it is compiled into the wheel or on first use, which takes some seconds and needs a C++
        compiler. `"triton"`: one kernel for forward and one for backward, on the GPU in float32 and bfloat16, up to
        size 512, if edges add each part of a state to the same part. `"auto"`: the fastest backend that can run on this
        input. A warning says once why a faster one cannot.
    recompute : `bool`, optional (default = `False`)
        Keep only the inputs for backward, and run forward again there. Otherwise the gates and the values that they
        were computed from are kept: 4 to 6 numbers for each number of the state. This saves memory if several calls
        wait for their backward.

    Tensors of different dtypes are promoted; autocast has no effect inside.

    # Returns

    `torch.FloatTensor`
        Shape: (batch_size, sequence_length, hidden_size). Zero where masked.

    # Raises

    `ConfigurationError`
        If shapes do not fit each other, sources are not int64, a source lies beyond the memory (checked on the CPU),
        or `backend` is unknown or can't run here (`not supported: ...`). In backward, if `create_graph` asks for second
        derivatives and the backend is not `"reference"`.
    """
    if backend not in BACKENDS:
        raise ConfigurationError(f"recurrence backend {backend!r} is unknown; choose one of {', '.join(BACKENDS)}")
    _check_shapes(given)
    if given.inputs.size(0) == 0 or given.inputs.size(1) == 0:
        # Empty, but still a part of the graph.
        return given.projected().inputs[..., : given.weight_hh.size(0) // 3]
    given = _prepared(given)
    run = _backend(backend, given)
    if run is not _triton.fused:
        given = _with_one_hidden_bias(given)
    # The compiled loop does all this itself, and the fused kernel a part of it.
    if run is not _cpp.cpp:
        if not any(edge.sources.size(2) for edge in given.edges):
            given = given._replace(keys=None)
        given = given.multiplied() if run is _triton.fused else given.projected()
        edges = _readable(given.edges, given.mask, given.reverse, has_weights=given.keys is None)
        given = given._replace(edges=edges)
    with torch.autocast(given.inputs.device.type, enabled=False):
        if recompute and torch.is_grad_enabled():
            states = checkpoint(run, given, use_reentrant=False, preserve_rng_state=False)
        else:
            states = run(given)
    if run is not reference and states.requires_grad:
        states.register_hook(_refuse_create_graph)
    return states


def _with_one_hidden_bias(given: RecurrenceInput) -> RecurrenceInput:
    """The same with `bias_hn` of the candidate alone."""
    size = given.weight_hh.size(0) // 3
    if given.bias is None or given.bias_hn.size(0) == size:
        return given
    bias_hr_hz, bias_hn = given.bias_hn.split([2 * size, size])
    return given._replace(bias=given.bias + torch.nn.functional.pad(bias_hr_hz, (0, size)), bias_hn=bias_hn)


def _refuse_create_graph(grad: torch.Tensor) -> None:
    """PyTorch's `once_differentiable` lets second derivatives that do not lead through `grad` be silently 0."""
    if torch.is_grad_enabled():
        raise ConfigurationError("recurrence: found create_graph=True, which only the backend 'reference' supports")


def _prepared(given: RecurrenceInput) -> RecurrenceInput:
    """The same in one dtype, with `to` of the edges filled in."""
    names = "inputs", "weight_hh", "bias_hn", "memory", "weight_ih", "bias", "keys"
    tensors = {name: tensor for name in names if (tensor := getattr(given, name)) is not None}
    weights = [edge.weights for edge in given.edges]
    dtype = functools.reduce(torch.promote_types, (tensor.dtype for tensor in [*tensors.values(), *weights]))
    edges = [edge._replace(weights=edge.weights.to(dtype), to=edge.carried[2]) for edge in given.edges]
    cast = {name: tensor.to(dtype) for name, tensor in tensors.items()}
    return given._replace(edges=edges, mask=given.mask.bool(), **cast)


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


def _readable(edges: Sequence[Edges], mask: torch.Tensor, reverse: bool, has_weights: bool) -> Sequence[Edges]:
    """
    The edges with `NO_SOURCE`, of weight 0, wherever the state is masked or not yet there, or the reader is masked. If
    they do not have their weights yet, only the sources change.
    """
    if not edges:
        return edges
    given, weights = ([getattr(edge, name) for edge in edges] for name in ("sources", "weights"))
    sources, unreadable = once(mask, given, ("sources", reverse), lambda: _readable_sources(given, mask, reverse))
    widths = [part.size(2) for part in given]
    if not has_weights:
        return [edge._replace(sources=own) for edge, own in zip(edges, sources.split(widths, dim=2))]

    def readable_weights() -> torch.Tensor:
        return joined(weights).masked_fill(unreadable, 0)

    if any(weight.requires_grad for weight in weights):
        all_weights = readable_weights()
    else:
        all_weights = once(mask, [*given, *weights], ("weights", reverse), readable_weights)
    parts = zip(edges, sources.split(widths, dim=2), all_weights.split(widths, dim=2))
    return [edge._replace(sources=own, weights=weight) for edge, own, weight in parts]


def _readable_sources(
    given: Sequence[torch.Tensor], mask: torch.Tensor, reverse: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """The sources of all edges, and which of those given can't be read."""
    sources, length = joined(given), mask.size(1)
    own = sources.clamp(0, length - 1)
    source_mask = mask.gather(1, own.flatten(1)).view_as(sources)
    positions = torch.arange(length, device=mask.device).view(1, length, 1)
    earlier = sources > positions if reverse else sources < positions
    readable = ((sources >= length) | ((sources >= 0) & earlier & source_mask)) & mask.unsqueeze(-1)
    unreadable = ~readable
    return sources.masked_fill(unreadable, NO_SOURCE), unreadable


def _check_shapes(given: RecurrenceInput) -> None:
    inputs, edges, weight_hh, bias_hn, mask, memory, _, weight_ih, bias, keys = given

    def check(name: str, tensor: torch.Tensor, *expected: int) -> None:
        if tensor.shape != expected:
            raise ConfigurationError(f"recurrence: {name} has shape {tuple(tensor.shape)}, expected {expected}")

    batch_size, length = inputs.shape[:2]
    size = weight_hh.size(0) // 3
    if weight_hh.dim() != 2 or weight_hh.size(0) != 3 * size or weight_hh.size(1) < size:
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
        check("weight_ih", weight_ih, 3 * size, inputs.size(2))
        check("bias", bias, 3 * size)
        if keys is not None:
            check("keys", keys, len(edges), inputs.size(2))
    check("mask", mask, batch_size, length)
    if memory is not None:
        check("memory", memory, batch_size, memory.size(1), size)
    num_states = length + (0 if memory is None else memory.size(1))
    for i, (sources, weights, start, stop, to) in enumerate(edges):
        check(f"edges[{i}].sources", sources, batch_size, length, sources.size(-1))
        if sources.dtype != torch.int64:
            raise ConfigurationError(f"recurrence: edges[{i}].sources is {sources.dtype}, expected torch.int64")
        check(f"edges[{i}].weights", weights, *sources.shape)
        if not 0 <= start <= stop <= size:
            raise ConfigurationError(f"recurrence: edges[{i}] has the slice {start}:{stop} of a state of size {size}")
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
