from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Optional

import torch
from allennlp.data import Vocabulary
from allennlp.models.heads import Head
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, DiscourseRelation, Span
from allennlp_coref_rc.annotations.annotators.senses import FURTHER_SENSES, SENSES, conll_sense, sense_of
from allennlp_coref_rc.annotations.tokenization import spans_of
from allennlp_coref_rc.models.structure.scores import (
    TextScores,
    score_arguments,
    score_connectives,
    score_senses,
)
from allennlp_coref_rc.models.structure.span_labeller import Anchors, SpanLabeller, span_probabilities

EXPLICIT = (*SENSES, *FURTHER_SENSES)
IMPLICIT = ("", *SENSES)
"""The first is that two sentences have no implicit relation."""

ARGUMENTS = ("Arg1", "Arg2")

UNKNOWN = -100
"""The class of what is not learnt: PyTorch's `ignore_index`."""


@Head.register("discourse")
class DiscourseHead(Head):
    """
    Discourse relations as in PDTB. BIO tags of the words find the connectives of explicit relations. A
    `SpanLabeller` finds the arguments of each connective in its sentence and the sentence before, and layers
    over the connective and the maximum over that window its sense. Layers over the maxima over two
    neighbouring sentences tell whether they have an implicit relation, and its sense.

    Registered as a `Head` with name "discourse".

    # Parameters

    vocab : `Vocabulary`
        It may be empty.
    input_dim : `int`
        The size of the backbone's vectors.
    hidden_dim : `int`, optional (default = `192`)
    dropout : `float`, optional (default = `0.2`)
    least : `float`, optional (default = `0.5`)
        The least probability of a connective.
    least_implicit : `float`, optional (default = `0.4`)
        The least probability that two sentences have an implicit relation.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        hidden_dim: int = 192,
        dropout: float = 0.2,
        least: float = 0.5,
        least_implicit: float = 0.4,
    ) -> None:
        super().__init__(vocab)

        def layers(size: int, classes: int) -> nn.Module:
            return nn.Sequential(
                nn.Linear(size, hidden_dim), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden_dim, classes)
            )

        self.connective = layers(input_dim, 3)
        self.arguments = SpanLabeller(input_dim, ARGUMENTS, hidden_dim, dropout=dropout)
        self.sense = layers(input_dim + hidden_dim, len(EXPLICIT))
        self.of_sentence = nn.Linear(input_dim, hidden_dim)
        self.implicit = layers(4 * hidden_dim, len(IMPLICIT))
        self._dropout = nn.Dropout(dropout)
        self._least, self._least_implicit = least, least_implicit
        self._scores = TextScores(score_connectives, score_senses, score_arguments)

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
            The same texts with their relations.

        # Returns

        If there is `gold`, the `loss` for each word. When not training, also `relations`, and their
        probabilities, `confidences`.
        """
        output: dict[str, Any] = {}
        vectors, device = self._dropout(encoded_text), encoded_text.device
        tags = self.connective(vectors)
        neighbours = [(i, pair) for i, one in enumerate(text) for pair in pairwise(one.sentences)]
        implicit = self._score_implicit(vectors, neighbours)
        if gold is not None:
            explicit = [(i, r) for i, one in enumerate(gold) for r in one.relations if r.connective]
            is_tag = torch.zeros(tags.shape[:2], dtype=torch.long)
            for i, relation in explicit:
                for start, stop in relation.connective:
                    is_tag[i, start], is_tag[i, start + 1 : stop] = 1, 2
            mask = encoded_text_mask
            loss = _loss(tags[mask], is_tag.to(device)[mask])
            if explicit:
                spans = [(i, relation.connective[0]) for i, relation in explicit]
                scores, anchors, senses = self._read_connectives(vectors, text, spans)
                arguments = ([*_arguments(relation)] for _, relation in explicit)
                loss = loss + self.arguments.loss(scores, anchors, arguments) / 5
                classes = [_class(EXPLICIT, sense_of(relation.sense)) for _, relation in explicit]
                loss = loss + _loss(senses, torch.tensor(classes, device=device))
            if neighbours:
                classes = [of_pair for one in gold for of_pair in _implicit_classes(one)]
                loss = loss + _loss(implicit, torch.tensor(classes, device=device))
            output["loss"] = loss / mask.sum()
        if not self.training:
            outside = torch.tensor([0, -1e4, -1e4], device=device)
            tags = torch.where(encoded_text_mask.unsqueeze(-1), tags, outside)
            output |= self._relations(vectors, text, tags, neighbours, implicit)
            if gold is not None:
                found = [replace(one, relations=some) for one, some in zip(text, output["relations"])]
                self._scores(found, gold)
        return output

    def _read_connectives(
        self, vectors: Tensor, texts: Sequence[AnnotatedText], spans: Sequence[tuple[int, Span]]
    ) -> tuple[Tensor, Anchors, Tensor]:
        """
        The scores of their arguments' tags, the windows of these, and the scores of their senses, for
        connectives, each the number of a text and a span there.
        """
        numbers = [text.sentence_numbers() for text in texts]
        places = []
        for i, (start, _) in spans:
            number, sentences = numbers[i][start] - 1, texts[i].sentences
            places.append((i, start, sentences[max(number - 1, 0)][0], sentences[number][1]))
        anchors = Anchors.of(places, vectors.device)
        scores, pooled = self.arguments(vectors, anchors)
        of_connectives = torch.stack([vectors[i, slice(*span)].mean(0) for i, span in spans])
        return scores, anchors, self.sense(torch.cat([of_connectives, pooled], dim=-1))

    def _score_implicit(self, vectors: Tensor, neighbours: Sequence[tuple[int, tuple[Span, Span]]]) -> Tensor:
        """*Shape:* (neighbours, 1 + senses)."""
        if not neighbours:
            return vectors.new_zeros(0, len(IMPLICIT))
        words = torch.relu(self.of_sentence(vectors))
        one, two = (
            torch.stack([words[i, slice(*pair[side])].amax(0) for i, pair in neighbours]) for side in (0, 1)
        )
        return self.implicit(torch.cat([one, two, one * two, (one - two).abs()], dim=-1))

    @torch.inference_mode()
    def _relations(
        self,
        vectors: Tensor,
        texts: Sequence[AnnotatedText],
        tags: Tensor,
        neighbours: Sequence[tuple[int, tuple[Span, Span]]],
        implicit: Tensor,
    ) -> dict[str, Any]:
        found: list[list[tuple[float, DiscourseRelation]]] = [[] for _ in texts]
        connectives = sorted(
            (i, (start, stop), probability)
            for probability, i, _, start, stop in span_probabilities(tags, self._least)
        )
        if connectives:
            spans = [(i, span) for i, span, _ in connectives]
            scores, anchors, senses = self._read_connectives(vectors, texts, spans)
            # Of each argument: the probabilities of its `B-` and `I-`.
            chances = scores.softmax(-1)[..., 1:].unflatten(-1, (2, 2)).sum(-2).cpu()
            starts, ends = anchors.start.tolist(), anchors.stop.tolist()
            chosen = senses.argmax(-1).tolist()
            for (i, span, probability), start, stop, of_words, sense in zip(
                connectives, starts, ends, chances, chosen
            ):
                arguments = _likely(of_words[: stop - start], start, span)
                relation = DiscourseRelation("Explicit", EXPLICIT[sense], *arguments, [span])
                found[i].append((probability, relation))
        no_relation, *_ = (chances := implicit.softmax(-1)).T
        best = chances[:, 1:].argmax(-1).tolist()
        for (i, (first, second)), none, sense in zip(neighbours, no_relation.tolist(), best):
            if 1 - none >= self._least_implicit:
                name = IMPLICIT[1 + sense]
                kind = "EntRel" if name == "EntRel" else "Implicit"
                found[i].append((1 - none, DiscourseRelation(kind, name, [first], [second])))
        return {
            "relations": [[relation for _, relation in some] for some in found],
            "confidences": [[probability for probability, _ in some] for some in found],
        }

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """Of connectives, senses, arguments and implicit relations, as `evaluate_annotator.py` scores them."""
        return self._scores.get_metric(reset)


def _arguments(relation: DiscourseRelation) -> Iterator[tuple[str, Span]]:
    for name, spans in zip(ARGUMENTS, (relation.arg1, relation.arg2)):
        yield from ((name, span) for span in spans)


def _likely(chances: Tensor, start: int, connective: Span) -> tuple[list[Span], list[Span]]:
    """
    The words that are more probably in an argument than outside, or at least the most probable one, for both
    arguments. *Shape:* chances (words, 2); the first word's position is `start`.
    """
    chances = chances.clone()
    chances[connective[0] - start : connective[1] - start] = 0
    arg1, arg2 = (
        [start + i for i in torch.nonzero((of_one > 0.5).index_fill(0, of_one.argmax(), True))[:, 0].tolist()]
        for of_one in chances.T
    )
    return spans_of(arg1), spans_of(arg2)


def _class(senses: Sequence[str], sense: Optional[str]) -> int:
    return senses.index(sense) if sense in senses and sense else UNKNOWN


def _implicit_classes(text: AnnotatedText) -> Iterator[int]:
    """For each two neighbouring sentences, the class of the first relation without a connective that links them."""
    number = text.sentence_numbers()
    classes: dict[int, int] = {}
    for relation in text.relations:
        if relation.type in ("Implicit", "EntRel") and relation.arg1 and relation.arg2:
            last, first = relation.arg1[-1][1] - 1, relation.arg2[0][0]
            if number[first] == number[last] + 1:
                classes.setdefault(number[last], _class(IMPLICIT, conll_sense(relation.sense)))
    yield from (classes.get(i, 0) for i in range(1, len(text.sentences)))


def _loss(scores: Tensor, classes: Tensor) -> Tensor:
    return cross_entropy(scores, classes, reduction="sum", ignore_index=UNKNOWN)
