from typing import Any, Optional, cast

import torch
from allennlp.common import Lazy
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder
from allennlp.nn.util import batched_index_select

from allennlp_coref_rc.data.fields import AnnotationTensors, CandidateTensors
from allennlp_coref_rc.models.cloze_model import ClozeModel
from allennlp_coref_rc.modules.answer_layers import AnswerInput, AnswerLayer
from allennlp_coref_rc.modules.structured_pair import StructuredPair
from allennlp_coref_rc.modules.token_embedders import TransformerPair


@Model.register("structured_transformer_cloze")
class StructuredTransformerCloze(ClozeModel):
    """
    The `structured_transformer` for answers that are one of several candidates, or a class, as in the cloze data sets.
    The passage is scored against the vector of the question's "@placeholder". If questions have none, it is scored
    against the vector of the transformer's first token, such as "[CLS]".

    Registered as a `Model` with name "structured_transformer_cloze".

    # Parameters

    vocab : `Vocabulary`
    transformer : `TransformerPair`
    encoder : `Seq2SeqEncoder`, optional (default = `None`)
        The layer above it, which may read annotations. It reads vectors of the transformer's size.
    dropout : `float`, optional (default = `0.1`)
        Applied to the vectors that the answer layer reads.
    pointer : `Lazy[AnswerLayer]`, optional (default = `attention_sum` with `bilinear`)
        The answer layer for answers that are words of the passage.
    classifier : `Lazy[AnswerLayer]`, optional (default = `selection`)
        The answer layer for answers that are classes.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        transformer: TransformerPair,
        encoder: Optional[Seq2SeqEncoder] = None,
        dropout: float = 0.1,
        pointer: Lazy[AnswerLayer] = Lazy(AnswerLayer.by_name("attention_sum"), constructor_extras={"bilinear": True}),
        classifier: Lazy[AnswerLayer] = Lazy(AnswerLayer.by_name("selection")),
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        self._pair = StructuredPair(transformer, encoder, dropout)
        dim = transformer.get_output_dim()
        self.build_answer_layer(pointer, classifier, dim, dim)

    def forward(
        self,
        passage: TextFieldTensors,
        question: TextFieldTensors,
        candidates: Optional[CandidateTensors] = None,
        cloze: Optional[torch.Tensor] = None,
        answer: Optional[torch.Tensor] = None,
        passage_annotations: Optional[AnnotationTensors] = None,
        question_annotations: Optional[AnnotationTensors] = None,
        metadata: Optional[list[dict[str, Any]]] = None,
    ) -> dict[str, torch.Tensor]:
        """
        # Parameters

        passage, question : `TextFieldTensors`
        candidates : `CandidateTensors`, optional (default = `None`)
            Not needed where answers are classes.
        cloze : `torch.LongTensor`, optional (default = `None`)
            Shape: (batch_size, 1). Where "@placeholder" stands in the question.
        answer : `torch.LongTensor`, optional (default = `None`)
            Shape: (batch_size,). See `ClozeModel.answer`.
        passage_annotations, question_annotations : `AnnotationTensors`, optional (default = `None`)
        metadata : `list[dict[str, Any]]`, optional (default = `None`)

        # Returns

        `dict[str, torch.Tensor]`
            As `ClozeModel.answer` says.
        """
        pair = self._pair(passage, question, passage_annotations, question_annotations)
        question_vector = pair.summary
        if cloze is not None:
            question_vector = batched_index_select(pair.structured_question, cast(torch.LongTensor, cloze)).squeeze(1)
        inputs = AnswerInput(
            pair.structured_passage,
            pair.passage.mask,
            question_vector,
            pair.question.mask,
            pair.passage.inputs,
            pair.question.inputs,
            candidates,
        )
        return self.answer(inputs, answer, metadata)
