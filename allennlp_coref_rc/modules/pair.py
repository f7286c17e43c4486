from typing import NamedTuple, Optional

import torch

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
