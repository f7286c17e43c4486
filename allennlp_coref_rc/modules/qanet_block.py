from collections.abc import Callable
from functools import partial
from typing import Optional

import torch
from allennlp.common.util import is_distributed
from torch.nn.functional import conv2d, relu

from allennlp_coref_rc.modules.annotated_self_attention import AnnotatedSelfAttention, HeadViews
from allennlp_coref_rc.modules.fast_dropout import FastDropout


class Depthwise(torch.nn.Conv1d):
    """A convolution of each channel by itself, of images of height one."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        padding = 0, self.kernel_size[0] // 2
        return conv2d(inputs, self.weight.unsqueeze(2), self.bias, padding=padding, groups=self.groups)


class SeparableConvolution(torch.nn.Module):
    """
    A convolution of each channel by itself, then one of width one over all channels. Shapes of inputs and
    outputs: (batch_size, sequence_length, dim).
    """

    def __init__(self, dim: int, kernel_size: int) -> None:
        super().__init__()
        self.depthwise = Depthwise(dim, dim, kernel_size, groups=dim)
        self.pointwise = torch.nn.Linear(dim, dim)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        # As an image of height one whose channels come last, so that nothing has to be transposed in memory.
        image = inputs.transpose(1, 2).unsqueeze(2)
        return self.pointwise(self.depthwise(image).squeeze(2).transpose(1, 2))


class QanetBlock(torch.nn.Module):
    """
    The encoder block of `QANet <https://openreview.net/forum?id=B14TlG-RW>`_ (Yu et al., ICLR 2018):
    separable convolutions, self-attention and a feed-forward layer. Each has a layer norm before it and a
    residual connection. Layer dropout skips deeper layers more often. The block computes the same as
    AllenNLP's `qanet_encoder_block`, except that convolutions do not see padding here.

    # Parameters

    dim : `int`
    attention : `AnnotatedSelfAttention`
    num_convs : `int`
    kernel_size : `int`
        Odd.
    feedforward_dim : `int`
    dropout : `float`
    layer_dropout : `float`
        The probability of dropping the last layer of the block. Layer l of L is dropped with l / L of this
        probability.
    """

    def __init__(
        self,
        dim: int,
        attention: AnnotatedSelfAttention,
        num_convs: int,
        kernel_size: int,
        feedforward_dim: int,
        dropout: float,
        layer_dropout: float,
    ) -> None:
        super().__init__()
        self.convolutions = torch.nn.ModuleList(
            SeparableConvolution(dim, kernel_size) for _ in range(num_convs)
        )
        self.attention = attention
        self.feedforward = torch.nn.ModuleList(
            [torch.nn.Linear(dim, feedforward_dim), torch.nn.Linear(feedforward_dim, dim)]
        )
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(dim) for _ in range(num_convs + 2))
        self.dropout = FastDropout(dropout)
        # AllenNLP drops twice behind the feed-forward layer.
        self.dropout_twice = FastDropout(1 - (1 - dropout) ** 2)
        self._layer_dropout = layer_dropout

    def forward(
        self,
        inputs: torch.Tensor,
        exist: Optional[torch.Tensor] = None,
        attended: Optional[torch.Tensor] = None,
        views: Optional[HeadViews] = None,
    ) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.Tensor`
            Shape: (batch_size, sequence_length, dim). They include position encodings.
        exist : `torch.Tensor`, optional (default = `None`)
            Shape: (batch_size, sequence_length, 1). One, or zero where masked; by default ones.
        attended : `torch.BoolTensor`, optional (default = `None`)
        views : `HeadViews`, optional (default = `None`)
            Both as in `AnnotatedSelfAttention`.

        # Returns

        `torch.Tensor`
            Shape: (batch_size, sequence_length, dim).
        """
        outputs = inputs
        for i, convolution in enumerate(self.convolutions):
            outputs = self._residual(i, outputs, partial(self._convolve, convolution, exist))
        i = len(self.convolutions)
        outputs = self._residual(
            i, outputs, lambda normed: self.dropout(self.attention(normed, attended, views))
        )
        return self._residual(i + 1, outputs, self._feed_forward)

    def _convolve(
        self, convolution: torch.nn.Module, exist: Optional[torch.Tensor], inputs: torch.Tensor
    ) -> torch.Tensor:
        return self.dropout(relu(convolution(inputs if exist is None else inputs * exist), inplace=True))

    def _feed_forward(self, inputs: torch.Tensor) -> torch.Tensor:
        first, second = self.feedforward
        return self.dropout_twice(second(self.dropout(relu(first(inputs), inplace=True))))

    def _residual(
        self, index: int, inputs: torch.Tensor, layer: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        """
        Adds to the inputs the layer's output for the normed inputs. Training may drop this output; evaluation
        scales it by the probability that it is kept.
        """
        probability = self._layer_dropout * (index + 1) / len(self.norms)
        # Drawn on the CPU, so that nothing waits for a GPU.
        if self.training and torch.rand((), device="cpu") < probability:
            return inputs + self._no_gradients() if is_distributed() else inputs
        outputs = layer(self.dropout(self.norms[index](inputs)))
        return inputs + outputs if self.training else torch.add(inputs, outputs, alpha=1 - probability)

    def _no_gradients(self) -> torch.Tensor:
        """
        A zero that gives all parameters a gradient. Distributed training stops with an error if a parameter
        has none.
        """
        return torch.stack([0.0 * parameter.flatten()[:1].sum() for parameter in self.parameters()]).sum()
