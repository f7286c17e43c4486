import logging
from collections.abc import Collection
from typing import NamedTuple, Optional

import torch
from allennlp.modules import Seq2SeqEncoder
from allennlp.modules.seq2seq_encoders import ComposeEncoder

from allennlp_coref_rc.data.fields import AnnotationTensors

logger = logging.getLogger(__name__)

UNANNOTATED: set[tuple[str, ...]] = set()
"""The names of the classes, and of their layers, of encoders that the user knows to get no annotations."""


class EncoderInput(NamedTuple):
    """
    The input of an encoder.

    # Parameters

    inputs : `torch.FloatTensor`
        Shape: (batch_size, sequence_length, input_dim).
    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length).
    annotations : `AnnotationTensors`, optional (default = `None`)
    """

    inputs: torch.Tensor
    mask: torch.Tensor
    annotations: Optional[AnnotationTensors] = None

    def lengths(self) -> torch.Tensor:
        """The position after the last token of each sequence. Shape: (batch_size,)."""
        positions = torch.arange(1, self.mask.size(1) + 1, device=self.mask.device)
        # With a zero in front, as there may be no tokens at all.
        return torch.nn.functional.pad(self.mask * positions, (1, 0)).amax(dim=1)

    def part(self, sequences: list[int]) -> "EncoderInput":
        """The sequences with these indices, without the padding that all of them have."""
        rows = sequences, slice(int(self.lengths()[sequences].max()))
        annotations = self.annotations and {
            layer: {name: tensor[rows] for name, tensor in numbers.items()}
            for layer, numbers in self.annotations.items()
        }
        return EncoderInput(self.inputs[rows], self.mask[rows], annotations)


class AnnotatedSeq2SeqEncoder(Seq2SeqEncoder):
    """A `Seq2SeqEncoder` that reads annotations. Without annotations it is the plain encoder that it extends."""

    def forward(
        self, inputs: torch.Tensor, mask: torch.Tensor, annotations: Optional[AnnotationTensors] = None
    ) -> torch.Tensor:
        raise NotImplementedError

    def encode_pair(
        self, question_encoder: Seq2SeqEncoder, passage: EncoderInput, question: EncoderInput
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Encodes a passage with this encoder and its question with another. The two encoders may see each other's text.
        """
        return encode(self, passage), encode(question_encoder, question)

    def shares_memory(self, question_encoder: Seq2SeqEncoder) -> bool:
        """
        Whether this encoder of a passage and that of its question see each other's text. A `ConfigurationError` is
        raised if they should, but their settings differ.
        """
        return False

    @property
    def annotation_layers(self) -> Collection[str]:
        """The names of the annotation layers that this encoder reads."""
        return ()

    def say_unannotated(self) -> None:
        """Warns, once in a process, that this encoder reads annotation layers but got no annotations."""
        layers = ", ".join(sorted(self.annotation_layers))
        if layers and self.note_unannotated():
            logger.warning(
                "%s reads annotations (%s) but got none, and works as a plain encoder: either "
                "dataset_reader.annotation_layers is missing, or the model gives its encoders no annotations, as "
                "AllenNLP's own models do",
                type(self).__name__,
                layers,
            )

    def note_unannotated(self) -> bool:
        """
        Notes that a warning was given that encoders of this class, with these annotation layers, get no annotations.
        Returns whether this was not noted before.
        """
        note = type(self).__name__, *sorted(self.annotation_layers)
        is_news = note not in UNANNOTATED
        UNANNOTATED.add(note)
        return is_news


def encode(encoder: Seq2SeqEncoder, sequence: EncoderInput) -> torch.Tensor:
    """
    Encodes a sequence with any encoder. An encoder that does not read annotations is called without them. The parts of
    AllenNLP's `compose` are called one after the other.
    """
    for part in _parts(encoder):
        annotated = isinstance(part, AnnotatedSeq2SeqEncoder)
        encoded = part(*sequence) if annotated else part(sequence.inputs, sequence.mask)
        sequence = sequence._replace(inputs=encoded)
    return sequence.inputs


def encode_pair(
    passage_encoder: Seq2SeqEncoder, question_encoder: Seq2SeqEncoder, passage: EncoderInput, question: EncoderInput
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Encodes a passage and its question with any encoders. If both encoders have the same number of parts (in AllenNLP's
    `compose`), they see each other's text part by part. An encoder outside of `compose` is one part.
    """
    parts, question_parts = _parts(passage_encoder), _parts(question_encoder)
    if len(parts) != len(question_parts):
        return encode(passage_encoder, passage), encode(question_encoder, question)
    for part, question_part in zip(parts, question_parts):
        if isinstance(part, AnnotatedSeq2SeqEncoder):
            encoded = part.encode_pair(question_part, passage, question)
        else:
            encoded = encode(part, passage), encode(question_part, question)
        passage, question = passage._replace(inputs=encoded[0]), question._replace(inputs=encoded[1])
    return passage.inputs, question.inputs


def check_pair(passage_encoder: Seq2SeqEncoder, question_encoder: Seq2SeqEncoder) -> None:
    """Raises the `ConfigurationError` of `encode_pair` if the settings of the two encoders do not fit together."""
    parts, question_parts = _parts(passage_encoder), _parts(question_encoder)
    if len(parts) == len(question_parts):
        for part, question_part in zip(parts, question_parts):
            if isinstance(part, AnnotatedSeq2SeqEncoder):
                part.shares_memory(question_part)


def _parts(encoder: Seq2SeqEncoder) -> list[Seq2SeqEncoder]:
    """The encoders in AllenNLP's `compose`, at any depth. Any other encoder is its own only part."""
    if not isinstance(encoder, ComposeEncoder):
        return [encoder]
    return [part for inner in encoder.encoders for part in _parts(inner)]
