import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Optional

import torch
from allennlp.data import Vocabulary
from allennlp.models.heads import Head
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Frame
from allennlp_coref_rc.models.structure.scores import TextScores, score_frames
from allennlp_coref_rc.models.structure.span_labeller import Anchors, LabelledSpan, SpanLabeller

CORE = re.compile(r"ARG\d")
"""Roles that a frame has once."""

MAX_CELLS = 8_000
"""The most pairs of a predicate and a word that are labelled at once, when not training."""


@Head.register("roles")
class RolesHead(Head):
    """
    Semantic roles. A word is a predicate if its score is positive. A `SpanLabeller` finds the arguments of
    each predicate in its sentence.

    Registered as a `Head` with name "roles".

    # Parameters

    vocab : `Vocabulary`
        It may be empty.
    input_dim : `int`
        The size of the backbone's vectors.
    roles : `list[str]`
        The labels of arguments. Others are not learnt.
    hidden_dim : `int`, optional (default = `192`)
    dropout : `float`, optional (default = `0.2`)
    least : `float`, optional (default = `0.4`)
        The least probability of an argument.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        roles: list[str],
        hidden_dim: int = 192,
        dropout: float = 0.2,
        least: float = 0.4,
    ) -> None:
        super().__init__(vocab)
        self.predicate = nn.Sequential(nn.Linear(input_dim, 64), nn.ReLU(), nn.Linear(64, 1))
        self.labeller = SpanLabeller(input_dim, roles, hidden_dim, dropout=dropout)
        self._dropout = nn.Dropout(dropout)
        self._least = least
        self._scores = TextScores(score_frames)

    def forward(
        self,
        encoded_text: Tensor,
        encoded_text_mask: Tensor,
        text: list[AnnotatedText],
        gold: Optional[list[AnnotatedText]] = None,
    ) -> dict[str, Any]:
        """
        # Parameters

        encoded_text : `Tensor`
            Shape: (texts, words, input_dim)
        encoded_text_mask : `Tensor`
            Shape: (texts, words)
        text : `list[AnnotatedText]`
            Its sentences count.
        gold : `list[AnnotatedText]`, optional (default = `None`)
            The same texts with their frames.

        # Returns

        If there is `gold`, the `loss` for each word. When not training, also `frames`, and beside each frame
        the probabilities of its arguments, `confidences`.
        """
        output: dict[str, Any] = {}
        vectors = self._dropout(encoded_text)
        scores = self.predicate(vectors).squeeze(-1)
        if gold is not None:
            is_predicate = torch.zeros_like(scores)
            frames = [(i, frame) for i, one in enumerate(gold) for frame in one.frames]
            anchors = _anchors(gold, [(i, frame.predicate[0]) for i, frame in frames], scores.device)
            is_predicate[anchors.text, anchors.position] = 1
            mask = encoded_text_mask
            loss = binary_cross_entropy_with_logits(scores[mask], is_predicate[mask], reduction="sum")
            if frames:
                tags, _ = self.labeller(vectors, anchors)
                loss = loss + self.labeller.loss(tags, anchors, (frame.arguments for _, frame in frames))
            output["loss"] = loss / mask.sum()
        if not self.training:
            output |= self._label(vectors, torch.nonzero((scores > 0) & encoded_text_mask), text)
            if gold is not None:
                labelled = [replace(one, frames=found) for one, found in zip(text, output["frames"])]
                self._scores(labelled, gold)
        return output

    @torch.inference_mode()
    def _label(self, vectors: Tensor, places: Tensor, texts: Sequence[AnnotatedText]) -> dict[str, Any]:
        anchors = _anchors(texts, places.tolist(), vectors.device)
        found: list[tuple[int, int, list[LabelledSpan]]] = []
        # Sentences of similar lengths are labelled together.
        lengths = anchors.stop - anchors.start
        step = max(1, MAX_CELLS // max([1, *lengths.tolist()]))
        for some in torch.argsort(lengths).split(step):
            chosen = Anchors(*(column[some] for column in anchors))
            scores, _ = self.labeller(vectors, chosen)
            spans = self.labeller.spans(scores, chosen, self._least)
            found += zip(chosen.text.tolist(), chosen.position.tolist(), spans)
        frames: list[list[Frame]] = [[] for _ in texts]
        confidences: list[list[list[float]]] = [[] for _ in texts]
        for i, position, labelled in sorted(found):
            kept = sorted(_kept(labelled), key=lambda argument: argument[2])
            frames[i].append(Frame((position, position + 1), [(role, span) for _, role, span in kept]))
            confidences[i].append([probability for probability, _, _ in kept])
        return {"frames": frames, "confidences": confidences}

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """Of predicates and of arguments, as `evaluate_annotator.py` scores them."""
        return self._scores.get_metric(reset)


def _anchors(
    texts: Sequence[AnnotatedText], places: Sequence[Sequence[int]], device: torch.device
) -> Anchors:
    """The window of a predicate is its sentence."""
    sentence = [[span for span in text.sentences for _ in range(*span)] for text in texts]
    return Anchors.of([(i, position, *sentence[i][position]) for i, position in places], device)


def _kept(found: Sequence[LabelledSpan]) -> Iterator[LabelledSpan]:
    """Without a second span of a role that a frame has once."""
    seen = set()
    for span in found:
        if span[1] not in seen or not CORE.fullmatch(span[1]):
            yield span
        seen.add(span[1])
