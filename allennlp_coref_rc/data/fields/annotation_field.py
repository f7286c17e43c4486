from typing import Dict, List

import torch
from allennlp.data.fields import Field

from allennlp_coref_rc.annotations.edges import PADDING

AnnotationTensors = Dict[str, Dict[str, torch.LongTensor]]
"""By layer, by name: numbers of shape (batch_size, sequence_length, numbers), padded with `PADDING`."""


class AnnotationField(Field[AnnotationTensors]):
    """
    The linguistic structure of one sequence: the layers a reader's config asks for, each a dict of lists of numbers per
    token, as sparse as they come. As a `TextField` does, it becomes a nested dict of tensors, `AnnotationTensors`.

    # Parameters

    layers : `Dict[str, Dict[str, List[List[int]]]]`
        By layer and name, one list of numbers a token. What they mean is documented by each `AnnotationLayer`.
    length : `int`
        The number of tokens.
    """

    __slots__ = ["layers", "length"]

    def __init__(self, layers: Dict[str, Dict[str, List[List[int]]]], length: int) -> None:
        for layer, numbers in layers.items():
            for name, tokens in numbers.items():
                if len(tokens) != length:
                    raise ValueError(f"annotation {layer}.{name} has {len(tokens)} tokens, the sequence has {length}")
        self.layers = layers
        self.length = length

    def get_padding_lengths(self) -> Dict[str, int]:
        lengths = {"num_tokens": self.length}
        for layer, numbers in self.layers.items():
            for name, tokens in numbers.items():
                lengths[f"{layer}.{name}"] = max(map(len, tokens), default=0)
        return lengths

    def as_tensor(self, padding_lengths: Dict[str, int]) -> AnnotationTensors:
        tensors: AnnotationTensors = {}
        for layer, numbers in self.layers.items():
            tensors[layer] = {}
            for name, tokens in numbers.items():
                width = padding_lengths[f"{layer}.{name}"]
                empty = [PADDING] * width
                padded = [(token + empty)[:width] for token in tokens]
                padded += [empty] * (padding_lengths["num_tokens"] - self.length)
                shape = padding_lengths["num_tokens"], width
                tensors[layer][name] = torch.tensor(padded, dtype=torch.long).view(shape)
        return tensors

    def batch_tensors(self, tensor_list: List[AnnotationTensors]) -> AnnotationTensors:  # type: ignore
        return {
            layer: {name: torch.stack([tensors[layer][name] for tensors in tensor_list]) for name in numbers}
            for layer, numbers in self.layers.items()
        }

    def empty_field(self) -> "AnnotationField":
        return AnnotationField({layer: {name: [] for name in numbers} for layer, numbers in self.layers.items()}, 0)

    def human_readable_repr(self) -> Dict[str, Dict[str, List[List[int]]]]:
        return self.layers

    def __len__(self) -> int:
        return self.length
