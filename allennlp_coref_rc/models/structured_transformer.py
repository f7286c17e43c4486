from typing import Any, Optional

import torch
from allennlp.common import Lazy
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.models.heads import Head
from allennlp.modules import Seq2SeqEncoder
from allennlp.nn.util import get_text_field_mask

from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.models.heads import SpanHead
from allennlp_coref_rc.modules.gated_layer import GatedLayer
from allennlp_coref_rc.modules.gpu import one_pass
from allennlp_coref_rc.modules.pair import Pair, TokenVectors
from allennlp_coref_rc.modules.token_embedders import TransformerPair


@Model.register("structured_transformer")
class StructuredTransformer(Model):
    """
    A pretrained transformer that reads question and passage together, with a layer above it that may read
    annotations, and a head that answers. With a coreference layer it is built like CorefAwareMRC (Huang et
    al., ACL 2022). With heads that see other annotations it is built like SG-Net (Zhang et al., AAAI 2020).

    The layer starts as the identity (see `GatedLayer`): at first the model is the transformer alone, and the
    layer can only add to it.

    Registered as a `Model` with name "structured_transformer".

    # Parameters

    vocab : `Vocabulary`
    transformer : `TransformerPair`
    encoder : `Seq2SeqEncoder`, optional (default = `None`)
        The layer above it: one block of `dassa`, `coref_gru`, `mage_gru`, … It reads vectors of the
        transformer's size. By default there is none.
    dropout : `float`, optional (default = `0.1`)
        Applied to the vectors that the head reads.
    head : `Lazy[Head]`, optional (default = `SpanHead`)
        `span`, `tags` or `candidates`: the answer is a span of the passage, one or more spans, or one of
        several candidates or classes.

    # Example

    ```jsonnet
    {
        "type": "structured_transformer",
        "transformer": {"model_name": "roberta-base", "tokenizer_kwargs": {"add_prefix_space": true}},
        "encoder": {"type": "coref_gru", "input_size": 768, "hidden_size": 128},
        "head": {"type": "span", "max_span_length": 30}
    }
    ```
    """

    default_predictor: Optional[str] = "reader"

    def __init__(
        self,
        vocab: Vocabulary,
        transformer: TransformerPair,
        encoder: Optional[Seq2SeqEncoder] = None,
        dropout: float = 0.1,
        head: Lazy[Head] = Lazy(SpanHead),
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        dim = transformer.get_output_dim()
        self._transformer = transformer
        self._layer = None if encoder is None else GatedLayer(dim, encoder)
        self._dropout = torch.nn.Dropout(dropout)
        self.head = head.construct(vocab=vocab, dim=dim)
        self.default_predictor = self.head.default_predictor

    @one_pass
    def forward(  # type: ignore[override]
        self,
        passage: TextFieldTensors,
        question: TextFieldTensors,
        passage_annotations: Optional[AnnotationTensors] = None,
        question_annotations: Optional[AnnotationTensors] = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """
        # Parameters

        passage, question : `TextFieldTensors`
        passage_annotations, question_annotations : `AnnotationTensors`, optional (default = `None`)
        fields : `Any`
            What else the head reads: `metadata`; `span_start` and `span_end`; `answer_tags`; `candidates`,
            `cloze` and `answer`.

        # Returns

        `dict[str, Any]`
            The output of the head.
        """
        question_vectors, passage_vectors, summary = self._transformer(question, passage)
        embedded = Pair(
            TokenVectors(passage_vectors, get_text_field_mask(passage), passage_annotations),
            TokenVectors(question_vectors, get_text_field_mask(question), question_annotations),
        )
        structured = embedded if self._layer is None else self._layer(embedded)
        pair = structured.with_vectors(*(self._dropout(text.vectors) for text in structured))
        return self.head(pair, embedded, summary, **fields)

    def make_output_human_readable(self, output_dict: dict[str, Any]) -> dict[str, Any]:
        return self.head.make_output_human_readable(output_dict)

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        return self.head.get_metrics(reset)
