"""The network of `coref` in NumPy, and how its scores become entities. scripts/train_coref.py trains it."""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np

from allennlp_coref_rc.annotations.annotators.coref.english import words as w
from allennlp_coref_rc.annotations.annotators.coref.english.features import (
    NAME,
    PRONOUN,
    ROLE,
    Mentions,
    certain_links,
)
from allennlp_coref_rc.annotations.annotators.lexicon import ANY_GENDER, NEUTER, PERSON, PLURAL
from allennlp_coref_rc.common.errors import ConfigurationError

Weights = dict[str, np.ndarray]

MODEL = Path(__file__).parent / "model.npz"

LEAST = -0.5
"""The least score of being a mention as LitBank has them."""

OTHER_GENDER, SAME_VERB = 0.1, 0.1
"""
Factors of a probability: where genders differ, and where the entity has a name or nominal that is another
argument of the same verb ("Merkel praised him").
"""

ARGUMENTS = [ROLE[role] for role in ("nsubj", "nsubj:pass", "obj", "iobj")]

CHUNK = 512
"""Pairs that are judged at once: few enough for the processor's cache."""


@lru_cache(maxsize=4)
def load_weights(path: Path) -> Weights:
    if not path.is_file():
        raise ConfigurationError(f"coref: there is no model file {path}")
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name].astype(np.float32) for name in archive.files}


def mention_scores(weights: Weights, vectors: np.ndarray) -> np.ndarray:
    """For each mention the score (log-odds) of being annotated, rounded as in `score`."""
    hidden = np.maximum(vectors @ weights["mention.hidden"] + weights["mention.hidden_bias"], 0)
    return (hidden @ weights["mention.output"] + weights["mention.output_bias"])[:, 0].round(3)


def score(
    weights: Weights, vectors: np.ndarray, blocks: Iterable[np.ndarray], i: np.ndarray, j: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """
    The scores of pairs, and for each mention the score of a new entity. `blocks` are the features of the
    pairs, in order. Scores are rounded, so that libraries that add numbers in another order give the same
    clusters, except in rare cases.
    """
    one, other = vectors @ weights["earlier"], vectors @ weights["later"] + weights["later_bias"]
    pairs = np.empty((len(j), 1), np.float32)
    stop = 0
    for features in blocks:
        for first in range(0, len(features), CHUNK):
            hidden = features[first : first + CHUNK].astype(np.float32) @ weights["pair"]
            start, stop = stop, stop + len(hidden)
            hidden += one[i[start:stop]]
            hidden += other[j[start:stop]]
            pairs[start:stop] = np.maximum(hidden, 0, out=hidden) @ weights["output"]
    new = np.maximum(vectors @ weights["new"] + weights["new_bias"], 0) @ weights["new_output"]
    return (pairs[:, 0] + weights["output_bias"]).round(3), (new[:, 0] + weights["new_output_bias"]).round(3)


def linking_kinds(m: Mentions) -> np.ndarray:
    """
    Kinds of mentions that differ in how readily they begin an entity: "he"; other pronouns; names; nominals.
    """
    pronouns = np.where(np.isin(m.group, (w.I, w.PERSON)), 0, 1)
    return np.where(m.kind == PRONOUN, pronouns, np.where(m.kind == NAME, 2, 3))


def probabilities(j: np.ndarray, pairs: np.ndarray, new: np.ndarray) -> np.ndarray:
    """
    The probability of each pair, among all pairs with the same later mention and the choice of a new entity.
    """
    shift = new.copy()
    np.maximum.at(shift, j, pairs)
    odds = np.exp(pairs - shift[j])
    total = np.exp(new - shift)
    np.add.at(total, j, odds)
    return odds / total[j]


def link(
    m: Mentions, i: np.ndarray, j: np.ndarray, pairs: np.ndarray, new: np.ndarray, bonuses: np.ndarray
) -> np.ndarray:
    """
    The entity of each mention, in one pass from left to right. A mention joins the entity whose mentions
    together have the highest probability, or begins a new entity if that is more likely. Before this
    comparison, the probability of a new entity is multiplied by e to the power of the bonus for the mention's
    kind (`linking_kinds`). An entity does not readily take "he" and "she", or two arguments of a verb, and
    never "it" and a person. Before all this go the `certain_links`. At the end, what LitBank would hardly
    annotate becomes an entity of its own.
    """
    chance = probabilities(j, pairs, new)
    rest = np.ones(m.count)
    np.subtract.at(rest, j, chance)
    threshold = (rest.clip(min=0) * np.exp(bonuses[linking_kinds(m)])).tolist()
    bounds = np.searchsorted(j, np.arange(m.count + 1)).tolist()
    chances, others = chance.tolist(), i.tolist()
    is_compound = (m.kind == NAME) & ((m.gender == NEUTER) | (m.number == PLURAL)) & (m.whole == 0)
    sure = np.where(is_compound, NEUTER, m.sure).tolist()
    kind = m.kind.tolist()
    entity, genders = list(range(m.count)), [ANY_GENDER] * m.count
    can_rival = np.isin(m.role, ARGUMENTS) & (m.reflexive == 0) & (m.whole == 0)
    verbs = np.where(can_rival, m.gov, -1).tolist()
    taken: list[set[int]] = [set() for _ in range(m.count)]
    certain = certain_links(m).tolist()
    is_third = np.isin(m.group, (w.PERSON, w.IT, w.THEY))
    not_one = np.where(m.is_labelled & (is_third | (m.group == w.YOU)), m.speaker, -1)
    not_other = np.where(m.is_labelled & (is_third | (m.group == w.I)), m.listener, -1)
    excluded = np.stack([not_one, not_other], axis=1).tolist()
    for k in range(m.count):
        sums: dict[int, float] = {}
        for pair in range(bounds[k], bounds[k + 1]):
            candidate = entity[others[pair]]
            sums[candidate] = sums.get(candidate, 0.0) + chances[pair]
        best, most = k, threshold[k]
        if certain[k] >= 0:
            best, sums = entity[certain[k]] if certain[k] < k else k, {}
        for talker in excluded[k]:
            if talker >= 0:
                sums.pop(entity[talker], None)
        for candidate, value in sums.items():
            if value > most:
                if verbs[k] in taken[candidate]:
                    value *= SAME_VERB
                if not sure[k] & genders[candidate]:
                    value *= OTHER_GENDER if sure[k] | genders[candidate] == PERSON else 0
                if value > most:
                    best, most = candidate, value
        entity[k] = best
        if kind[k] != PRONOUN and verbs[k] >= 0:
            taken[best].add(verbs[k])
        genders[best] = genders[best] & sure[k] or genders[best]
    result = np.array(entity, int)
    for k, other in enumerate(certain):
        if other > k:
            result[result == result[k]] = result[other]
    alone = m.litbank & (m.chances < LEAST)
    return np.where(alone, m.count + np.arange(m.count), result)
