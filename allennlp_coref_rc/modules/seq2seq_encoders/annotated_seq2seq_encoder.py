from typing import NamedTuple, Optional, Tuple

import torch
from allennlp.modules import Seq2SeqEncoder

from allennlp_coref_rc.data.fields import AnnotationTensors


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


class AnnotatedSeq2SeqEncoder(Seq2SeqEncoder):
    """A `Seq2SeqEncoder` that reads annotations. Without any it is the plain encoder that it extends."""

    def forward(
        self, inputs: torch.Tensor, mask: torch.Tensor, annotations: Optional[AnnotationTensors] = None
    ) -> torch.Tensor:
        raise NotImplementedError

    def encode_pair(
        self, question_encoder: Seq2SeqEncoder, passage: EncoderInput, question: EncoderInput
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """Encodes a passage with this encoder and its question with another, where the two may see each other."""
        return encode(self, passage), encode(question_encoder, question)


def encode(encoder: Seq2SeqEncoder, sequence: EncoderInput) -> torch.Tensor:
    """Encodes a sequence with any encoder; one that does not read annotations is called without."""
    if isinstance(encoder, AnnotatedSeq2SeqEncoder):
        return encoder(*sequence)
    return encoder(sequence.inputs, sequence.mask)


def encode_pair(
    passage_encoder: Seq2SeqEncoder, question_encoder: Seq2SeqEncoder, passage: EncoderInput, question: EncoderInput
) -> Tuple[torch.Tensor, torch.Tensor]:
    """Encodes a passage and its question with any encoders."""
    if isinstance(passage_encoder, AnnotatedSeq2SeqEncoder):
        return passage_encoder.encode_pair(question_encoder, passage, question)
    return encode(passage_encoder, passage), encode(question_encoder, question)
