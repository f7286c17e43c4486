import re
from collections.abc import Iterator, Sequence

import torch
from allennlp.data import Vocabulary
from allennlp.models.heads import Head
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Frame
from allennlp_coref_rc.annotations.layers import rounded
from allennlp_coref_rc.models.structure.scores import score_frames
from allennlp_coref_rc.models.structure.span_labeller import Anchors, LabelledSpan, SpanLabeller
from allennlp_coref_rc.models.structure.text_head import TextHead

CORE = re.compile(r"ARG\d")
"""Roles that a frame has once."""


@Head.register("roles")
class RolesHead(TextHead):
    """
    Semantic roles. A word is a predicate if its score is positive. A `SpanLabeller` finds the arguments of
    each predicate in its sentence.

    Registered as a `Head` with name "roles".

    # Parameters

    vocab : `Vocabulary`
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
        super().__init__(vocab, "frames", [score_frames], dropout)
        self.predicate = nn.Sequential(nn.Linear(input_dim, 64), nn.ReLU(), nn.Linear(64, 1))
        self.labeller = SpanLabeller(input_dim, roles, hidden_dim, dropout=dropout)
        self._least = least

    def loss(self, vectors: Tensor, mask: Tensor, gold: Sequence[AnnotatedText]) -> Tensor:
        """Of predicates, and of the tags of each one's arguments."""
        scores = self.predicate(vectors).squeeze(-1)
        frames = [(i, frame) for i, text in enumerate(gold) for frame in text.frames]
        anchors = _anchors(gold, [(i, frame.predicate[0]) for i, frame in frames], scores.device)
        is_predicate = torch.zeros_like(scores)
        is_predicate[anchors.text, anchors.position] = 1
        loss = binary_cross_entropy_with_logits(scores[mask], is_predicate[mask], reduction="sum")
        if not frames:
            return loss
        tags, _ = self.labeller(vectors, anchors)
        return loss + self.labeller.loss(tags, anchors, (frame.arguments for _, frame in frames))

    def annotate(self, vectors: Tensor, mask: Tensor, texts: Sequence[AnnotatedText]) -> list[list[Frame]]:
        """The frames, with the probabilities of their arguments."""
        places = torch.nonzero((self.predicate(vectors).squeeze(-1) > 0) & mask).tolist()
        anchors = _anchors(texts, places, vectors.device)
        labelled: list[tuple[int, int, list[LabelledSpan]]] = []
        of_words = self.labeller.of_word(vectors)
        for _, chosen in anchors.batches():
            spans = self.labeller.spans(self.labeller(vectors, chosen, of_words)[0], chosen, self._least)
            labelled += zip(chosen.text.tolist(), chosen.position.tolist(), spans)
        found: list[list[Frame]] = [[] for _ in texts]
        for i, position, of_predicate in sorted(labelled):
            kept = sorted(_kept(of_predicate), key=lambda argument: argument[2])
            arguments = [(role, span) for _, role, span in kept]
            confidences = [rounded(chance) for chance, _, _ in kept]
            found[i].append(Frame((position, position + 1), arguments, confidences))
        return found


def _anchors(
    texts: Sequence[AnnotatedText], places: Sequence[Sequence[int]], device: torch.device
) -> Anchors:
    """The window of a predicate is its sentence."""
    sentence = [[span for span in text.sentences for _ in range(*span)] for text in texts]
    return Anchors.of(((i, position, *sentence[i][position]) for i, position in places), device)


def _kept(found: Sequence[LabelledSpan]) -> Iterator[LabelledSpan]:
    """Without a second span of a role that a frame has once."""
    seen = set()
    for span in found:
        if span[1] not in seen or not CORE.fullmatch(span[1]):
            yield span
        seen.add(span[1])
