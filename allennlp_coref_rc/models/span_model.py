from typing import Any, Optional

import torch
from allennlp.common.util import is_distributed
from allennlp.data import Vocabulary
from allennlp.training.metrics import Metric

from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.metrics.narrativeqa import NarrativeQaMetric
from allennlp_coref_rc.models.text_answer_model import TextAnswerModel, known_output
from allennlp_coref_rc.modules.spans import best_span, span_loss, span_text


class SpanModel(TextAnswerModel):
    """
    Base class of models that answer with a span of the passage. It has the loss, the choice of the span, the
    metrics and the output.

    # Parameters

    vocab : `Vocabulary`
    max_span_length : `int`, optional (default = `None`)
        The longest answer in tokens. By default there is no limit.
    metric : `Metric`, optional (default = `NarrativeQaMetric()`)
        Compares answers with their references, as texts (see `TextAnswerModel`).
    """

    def __init__(
        self,
        vocab: Vocabulary,
        max_span_length: Optional[int] = None,
        metric: Optional[Metric] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, metric or NarrativeQaMetric(), **kwargs)
        check_number("model", "max_span_length", max_span_length)
        self._max_span_length = max_span_length
        self._unscored: list[tuple[torch.Tensor, list[dict[str, Any]]]] = []

    def answer(
        self,
        start_logits: torch.Tensor,
        end_logits: torch.Tensor,
        passage_mask: torch.Tensor,
        span_start: Optional[torch.Tensor] = None,
        span_end: Optional[torch.Tensor] = None,
        metadata: Optional[list[dict[str, Any]]] = None,
    ) -> dict[str, Any]:
        """
        # Parameters

        start_logits, end_logits : `torch.FloatTensor`
            Shape: (batch_size, passage_length).
        passage_mask : `torch.BoolTensor`
            Shape: (batch_size, passage_length).
        span_start, span_end : `torch.LongTensor`, optional (default = `None`)
            Shape: (batch_size, 1). The first and the last token of the expected span; -1 where there is none.
        metadata : `list[dict[str, Any]]`, optional (default = `None`)

        # Returns

        `dict[str, Any]`
            `span_start_logits`, `span_start_probs`, `span_end_logits` and `span_end_probs`, shape
            (batch_size, passage_length); `best_span`, shape (batch_size, 2), the first and the last token;
            and the `loss`, if spans are expected, and whether any question `has_loss`.
        """
        output: dict[str, Any] = {}
        log_probabilities: list[torch.Tensor] = []
        padding = ~passage_mask
        for name, logits in (("start", start_logits), ("end", end_logits)):
            logits = logits.float()
            logits = logits.masked_fill(padding, torch.finfo(logits.dtype).min)
            log_probabilities.append(logits.log_softmax(dim=1))
            output[f"span_{name}_logits"] = logits
            output[f"span_{name}_probs"] = log_probabilities[-1].exp()
        starts, ends = log_probabilities
        output["best_span"] = best_span(starts.detach(), ends.detach(), self._max_span_length)
        if span_start is not None and span_end is not None:
            output["loss"] = span_loss(starts, ends, span_start, span_end)
            output["has_loss"] = (span_start >= 0).any()
        if metadata is not None:
            output["metadata"] = metadata
            self._unscored.append((output["best_span"], metadata))
            # In training, a GPU computes the gradients first. The processes of a distributed training score
            # together.
            if not self.training or is_distributed():
                self._score_spans()
        return output

    def _score_spans(self) -> None:
        for spans, metadata in self._unscored:
            self.score([span_text(values, *span) for span, values in zip(spans.tolist(), metadata)], metadata)
        self._unscored.clear()

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        self._score_spans()
        return super().get_metrics(reset)

    def make_output_human_readable(self, output_dict: dict[str, Any]) -> dict[str, Any]:
        """
        Gives each question its `best_span`, and for each of the `passage_tokens` the probabilities that the
        answer begins there and that it ends there. Also the `question_tokens`, the `id` and the
        `answer_texts`, if all questions have them.
        """
        lengths = [len(values["passage_tokens"]) for values in output_dict["metadata"]]
        readable = {
            name: [row[:length] for row, length in zip(output_dict[name].tolist(), lengths)]
            for name in ("span_start_probs", "span_end_probs")
        }
        readable["best_span"] = output_dict["best_span"].tolist()
        return {**readable, **known_output(output_dict)}
