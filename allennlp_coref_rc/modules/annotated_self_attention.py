from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple, Optional

import torch
from allennlp.data import Vocabulary
from allennlp.modules.token_embedders import Embedding
from torch.nn.functional import embedding, pad, scaled_dot_product_attention

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers import label_namespace
from allennlp_coref_rc.modules.gpu import once
from allennlp_coref_rc.modules.scopes import Scopes, ScopeWeights


class HeadViews(NamedTuple):
    """
    The views of the annotated heads on a batch.

    # Parameters

    labels : `torch.LongTensor`
        Shape: (batch_size, sequence_length, heads). Zero means no label.
    scopes : `Scopes`
    """

    labels: torch.Tensor
    scopes: Scopes


class LabelProjection(torch.nn.Module):
    """
    The terms that the labels of one annotation layer add to the queries and keys of its heads. A label has
    one embedding for queries and one for keys, the same for all heads; each head projects it. With `bias`, a
    label also has vectors that are added without projection. `table` has each label's embedding and vector
    for queries, then those for keys. The vocabulary says how many labels there are.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        namespace: str,
        num_heads: int,
        head_dim: int,
        label_dim: int,
        bias: bool,
        fan_in: int,
    ) -> None:
        super().__init__()
        self._dims = [label_dim, head_dim if bias else 0]
        self.table = Embedding(2 * sum(self._dims), vocab=vocab, vocab_namespace=namespace)
        self.weight = torch.nn.Parameter(torch.empty(2, num_heads, label_dim, head_dim))
        torch.nn.init.uniform_(self.weight, -(fan_in**-0.5), fan_in**-0.5)
        # AllenNLP makes the table in float32 on the CPU, whatever PyTorch's defaults are.
        self.table.to(self.weight.device, self.weight.dtype)

    def forward(self, no_label: torch.Tensor) -> torch.Tensor:
        """
        # Parameters

        no_label : `torch.Tensor`
            Shape: (2, heads, head_dim). Already added to the queries and keys of all tokens; only tokens
            without a label keep it.

        # Returns

        `torch.Tensor`
            Shape: (heads, labels, 3, head_dim). The caller adds it to queries and keys. It is zero for
            values.
        """
        # The table is projected, not the tokens: there are fewer labels than tokens. Its first label is none.
        table = self.table.weight[1:].unflatten(-1, (2, 1, -1)).permute(1, 2, 0, 3)
        embeddings, biases = table.split(self._dims, dim=-1)
        added = embeddings @ self.weight - no_label.unsqueeze(2)
        if self._dims[1]:
            added = added + biases
        return pad(added, (0, 0, 1, 0, 0, 0, 0, 1)).permute(1, 2, 0, 3)


class AnnotatedSelfAttention(torch.nn.Module):
    """
    Multi-head self-attention in which the first heads may see annotations: the discourse-aware semantic
    self-attention of DASSA. The parameters of plain heads are those of `torch.nn.MultiheadAttention`. In an
    annotated head, the bias of queries and keys is only for tokens without a label. Other tokens have the
    term of their label in its place.

    # Parameters

    input_dim : `int`
    attention_dim : `int`
        The size of all heads together.
    num_heads : `int`
    heads : `dict[str, int]`, optional (default = `{}`)
        The annotation layers that heads see, in order, and the number of heads for each.
    vocab : `Vocabulary`, optional (default = `None`)
    label_dim : `int`, optional (default = `16`)
    label_bias : `bool`, optional (default = `True`)
    """

    def __init__(
        self,
        input_dim: int,
        attention_dim: int,
        num_heads: int,
        heads: Optional[dict[str, int]] = None,
        vocab: Optional[Vocabulary] = None,
        label_dim: int = 16,
        label_bias: bool = True,
    ) -> None:
        super().__init__()
        head_dim = attention_dim // num_heads
        self._num_heads = num_heads
        self._heads = list((heads or {}).values())
        self.projection = torch.nn.Linear(input_dim, 3 * attention_dim)
        self.output_projection = torch.nn.Linear(attention_dim, input_dim)
        self.labels = torch.nn.ModuleList()
        for layer, number in (heads or {}).items():
            if vocab is None:
                raise ConfigurationError(
                    f"self-attention: found heads of {layer!r}, expected a vocabulary of its labels"
                )
            namespace, fan_in = label_namespace(layer), input_dim + label_dim
            self.labels.append(
                LabelProjection(vocab, namespace, number, head_dim, label_dim, label_bias, fan_in)
            )

    def forward(
        self, inputs: torch.Tensor, attended: Optional[torch.Tensor] = None, views: Optional[HeadViews] = None
    ) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.Tensor`
            Shape: (batch_size, sequence_length, input_dim).
        attended : `torch.BoolTensor`, optional (default = `None`)
            Shape: (batch_size, 1, 1, sequence_length). The tokens that plain heads attend to; by default all.
        views : `HeadViews`, optional (default = `None`)
            Without them all heads are plain.

        # Returns

        `torch.Tensor`
            Shape: (batch_size, sequence_length, input_dim).
        """
        projected = self.projection(inputs).unflatten(-1, (3, self._num_heads, -1))
        outputs = []
        if views is not None and self._heads:
            sizes = [sum(self._heads), self._num_heads - sum(self._heads)]
            annotated, projected = projected.split(sizes, dim=3)
            outputs.append(views.scopes.attend(self._with_labels(annotated, views)))
        if projected.size(3):
            queries, keys, values = (part.transpose(1, 2) for part in projected.unbind(2))
            plain = scaled_dot_product_attention(queries, keys, values, attn_mask=attended)
            outputs.append(plain.transpose(1, 2))
        joined = torch.cat(outputs, dim=2) if len(outputs) > 1 else outputs[0]
        return self.output_projection(joined.flatten(2))

    def annotated_weights(self, inputs: torch.Tensor, views: HeadViews) -> Iterator[ScopeWeights]:
        """The attention weights of the annotated heads in `forward`, computed again and in full."""
        projected = self.projection(inputs).unflatten(-1, (3, self._num_heads, -1))
        return views.scopes.weights(self._with_labels(projected[:, :, :, : sum(self._heads)], views))

    def _with_labels(self, projected: torch.Tensor, views: HeadViews) -> torch.Tensor:
        """
        Queries, keys and values of the annotated heads with the terms of their labels, given those without,
        of shape (batch_size, sequence_length, 3, heads, head_dim). Shape: (batch_size, sequence_length,
        heads, 3, head_dim).
        """
        return self._label_terms(views.labels) + projected.transpose(2, 3)

    def _label_terms(self, labels: torch.Tensor) -> torch.Tensor:
        """
        The terms that labels add to queries, keys and values (zero for values). Shape: (batch_size,
        sequence_length, heads, 3, head_dim).
        """
        bias = self.projection.bias
        # A layer with dynamic quantization has a method.
        bias = bias() if callable(bias) else bias
        biases = bias.view(3, self._num_heads, -1)[:2, : labels.size(-1)].split(self._heads, dim=1)
        tables = [project(bias) for project, bias in zip(self.labels, biases)]
        sizes = [(table.size(0), table.size(1)) for table in tables]

        def rows_of_labels() -> torch.Tensor:
            # Only on the CPU: elsewhere looking at a value means waiting for the device.
            if labels.device.type == "cpu" and labels.numel():
                found = labels.amax((0, 1)).tolist()
                known = [number for heads, number in sizes for _ in range(heads)]
                if any(label >= number for label, number in zip(found, known)):
                    raise ConfigurationError(
                        f"self-attention: found labels up to {found} for the heads, expected less than {known}"
                    )
            # The first row of each head in all tables, made on the device: a copy would wait for it.
            ends = list(accumulate(heads * number for heads, number in sizes))
            ranges = zip([0, *ends], ends, (number for _, number in sizes))
            return labels + torch.cat([torch.arange(*range_, device=labels.device) for range_ in ranges])

        rows = once(labels, [], tuple(sizes), rows_of_labels)
        terms = torch.cat([table.flatten(0, 1).flatten(1) for table in tables])
        return embedding(rows, terms).unflatten(-1, tables[0].shape[2:])
