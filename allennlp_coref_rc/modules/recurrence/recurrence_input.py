from typing import NamedTuple, Optional, Sequence

import torch

from allennlp_coref_rc.modules.recurrence.edges import Edges


class RecurrenceInput(NamedTuple):
    """
    The inputs and parameters of `recurrence`.

    # Parameters

    inputs : `torch.FloatTensor`
        Shape: (batch_size, sequence_length, input_size), or without `weight_ih` (batch_size, sequence_length, 3 *
        hidden_size): the projected inputs of reset, update and candidate, with the biases of both sides but `bias_hn`.
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
    weight_ih : `torch.FloatTensor`, optional (default = `None`)
        Shape: (3 * hidden_size, input_size). Projects the inputs.
    bias : `torch.FloatTensor`, optional (default = `None`)
        Shape: (3 * hidden_size,). Added to the projected inputs: the biases of both sides but `bias_hn`. Given with
        `weight_ih`.
    """

    inputs: torch.Tensor
    edges: Sequence[Edges]
    weight_hh: torch.Tensor
    bias_hn: torch.Tensor
    mask: torch.Tensor
    memory: Optional[torch.Tensor] = None
    reverse: bool = False
    weight_ih: Optional[torch.Tensor] = None
    bias: Optional[torch.Tensor] = None

    def projected(self) -> "RecurrenceInput":
        """The same with projected inputs."""
        if self.weight_ih is None:
            return self
        # Autocast may lower the dtype.
        inputs = torch.nn.functional.linear(self.inputs, self.weight_ih, self.bias).to(self.weight_hh.dtype)
        return self._replace(inputs=inputs, weight_ih=None, bias=None)
