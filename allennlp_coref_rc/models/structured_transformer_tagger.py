from typing import Any, Optional

import torch
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder
from allennlp.training.metrics import Metric

from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.metrics.quoref import QuorefMetric
from allennlp_coref_rc.models.text_answer_model import TextAnswerModel, known_output
from allennlp_coref_rc.modules.spans import span_text
from allennlp_coref_rc.modules.structured_pair import StructuredPair
from allennlp_coref_rc.modules.tags import best_spans, tag_loss
from allennlp_coref_rc.modules.token_embedders import TransformerPair


@Model.register("structured_transformer_tagger")
class StructuredTransformerTagger(TextAnswerModel):
    """
    The `structured_transformer` for answers of several spans. It tags each token of the passage as the first of a span,
    inside a span or outside, like TASE (Segal et al., EMNLP 2020). It answers with the spans of the most probable tags,
    one or more. It is trained on the field `answer_tags`, so the dataset reader needs `tag_answers`.

    Registered as a `Model` with name "structured_transformer_tagger".

    # Parameters

    vocab : `Vocabulary`
    transformer : `TransformerPair`
    encoder : `Seq2SeqEncoder`, optional (default = `None`)
        The layer above it, which may read annotations. It reads vectors of the transformer's size.
    dropout : `float`, optional (default = `0.1`)
        Applied to the vectors that the tags are computed from.
    metric : `Metric`, optional (default = `QuorefMetric()`)
        Compares answers with their references, both as lists of texts.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        transformer: TransformerPair,
        encoder: Optional[Seq2SeqEncoder] = None,
        dropout: float = 0.1,
        metric: Optional[Metric] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, metric or QuorefMetric(), **kwargs)
        self._pair = StructuredPair(transformer, encoder, dropout)
        self._tags = torch.nn.Linear(transformer.get_output_dim(), 3)

    def forward(
        self,
        passage: TextFieldTensors,
        question: TextFieldTensors,
        answer_tags: Optional[torch.Tensor] = None,
        span_start: Optional[torch.Tensor] = None,
        span_end: Optional[torch.Tensor] = None,
        passage_annotations: Optional[AnnotationTensors] = None,
        question_annotations: Optional[AnnotationTensors] = None,
        metadata: Optional[list[dict[str, Any]]] = None,
    ) -> dict[str, Any]:
        """
        # Parameters

        passage, question : `TextFieldTensors`
        answer_tags : `torch.LongTensor`, optional (default = `None`)
            Shape: (batch_size, passage_length). If the answer is not known, all tokens are `OUTSIDE`.
        span_start, span_end : `torch.LongTensor`, optional (default = `None`)
            Not used: the tags have the first span too.
        passage_annotations, question_annotations : `AnnotationTensors`, optional (default = `None`)
        metadata : `list[dict[str, Any]]`, optional (default = `None`)

        # Returns

        `dict[str, Any]`
            `tag_probs`, shape (batch_size, passage_length, 3), of `OUTSIDE`, `BEGIN` and `INSIDE`. `best_spans`: for
            each question a list of spans, each a pair of its first and its last token. With `answer_tags` also the
            `loss`.
        """
        pair = self._pair(passage, question, passage_annotations, question_annotations)
        mask = pair.passage.mask
        log_probabilities = self._tags(pair.structured_passage).float().log_softmax(dim=-1)
        spans = best_spans(log_probabilities, mask)
        output: dict[str, Any] = {"tag_probs": log_probabilities.exp(), "best_spans": spans}
        if answer_tags is not None:
            output["loss"] = tag_loss(log_probabilities, answer_tags, mask)
        if metadata is not None:
            output["metadata"] = metadata
            self.score(
                [[span_text(values, *span) for span in found] for found, values in zip(spans, metadata)], metadata
            )
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
