from typing import NamedTuple, Optional, Sequence

import torch

from allennlp_coref_rc.modules.recurrence.edges import Edges


class RecurrenceInput(NamedTuple):
    """
    The inputs and parameters of `recurrence`.

    # Parameters

    inputs : `torch.FloatTensor`
        Shape: (batch_size, sequence_length, 3 * hidden_size). The projected inputs of reset, update and candidate, with
        the biases of both sides but `bias_hn`.
    edges : `Sequence[Edges]`
        One entry a relation. Where no relation adds anything m_t is zero.
    weight_hh : `torch.FloatTensor`
        Shape: (3 * hidden_size, width), where m_t is of size width >= hidden_size.
    bias_hn : `torch.FloatTensor`
        Shape: (hidden_size,). The bias of the candidate that the reset gate scales.
    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length). May have holes.
    memory : `torch.FloatTensor`, optional (default = `None`)
        Shape: (batch_size, memory_length, hidden_size). States of another sequence that edges may read.
    reverse : `bool`, optional (default = `False`)
        Read from the last token to the first.
    """

    inputs: torch.Tensor
    edges: Sequence[Edges]
    weight_hh: torch.Tensor
    bias_hn: torch.Tensor
    mask: torch.Tensor
    memory: Optional[torch.Tensor] = None
    reverse: bool = False
