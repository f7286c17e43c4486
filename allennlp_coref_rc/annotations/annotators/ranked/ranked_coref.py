import dataclasses
from pathlib import Path
from typing import Dict, Iterator, List, Optional

import numpy as np

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.ranked import networks
from allennlp_coref_rc.annotations.annotators.ranked.candidates import Candidates, describe
from allennlp_coref_rc.annotations.annotators.ranked.linking import link
from allennlp_coref_rc.annotations.annotators.ranked.pairs import (
    EntityFeatures,
    make_pairs,
    pair_features,
    sieve_entities,
)
from allennlp_coref_rc.annotations.annotators.ranked.token_features import token_features
from allennlp_coref_rc.annotations.annotators.sieve.sieve_coref import Resolution, SieveCoref
from allennlp_coref_rc.annotations.clusters import check_max_clusters, largest_clusters

LEAST_CHANCE = 0.25
"""How likely a span has to be a mention to be linked."""

BLOCK = 400
"""Mentions whose pairs are described at once."""


@Annotator.register("ranked_coref")
class RankedCoref(Annotator):
    """
    Coreference of English text by two small networks, which learn from LitBank what the rules of `sieve_coref` cannot
    say. One finds mentions: it judges first and last tokens, and spans between them, from the words around, classes of
    words from WordNet, and the rules' mentions. The other ranks, for each mention, the mentions before it and the
    choice of a new entity (Denis and Baldridge, EMNLP 2008; Durrett and Klein, EMNLP 2013), by what is known of both
    and of the entity that the rules have put the earlier one into. Each mention joins the entity that has the highest
    probability in sum.

    The model comes with this package, and it needs nothing but NumPy. Mentions are those of LitBank: persons, groups,
    places, buildings and vehicles, with what follows their head ("the house where he lived"), and pronouns for them.
    CARD.md beside the model says what it was trained on.

    Registered as an `Annotator` with name "ranked_coref".

    # Parameters

    include_singletons : `bool`, optional (default = `False`)
        Also return likely mentions that are linked to no other, each as a cluster of one.
    max_clusters : `int`, optional (default = `None`)
        Keep only this many clusters, those with the most mentions. By default all.
    path : `str`, optional (default = `None`)
        Weights that `scripts/train_ranked_coref.py` has written. By default those of this package.

    # Example

    ```jsonnet
    {"type": "ranked_coref", "include_singletons": true}
    ```
    """

    def __init__(
        self,
        include_singletons: bool = False,
        max_clusters: Optional[int] = None,
        path: Optional[str] = None,
    ) -> None:
        check_max_clusters("ranked_coref", max_clusters)
        self._include_singletons = include_singletons
        self._max_clusters = max_clusters
        self._weights, self._words = networks.load_weights(Path(path) if path else networks.MODEL)
        decisions = self._weights["decisions"]
        self._bonuses, self._least = decisions[:-2], decisions[-2:]
        self._sieve = SieveCoref(descriptions=False)

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        clusters = self._clusters(text) if len(text) else []
        return dataclasses.replace(text, clusters=text.clusters + largest_clusters(clusters, self._max_clusters))

    def _clusters(self, text: AnnotatedText) -> List[List[Span]]:
        rules = self._sieve.resolve(text)
        sentence_of = number_sentences(rules.sentences, len(text))
        words = np.array([self._words.get(word, 0) for word in rules.words])
        spans, chances = networks.choose_spans(
            *networks.span_chances(self._weights, words, features_of_tokens(text, rules), sentence_of),
            LEAST_CHANCE,
            rules.words,
            sentence_of,
        )
        mentions = describe_mentions(text, rules, sentence_of, spans, chances)
        earlier, later = make_pairs(mentions)
        blocks = features_of_pairs(mentions, earlier, later)
        scores = networks.pair_scores(self._weights, mentions.vectors, blocks, earlier, later)
        clusters = choose_clusters(mentions, link(mentions, earlier, later, *scores, self._bonuses), *self._least)
        return clusters if self._include_singletons else [cluster for cluster in clusters if len(cluster) > 1]


def choose_clusters(mentions: Candidates, entity: List[int], linked: float, alone: float) -> List[List[Span]]:
    """
    The clusters of a linking, in order. A mention stays if it is likely enough to be one: `linked` or `alone` is the
    least chance.
    """
    members: Dict[int, List[int]] = {}
    for mention in np.flatnonzero(mentions.chances >= linked).tolist():
        members.setdefault(entity[mention], []).append(mention)
    return sorted(
        [mentions.spans[mention] for mention in own]
        for own in members.values()
        if len(own) > 1 or mentions.chances[own[0]] >= alone
    )


def number_sentences(sentences: List[Span], length: int) -> np.ndarray:
    """The number of the sentence of each token."""
    numbers = np.zeros(length, int)
    for number, (start, stop) in enumerate(sentences):
        numbers[start:stop] = number
    return numbers


def features_of_tokens(text: AnnotatedText, rules: Resolution) -> np.ndarray:
    quoted = np.zeros(len(text), bool)
    for quote in rules.quotes:
        quoted[quote.start : quote.stop] = True
    return token_features(text.tokens, rules.words, rules.sentences, rules.mentions, quoted)


def describe_mentions(
    text: AnnotatedText, rules: Resolution, sentence_of: np.ndarray, spans: List[Span], chances: np.ndarray
) -> Candidates:
    return describe(text.tokens, rules.words, sentence_of, spans, chances, rules.mentions, rules.entities, rules.quotes)


def features_of_pairs(mentions: Candidates, earlier: np.ndarray, later: np.ndarray) -> Iterator[np.ndarray]:
    """The features of pairs, by blocks of later mentions: those of a long text together would take a gigabyte."""
    entities = EntityFeatures(mentions, sieve_entities(mentions))
    bounds = np.searchsorted(later, np.arange(0, len(mentions.spans) + BLOCK, BLOCK))
    for start, stop in zip(bounds, bounds[1:]):
        pairs = earlier[start:stop], later[start:stop]
        yield np.concatenate([pair_features(mentions, *pairs), entities.of(*pairs)], axis=1)
