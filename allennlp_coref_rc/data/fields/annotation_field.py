from collections.abc import Sequence
from typing import Any, Optional

import torch
from allennlp.data import Vocabulary
from allennlp.data.fields import Field

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers import Layer
from allennlp_coref_rc.data.annotation_layers.edges import PADDING

AnnotationTensors = dict[str, dict[str, torch.Tensor]]
"""
By layer and then by name, numbers of shape (batch_size, sequence_length, numbers), padded with `PADDING`.
"""

NO_LABEL, UNKNOWN_LABEL = 0, 1
"""The indices of padding and of the unknown word in padded vocabulary namespaces."""


class AnnotationField(Field[AnnotationTensors]):
    """
    The annotations of a passage or a question: the layers that a reader's config asks for. Each layer has
    named lists of numbers for each token, which may differ in length. Like a `TextField`, the field becomes a
    nested dict of tensors, `AnnotationTensors`.

    # Parameters

    layers : `dict[str, Layer]`
        By layer and name, one list of numbers or labels a token. Each `AnnotationLayer` documents their
        meaning.
    length : `int`
        The number of tokens.
    namespaces : `dict[str, dict[str, str]]`, optional (default = `{}`)
        By layer and name, the vocabulary namespace of labels. The empty label "" becomes 0 and an unknown one
        1, as in any padded namespace.
    """

    __slots__ = ["layers", "length", "namespaces", "_tensors"]

    def __init__(
        self, layers: dict[str, Layer], length: int, namespaces: Optional[dict[str, dict[str, str]]] = None
    ) -> None:
        for layer, numbers in layers.items():
            for name, tokens in numbers.items():
                if len(tokens) != length:
                    raise ConfigurationError(
                        f"annotation {layer}.{name}: found numbers of {len(tokens)} tokens, expected those of the "
                        f"text's {length}"
                    )
        self.layers = layers
        self.length = length
        self.namespaces = namespaces or {}
        self._tensors: Optional[AnnotationTensors] = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnnotationField):
            return NotImplemented
        return (self.layers, self.length, self.namespaces) == (other.layers, other.length, other.namespaces)

    def count_vocab_items(self, counter: dict[str, dict[str, int]]) -> None:
        for layer, names in self.namespaces.items():
            for name, namespace in names.items():
                for token in self.layers[layer][name]:
                    for label in token:
                        if label != "":
                            counter[namespace][str(label)] += 1

    def index(self, vocab: Vocabulary) -> None:
        self._tensors = None
        self.layers = dict(self.layers)
        for layer, names in self.namespaces.items():
            indexed = dict(self.layers[layer])
            for name, namespace in names.items():
                known = vocab.get_token_to_index_vocabulary(namespace)
                indexed[name] = [
                    [known.get(str(label), UNKNOWN_LABEL) if label != "" else NO_LABEL for label in token]
                    for token in indexed[name]
                ]
            self.layers[layer] = indexed
        self.namespaces = {}

    def get_padding_lengths(self) -> dict[str, int]:
        lengths = {"num_tokens": self.length}
        for layer, numbers in self._own_tensors().items():
            for name, tensor in numbers.items():
                lengths[f"{layer}.{name}"] = tensor.size(1)
        return lengths

    def as_tensor(self, padding_lengths: dict[str, int]) -> AnnotationTensors:
        tensors: AnnotationTensors = {}
        for layer, numbers in self._own_tensors().items():
            tensors[layer] = {}
            for name, tensor in numbers.items():
                shape = padding_lengths["num_tokens"], padding_lengths[f"{layer}.{name}"]
                width = min(shape[1], tensor.size(1))
                padded = tensor.new_full(shape, PADDING)
                padded[: self.length, :width] = tensor[:, :width]
                tensors[layer][name] = padded
        return tensors

    def _own_tensors(self) -> AnnotationTensors:
        """
        The numbers, padded to the most that a token has. They are made only once, and not again for each
        batch.
        """
        if self._tensors is None:
            self._tensors = {
                layer: {name: _to_tensor(f"{layer}.{name}", tokens) for name, tokens in numbers.items()}
                for layer, numbers in self.layers.items()
            }
        return self._tensors

    def batch_tensors(self, tensor_list: list[AnnotationTensors]) -> AnnotationTensors:
        return {
            layer: {name: torch.stack([tensors[layer][name] for tensors in tensor_list]) for name in numbers}
            for layer, numbers in self.layers.items()
        }

    def empty_field(self) -> "AnnotationField":
        return AnnotationField(
            {layer: {name: [] for name in numbers} for layer, numbers in self.layers.items()}, 0
        )

    def human_readable_repr(self) -> dict[str, Layer]:
        return self.layers

    def __len__(self) -> int:
        return self.length


def _to_tensor(name: str, tokens: Sequence[Sequence[Any]]) -> torch.Tensor:
    width = max(map(len, tokens), default=0)
    empty = [PADDING] * width
    tensor = torch.tensor([[*token, *empty][:width] for token in tokens]).view(len(tokens), width)
    if tensor.numel() and tensor.is_floating_point():
        raise ConfigurationError(f"annotation {name}: found numbers with fractions, expected integers")
    return tensor.long()
