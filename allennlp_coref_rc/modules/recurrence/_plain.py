from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import torch

from allennlp_coref_rc.modules.recurrence.edges import NO_SOURCE, Slice
from allennlp_coref_rc.modules.recurrence.recurrence_input import RecurrenceInput

Steps = Sequence[torch.Tensor]
"""One tensor for each time step."""


def plain(given: RecurrenceInput) -> torch.Tensor:
    """
    `recurrence` in PyTorch with a backward written by hand. There is no autograd graph for each step. The
    derivatives of the gates, and the gradients of U, b and the edge weights, are computed for all steps at
    once. Only the chain from state to state stays in the loop.
    """
    inputs, edges, weight_hh, bias_hn, mask, memory, reverse, *_ = given
    batch_size, length, _ = inputs.shape
    if memory is None:
        memory = inputs.new_zeros(batch_size, 0, bias_hn.size(0))
    edges = [edge for edge in edges if edge.sources.size(2)]
    rows = [_rows_of(edge.sources, length + memory.size(1)) for edge in edges]
    slices = [edge.carried for edge in edges]
    # Time comes first inside, so that one step is one contiguous block.
    weights = [edge.weights.transpose(0, 1) for edge in edges]
    return _Recurrence.apply(
        _Steps(~mask.t().unsqueeze(-1), rows, slices, reverse),
        inputs.transpose(0, 1),
        weight_hh,
        bias_hn,
        memory.transpose(0, 1),
        *weights,
    ).transpose(0, 1)


def _rows_of(sources: torch.Tensor, num_states: int) -> torch.Tensor:
    """
    `sources` as rows of the buffer of all states, (num_states + 1) x batch: own states, memory, and one block
    of zeros for `NO_SOURCE`. Shape: (sequence_length, batch_size, edges).
    """
    batch_size = sources.size(0)
    states = torch.where(sources == NO_SOURCE, num_states, sources).transpose(0, 1)
    return states * batch_size + torch.arange(batch_size, device=sources.device).view(1, -1, 1)


class _Steps(NamedTuple):
    """
    The steps in the order of time: the padding, the rows (see `_rows_of`) and the slice of each relation, the
    direction.
    """

    padding: torch.Tensor
    rows: list[torch.Tensor]
    slices: list[Slice]
    reverse: bool


class _Recurrence(torch.autograd.Function):
    # The lists of views of single steps are made before the loops, which then consist of arithmetic alone.

    @staticmethod
    def forward(
        ctx: Any,
        order: _Steps,
        inputs: torch.Tensor,
        weight_hh: torch.Tensor,
        bias_hn: torch.Tensor,
        memory: torch.Tensor,
        *weights: torch.Tensor,
    ) -> torch.Tensor:
        padding, rows, slices, reverse = order
        length, batch_size, _ = inputs.shape
        size = bias_hn.size(0)
        buffer = inputs.new_empty(length + memory.size(0) + 1, batch_size, size)
        buffer[length:-1] = memory
        buffer[-1] = 0
        # Where no relation writes, m stays zero.
        previous = inputs.new_zeros(length, batch_size, weight_hh.size(1))
        # The loop turns the inputs into the gates in place: `hidden` becomes r, z, m U_n + b_n, and `n`
        # becomes n.
        hidden = inputs.new_empty(length, batch_size, 3 * size)
        hidden[..., : 2 * size] = inputs[..., : 2 * size]
        hidden[..., 2 * size :] = bias_hn
        n = inputs[..., 2 * size :].clone(memory_format=torch.contiguous_format)
        hidden.masked_fill_(padding, 0)
        n.masked_fill_(padding, 0)

        r, z, hidden_n = (gate.unbind(0) for gate in hidden.split(size, dim=2))
        rz = hidden[..., : 2 * size].unbind(0)
        carry = previous[..., :size].unbind(0)
        states = buffer.unbind(0)
        steps = list(
            zip(previous.unbind(0), carry, hidden.unbind(0), rz, r, z, hidden_n, n.unbind(0), states)
        )
        relations = _relations(buffer, previous, rows, slices, weights)
        weight = weight_hh.t()
        for t in reversed(range(length)) if reverse else range(length):
            m, carry_t, hidden_t, rz_t, r_t, z_t, hidden_n_t, n_t, h_t = steps[t]
            for readable, row, w, m_slice in relations:
                read = readable.index_select(0, row[t])
                if w[t].size(1) == 1:
                    m_slice[t].addcmul_(read, w[t])
                else:
                    m_slice[t].add_((read.view(*w[t].shape, -1) * w[t].unsqueeze(-1)).sum(1))
            hidden_t.addmm_(m, weight)
            rz_t.sigmoid_()
            n_t.addcmul_(r_t, hidden_n_t).tanh_()
            torch.lerp(n_t, carry_t, z_t, out=h_t)
        buffer[:length].masked_fill_(padding, 0)

        ctx.reverse, ctx.slices = reverse, slices
        ctx.save_for_backward(padding, weight_hh, buffer, previous, hidden, n, *rows, *weights)
        return buffer[:length]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_states: torch.Tensor) -> tuple[Optional[torch.Tensor], ...]:
        padding, weight_hh, buffer, previous, hidden, n, *rest = ctx.saved_tensors
        rows, weights = rest[: len(ctx.slices)], rest[len(ctx.slices) :]
        length, batch_size, size = n.shape
        r, z, hidden_n = hidden.split(size, dim=2)

        # h = n + z (m - n): the derivatives of h by the pre-activations of r, z and of the candidate's
        # recurrent part, which the loop multiplies with the gradient of h in place.
        by_n = (1 - n * n).mul_(1 - z).masked_fill_(padding, 0)
        grad_hidden = torch.empty_like(hidden)
        by_r, by_z, by_hidden_n = grad_hidden.split(size, dim=2)
        torch.mul(by_n, hidden_n, out=by_r).mul_(r).mul_(1 - r)
        torch.sub(previous[..., :size], n, out=by_z).masked_fill_(padding, 0).mul_(z).mul_(1 - z)
        torch.mul(by_n, r, out=by_hidden_n)
        grad_buffer = torch.zeros_like(buffer)
        grad_buffer[:length] = grad_states
        # Columns beyond the state are not carried on: the loop adds to zeros there.
        grad_previous = torch.zeros_like(previous)

        steps = list(
            zip(
                grad_buffer.unbind(0),
                grad_buffer.unsqueeze(2).unbind(0),
                z.unbind(0),
                grad_previous.unbind(0),
                grad_previous[..., :size].unbind(0),
                grad_hidden.unbind(0),
                grad_hidden.unflatten(2, (3, size)).unbind(0),
            )
        )
        relations = _relations(grad_buffer, grad_previous, rows, ctx.slices, weights)
        for t in range(length) if ctx.reverse else reversed(range(length)):
            grad_h, grad_h_of_gates, z_t, grad_m, grad_carry, grad_hidden_t, grad_gates = steps[t]
            grad_gates.mul_(grad_h_of_gates)
            torch.mul(grad_h, z_t, out=grad_carry)
            grad_m.addmm_(grad_hidden_t, weight_hh)
            for grad_reads, row, w, grad_slice in relations:
                if w[t].size(1) == 1:
                    message = grad_slice[t] * w[t]
                else:
                    message = (grad_slice[t].unsqueeze(1) * w[t].unsqueeze(2)).flatten(0, 1)
                grad_reads.index_add_(0, row[t], message)

        flat_hidden, flat_previous = grad_hidden.view(-1, 3 * size), previous.view(-1, previous.size(2))
        grad_weight = flat_hidden.t() @ flat_previous
        grad_bias = flat_hidden[:, 2 * size :].sum(0)
        flat_buffer = buffer.view(-1, size)
        grad_weights = []
        for (start, stop, to), row in zip(ctx.slices, rows):
            columns = []
            for column in row.flatten(0, 1).unbind(1):
                read = flat_buffer[:, start:stop].index_select(0, column).view(length, batch_size, -1)
                columns.append(read.mul_(grad_previous[:, :, to : to + stop - start]).sum(-1))
            grad_weights.append(torch.stack(columns, dim=2))
        # With the recurrent weights' gradient done, the candidate's recurrent part makes room for its inputs.
        torch.mul(grad_buffer[:length], by_n, out=grad_hidden[..., 2 * size :])
        return (None, grad_hidden, grad_weight, grad_bias, grad_buffer[length:-1], *grad_weights)


def _relations(
    buffer: torch.Tensor,
    previous: torch.Tensor,
    rows: Sequence[torch.Tensor],
    slices: Sequence[Slice],
    weights: Sequence[torch.Tensor],
) -> list[tuple[torch.Tensor, Steps, Steps, Steps]]:
    """
    For each relation its slice of `buffer`, and for each step the rows that it reads, their weights and where
    they are added.
    """
    flat_buffer = buffer.view(-1, buffer.size(2))
    return [
        (
            flat_buffer[:, start:stop],
            row.flatten(1).unbind(0),
            w.unbind(0),
            previous[:, :, to : to + stop - start].unbind(0),
        )
        for (start, stop, to), row, w in zip(slices, rows, weights)
    ]
