from typing import Any, Optional

import torch
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.nn.util import get_text_field_mask

from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.models.span_model import SpanModel


@Model.register("wrapped_span_reader")
class WrappedSpanReader(SpanModel):
    """
    Makes `bidaf` or `qanet` of allennlp-models work like the models of this package: with the package's metrics and
    predictor, with questions that have no span, and with a limit on the length of spans. It ignores annotations.

    Registered as a `Model` with name "wrapped_span_reader".

    # Parameters

    vocab : `Vocabulary`
    reader : `Model`
        Its output has `span_start_logits` and `span_end_logits`.
    max_span_length : `int`, optional (default = `None`)
    metric : `Metric`, optional (default = `NarrativeQaMetric()`)
        Both as in `SpanModel`.
    """

    def __init__(self, vocab: Vocabulary, reader: Model, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self._reader = reader

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
            Not used.
        metadata : `list[dict[str, Any]]`, optional (default = `None`)

        # Returns

        `dict[str, Any]`
            As `SpanModel.answer` says.
        """
        output = self._reader(question=question, passage=passage)
        return self.answer(
            output["span_start_logits"],
            output["span_end_logits"],
            get_text_field_mask(passage),
            span_start,
            span_end,
            metadata,
        )

    def get_regularization_penalty(self) -> Optional[torch.Tensor]:
        """The penalty of this model and of the wrapped reader."""
        own, readers = super().get_regularization_penalty(), self._reader.get_regularization_penalty()
        if own is None or readers is None:
            return own if readers is None else readers
        return own + readers
