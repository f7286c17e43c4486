from collections.abc import Sequence
from typing import NamedTuple, Optional

import torch

from allennlp_coref_rc.modules.gpu import once
from allennlp_coref_rc.modules.masked_softmax import masked_softmax
from allennlp_coref_rc.modules.recurrence.edges import Edges


class RecurrenceInput(NamedTuple):
    """
    The inputs and parameters of `recurrence`.

    # Parameters

    inputs : `torch.FloatTensor`
        Shape: (batch_size, sequence_length, input_size), or without `weight_ih` (batch_size, sequence_length,
        3 * hidden_size): the projected inputs of reset, update and candidate, with the biases of both sides
        but `bias_hn`.
    edges : `Sequence[Edges]`
        One entry for each relation. Parts of m_t to which no relation adds anything are zero.
    weight_hh : `torch.FloatTensor`
        Shape: (3 * hidden_size, width), where m_t is of size width >= hidden_size.
    bias_hn : `torch.FloatTensor`
        Shape: (hidden_size,). The bias of the candidate that the reset gate scales. With `bias`, it may have
        the shape (3 * hidden_size,): the recurrent biases of all gates, as in `torch.nn.GRU`. `bias` is then
        that of the inputs.
    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length). May have holes.
    memory : `torch.FloatTensor`, optional (default = `None`)
        Shape: (batch_size, memory_length, hidden_size). States of another sequence that edges may read.
    reverse : `bool`, optional (default = `False`)
        Read from the last token to the first.
    weight_ih : `torch.FloatTensor`, optional (default = `None`)
        Shape: (3 * hidden_size, input_size). Projects the inputs.
    bias : `torch.FloatTensor`, optional (default = `None`)
        Shape: (3 * hidden_size,). Added to the projected inputs: the biases of both sides but `bias_hn`.
        Given with `weight_ih`.
    keys : `torch.FloatTensor`, optional (default = `None`)
        Shape: (relations, input_size). Given with `weight_ih`. Edges are then weighted by attention: a
        softmax over the edges of a token. The score of an edge is the product of the token's inputs and the
        key of the edge's relation. Edges of weight 0 do not take part. All other weights mean the same, and
        have no gradient.
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
    keys: Optional[torch.Tensor] = None

    def multiplied(self) -> "RecurrenceInput":
        """
        The same with the products of the inputs with `weight_ih` and, in further columns, with `keys`. `bias`
        is still to be added to them, and the weights of edges are still to be made of them.
        """
        if self.weight_ih is None:
            return self
        factors = self.weight_ih if self.keys is None else torch.cat([self.weight_ih, self.keys])
        return self._replace(inputs=torch.nn.functional.linear(self.inputs, factors), weight_ih=None)

    def projected(self) -> "RecurrenceInput":
        """The same with projected inputs, and with edges that have their weights."""
        if self.weight_ih is None:
            return self
        # Autocast may lower the dtype.
        dtype = self.weight_hh.dtype
        inputs = torch.nn.functional.linear(self.inputs, self.weight_ih, self.bias).to(dtype)
        edges = self.edges
        if self.keys is not None:
            sizes = [edge.sources.size(-1) for edge in edges]
            logits = torch.nn.functional.linear(self.inputs, self.keys)
            if any(size != 1 for size in sizes):
                parts = zip(logits.split(1, dim=-1), edges)
                logits = torch.cat([logit.expand(edge.sources.shape) for logit, edge in parts], dim=-1)
            weights = [edge.weights for edge in edges]
            exists = once(self.mask, weights, "exists", lambda: torch.cat(weights, dim=-1) != 0)
            softmax = masked_softmax(logits, exists).to(dtype)
            edges = [
                edge._replace(weights=weight) for edge, weight in zip(edges, softmax.split(sizes, dim=-1))
            ]
        return self._replace(inputs=inputs, edges=edges, weight_ih=None, bias=None, keys=None)
