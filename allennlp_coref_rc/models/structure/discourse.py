from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Optional

import torch
from allennlp.data import Vocabulary
from allennlp.models.heads import Head
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, DiscourseRelation, Span
from allennlp_coref_rc.annotations.annotators.connective_discourse import ConnectiveDiscourse
from allennlp_coref_rc.annotations.annotators.senses import FURTHER_SENSES, SENSES, conll_sense, sense_of
from allennlp_coref_rc.annotations.layers import rounded
from allennlp_coref_rc.annotations.tokenization import spans_of
from allennlp_coref_rc.models.structure.scores import score_arguments, score_connectives, score_senses
from allennlp_coref_rc.models.structure.span_labeller import Anchors, SpanLabeller, probable_spans
from allennlp_coref_rc.models.structure.text_head import TextHead, mlp

EXPLICIT = (*SENSES, *FURTHER_SENSES)
IMPLICIT = ("", *SENSES)
"""The first is that two sentences have no implicit relation."""

ARGUMENTS = ("Arg1", "Arg2")

LEAST_GAIN = -3.0
"""
The least log odds of an argument, in place of none. A connective that begins a text ("And then he left") has
no first argument.
"""

LEAST_IMPLICIT = 0.4
"""The least probability that two sentences have an implicit relation."""

UNKNOWN = -100
"""The class of what is not learnt: PyTorch's `ignore_index`."""


@Head.register("discourse")
class DiscourseHead(TextHead):
    """
    Discourse relations as in PDTB. BIO tags of the words find the connectives of explicit relations. A
    `SpanLabeller` finds the arguments of each connective in its sentence and the sentence before, and layers
    over the connective and the maximum over that window its sense. Layers over the maxima over two
    neighbouring sentences tell whether they have an implicit relation, and its sense.

    Registered as a `Head` with name "discourse".

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        The size of the backbone's vectors.
    hidden_dim : `int`, optional (default = `192`)
    dropout : `float`, optional (default = `0.2`)
    least : `float`, optional (default = `0.5`)
        The least probability of a connective.
    implicit : `bool`, optional (default = `True`)
        Find implicit relations.
    paper_like : `bool`, optional (default = `False`)
        Find the relations that `connective_discourse` finds with `paper_like`, and predict only their senses.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        hidden_dim: int = 192,
        dropout: float = 0.2,
        least: float = 0.5,
        implicit: bool = True,
        paper_like: bool = False,
    ) -> None:
        super().__init__(vocab, "relations", [score_connectives, score_senses, score_arguments], dropout)
        self.connective = mlp(input_dim, hidden_dim, 3, dropout)
        self.arguments = SpanLabeller(input_dim, ARGUMENTS, hidden_dim, dropout=dropout)
        self.sense = mlp(input_dim + hidden_dim, hidden_dim, len(EXPLICIT), dropout)
        self.of_sentence = nn.Linear(input_dim, hidden_dim)
        self.implicit = mlp(4 * hidden_dim, hidden_dim, len(IMPLICIT), dropout)
        self._least, self._implicit = least, implicit
        self._rule = ConnectiveDiscourse(implicit=implicit, paper_like=True) if paper_like else None

    def loss(self, vectors: Tensor, mask: Tensor, gold: Sequence[AnnotatedText]) -> Tensor:
        """Of the tags of connectives, of their arguments and senses, and of implicit relations."""
        explicit = [(i, r) for i, text in enumerate(gold) for r in text.relations if r.connective]
        tags = torch.zeros(mask.shape, dtype=torch.long)
        for i, (start, stop) in ((i, span) for i, relation in explicit for span in relation.connective):
            tags[i, start], tags[i, start + 1 : stop] = 1, 2
        loss = _loss(self.connective(vectors)[mask], tags[mask.cpu()])
        if explicit:
            spans = [(i, relation.connective[0]) for i, relation in explicit]
            anchors = _windows(gold, spans, vectors.device)
            scores, senses = self._read_connectives(vectors, spans, anchors)
            arguments = [
                [(name, span) for name, part in zip(ARGUMENTS, (r.arg1, r.arg2)) for span in part]
                for _, r in explicit
            ]
            loss = loss + self.arguments.loss(scores, anchors, arguments)
            loss = loss + _loss(senses, [_class(EXPLICIT, sense_of(r.sense)) for _, r in explicit])
        return loss + _loss(
            self._read_neighbours(vectors, gold), [of_pair for text in gold for of_pair in _implicit(text)]
        )

    def annotate(
        self, vectors: Tensor, mask: Tensor, texts: Sequence[AnnotatedText]
    ) -> list[list[DiscourseRelation]]:
        """The relations, each with the probability of its connective, or that it is there."""
        if self._rule:
            return self._with_senses(vectors, [self._rule.annotate(replace(t, relations=[])) for t in texts])
        found: list[list[DiscourseRelation]] = [[] for _ in texts]
        tags = self.connective(vectors)
        tags[..., 1:] = tags[..., 1:].masked_fill(~mask.unsqueeze(-1), -1e4)
        connectives = sorted(
            (i, (start, stop), p) for p, i, _, start, stop in probable_spans(tags, self._least)
        )
        spans = [(i, span) for i, span, _ in connectives]
        for (i, span, probability), (start, of_words, senses) in zip(
            connectives, self._explicit(vectors, texts, spans)
        ):
            sense = EXPLICIT[int(senses.argmax())]
            tokens = texts[i].tokens[start : start + len(of_words)]
            if arguments := _likely(of_words, start, span, tokens):
                sure = rounded(probability)
                found[i].append(DiscourseRelation("Explicit", sense, *arguments, [span], confidence=sure))
        if self._implicit:
            neighbours = self._read_neighbours(vectors, texts).softmax(-1)
            pairs = ((i, pair) for i, text in enumerate(texts) for pair in pairwise(text.sentences))
            for (i, (first, second)), (none, *others) in zip(pairs, neighbours.tolist()):
                if 1 - none >= LEAST_IMPLICIT:
                    sense_name = SENSES[others.index(max(others))]
                    found[i].append(_without_connective(sense_name, [first], [second], 1 - none))
        return found

    def _with_senses(self, vectors: Tensor, texts: Sequence[AnnotatedText]) -> list[list[DiscourseRelation]]:
        """
        The texts' relations with predicted senses, each with the probability of its sense. Those without a
        connective link all neighbouring sentences, in order.
        """
        spans = [(i, r.connective[0]) for i, text in enumerate(texts) for r in text.relations if r.connective]
        explicit = (senses for _, _, senses in self._explicit(vectors, texts, spans))
        implicit = iter(self._read_neighbours(vectors, texts)[:, 1:].softmax(-1))
        found: list[list[DiscourseRelation]] = [[] for _ in texts]
        for of_text, text in zip(found, texts):
            for relation in text.relations:
                chances = next(explicit if relation.connective else implicit).tolist()
                chance, number = max(chances), chances.index(max(chances))
                if relation.connective:
                    named = replace(relation, sense=EXPLICIT[number], confidence=rounded(chance))
                else:
                    named = _without_connective(SENSES[number], relation.arg1, relation.arg2, chance)
                of_text.append(named)
        return found

    def _explicit(
        self, vectors: Tensor, texts: Sequence[AnnotatedText], spans: Sequence[tuple[int, Span]]
    ) -> list[tuple[int, Tensor, Tensor]]:
        """
        For connectives, each the number of a text and a span there: where its window starts, the probabilities
        of `B-` and `I-` of its arguments for the words of the window, and those of its senses. *Shape:*
        (words, 2, arguments), (senses,)
        """
        found: dict[int, tuple[int, Tensor, Tensor]] = {}
        of_words = self.arguments.of_word(vectors)
        for numbers, anchors in _windows(texts, spans, vectors.device).batches():
            scores, senses = self._read_connectives(vectors, [spans[i] for i in numbers], anchors, of_words)
            chances = scores.float().softmax(-1)[..., 1:].unflatten(-1, (2, len(ARGUMENTS))).cpu()
            sizes = (anchors.stop - anchors.start).tolist()
            for i, start, size, row, sense in zip(
                numbers, anchors.start.tolist(), sizes, chances, senses.softmax(-1).cpu()
            ):
                found[i] = start, row[:size], sense
        return [found[i] for i in range(len(spans))]

    def _read_connectives(
        self,
        vectors: Tensor,
        spans: Sequence[tuple[int, Span]],
        anchors: Anchors,
        of_words: Optional[Tensor] = None,
    ) -> tuple[Tensor, Tensor]:
        """The scores of the tags of connectives' arguments, and of their senses."""
        scores, pooled = self.arguments(vectors, anchors, of_words)
        of_connectives = torch.stack([vectors[i, slice(*span)].mean(0) for i, span in spans])
        return scores, self.sense(torch.cat([of_connectives, pooled], dim=-1))

    def _read_neighbours(self, vectors: Tensor, texts: Sequence[AnnotatedText]) -> Tensor:
        """The scores of `IMPLICIT` for neighbouring sentences. *Shape:* (neighbours, 1 + senses)."""
        words = torch.relu(self.of_sentence(vectors))
        pairs = []
        for of_text, text in zip(words, texts):
            maxima = [of_text[slice(*span)].amax(0) for span in text.sentences]
            pairs += [torch.cat([a, b, a * b, (a - b).abs()]) for a, b in pairwise(maxima)]
        return self.implicit(torch.stack(pairs) if pairs else words.new_zeros(0, 4 * words.shape[-1]))


def _windows(
    texts: Sequence[AnnotatedText], spans: Sequence[tuple[int, Span]], device: torch.device
) -> Anchors:
    """The window of a connective is its sentence and the sentence before."""
    numbers = [text.sentence_numbers() for text in texts]
    places = []
    for i, (start, _) in spans:
        number, sentences = numbers[i][start] - 1, texts[i].sentences
        places.append((i, start, sentences[max(number - 1, 0)][0], sentences[number][1]))
    return Anchors.of(places, device)


def _without_connective(
    sense: str, arg1: list[Span], arg2: list[Span], probability: float
) -> DiscourseRelation:
    kind = sense if sense == "EntRel" else "Implicit"
    return DiscourseRelation(kind, sense, arg1, arg2, confidence=rounded(probability))


def _likely(
    chances: Tensor, start: int, connective: Span, tokens: Sequence[str]
) -> Optional[tuple[list[Span], list[Span]]]:
    """
    The most probable span for each argument, without the connective and the other argument, if tags are
    independent, and without punctuation at its ends if it has a word; `None` if one is unlikely or nothing.

    *Shape:* chances (tokens, 2, arguments), of `B-` and `I-`; the first token's position is `start`.
    """
    first, last = (place - start for place in connective)
    begin, inside = chances.unbind(1)
    outside = (1 - begin - inside).clamp(1e-6).log()
    # A span that has the connective in it begins again after it.
    inside = inside.clone()
    inside[last : last + 1] += begin[last : last + 1]
    begin, inside = (tag.clamp(1e-6).log() - outside for tag in (begin, inside))
    begin[first:last] = inside[first:last] = 0
    no_spans = torch.ones(2 * (len(chances) + 1,)).tril() > 0
    no_spans[first : last + 1, first : last + 1] = True
    if no_spans.all():
        return None
    arguments = []
    totals = nn.functional.pad(inside.cumsum(0), (0, 0, 1, 0))
    before = totals - nn.functional.pad(begin - inside, (0, 0, 0, 1))
    for of_begin, of_end in zip(before.T, totals.T):
        gains = (of_end - of_begin.unsqueeze(1)).masked_fill(no_spans, -torch.inf)
        if gains.max() < LEAST_GAIN:
            return None
        begins, ends = divmod(int(gains.argmax()), len(totals))
        arguments.append({*range(start + begins, start + ends)} - {*range(*connective)})
    # The one around the other is interrupted by it.
    shorter, longer = sorted(arguments, key=len)
    longer -= shorter
    for argument in arguments:
        words = [place for place in argument if any(map(str.isalnum, tokens[place - start]))]
        if words:
            argument &= {*range(min(words), max(words) + 1)}
    return (spans_of(arguments[0]), spans_of(arguments[1])) if all(arguments) else None


def _implicit(text: AnnotatedText) -> Iterator[int]:
    """For neighbouring sentences, the class of the first relation without a connective that links them."""
    number = text.sentence_numbers()
    classes: dict[int, int] = {}
    for relation in text.relations:
        if relation.type in ("Implicit", "EntRel") and relation.arg1 and relation.arg2:
            last, first = relation.arg1[-1][1] - 1, relation.arg2[0][0]
            if number[first] == number[last] + 1:
                classes.setdefault(number[last], _class(IMPLICIT, conll_sense(relation.sense)))
    yield from (classes.get(i, 0) for i in range(1, len(text.sentences)))


def _class(senses: Sequence[str], sense: Optional[str]) -> int:
    return senses.index(sense) if sense else UNKNOWN


def _loss(scores: Tensor, classes: Sequence[int] | Tensor) -> Tensor:
    goal = torch.as_tensor(classes, dtype=torch.long, device=scores.device)
    return cross_entropy(scores, goal, reduction="sum", ignore_index=UNKNOWN)
