import dataclasses
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Optional

import numpy as np

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.coref.english_coref.features import pair_blocks
from allennlp_coref_rc.annotations.annotators.coref.ranked import networks
from allennlp_coref_rc.annotations.annotators.coref.ranked.candidates import Candidates, describe
from allennlp_coref_rc.annotations.annotators.coref.ranked.pairs import (
    EntityFeatures,
    link,
    make_pairs,
    pair_features,
    sieve_entities,
)
from allennlp_coref_rc.annotations.annotators.coref.ranked.token_features import token_features
from allennlp_coref_rc.annotations.annotators.coref.sieve.sieve_coref import SieveCoref
from allennlp_coref_rc.annotations.clusters import largest_clusters
from allennlp_coref_rc.common.checks import check_number

LEAST_CHANCE = 0.25
"""How likely a span has to be a mention to be linked."""


@Annotator.register("ranked_coref")
class RankedCoref(Annotator):
    """
    Coreference of English text by two small networks, which have learned from LitBank what the rules of `sieve_coref`
    cannot say. The first network finds mentions. It scores first tokens, last tokens and the spans between them; it
    sees the words around, word classes from WordNet, and the mentions that the rules find. The second network ranks,
    for each mention, the mentions before it and the choice of a new entity (Denis and Baldridge, EMNLP 2008; Durrett
    and Klein, EMNLP 2013). It sees what is known about both mentions, and about the entity to which the rules assign
    the earlier one. Each mention joins the entity with the highest sum of probabilities.

    The model comes with this package and needs only NumPy. Mentions are as in LitBank: phrases for persons, groups,
    places, buildings and vehicles, including what follows the head ("the house where he lived"), and pronouns for
    these. CARD.md beside the model says what it was trained on.

    Registered as an `Annotator` with name "ranked_coref".

    # Parameters

    include_singletons : `bool`, optional (default = `False`)
        Also return likely mentions that are linked to no other, each as a cluster of one.
    max_clusters : `int`, optional (default = `None`)
        Keep only this many clusters, those with the most mentions. By default all.
    path : `str`, optional (default = `None`)
        Weights that `scripts/train_ranked_coref.py` has written. By default the weights of this package.

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
        check_number("ranked_coref", "max_clusters", max_clusters, least=0)
        self._include_singletons = include_singletons
        self._max_clusters = max_clusters
        self._weights, self._words = networks.load_weights(Path(path) if path else networks.MODEL)
        decisions = self._weights["decisions"]
        self._bonuses, self._least = decisions[:-2], decisions[-2:]
        self._sieve = SieveCoref(descriptions=False)

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        clusters = self._clusters(text) if len(text) else []
        return dataclasses.replace(text, clusters=text.clusters + largest_clusters(clusters, self._max_clusters))

    def _clusters(self, text: AnnotatedText) -> list[list[Span]]:
        rules = self._sieve.resolve(text)
        sentence_of = number_sentences(rules.sentences, len(text))
        words = np.array([self._words.get(word, 0) for word in rules.words])
        spans, chances = networks.choose_spans(
            *networks.span_chances(self._weights, words, token_features(text.tokens, rules), sentence_of),
            LEAST_CHANCE,
            rules.words,
            sentence_of,
        )
        mentions = describe(text, rules, sentence_of, spans, chances)
        earlier, later = make_pairs(mentions)
        blocks = features_of_pairs(mentions, earlier, later)
        scores = networks.pair_scores(self._weights, mentions.vectors, blocks, earlier, later)
        clusters = choose_clusters(mentions, link(mentions, earlier, later, *scores, self._bonuses), *self._least)
        return clusters if self._include_singletons else [cluster for cluster in clusters if len(cluster) > 1]


def choose_clusters(mentions: Candidates, entity: list[int], linked: float, alone: float) -> list[list[Span]]:
    """
    The clusters of a linking, in order. A mention stays only if its probability of being a mention is high enough: at
    least `linked` if it is linked, or `alone` if it is not.
    """
    members: dict[int, list[int]] = {}
    for mention in np.flatnonzero(mentions.chances >= linked).tolist():
        members.setdefault(entity[mention], []).append(mention)
    return sorted(
        [mentions.spans[mention] for mention in own]
        for own in members.values()
        if len(own) > 1 or mentions.chances[own[0]] >= alone
    )


def number_sentences(sentences: list[Span], length: int) -> np.ndarray:
    """The number of the sentence of each token."""
    numbers = np.zeros(length, int)
    for number, (start, stop) in enumerate(sentences):
        numbers[start:stop] = number
    return numbers


def features_of_pairs(mentions: Candidates, earlier: np.ndarray, later: np.ndarray) -> Iterator[np.ndarray]:
    """The features of pairs, in blocks of later mentions."""
    entities = EntityFeatures(mentions, sieve_entities(mentions))
    return pair_blocks(len(mentions.spans), earlier, later, partial(pair_features, mentions), entities.of)
