from collections.abc import Sequence
from typing import Any, Optional

import torch
from allennlp.common.checks import check_dimensions_match
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Highway, Seq2SeqEncoder, TextFieldEmbedder
from allennlp.modules.matrix_attention import MatrixAttention
from allennlp.nn import InitializerApplicator
from allennlp.nn.util import get_text_field_mask

from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.models.span_model import SpanModel
from allennlp_coref_rc.modules.fast_dropout import FastDropout
from allennlp_coref_rc.modules.gpu import one_pass
from allennlp_coref_rc.modules.masked_softmax import masked_softmax
from allennlp_coref_rc.modules.pair import Pair, TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders import encode_pair
from allennlp_coref_rc.modules.seq2seq_encoders.repeated import repeated

MODELING_LAYERS = 3


@Model.register("annotated_qanet")
class AnnotatedQanet(SpanModel):
    """
    `QANet <https://openreview.net/forum?id=B14TlG-RW>`_ (Yu et al., ICLR 2018) with any encoders, which may
    read annotations. With `dassa` as the modelling layer it is the model of `Discourse-Aware Semantic
    Self-Attention <https://aclanthology.org/D19-1257>`_ (Mihaylov & Frank, EMNLP 2019).

    Embeddings pass a projection, highway layers and another projection; one encoder reads passage and
    question; attention merges the passage with the question, in both directions; the modelling layer is
    applied three times, with the same weights. The results of the first and second application give the first
    token of the answer, those of the first and third the last.

    Options that AllenNLP's `qanet` also has are named as there, and the model computes the same, with two
    differences. The two projections before the encoders have biases, as in the code of DASSA's authors. And
    no tensor has a number for each pair of passage tokens or for each span.

    Registered as a `Model` with name "annotated_qanet".

    # Parameters

    vocab : `Vocabulary`
    text_field_embedder : `TextFieldEmbedder`
        Embeds passages and questions.
    phrase_layer : `Seq2SeqEncoder`
        Reads passages and questions.
    matrix_attention_layer : `MatrixAttention`
        Compares each token of the passage with each of the question.
    modeling_layer : `Seq2SeqEncoder`
        Its input and output dimensions have to be equal, because it reads its own output.
    num_highway_layers : `int`, optional (default = `2`)
    dropout_prob : `float`, optional (default = `0.1`)
        Applied to embeddings, to the merged passage, and to the encoders' outputs.
    max_span_length : `int`, optional (default = `None`)
    metric : `Metric`, optional (default = `NarrativeQaMetric()`)
        Both as in `SpanModel`.
    initializer : `InitializerApplicator`, optional (default = `InitializerApplicator()`)
    """

    def __init__(
        self,
        vocab: Vocabulary,
        text_field_embedder: TextFieldEmbedder,
        phrase_layer: Seq2SeqEncoder,
        matrix_attention_layer: MatrixAttention,
        modeling_layer: Seq2SeqEncoder,
        num_highway_layers: int = 2,
        dropout_prob: float = 0.1,
        initializer: InitializerApplicator = InitializerApplicator(),
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        phrase_dim, modeling_dim = phrase_layer.get_input_dim(), modeling_layer.get_input_dim()
        check_dimensions_match(
            modeling_dim, modeling_layer.get_output_dim(), "modeling_layer input", "its own output"
        )
        self._text_field_embedder = text_field_embedder
        self._embedding_proj_layer = torch.nn.Linear(text_field_embedder.get_output_dim(), phrase_dim)
        self._highway_layer = Highway(phrase_dim, num_highway_layers)
        self._encoding_proj_layer = torch.nn.Linear(phrase_dim, phrase_dim)
        self._phrase_layer = phrase_layer
        self._matrix_attention = matrix_attention_layer
        self._modeling_proj_layer = torch.nn.Linear(4 * phrase_layer.get_output_dim(), modeling_dim)
        self._modeling_layer = modeling_layer
        self._span_start_predictor = torch.nn.Linear(2 * modeling_dim, 1)
        self._span_end_predictor = torch.nn.Linear(2 * modeling_dim, 1)
        self._dropout = FastDropout(dropout_prob)
        initializer(self)

    @one_pass
    def forward(  # type: ignore[override]
        self,
        passage: TextFieldTensors,
        question: TextFieldTensors,
        passage_annotations: Optional[AnnotationTensors] = None,
        question_annotations: Optional[AnnotationTensors] = None,
        **expected: Any,
    ) -> dict[str, Any]:
        """
        The output of `SpanModel.answer`, which describes what else is `expected`: the span and the metadata.
        """
        embedded_passage, embedded_question = self._embed(passage, question)
        pair = Pair(
            TokenVectors(embedded_passage, get_text_field_mask(passage), passage_annotations),
            TokenVectors(embedded_question, get_text_field_mask(question), question_annotations),
        )
        pair = encode_pair(self._phrase_layer, self._phrase_layer, pair)
        pair = pair.with_vectors(self._dropout(pair.passage.vectors), self._dropout(pair.question.vectors))
        modeled = [self._modeling_proj_layer(self._dropout(self._attend(pair)))]
        for layer in repeated(self._modeling_layer, MODELING_LAYERS):
            modeled.append(self._dropout(layer(pair.passage._replace(vectors=modeled[-1]))))
        _, first, second, third = modeled
        start_logits = self._span_start_predictor(torch.cat([first, second], dim=-1)).squeeze(-1)
        end_logits = self._span_end_predictor(torch.cat([first, third], dim=-1)).squeeze(-1)
        return self.answer(start_logits, end_logits, pair.passage.mask, **expected)

    def _embed(self, *texts: TextFieldTensors) -> Sequence[torch.Tensor]:
        """Shape of each: (batch_size, sequence_length, dim of the phrase layer)."""
        embedded = [self._dropout(self._text_field_embedder(text)) for text in texts]
        # As one text, which halves the launches on a GPU.
        joined = self._highway_layer(self._embedding_proj_layer(torch.cat(embedded, dim=1)))
        return self._encoding_proj_layer(joined).split([text.size(1) for text in embedded], dim=1)

    def _attend(self, pair: Pair) -> torch.Tensor:
        """
        The passage, concatenated with the results of attention in both directions. Shape: (batch_size,
        passage_length, 4 * dim).
        """
        passage, question = pair.passage.vectors, pair.question.vectors
        # Shape: (batch_size, passage_length, question_length)
        similarity = self._matrix_attention(passage, question)
        to_question = masked_softmax(similarity, pair.question.mask.unsqueeze(1))
        to_passage = masked_softmax(similarity.transpose(1, 2), pair.passage.mask.unsqueeze(1))
        of_question = to_question @ question
        # Multiplies the right side first: the other order would need a number for each pair of passage
        # tokens.
        of_passage = to_question @ (to_passage @ passage)
        return torch.cat([passage, of_question, passage * of_question, passage * of_passage], dim=-1)
