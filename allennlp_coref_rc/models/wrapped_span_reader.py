from typing import Any, Optional

import torch
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.nn.util import get_text_field_mask

from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.models.span_model import SpanModel
from allennlp_coref_rc.modules.gpu import one_pass


@Model.register("wrapped_span_reader")
class WrappedSpanReader(SpanModel):
    """
    Makes `bidaf` or `qanet` of allennlp-models work like the models of this package: with the package's
    metrics and predictor, with questions that have no span, and with a limit on the length of spans. It
    ignores annotations.

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
        output = self._reader(question=question, passage=passage)
        logits = output["span_start_logits"], output["span_end_logits"]
        return self.answer(*logits, get_text_field_mask(passage), **expected)

    def get_regularization_penalty(self) -> Optional[torch.Tensor]:
        """The penalty of this model and of the wrapped reader."""
        own, readers = super().get_regularization_penalty(), self._reader.get_regularization_penalty()
        if own is None or readers is None:
            return own if readers is None else readers
        return own + readers
