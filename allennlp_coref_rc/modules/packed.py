from typing import NamedTuple

import numpy
import torch
from torch.nn.functional import pad
from torch.nn.utils.rnn import PackedSequence

from allennlp_coref_rc.modules.gpu import copied_to, once


class Packing(NamedTuple):
    """
    # Parameters

    places : `torch.LongTensor`
        The place of each packed token in (batch_size, sequence_length).
    packed_places : `torch.LongTensor`
        Shape: (batch_size * sequence_length,). For each token its place among the packed ones, from 1; 0 for
        padding.
    batch_sizes : `torch.LongTensor`
        On the CPU, as `PackedSequence` has it.
    """

    places: torch.Tensor
    packed_places: torch.Tensor
    batch_sizes: torch.Tensor


def read_packed(rnn: torch.nn.RNNBase, inputs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """
    The outputs of a GRU or LSTM, zero where masked, as AllenNLP's encoders compute them. They pack and unpack
    token by token, which a GPU spends most of its time on, and wait for the lengths in each layer.

    # Parameters

    rnn : `torch.nn.RNNBase`
        With `batch_first`.
    inputs : `torch.FloatTensor`
        Shape: (batch_size, sequence_length, input_size).
    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length). Padding is at the end.
    """
    packing = once(mask, [], "packing", lambda: _packing(mask))
    if not len(packing.places):
        size = rnn.proj_size or rnn.hidden_size
        return inputs.new_zeros(*mask.shape, size * (1 + rnn.bidirectional))
    packed = PackedSequence(inputs.flatten(0, 1).index_select(0, packing.places), packing.batch_sizes)
    outputs = pad(rnn(packed)[0].data, (0, 0, 1, 0))
    return outputs.index_select(0, packing.packed_places).unflatten(0, mask.shape)


def _packing(mask: torch.Tensor) -> Packing:
    lengths = mask.sum(dim=1).cpu().numpy()
    batch_size, length = mask.shape
    longest_first = (-lengths).argsort(kind="stable")
    # Shape: (sequence_length, batch_size)
    exist = numpy.arange(length)[:, None] < lengths[longest_first]
    places = (numpy.arange(length)[:, None] + longest_first * length)[exist]
    packed_places = numpy.zeros(mask.numel(), dtype=places.dtype)
    packed_places[places] = numpy.arange(1, len(places) + 1)
    both = copied_to(mask.device, torch.from_numpy(numpy.concatenate([places, packed_places])))
    sizes = exist.sum(axis=1)
    return Packing(both[: len(places)], both[len(places) :], torch.from_numpy(sizes[sizes > 0]))
