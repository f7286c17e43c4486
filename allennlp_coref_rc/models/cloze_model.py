from typing import Any, Optional

import torch
from allennlp.common import Lazy
from allennlp.data import Vocabulary
from allennlp.models import Model
from torch.nn.functional import nll_loss

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.fields import (
    CANDIDATE_LABELS,
    CLASS_LABELS,
    MALFORMED,
    SKIPPED_ANSWER,
    UNKNOWN_ANSWER,
    CandidateTensors,
)
from allennlp_coref_rc.metrics.answer_accuracy import AnswerAccuracy
from allennlp_coref_rc.modules.answer_layers import AnswerLayer
from allennlp_coref_rc.modules.attention import Attention
from allennlp_coref_rc.modules.pair import Pair, TokenVectors

NO_CANDIDATE = "none of the candidates occurs in the passage"
"""The reason why a question has no answer in its passage."""


class ClozeModel(Model):
    """
    Base class of models that answer with one of several candidates, or with a class. It has the answer layer,
    the loss, the accuracy and the output.

    # Parameters

    vocab : `Vocabulary`
    """

    default_predictor = "cloze_reader"

    def __init__(self, vocab: Vocabulary, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self._accuracy = AnswerAccuracy()

    def build_answer_layer(
        self, pointer: Lazy[AnswerLayer], classifier: Lazy[AnswerLayer], encoding_dim: int, embedding_dim: int
    ) -> None:
        """
        Makes the answer layer, which reads vectors of these sizes: `classifier` if the vocabulary has classes,
        which the dataset reader decides, and `pointer`, for words of the passage, if not.
        """
        # One that does not exist would have a size too, of its padding.
        present = self.vocab.get_namespaces() & {CLASS_LABELS, CANDIDATE_LABELS}
        for namespace in present:
            if self.vocab.get_vocab_size(namespace) and self.vocab.is_padded(namespace):
                raise ConfigurationError(
                    f"vocabulary: found padding among the answers ({namespace}), expected non_padded_namespaces with "
                    '"*labels", as by default; "from_pretrained_transformer" makes none'
                )
        self._answers_are_classes = CLASS_LABELS in present and self.vocab.get_vocab_size(CLASS_LABELS) > 0
        self._answer_layer = (classifier if self._answers_are_classes else pointer).construct(
            vocab=self.vocab, encoding_dim=encoding_dim, embedding_dim=embedding_dim
        )

    def answer(
        self,
        passage: TokenVectors,
        query: torch.Tensor,
        embedded: Pair,
        candidates: Optional[CandidateTensors] = None,
        answer: Optional[torch.Tensor] = None,
        metadata: Optional[list[dict[str, Any]]] = None,
        explanations: Optional[list[Attention]] = None,
    ) -> dict[str, Any]:
        """
        # Parameters

        passage, query, embedded, candidates
            As in `AnswerLayer.forward`.
        answer : `torch.LongTensor`, optional (default = `None`)
            Shape: (batch_size,). The index of the candidate or class. `UNKNOWN_ANSWER` counts as wrong and
            has no loss. `SKIPPED_ANSWER` has no loss either, and counts as wrong only in the official
            accuracy.
        metadata : `list[dict[str, Any]]`, optional (default = `None`)
        explanations : `list[Attention]`, optional (default = `None`)

        # Returns

        `dict[str, Any]`
            `probabilities` and `log_probabilities`, shape (batch_size, num_candidates); `attention` of the
            answer layer, shape (batch_size, passage_length). If answers are words of the passage, also
            `has_candidate`, which says whether the passage has any candidate, shape (batch_size,). If the
            answer is given, also the `loss`, the mean negative log-probability of the answer, and whether
            any question `has_loss`. And the `explanations`, if there are any.
        """
        log_probabilities, attention = self._answer_layer(passage, query, embedded, candidates)
        number = log_probabilities.size(1)
        if not number:
            raise ConfigurationError("found no candidates in the question or the vocabulary, expected some")
        if self._answers_are_classes and number != (known := self.vocab.get_vocab_size(CLASS_LABELS)):
            raise ConfigurationError(
                f"found {known} answers in the vocabulary, but the model learnt to tell {number} apart; expected the "
                "same. A model whose answers are words of the passage can be extended"
            )
        output: dict[str, Any] = {
            "log_probabilities": log_probabilities,
            "probabilities": log_probabilities.exp(),
            "attention": attention,
        }
        if candidates is not None and not self._answers_are_classes:
            output["has_candidate"] = (candidates["candidates"] >= 0).any(dim=1)
        if explanations is not None:
            output["explanations"] = explanations
        if metadata is not None:
            output["metadata"] = metadata
        if answer is not None:
            # Training needs no metadata, which take long to read.
            read = [] if self.training or metadata is None else metadata
            malformed = sum(values.get(MALFORMED, 0) for values in read)
            output["loss"] = self._score(log_probabilities, answer, output.get("has_candidate"), malformed)
            output["has_loss"] = (answer >= 0).any()
        return output

    def _score(
        self,
        log_probabilities: torch.Tensor,
        answer: torch.Tensor,
        has_candidate: Optional[torch.Tensor],
        malformed: int = 0,
    ) -> torch.Tensor:
        """
        The loss. Also counts right and wrong answers; if the passage has no candidate, the answer is wrong.
        """
        correct = log_probabilities.argmax(dim=1) == answer
        if has_candidate is not None:
            correct = correct & has_candidate
        self._accuracy(correct, kept=answer != SKIPPED_ANSWER, malformed=malformed)
        # Without a loss are `UNKNOWN_ANSWER` and what is below.
        answer = answer.clamp(min=UNKNOWN_ANSWER)
        losses = nll_loss(log_probabilities, answer, ignore_index=UNKNOWN_ANSWER, reduction="sum")
        return losses / (answer >= 0).sum().clamp(min=1)

    def make_output_human_readable(self, output_dict: dict[str, Any]) -> dict[str, Any]:
        """
        Gives each question its `answer`, the `candidate_probabilities` by candidate, the tokens of the
        passage with their `attention`, and the `clusters` used. If the answers of all questions are known,
        also the `gold` answer; with `explain`, also the `explanations`, which are objects made by
        `Attention.to_json`. If no candidate has a token in the passage, the `answer` is `None`. Then the
        batch also has `unanswered`, the reason, which is "" for the other questions.
        """
        namespace = CLASS_LABELS if self._answers_are_classes else CANDIDATE_LABELS
        labels = self.vocab.get_index_to_token_vocabulary(namespace)
        label_names = [labels[i] for i in range(len(labels))]
        questions, probabilities = output_dict["metadata"], output_dict["probabilities"].tolist()
        has_candidate = output_dict.get("has_candidate")
        possible = [True] * len(questions) if has_candidate is None else has_candidate.tolist()
        by_name: list[dict[str, float]] = []
        for values, metadata in zip(probabilities, questions):
            given = None if self._answers_are_classes else metadata["candidates"]
            by_name.append({})
            for name, probability in zip(label_names if given is None else given, values):
                by_name[-1][name] = max(probability, by_name[-1].get(name, 0.0))
        readable: dict[str, Any] = {
            "id": [metadata["id"] for metadata in questions],
            "answer": [
                max(own, key=own.__getitem__) if has and own else None for has, own in zip(possible, by_name)
            ],
            "unanswered": ["" if has else NO_CANDIDATE for has in possible],
            "candidate_probabilities": by_name,
            "passage_tokens": [metadata["passage_tokens"] for metadata in questions],
            "attention": [
                weights[: len(metadata["passage_tokens"])]
                for weights, metadata in zip(output_dict["attention"].tolist(), questions)
            ],
            "question_tokens": [metadata["question_tokens"] for metadata in questions],
            "clusters": [metadata["clusters"] for metadata in questions],
            "gold": [metadata["answer"] for metadata in questions],
        }
        for name in ("id", "gold"):
            if None in readable[name]:
                del readable[name]
        if not any(readable["unanswered"]):
            del readable["unanswered"]
        if "explanations" in output_dict:
            sides = [
                {side: metadata[f"{side}_tokens"] for side in ("passage", "question")}
                for metadata in questions
            ]
            readable["explanations"] = [
                [attention.to_json(i, tokens) for attention in output_dict["explanations"]]
                for i, tokens in enumerate(sides)
            ]
        if output_dict.get("has_loss"):
            readable["loss"] = output_dict["loss"]
        return readable

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        return self._accuracy.get_metric(reset)
