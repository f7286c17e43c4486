from typing import Any, NamedTuple, Optional, Union

import torch

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.fields import AnnotationTensors


class TokenVectors(NamedTuple):
    """
    The vectors of the tokens of a text.

    # Parameters

    vectors : `torch.FloatTensor`
        Shape: (batch_size, sequence_length, dim).
    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length).
    annotations : `AnnotationTensors`, optional (default = `None`)
    """

    vectors: torch.Tensor
    mask: torch.Tensor
    annotations: Optional[AnnotationTensors] = None

    def lengths(self) -> torch.Tensor:
        """The position after the last token of each sequence. Shape: (batch_size,)."""
        positions = torch.arange(1, self.mask.size(1) + 1, device=self.mask.device)
        # With a zero in front, as there may be no tokens at all.
        return torch.nn.functional.pad(self.mask * positions, (1, 0)).amax(dim=1)

    def select(self, sequences: list[int]) -> "TokenVectors":
        """The sequences with these indices, without the padding that all of them have."""
        rows = sequences, slice(int(self.lengths()[sequences].max()))
        annotations = self.annotations and {
            layer: {name: tensor[rows] for name, tensor in numbers.items()}
            for layer, numbers in self.annotations.items()
        }
        return TokenVectors(self.vectors[rows], self.mask[rows], annotations)


class Pair(NamedTuple):
    """A passage and its question."""

    passage: TokenVectors
    question: TokenVectors

    def with_vectors(self, passage: torch.Tensor, question: torch.Tensor) -> "Pair":
        """The same texts with other vectors. Shape of each: (batch_size, sequence_length, dim)."""
        return Pair(self.passage._replace(vectors=passage), self.question._replace(vectors=question))

    def select(self, sequences: list[int]) -> "Pair":
        """The passages and questions with these indices, without the padding that all of them have."""
        return Pair(self.passage.select(sequences), self.question.select(sequences))


def check_tensor(
    owner: str, key: str, tensor: Any, shape: tuple[Union[int, str], ...], device: Any = None
) -> None:
    """
    Raises a `ConfigurationError` unless it is a dense tensor of this shape, in which a name stands for any
    size, on the `device` of the others.
    """
    kind = getattr(tensor, "layout", type(tensor).__name__)
    if kind is not torch.strided or tensor.is_meta:
        what = "on the device meta" if kind is torch.strided else kind
        raise ConfigurationError(f"{owner}: {key} is {what}, expected a dense tensor with values")
    found = tensor.shape
    # Without a generator, as a batch has hundreds of such checks.
    fits = len(found) == len(shape)
    for size, expected in zip(found, shape):
        fits = fits and (size == expected or isinstance(expected, str))
    if not fits:
        wanted = str(tuple(shape)).replace("'", "")
        raise ConfigurationError(f"{owner}: {key} has shape {tuple(found)}, expected {wanted}")
    if device is not None and tensor.device != device:
        raise ConfigurationError(
            f"{owner}: {key} is on {tensor.device}, expected {device}, where the others are"
        )
