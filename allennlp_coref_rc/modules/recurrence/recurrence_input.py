from collections.abc import Sequence
from typing import NamedTuple, Optional

import torch

from allennlp_coref_rc.modules.gpu import once
from allennlp_coref_rc.modules.masked_softmax import masked_softmax
from allennlp_coref_rc.modules.recurrence.edges import Edges

Factors = tuple[torch.Tensor, Optional[torch.Tensor]]
"""What inputs are multiplied with: `weight_ih`, and the keys if there are any."""


def joint_products(inputs: torch.Tensor, factors: Sequence[Factors]) -> Sequence[torch.Tensor]:
    """The `products` of inputs with several factors, which is one product on a GPU."""
    rows = [[part for part in parts if part is not None] for parts in factors]
    flat = [part for parts in rows for part in parts]
    product = torch.nn.functional.linear(inputs, torch.cat(flat) if len(flat) > 1 else flat[0])
    if len(rows) == 1:
        return [product]
    return product.split([sum(part.size(0) for part in parts) for parts in rows], dim=-1)


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
    products : `torch.FloatTensor`, optional (default = `None`)
        Shape: (batch_size, sequence_length, 3 * hidden_size + relations). The products of the inputs with
        `weight_ih` and `keys`, if they are known already. Without keys there are none for the relations.
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
    products: Optional[torch.Tensor] = None

    def multiplied(self) -> "RecurrenceInput":
        """
        The same with the products of the inputs with `weight_ih` and, in further columns, with `keys`. `bias`
        is still to be added to them, and the weights of edges are still to be made of them.
        """
        products = self.products
        if self.weight_ih is None:
            return self
        if products is None:
            (products,) = joint_products(self.inputs, [(self.weight_ih, self.keys)])
        elif self.keys is None:
            products = products[..., : self.weight_hh.size(0)]
        return self._replace(inputs=products, weight_ih=None, products=None)

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
