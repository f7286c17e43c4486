import numpy as np

from allennlp_coref_rc.annotations.annotators.coref.ranked.candidates import IS_NAME, IS_PRONOUN, Candidates
from allennlp_coref_rc.annotations.annotators.lexicon import FEMALE, MALE, PERSON

OTHER_NAME = 0.05
OTHER_GENDER = 0.1
OTHER_SPEAKER = 0.2
INSIDE = 0.1
"""Factors of a probability: where a name meets an entity with other names, where genders differ, where "I" and "you" of
one turn would be the same, and where "his father" would be "he"."""

PERSON_PRONOUNS, OTHER_PRONOUNS, NAMES, NOMINALS = range(4)
"""Kinds of mentions that differ in how readily they begin an entity: "I", "he" and "she"; "you", "we", "it" and "they";
names; and other noun phrases."""


def linking_kinds(m: Candidates) -> np.ndarray:
    pronouns = np.where(np.isin(m.group, (0, 3, 4)), PERSON_PRONOUNS, OTHER_PRONOUNS)
    return np.where(m.kind == IS_PRONOUN, pronouns, np.where(m.kind == IS_NAME, NAMES, NOMINALS))


def probabilities(earlier: np.ndarray, later: np.ndarray, score: np.ndarray, new: np.ndarray) -> np.ndarray:
    """The probability of each pair, among all pairs with the same later mention and the choice of a new entity."""
    shift = new.copy()
    np.maximum.at(shift, later, score)
    odds = np.exp(score - shift[later])
    total = np.exp(new - shift)
    np.add.at(total, later, odds)
    return odds / total[later]


def link(
    m: Candidates, earlier: np.ndarray, later: np.ndarray, score: np.ndarray, new: np.ndarray, bonuses: np.ndarray
) -> list[int]:
    """
    The entity of each mention, in one pass from left to right. A mention joins the entity whose mentions together have
    the highest probability, or begins a new entity if that is more likely. Before this comparison, the probability of a
    new entity is multiplied by e to the power of the bonus for the mention's kind (`linking_kinds`).
    """
    count = len(new)
    chance = probabilities(earlier, later, score, new)
    rest = np.ones(count)
    np.subtract.at(rest, later, chance)
    threshold = (rest * np.exp(bonuses[linking_kinds(m)])).tolist()
    bounds = np.searchsorted(later, np.arange(count + 1)).tolist()
    chances, others = chance.tolist(), earlier.tolist()
    kind, words, group, turn = m.kind.tolist(), m.bits.tolist(), m.group.tolist(), m.turn.tolist()
    gender, starts, stops = (m.voted & PERSON).tolist(), m.start.tolist(), m.stop.tolist()
    entity = list(range(count))
    names, males, females = [0] * count, [0] * count, [0] * count
    speaks, listens = [-1] * count, [-1] * count
    around: list[int] = []
    for k in range(count):
        around = [other for other in around if stops[other] > starts[k]]
        sums: dict[int, float] = {}
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
            if any(entity[other] == candidate for other in around):
                value *= INSIDE
            if value > most:
                best, most = candidate, value
        entity[k] = best
        around.append(k)
        if kind[k] == IS_NAME:
            names[best] |= words[k]
        males[best] += gender[k] == MALE
        females[best] += gender[k] == FEMALE
        if group[k] == 0:
            speaks[best] = turn[k]
        elif group[k] == 2:
            listens[best] = turn[k]
    return entity
