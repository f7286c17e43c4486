from typing import Any, Optional

import torch
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder

from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.models.span_model import SpanModel
from allennlp_coref_rc.modules.structured_pair import StructuredPair
from allennlp_coref_rc.modules.token_embedders import TransformerPair


@Model.register("structured_transformer")
class StructuredTransformer(SpanModel):
    """
    A pretrained transformer that reads question and passage together, with a layer above it that may read annotations,
    and answers with a span of the passage. With a coreference layer it is built like CorefAwareMRC (Huang et al., ACL
    2022). With heads that see other annotations it is built like SG-Net (Zhang et al., AAAI 2020).

    The layer starts as the identity (see `GatedLayer`): at first the model is the transformer alone, and the layer can
    only add to it.

    Registered as a `Model` with name "structured_transformer".

    # Parameters

    vocab : `Vocabulary`
    transformer : `TransformerPair`
    encoder : `Seq2SeqEncoder`, optional (default = `None`)
        The layer above it: one block of `dassa`, `coref_gru`, `mage_gru`, … It reads vectors of the transformer's size.
        By default there is none.
    dropout : `float`, optional (default = `0.1`)
        Applied to the vectors that the span is chosen by.
    max_span_length : `int`, optional (default = `None`)
    metric : `Metric`, optional (default = `NarrativeQaMetric()`)
        Both as in `SpanModel`.

    # Example

    ```jsonnet
    {
        "type": "structured_transformer",
        "transformer": {"model_name": "roberta-base", "tokenizer_kwargs": {"add_prefix_space": true}},
        "encoder": {"type": "coref_gru", "input_size": 768, "hidden_size": 128}
    }
    ```
    """

    def __init__(
        self,
        vocab: Vocabulary,
        transformer: TransformerPair,
        encoder: Optional[Seq2SeqEncoder] = None,
        dropout: float = 0.1,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        self._pair = StructuredPair(transformer, encoder, dropout)
        self._ends = torch.nn.Linear(transformer.get_output_dim(), 2)

    def forward(
        self,
        passage: TextFieldTensors,
        question: TextFieldTensors,
        span_start: Optional[torch.Tensor] = None,
        span_end: Optional[torch.Tensor] = None,
        passage_annotations: Optional[AnnotationTensors] = None,
        question_annotations: Optional[AnnotationTensors] = None,
        metadata: Optional[list[dict[str, Any]]] = None,
    ) -> dict[str, Any]:
        """
        # Parameters

        passage, question : `TextFieldTensors`
        span_start, span_end : `torch.LongTensor`, optional (default = `None`)
            Shape: (batch_size, 1). The first and the last token of the expected span; -1 where there is none.
        passage_annotations, question_annotations : `AnnotationTensors`, optional (default = `None`)
        metadata : `list[dict[str, Any]]`, optional (default = `None`)

        # Returns

        `dict[str, Any]`
            As `SpanModel.answer` says.
        """
        pair = self._pair(passage, question, passage_annotations, question_annotations)
        start_logits, end_logits = self._ends(pair.structured_passage).unbind(dim=-1)
        return self.answer(start_logits, end_logits, pair.passage.mask, span_start, span_end, metadata)
