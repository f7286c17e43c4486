from collections.abc import Sequence
from typing import Any

from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.training.metrics import Metric

from allennlp_coref_rc.metrics.quoref import Answer


class TextAnswerModel(Model):
    """
    Base class of models whose answers are compared as texts with reference answers. It has the metric and the
    output.

    # Parameters

    vocab : `Vocabulary`
    metric : `Metric`
        It is called with the answers of a batch and the reference answers of each question. It counts every
        question that has reference answers, even without a span.
    """

    default_predictor = "span_reader"

    def __init__(self, vocab: Vocabulary, metric: Metric, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        # It is given texts, where AllenNLP's signature of metrics has tensors.
        self._metric: Any = metric

    def score(self, answers: Sequence[Answer], metadata: list[dict[str, Any]]) -> None:
        """Counts the answers of the questions whose `answer_texts` are known."""
        pairs = [
            (answer, own["answer_texts"]) for answer, own in zip(answers, metadata) if own.get("answer_texts")
        ]
        # Without any too: the processes of a distributed training wait for each other here.
        self._metric([answer for answer, _ in pairs], [references for _, references in pairs])

    def scores_of(self, answer: Answer, references: Sequence[str]) -> dict[str, float]:
        """
        The scores of one answer, by name. Empty if the metric has no method `of_question`, which gives them.
        """
        return self._metric.of_question(answer, references) if hasattr(self._metric, "of_question") else {}

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        return self._metric.get_metric(reset)


def known_output(output_dict: dict[str, Any]) -> dict[str, Any]:
    """
    The values of the questions' metadata that all questions have, by name, and the loss, if a question has
    one.
    """
    names = ("id", "passage_tokens", "question_tokens", "answer_texts", "article")
    columns = {name: [values.get(name) for values in output_dict["metadata"]] for name in names}
    known: dict[str, Any] = {name: values for name, values in columns.items() if all(values)}
    has_loss = output_dict.get("has_loss", "loss" in output_dict)
    return {**known, "loss": output_dict["loss"]} if has_loss else known
