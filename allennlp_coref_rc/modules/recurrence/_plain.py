from typing import List, Optional, Sequence

import torch

from allennlp_coref_rc.modules.recurrence.recurrence import NO_SOURCE, Edges


def plain(
    inputs: torch.Tensor,
    edges: Sequence[Edges],
    weight_hh: torch.Tensor,
    bias_hn: torch.Tensor,
    mask: torch.Tensor,
    memory: Optional[torch.Tensor],
    reverse: bool,
) -> torch.Tensor:
    """
    `recurrence` in PyTorch with its backward written by hand: no autograd graph for each step, what can be computed for
    all steps at once is (the gates' derivatives, the gradients of U, b and the edge weights), and only the chain from
    state to state stays in the loop.
    """
    batch_size, length, _ = inputs.shape
    # Neither masked inputs nor their gradients may leak, not even as NaN.
    inputs = inputs.masked_fill(~mask.unsqueeze(-1), 0)
    if memory is None:
        memory = inputs.new_zeros(batch_size, 0, weight_hh.size(1))
    rows = [_rows_of(edge.sources, length + memory.size(1)) for edge in edges]
    slices = [(edge.start, edge.stop) for edge in edges]
    # Time comes first inside, so that one step is one contiguous block.
    weights = [edge.weights.transpose(0, 1) for edge in edges]
    states = _Recurrence.apply(
        inputs.transpose(0, 1), weight_hh, bias_hn, memory.transpose(0, 1), reverse, rows, slices, *weights
    )
    return states.transpose(0, 1) * mask.unsqueeze(-1)


def _rows_of(sources: torch.Tensor, num_states: int) -> torch.Tensor:
    """
    `sources` as rows of the buffer of all states, (num_states + 1) x batch: own states, memory, and one block of zeros
    for `NO_SOURCE`. Shape: (sequence_length, batch_size, edges).
    """
    batch_size = sources.size(0)
    states = torch.where(sources == NO_SOURCE, num_states, sources).transpose(0, 1)
    return states * batch_size + torch.arange(batch_size, device=sources.device).view(1, -1, 1)


class _Recurrence(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inputs, weight_hh, bias_hn, memory, reverse, rows: List, slices: List, *weights):
        length, batch_size, _ = inputs.shape
        size = weight_hh.size(1)
        inputs = inputs.contiguous()
        weights = [weight.contiguous() for weight in weights]

        buffer = inputs.new_empty(length + memory.size(0) + 1, batch_size, size)
        buffer[length:-1] = memory
        buffer[-1] = 0
        flat_buffer = buffer.view(-1, size)
        # Where no relation writes, the previous state stays zero.
        previous = inputs.new_zeros(length, batch_size, size)
        gates = inputs.new_empty(length, batch_size, 3 * size)
        hidden_n = inputs.new_empty(length, batch_size, size)
        bias = torch.cat([bias_hn.new_zeros(2 * size), bias_hn])
        weight = weight_hh.t()

        for t in reversed(range(length)) if reverse else range(length):
            m = previous[t]
            for (start, stop), row, w in zip(slices, rows, weights):
                for e in range(row.size(2)):
                    read = flat_buffer.index_select(0, row[t, :, e])[:, start:stop]
                    m[:, start:stop].addcmul_(read, w[t, :, e, None])
            hidden = torch.addmm(bias, m, weight)
            x, gate = inputs[t], gates[t]
            rz = torch.add(x[:, : 2 * size], hidden[:, : 2 * size], out=gate[:, : 2 * size]).sigmoid_()
            hidden_n[t] = hidden[:, 2 * size :]
            n = torch.addcmul(x[:, 2 * size :], rz[:, :size], hidden_n[t], out=gate[:, 2 * size :]).tanh_()
            torch.lerp(n, m, rz[:, size:], out=buffer[t])

        ctx.reverse, ctx.slices, ctx.num_relations = reverse, slices, len(rows)
        ctx.save_for_backward(weight_hh, buffer, previous, gates, hidden_n, *rows, *weights)
        return buffer[:length]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_states):
        weight_hh, buffer, previous, gates, hidden_n, *rest = ctx.saved_tensors
        rows, weights = rest[: ctx.num_relations], rest[ctx.num_relations :]
        length, batch_size, size = previous.shape
        r, z, n = gates.split(size, dim=2)

        # h = n + z (m - n): the derivatives of h by the pre-activations of r, z and of the candidate's recurrent part.
        by_n = (1 - z) * (1 - n * n)
        by_hidden = torch.stack(
            [by_n * hidden_n * r * (1 - r), (previous - n) * z * (1 - z), by_n * r], dim=2
        )  # Shape: (sequence_length, batch_size, 3, hidden_size)
        grad_buffer = torch.zeros_like(buffer)
        grad_buffer[:length] = grad_states
        flat_grad = grad_buffer.view(-1, size)
        grad_hidden = torch.empty_like(by_hidden)
        grad_previous = torch.empty_like(previous)

        for t in range(length) if ctx.reverse else reversed(range(length)):
            grad_h = grad_buffer[t]
            step = torch.mul(grad_h.unsqueeze(1), by_hidden[t], out=grad_hidden[t])
            grad_m = torch.mul(grad_h, z[t], out=grad_previous[t]).addmm_(step.view(batch_size, -1), weight_hh)
            for (start, stop), row, w in zip(ctx.slices, rows, weights):
                for e in range(row.size(2)):
                    message = grad_m[:, start:stop] * w[t, :, e, None]
                    flat_grad[:, start:stop].index_add_(0, row[t, :, e], message)

        grad_inputs = torch.cat([grad_hidden[:, :, :2].flatten(2), grad_buffer[:length] * by_n], dim=2)
        grad_hidden = grad_hidden.view(-1, 3 * size)
        grad_weight = grad_hidden.t() @ previous.view(-1, size)
        grad_bias = grad_hidden[:, 2 * size :].sum(0)
        flat_buffer = buffer.view(-1, size)
        grad_weights = []
        for (start, stop), row in zip(ctx.slices, rows):
            columns = [
                (flat_buffer.index_select(0, row[:, :, e].reshape(-1))[:, start:stop].view(length, batch_size, -1)
                 * grad_previous[:, :, start:stop]).sum(-1)
                for e in range(row.size(2))
            ]
            grad_weights.append(torch.stack(columns, dim=2) if columns else grad_previous.new_zeros(row.shape))
        return (
            grad_inputs, grad_weight, grad_bias, grad_buffer[length:-1], None, None, None, *grad_weights
        )  # fmt: skip
