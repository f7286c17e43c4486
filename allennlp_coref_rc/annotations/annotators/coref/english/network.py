"""The network of `coref` in NumPy, and how its scores become entities. scripts/train_coref.py trains it."""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np

from allennlp_coref_rc.annotations.annotators.coref.english.mentions import Document, Mentions, Role
from allennlp_coref_rc.annotations.annotators.coref.english.pairs import Pairs
from allennlp_coref_rc.annotations.annotators.coref.english.words import PronounGroup
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

ARGUMENTS = (Role.SUBJECT, Role.PASSIVE_SUBJECT, Role.OBJECT, Role.INDIRECT_OBJECT)

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
    weights: Weights,
    vectors: np.ndarray,
    blocks: Iterable[np.ndarray],
    earlier: np.ndarray,
    later: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """
    The scores of pairs, by the places of the `earlier` and the `later` mentions, and for each mention the
    score of a new entity. `blocks` are the features of the pairs, in order. Scores are rounded, so that
    libraries that add numbers in another order give the same clusters, except in rare cases.
    """
    antecedents, anaphors = vectors @ weights["earlier"], vectors @ weights["later"] + weights["later_bias"]
    pairs = np.empty((len(later), 1), np.float32)
    stop = 0
    for features in blocks:
        for first in range(0, len(features), CHUNK):
            hidden = features[first : first + CHUNK].astype(np.float32) @ weights["pair"]
            start, stop = stop, stop + len(hidden)
            hidden += antecedents[earlier[start:stop]]
            hidden += anaphors[later[start:stop]]
            pairs[start:stop] = np.maximum(hidden, 0, out=hidden) @ weights["output"]
    new = np.maximum(vectors @ weights["new"] + weights["new_bias"], 0) @ weights["new_output"]
    return (pairs[:, 0] + weights["output_bias"]).round(3), (new[:, 0] + weights["new_output_bias"]).round(3)


def linking_kinds(mentions: Mentions) -> np.ndarray:
    """
    Kinds of mentions that differ in how readily they begin an entity: "he"; other pronouns; names; nominals.
    """
    is_he = np.isin(mentions.group, (PronounGroup.I, PronounGroup.HE))
    return np.select([is_he, mentions.is_pronoun, mentions.is_name], [0, 1, 2], 3)


def probabilities(later: np.ndarray, pairs: np.ndarray, new: np.ndarray) -> np.ndarray:
    """
    The probability of each pair, among all pairs with the same later mention and the choice of a new entity.
    """
    shift = new.copy()
    np.maximum.at(shift, later, pairs)
    odds = np.exp(pairs - shift[later])
    total = np.exp(new - shift)
    np.add.at(total, later, odds)
    return odds / total[later]


def link(
    document: Document, pairs: Pairs, scores: np.ndarray, new: np.ndarray, bonuses: np.ndarray
) -> tuple[np.ndarray, list[tuple[int, int, float]]]:
    """
    The entity of each mention, in one pass from left to right. A mention joins the entity whose mentions
    together have the highest probability, or begins a new entity if that is more likely. Before this
    comparison, the probability of a new entity is multiplied by e to the power of the bonus for the mention's
    kind (`linking_kinds`). An entity does not readily take "he" and "she", or two arguments of a verb, and
    never "it" and a person. Before all this go the `certain_links`. At the end, what LitBank would hardly
    annotate becomes an entity of its own.

    Also the links within entities, in order: the mention, the most probable one before it in the entity that it
    joined, and the probability of that entity; 1 if they are certain.
    """
    mentions, count = document.mentions, len(document.mentions)
    chance = probabilities(pairs.later, scores, new)
    rest = np.ones(count)
    np.subtract.at(rest, pairs.later, chance)
    thresholds = (rest.clip(min=0) * np.exp(bonuses[linking_kinds(mentions)])).tolist()
    bounds = np.searchsorted(pairs.later, np.arange(count + 1)).tolist()
    chances, earlier = chance.tolist(), pairs.earlier.tolist()
    can_rival = np.isin(mentions.role, ARGUMENTS) & ~mentions.is_reflexive & ~mentions.is_coordination
    verbs = np.where(can_rival, mentions.governor, -1).tolist()
    alone = document.litbank & (document.scores < LEAST)
    is_pronoun, genders = mentions.is_pronoun.tolist(), sure_genders(mentions).tolist()
    certain, excluded = certain_links(mentions).tolist(), excluded_links(mentions).tolist()
    entity = list(range(count))
    links: list[tuple[int, int, float]] = []
    genders_of, verbs_of = [ANY_GENDER] * count, [set[int]() for _ in range(count)]
    for mention, (verb, gender) in enumerate(zip(verbs, genders)):
        sums: dict[int, float] = {}
        for pair in range(bounds[mention], bounds[mention + 1]):
            candidate = entity[earlier[pair]]
            sums[candidate] = sums.get(candidate, 0.0) + chances[pair]
        best, most = mention, thresholds[mention]
        if certain[mention] >= 0:
            best, sums = entity[certain[mention]] if certain[mention] < mention else mention, {}
        for other in excluded[mention]:
            if other >= 0:
                sums.pop(entity[other], None)
        for candidate, value in sums.items():
            if value > most:
                if verb in verbs_of[candidate]:
                    value *= SAME_VERB
                if not gender & genders_of[candidate]:
                    value *= OTHER_GENDER if gender | genders_of[candidate] == PERSON else 0
                if value > most:
                    best, most = candidate, value
        if best != mention and certain[mention] >= 0:
            links.append((mention, certain[mention], 1.0))
        elif best != mention:
            own = (i for i in range(bounds[mention], bounds[mention + 1]) if entity[earlier[i]] == best)
            _, _, antecedent = max((not alone[earlier[i]], chances[i], earlier[i]) for i in own)
            links.append((mention, antecedent, min(most, 1.0)))
        entity[mention] = best
        if not is_pronoun[mention] and verb >= 0:
            verbs_of[best].add(verb)
        genders_of[best] = genders_of[best] & gender or genders_of[best]
    result = np.array(entity, int)
    probability_of = {mention: probability for mention, _, probability in links}
    for mention, other in enumerate(certain):
        if other > mention:
            before = np.flatnonzero(result[:mention] == result[other]).tolist()
            result[result == result[mention]] = result[other]
            links.append((other, mention, 1.0))
            if before and other in probability_of:
                # It is now the earlier one of both, and as sure as the later one was.
                links.append((mention, before[-1], probability_of[other]))
    result = np.where(alone, count + np.arange(count), result)
    return result, sorted(link for link in links if result[link[0]] == result[link[1]])


def sure_genders(mentions: Mentions) -> np.ndarray:
    """`sure_gender`, where names of companies and couples are neither man nor woman."""
    is_compound = mentions.is_name & ~mentions.is_coordination
    is_compound &= (mentions.gender == NEUTER) | (mentions.number == PLURAL)
    return np.where(is_compound, NEUTER, mentions.sure_gender)


def certain_links(mentions: Mentions) -> np.ndarray:
    """
    For each mention another one of the same entity, or -1. In turns that name speaker and listener, "I" and
    "you" are these, and equal names of speakers are one entity.
    """
    says_i, says_you = (
        mentions.is_labelled & (mentions.group == group) for group in (PronounGroup.I, PronounGroup.YOU)
    )
    result = np.select([says_you, says_i], [mentions.listener, mentions.speaker], -1)
    first: dict[int, int] = {}
    for speaker in np.unique(mentions.speaker[mentions.is_labelled & (mentions.speaker >= 0)]).tolist():
        before = first.setdefault(int(mentions.text[speaker]), speaker)
        result[speaker] = before if before < speaker else -1
    return result


def excluded_links(mentions: Mentions) -> np.ndarray:
    """
    For each mention two others of other entities, or -1: in a labelled turn, others than "I" are not the
    speaker, and others than "you" not the listener. Shape: (mentions, 2)
    """
    is_third = np.isin(mentions.group, (PronounGroup.HE, PronounGroup.IT, PronounGroup.THEY))
    not_speaker = mentions.is_labelled & (is_third | (mentions.group == PronounGroup.YOU))
    not_listener = mentions.is_labelled & (is_third | (mentions.group == PronounGroup.I))
    return np.stack(
        [np.where(not_speaker, mentions.speaker, -1), np.where(not_listener, mentions.listener, -1)], axis=1
    )
