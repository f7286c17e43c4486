from typing import NamedTuple, Optional

import torch
from allennlp.data import TextFieldTensors
from allennlp.modules import Seq2SeqEncoder
from allennlp.nn.util import get_text_field_mask

from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.modules.gated_layer import GatedLayer
from allennlp_coref_rc.modules.seq2seq_encoders import EncoderInput
from allennlp_coref_rc.modules.token_embedders import TransformerPair


class Pair(NamedTuple):
    """
    A passage and its question.

    # Parameters

    passage, question : `EncoderInput`
        The vectors of the transformer.
    summary : `torch.FloatTensor`
        Both texts in one vector. Shape: (batch_size, dim).
    structured_passage, structured_question : `torch.FloatTensor`
        The vectors with what the layer on top has added.
        Shape: (batch_size, passage_length or question_length, dim).
    """

    passage: EncoderInput
    question: EncoderInput
    summary: torch.Tensor
    structured_passage: torch.Tensor
    structured_question: torch.Tensor


class StructuredPair(torch.nn.Module):
    """
    Reads a passage and its question as one text with a pretrained transformer. A `GatedLayer` above it may read
    annotations.

    # Parameters

    transformer : `TransformerPair`
    encoder : `Seq2SeqEncoder`, optional (default = `None`)
        The encoder of the gated layer. By default there is no such layer.
    dropout : `float`, optional (default = `0.1`)
        Applied to the vectors at the end.
    """

    def __init__(
        self, transformer: TransformerPair, encoder: Optional[Seq2SeqEncoder] = None, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self._transformer = transformer
        self._layer = None if encoder is None else GatedLayer(transformer.get_output_dim(), encoder)
        self._dropout = torch.nn.Dropout(dropout)

    def forward(
        self,
        passage: TextFieldTensors,
        question: TextFieldTensors,
        passage_annotations: Optional[AnnotationTensors] = None,
        question_annotations: Optional[AnnotationTensors] = None,
    ) -> Pair:
        vectors = self._transformer(question, passage)
        of_passage = EncoderInput(vectors.passage, get_text_field_mask(passage), passage_annotations)
        of_question = EncoderInput(vectors.question, get_text_field_mask(question), question_annotations)
        structured = (vectors.passage, vectors.question)
        if self._layer is not None:
            structured = self._layer(of_passage, of_question)
        return Pair(of_passage, of_question, vectors.summary, *map(self._dropout, structured))
