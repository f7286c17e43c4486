"""Heads of the `structured_transformer`: how it answers."""

from typing import Any, Optional, cast

import torch
from allennlp.common import Lazy
from allennlp.data import Vocabulary
from allennlp.models.heads import Head
from allennlp.nn.util import batched_index_select
from allennlp.training.metrics import Metric

from allennlp_coref_rc.metrics.quoref import QuorefMetric
from allennlp_coref_rc.models.cloze_model import ClozeModel
from allennlp_coref_rc.models.span_model import SpanModel
from allennlp_coref_rc.models.text_answer_model import TextAnswerModel, known_output
from allennlp_coref_rc.modules.answer_layers import AnswerLayer
from allennlp_coref_rc.modules.pair import Pair
from allennlp_coref_rc.modules.spans import span_text
from allennlp_coref_rc.modules.tags import best_spans, tag_loss


@Head.register("span")
class SpanHead(SpanModel, Head):
    """
    Answers with a span of the passage.

    Registered as a `Head` with name "span".

    # Parameters

    vocab : `Vocabulary`
    dim : `int`
        The size of the vectors. The `structured_transformer` sets it.
    max_span_length : `int`, optional (default = `None`)
    metric : `Metric`, optional (default = `NarrativeQaMetric()`)
        Both as in `SpanModel`.
    """

    def __init__(self, vocab: Vocabulary, dim: int, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self._ends = torch.nn.Linear(dim, 2)

    def forward(  # type: ignore[override]
        self, pair: Pair, embedded: Pair, summary: torch.Tensor, **expected: Any
    ) -> dict[str, Any]:
        """The output of `SpanModel.answer`, which describes what is `expected`: the span and the metadata."""
        start_logits, end_logits = self._ends(pair.passage.vectors).unbind(dim=-1)
        return self.answer(start_logits, end_logits, pair.passage.mask, **expected)


@Head.register("tags")
class TagHead(TextAnswerModel, Head):
    """
    Answers with one or more spans. It tags each token of the passage as the first of a span, inside a span or
    outside, like TASE (Segal et al., EMNLP 2020), and answers with the spans of the most probable tags. It is
    trained on the field `answer_tags`, so the dataset reader needs `tag_answers`.

    Registered as a `Head` with name "tags".

    # Parameters

    vocab : `Vocabulary`
    dim : `int`
        The size of the vectors. The `structured_transformer` sets it.
    metric : `Metric`, optional (default = `QuorefMetric()`)
        Compares answers with their references, both as lists of texts.
    """

    def __init__(self, vocab: Vocabulary, dim: int, metric: Optional[Metric] = None, **kwargs: Any) -> None:
        super().__init__(vocab, metric or QuorefMetric(), **kwargs)
        self._tags = torch.nn.Linear(dim, 3)

    def forward(  # type: ignore[override]
        self,
        pair: Pair,
        embedded: Pair,
        summary: torch.Tensor,
        answer_tags: Optional[torch.Tensor] = None,
        metadata: Optional[list[dict[str, Any]]] = None,
        **unused: torch.Tensor,
    ) -> dict[str, Any]:
        """
        # Parameters

        pair : `Pair`
        embedded : `Pair`
        summary : `torch.FloatTensor`
        answer_tags : `torch.LongTensor`, optional (default = `None`)
            Shape: (batch_size, passage_length). If the answer is not known, all tokens are `OUTSIDE`.
        metadata : `list[dict[str, Any]]`, optional (default = `None`)
        unused : `torch.LongTensor`
            `span_start` and `span_end`: the tags have the first span too.

        # Returns

        `dict[str, Any]`
            `tag_probs`, shape (batch_size, passage_length, 3), of `OUTSIDE`, `BEGIN` and `INSIDE`.
            `best_spans`: for each question a list of spans, each a pair of its first and its last token. With
            `answer_tags` also the `loss`.
        """
        log_probabilities = self._tags(pair.passage.vectors).float().log_softmax(dim=-1)
        spans = best_spans(log_probabilities, pair.passage.mask)
        output: dict[str, Any] = {"tag_probs": log_probabilities.exp(), "best_spans": spans}
        if answer_tags is not None:
            output["loss"] = tag_loss(log_probabilities, answer_tags, pair.passage.mask)
        if metadata is not None:
            output["metadata"] = metadata
            texts = [[span_text(values, *span) for span in answer] for answer, values in zip(spans, metadata)]
            self.score(texts, metadata)
        return output

    def make_output_human_readable(self, output_dict: dict[str, Any]) -> dict[str, Any]:
        """
        Gives each question its `best_spans`, and each of the `passage_tokens` the probabilities of its tags,
        `tag_probs`. Also the `question_tokens`, the `id` and the `answer_texts`, if all questions have them.
        """
        lengths = [len(values["passage_tokens"]) for values in output_dict["metadata"]]
        return {
            "best_spans": [[list(span) for span in spans] for spans in output_dict["best_spans"]],
            "tag_probs": [rows[:length] for rows, length in zip(output_dict["tag_probs"].tolist(), lengths)],
            **known_output(output_dict),
        }


@Head.register("candidates")
class CandidateHead(ClozeModel, Head):
    """
    Answers with one of several candidates, or with a class, as in the cloze data sets. The passage is scored
    against the vector of the question's "@placeholder". If questions have none, it is scored against the
    vector of the transformer's first token, such as "[CLS]".

    Registered as a `Head` with name "candidates".

    # Parameters

    vocab : `Vocabulary`
    dim : `int`
        The size of the vectors. The `structured_transformer` sets it.
    pointer : `Lazy[AnswerLayer]`, optional (default = `attention_sum` with `bilinear`)
        The answer layer for answers that are words of the passage.
    classifier : `Lazy[AnswerLayer]`, optional (default = `selection`)
        The answer layer for answers that are classes.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        dim: int,
        pointer: Lazy[AnswerLayer] = Lazy(
            AnswerLayer.by_name("attention_sum"), constructor_extras={"bilinear": True}
        ),
        classifier: Lazy[AnswerLayer] = Lazy(AnswerLayer.by_name("selection")),
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        self.build_answer_layer(pointer, classifier, dim, dim)

    def forward(  # type: ignore[override]
        self,
        pair: Pair,
        embedded: Pair,
        summary: torch.Tensor,
        cloze: Optional[torch.Tensor] = None,
        **fields: Any,
    ) -> dict[str, torch.Tensor]:
        """
        The output of `ClozeModel.answer`, which describes the `candidates`, the `answer` and the `metadata`.
        `cloze` is where "@placeholder" stands in the question. Shape: (batch_size, 1).
        """
        if cloze is not None:
            summary = batched_index_select(pair.question.vectors, cast(torch.LongTensor, cloze)).squeeze(1)
        return self.answer(pair.passage, summary, embedded, **fields)
