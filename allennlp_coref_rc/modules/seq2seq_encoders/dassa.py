from collections.abc import Collection, Sequence
from typing import Any, Optional, Union

import torch
from allennlp.data import Vocabulary
from allennlp.modules import Seq2SeqEncoder
from allennlp.nn.util import add_positional_features
from torch.nn.functional import pad

from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers import label_vocabulary
from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.modules.annotated_self_attention import AnnotatedSelfAttention, HeadViews
from allennlp_coref_rc.modules.gpu import copied_to, once, one_pass
from allennlp_coref_rc.modules.pair import Pair, check_tensor
from allennlp_coref_rc.modules.qanet_block import QanetBlock
from allennlp_coref_rc.modules.scopes import Scopes
from allennlp_coref_rc.modules.seq2seq_encoders.annotated_seq2seq_encoder import (
    AnnotatedSeq2SeqEncoder,
    uncompiled,
)
from allennlp_coref_rc.modules.seq2seq_encoders.repeated import repeated


class Positions(torch.nn.Module):
    """
    The position encodings of tokens, to be added to vectors of the given shape. This is a module because
    AllenNLP's trainer refuses a bias right before a layer norm, as one that has no effect. Here the bias of
    the projection before a block does have an effect: the residual connections of the block carry it on.
    """

    def __init__(self) -> None:
        super().__init__()
        # Those of the longest text so far. No buffer: in distributed training, buffers have to be of one
        # size.
        self._kept = torch.empty(1, 0, 0)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        length = inputs.size(1)
        # Another thread may keep others in the meantime.
        kept = self._kept
        if kept.size(1) < length or kept.device != inputs.device:
            # Made on the CPU, since a GPU would need many launches.
            features = add_positional_features(torch.zeros(1, length, inputs.size(2)))
            self._kept = kept = copied_to(inputs.device, features)
        return kept[:, :length]


@Seq2SeqEncoder.register("dassa")
class DASSA(AnnotatedSeq2SeqEncoder):
    """
    The encoder of `Discourse-Aware Semantic Self-Attention for Narrative Reading Comprehension
    <https://aclanthology.org/D19-1257>`_ (Mihaylov & Frank, EMNLP 2019): a stack of QANet blocks. In some of
    the blocks, some attention heads see annotations. Such a head computes queries and keys from a token and
    its label, and values only from the token. It attends within a scope (equations 1 to 4): a sentence, a
    pair of sentences or the whole text, as the views of the annotation layers say. Narrow scopes cost less
    time (see `Scopes`).

    Without annotations, or without heads that see them, this is the encoder of QANet. Options that AllenNLP's
    `qanet_encoder` also has are named as there, and the encoder computes the same, with one exception. Here
    scores are divided by the square root of a head's size. There it is the square root of `hidden_dim` over
    the number of heads, which is the same by default.

    Where a label would add a vector, a token without a label gets a vector of its head, and so does each
    token in a plain head. In the authors' code this vector is a label; here it is the bias.

    Where this departs from the authors' code:

    * padding is never attended to, and convolutions do not see it; outputs are zero there;
    * tokens in no scope attend to their own stretch, up to the next scope. In the code they attend to all
      other tokens in no scope, as here with `join_unannotated`. So a head sees the whole text if nothing is
      annotated;
    * each annotation layer has its own table of labels, as large as the vocabulary says. The code has one
      table for all layers, in which clusters share rows with semantic roles by mistake;
    * weights are initialised as in PyTorch's `Linear`; those of queries and keys begin about three times as
      large as in the code.

    Registered as a `Seq2SeqEncoder` with name "dassa".

    # Parameters

    input_dim : `int`
    hidden_dim : `int`, optional (default = `128`)
    num_blocks : `int`, optional (default = `7`)
    num_convs_per_block : `int`, optional (default = `2`)
    conv_kernel_size : `int`, optional (default = `5`)
        Odd.
    num_attention_heads : `int`, optional (default = `8`)
    attention_projection_dim : `int`, optional (default = `hidden_dim`)
        The size of all heads together. Set it if `hidden_dim` is not a multiple of the number of heads.
    feedforward_hidden_dim : `int`, optional (default = `128`)
    heads : `dict[str, int]`, optional (default = `{}`)
        The annotation layers that heads see, and the number of heads for each. A layer needs at least as many
        heads as it makes views; additional heads see the whole text. The other heads are plain.
    annotated_blocks : `list[int]`, optional (default = `[1, 3, 5]`)
        The blocks with such heads, from 0.
    label_dim : `int`, optional (default = `16`)
        The size of the labels' embeddings.
    label_bias : `bool`, optional (default = `True`)
        Labels also add a vector, without projection, to queries and to keys. The code does this, the paper
        does not.
    join_unannotated : `bool`, optional (default = `False`)
    normalize_outputs : `bool`, optional (default = `False`)
        Put a layer norm after the last block. QANet has none. It helps models that multiply encodings,
        because residual connections make the encodings large.
    dropout_prob : `float`, optional (default = `0.1`)
    layer_dropout_undecayed_prob : `float`, optional (default = `0.1`)
    vocab : `Vocabulary`, optional (default = `None`)
        Says how many labels each layer has. AllenNLP passes it on.
    labels : `dict[str, Union[int, list[str]]]`, optional (default = `None`)
        The same without a vocabulary: by layer, its labels (`label_names` finds them), or their number.

    # Example

    ```jsonnet
    {"type": "dassa", "input_dim": 128, "heads": {"srl": 3, "discourse_explicit": 2, "coref": 1}}
    ```
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int = 128,
        num_blocks: int = 7,
        num_convs_per_block: int = 2,
        conv_kernel_size: int = 5,
        num_attention_heads: int = 8,
        attention_projection_dim: Optional[int] = None,
        feedforward_hidden_dim: int = 128,
        heads: Optional[dict[str, int]] = None,
        annotated_blocks: Sequence[int] = (1, 3, 5),
        label_dim: int = 16,
        label_bias: bool = True,
        join_unannotated: bool = False,
        normalize_outputs: bool = False,
        dropout_prob: float = 0.1,
        layer_dropout_undecayed_prob: float = 0.1,
        vocab: Optional[Vocabulary] = None,
        labels: Optional[dict[str, Union[int, list[str]]]] = None,
    ) -> None:
        super().__init__()
        attention_dim = attention_projection_dim or hidden_dim
        # Jsonnet sorts keys, Python does not: the parameters' meaning must not depend on it.
        self.heads = dict(sorted((heads or {}).items()))
        """The number of heads for each annotation layer, in order."""
        for key, number, least in (
            ("input_dim", input_dim, 1),
            ("num_blocks", num_blocks, 1),
            ("num_convs_per_block", num_convs_per_block, 0),
            ("feedforward_hidden_dim", feedforward_hidden_dim, 1),
            ("label_dim", label_dim, 1),
            ("num_attention_heads", num_attention_heads, 1),
        ):
            check_number("dassa", key, number, least)
        _check("conv_kernel_size", conv_kernel_size, bool(conv_kernel_size % 2), "an odd number")
        _check("hidden_dim", hidden_dim, hidden_dim % 2 == 0 and hidden_dim > 2, "an even number above 2")
        multiple = f"a multiple of num_attention_heads, {num_attention_heads}"
        _check("attention_projection_dim", attention_dim, attention_dim % num_attention_heads == 0, multiple)
        self._check_heads(num_attention_heads, list(annotated_blocks), num_blocks)
        if self.heads:
            is_given = (
                vocab is not None if labels is None else vocab is None and self.heads.keys() <= labels.keys()
            )
            expected = f"those of {[*self.heads]}, or their numbers, in place of a vocabulary"
            _check("labels", labels, is_given, expected)
            vocab = vocab or label_vocabulary(labels or {})
        self._input_dim = input_dim
        self._hidden_dim = hidden_dim
        self._annotated_blocks = frozenset(annotated_blocks if self.heads else ())
        self._join_unannotated = join_unannotated
        self.input_projection = torch.nn.Linear(input_dim, hidden_dim) if input_dim != hidden_dim else None
        self.positions = Positions()
        self.output_norm = torch.nn.LayerNorm(hidden_dim) if normalize_outputs else None
        self.blocks = torch.nn.ModuleList()
        for block in range(num_blocks):
            seen = (self.heads, vocab, label_dim, label_bias) if block in self._annotated_blocks else ()
            self.blocks.append(
                QanetBlock(
                    hidden_dim,
                    AnnotatedSelfAttention(hidden_dim, attention_dim, num_attention_heads, *seen),
                    num_convs_per_block,
                    conv_kernel_size,
                    feedforward_hidden_dim,
                    dropout_prob,
                    layer_dropout_undecayed_prob,
                )
            )

    def _check_heads(self, num_attention_heads: int, annotated_blocks: list[int], num_blocks: int) -> None:
        numbers = self.heads.values()
        fit = sum(numbers) <= num_attention_heads and min(numbers, default=1) > 0
        most = f"positive numbers, together at most num_attention_heads, {num_attention_heads}"
        _check("heads", self.heads, fit, most)
        if self.heads:
            exist = all(0 <= block < num_blocks for block in annotated_blocks)
            _check("annotated_blocks", annotated_blocks, exist, f"numbers below num_blocks, {num_blocks}")

    @property
    def annotation_layers(self) -> Collection[str]:
        return self.heads if self._annotated_blocks else ()

    def get_input_dim(self) -> int:
        return self._input_dim

    def get_output_dim(self) -> int:
        return self._hidden_dim

    def is_bidirectional(self) -> bool:
        return False

    def encode_pair(self, question_encoder: Seq2SeqEncoder, pair: Pair) -> Pair:
        if question_encoder is not self:
            return super().encode_pair(question_encoder, pair)
        return pair.with_vectors(
            *(encode_text(text) for encode_text, text in zip(repeated(self, len(pair)), pair))
        )

    @uncompiled
    @one_pass
    def forward(
        self, inputs: torch.Tensor, mask: torch.Tensor, annotations: Optional[AnnotationTensors] = None
    ) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.FloatTensor`
            Shape: (batch_size, sequence_length, input_dim).
        mask : `torch.BoolTensor`
            Shape: (batch_size, sequence_length).
        annotations : `AnnotationTensors`, optional (default = `None`)
            With a layer of views for each key of `heads`.

        # Returns

        `torch.FloatTensor`
            Shape: (batch_size, sequence_length, hidden_dim). Zero where masked.
        """
        self.check_input(inputs, mask, annotations)
        if annotations is None:
            self.warn_unannotated()
        views = None
        if annotations is not None and self._annotated_blocks:
            views = once(mask, [self, annotations], "views", lambda: self._views(annotations, mask))
        exist, attended = once(mask, [], inputs.dtype, lambda: _padding(mask, inputs.dtype))
        # Padding may be NaN, which a product with zero would keep.
        inputs = inputs if exist is None else inputs.masked_fill(~mask.unsqueeze(-1), 0)
        outputs = inputs if self.input_projection is None else self.input_projection(inputs)
        # The weights' dtype, not that of `outputs`, which is a lower one in autocast.
        positions = self.positions(outputs).to(next(self.blocks.parameters()).dtype)
        for i, block in enumerate(self.blocks):
            outputs = block(
                outputs + positions, exist, attended, views if i in self._annotated_blocks else None
            )
        if self.output_norm is not None:
            outputs = self.output_norm(outputs)
        return outputs if exist is None else outputs * exist

    def _views(self, annotations: AnnotationTensors, mask: torch.Tensor) -> HeadViews:
        labels: list[torch.Tensor] = []
        scopes: list[torch.Tensor] = []
        for layer, number in self.heads.items():
            tensors = self.annotation(annotations, layer, "labels")
            views = [tensors[name] for name in ("labels", "scopes")]
            shapes = (*mask.shape, "views"), tuple(views[0].shape)
            for name, view, shape in zip(("labels", "scopes"), views, shapes):
                check_tensor("dassa", f"annotations.{layer}.{name}", view, shape, mask.device)
            missing = number - views[0].size(-1)
            if missing < 0:
                raise ConfigurationError(
                    f"dassa has {number} heads for the annotation layer {layer!r}, which makes {number - missing} "
                    f"views; change the encoder's heads.{layer} or {self.source_of_layers}.{layer}"
                )
            views = [pad(view, (0, missing)) for view in views]
            labels.append(views[0].clamp(min=0))
            scopes.append(views[1])
        return HeadViews(
            torch.cat(labels, dim=-1), Scopes(torch.cat(scopes, dim=-1), mask, self._join_unannotated)
        )


def _padding(mask: torch.Tensor, dtype: torch.dtype) -> tuple[Optional[torch.Tensor], Optional[torch.Tensor]]:
    """`exist` and `attended` of `QanetBlock`."""
    # Only on the CPU: elsewhere looking at a value means waiting for the device.
    if mask.device.type == "cpu" and mask.all():
        return None, None
    # A text without tokens attends to all its padding, since attention to nothing would give NaN.
    attended = (mask | ~mask.any(dim=1, keepdim=True))[:, None, None, :]
    return mask.unsqueeze(-1).to(dtype), attended


def _check(key: str, value: Any, is_good: bool, expected: str) -> None:
    if not is_good:
        raise ConfigurationError(f"dassa: {key} is {value}, expected {expected}")
