import torch

from allennlp_coref_rc.modules.recurrence.recurrence_input import RecurrenceInput


def reference(given: RecurrenceInput) -> torch.Tensor:
    """
    `recurrence` as its equations read, one step of autograd after the other: the oracle of the other
    backends.
    """
    inputs, edges, weight_hh, bias_hn, mask, memory, reverse, *_ = given
    batch_size, length, _ = inputs.shape
    hidden_size, width = bias_hn.size(0), weight_hh.size(1)
    # Neither masked inputs nor their gradients may leak, not even as NaN.
    inputs = inputs.masked_fill(~mask.unsqueeze(-1), 0)
    zero = inputs.new_zeros(batch_size, hidden_size)
    # The last entry is what NO_SOURCE (-1) reads.
    states = [zero] * length + (list(memory.unbind(1)) if memory is not None else []) + [zero]
    rows = torch.arange(batch_size, device=inputs.device)

    for t in reversed(range(length)) if reverse else range(length):
        previous = inputs.new_zeros(batch_size, width)
        readable = torch.stack(states, dim=1)
        for sources, weights, start, stop, to in edges:
            for e in range(sources.size(2)):
                read = readable[rows, sources[:, t, e], start:stop]
                to = start if to is None else to
                padding = (to, width - to - (stop - start))
                previous = previous + torch.nn.functional.pad(weights[:, t, e].unsqueeze(1) * read, padding)
        input_r, input_z, input_n = inputs[:, t].chunk(3, dim=1)
        hidden_r, hidden_z, hidden_n = torch.nn.functional.linear(previous, weight_hh).chunk(3, dim=1)
        r = torch.sigmoid(input_r + hidden_r)
        z = torch.sigmoid(input_z + hidden_z)
        n = torch.tanh(input_n + r * (hidden_n + bias_hn))
        state = (1 - z) * n + z * previous[:, :hidden_size]
        states[t] = torch.where(mask[:, t].unsqueeze(1), state, zero)
    return torch.stack(states[:length], dim=1)
