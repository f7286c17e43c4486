from typing import Dict, List

import numpy as np

from allennlp_coref_rc.annotations.annotators.ranked.candidates import IS_NAME, Candidates
from allennlp_coref_rc.annotations.annotators.sieve.lexicon import FEMALE, MALE, PERSON

OTHER_NAME = 0.05
OTHER_GENDER = 0.1
OTHER_SPEAKER = 0.2
"""Factors of a probability: where a name meets an entity with other names, where genders differ, and where "I" and
"you" of one turn would be the same."""


def probabilities(earlier: np.ndarray, later: np.ndarray, score: np.ndarray, new: np.ndarray) -> np.ndarray:
    """The probability of each pair among those with its later mention and a new entity."""
    shift = new.copy()
    np.maximum.at(shift, later, score)
    odds = np.exp(score - shift[later])
    total = np.exp(new - shift)
    np.add.at(total, later, odds)
    return odds / total[later]


def link(
    m: Candidates, earlier: np.ndarray, later: np.ndarray, score: np.ndarray, new: np.ndarray, bonus: float
) -> List[int]:
    """
    The entity of each mention, in one pass from left to right. A mention joins the entity whose mentions together have
    the highest probability, or begins a new one if that is more likely, after a factor of e to the power of `bonus`.
    """
    count = len(new)
    chance = probabilities(earlier, later, score, new)
    rest = np.ones(count)
    np.subtract.at(rest, later, chance)
    threshold = (rest * np.exp(bonus)).tolist()
    bounds = np.searchsorted(later, np.arange(count + 1)).tolist()
    chances, others = chance.tolist(), earlier.tolist()
    kind, words, group, turn = m.kind.tolist(), m.bits.tolist(), m.group.tolist(), m.turn.tolist()
    gender = (m.voted & PERSON).tolist()
    entity = list(range(count))
    names, males, females = [0] * count, [0] * count, [0] * count
    speaks, listens = [-1] * count, [-1] * count
    for k in range(count):
        sums: Dict[int, float] = {}
        for pair in range(bounds[k], bounds[k + 1]):
            candidate = entity[others[pair]]
            sums[candidate] = sums.get(candidate, 0.0) + chances[pair]
        best, most = k, threshold[k]
        for candidate, value in sums.items():
            if value <= most:
                continue
            if kind[k] == IS_NAME and names[candidate] and not names[candidate] & words[k]:
                value *= OTHER_NAME
            more, fewer = (females, males) if gender[k] == MALE else (males, females)
            if gender[k] in (MALE, FEMALE) and more[candidate] > fewer[candidate]:
                value *= OTHER_GENDER
            if turn[k] >= 0 and turn[k] == (listens if group[k] == 0 else speaks)[candidate] and group[k] in (0, 2):
                value *= OTHER_SPEAKER
            if value > most:
                best, most = candidate, value
        entity[k] = best
        if kind[k] == IS_NAME:
            names[best] |= words[k]
        males[best] += gender[k] == MALE
        females[best] += gender[k] == FEMALE
        if group[k] == 0:
            speaks[best] = turn[k]
        elif group[k] == 2:
            listens[best] = turn[k]
    return entity
