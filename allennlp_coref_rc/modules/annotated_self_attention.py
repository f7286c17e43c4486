from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, Optional

import torch
from allennlp.data import Vocabulary
from allennlp.modules.token_embedders import Embedding
from torch.nn.functional import embedding, linear, pad, scaled_dot_product_attention

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers import label_namespace
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
    The terms that the labels of one annotation layer add to the queries and keys of its heads. A label has one
    embedding for queries and one for keys, the same for all heads; each head projects it. With `bias`, a label also has
    vectors that are added without projection. `table` has each label's embedding and vector for queries, then those for
    keys. The vocabulary says how many labels there are.
    """

    def __init__(
        self, vocab: Vocabulary, namespace: str, num_heads: int, head_dim: int, label_dim: int, bias: bool, fan_in: int
    ) -> None:
        super().__init__()
        self._dims = [label_dim, head_dim if bias else 0]
        self.table = Embedding(2 * sum(self._dims), vocab=vocab, vocab_namespace=namespace)
        self.weight = torch.nn.Parameter(torch.empty(2, num_heads, label_dim, head_dim))
        torch.nn.init.uniform_(self.weight, -(fan_in**-0.5), fan_in**-0.5)

    def forward(self, no_label: torch.Tensor) -> torch.Tensor:
        """
        # Parameters

        no_label : `torch.Tensor`
            Shape: (2, heads, head_dim). Already added to the queries and keys of all tokens; only tokens without a
            label keep it.

        # Returns

        `torch.Tensor`
            Shape: (heads, labels, 3, head_dim). The caller adds it to queries and keys. It is zero for values.
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
    Multi-head self-attention in which the first heads may see annotations: the discourse-aware semantic self-attention
    of DASSA. The parameters of plain heads are those of `torch.nn.MultiheadAttention`. In an annotated head, the bias
    of queries and keys is only for tokens without a label. Other tokens have the term of their label in its place.

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
        self._head_dim = head_dim
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
            self.labels.append(LabelProjection(vocab, namespace, number, head_dim, label_dim, label_bias, fan_in))

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
        annotated = 0 if views is None else sum(self._heads)
        if views is None or not annotated:
            projected = self.projection(inputs).unflatten(-1, (3, self._num_heads, -1))
            queries, keys, values = projected.permute(2, 0, 3, 1, 4)
            plain = scaled_dot_product_attention(queries, keys, values, attn_mask=attended)
            return self.output_projection(plain.transpose(1, 2).flatten(2))
        of_annotated, of_plain = self._parameters_of(annotated)
        outputs = [views.scopes.attend(self._project_annotated(inputs, views, of_annotated))]
        if annotated < self._num_heads:
            parts = (linear(inputs, *parameters) for parameters in zip(*of_plain))
            queries, keys, values = (part.unflatten(-1, (-1, self._head_dim)).transpose(1, 2) for part in parts)
            plain = scaled_dot_product_attention(queries, keys, values, attn_mask=attended)
            outputs.append(plain.transpose(1, 2))
        return self.output_projection(torch.cat(outputs, dim=2).flatten(2))

    def annotated_weights(self, inputs: torch.Tensor, views: HeadViews) -> Iterator[ScopeWeights]:
        """The attention weights of the annotated heads in `forward`, computed again and in full."""
        of_annotated, _ = self._parameters_of(sum(self._heads))
        return views.scopes.weights(self._project_annotated(inputs, views, of_annotated))

    def _parameters_of(self, annotated: int) -> tuple[Sequence[torch.Tensor], Sequence[torch.Tensor]]:
        """
        Weight and bias of the projection of the first `annotated` heads, and of the others. Shapes: (3, heads *
        head_dim, …).
        """
        # Splits the weights instead of their products, which are larger and whose gradients would have to be joined
        # again.
        sizes = [annotated * self._head_dim, (self._num_heads - annotated) * self._head_dim]
        split = (parameter.unflatten(0, (3, -1)).split(sizes, dim=1) for parameter in self.projection.parameters())
        of_annotated, of_plain = zip(*split)
        return of_annotated, of_plain

    def _project_annotated(
        self, inputs: torch.Tensor, views: HeadViews, parameters: Sequence[torch.Tensor]
    ) -> torch.Tensor:
        """Queries, keys and values. Shape: (batch_size, sequence_length, heads, 3, head_dim)."""
        seen = linear(inputs, *(parameter.flatten(0, 1) for parameter in parameters))
        seen = seen.unflatten(-1, (3, sum(self._heads), -1)).transpose(2, 3)
        return self._label_terms(views.labels) + seen

    def _label_terms(self, labels: torch.Tensor) -> torch.Tensor:
        """
        The terms that labels add to queries, keys and values (zero for values). Shape: (batch_size, sequence_length,
        heads, 3, head_dim).
        """
        biases = self.projection.bias.view(3, self._num_heads, -1)[:2, : labels.size(-1)].split(self._heads, dim=1)
        tables = [project(bias) for project, bias in zip(self.labels, biases)]
        # The first row of each head in all tables, made on the device: a copy would wait for it.
        ends = list(accumulate(table.size(0) * table.size(1) for table in tables))
        ranges = zip([0, *ends], ends, (table.size(1) for table in tables))
        first_rows = torch.cat([torch.arange(*range_, device=labels.device) for range_ in ranges])
        rows = torch.cat([table.flatten(0, 1).flatten(1) for table in tables])
        return embedding(labels + first_rows, rows).unflatten(-1, tables[0].shape[2:])
