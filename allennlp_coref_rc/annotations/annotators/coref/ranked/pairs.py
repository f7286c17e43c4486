"""Pairs of mentions that may belong together, what is known about them, and how they are linked."""

import numpy as np

from allennlp_coref_rc.annotations.annotators.coref.english_coref.features import (
    DISTANCES,
    FADING,
    SENTENCES,
    previous_with_same,
    rank_in_group,
    salience,
)
from allennlp_coref_rc.annotations.annotators.coref.english_coref.network import probabilities
from allennlp_coref_rc.annotations.annotators.coref.ranked.candidates import (
    IS_NAME,
    IS_NOMINAL,
    IS_PRONOUN,
    NO_GROUP,
    Candidates,
)
from allennlp_coref_rc.annotations.annotators.lexicon import FEMALE, MALE, NEUTER, PERSON, PLURAL, SINGULAR

NEAREST = 32
"""The number of earlier mentions that each mention is compared with."""

SIMILAR = 6
"""The most mentions farther back, with the same head, text or entity by the rules, that it is compared with too."""


def make_pairs(m: Candidates) -> tuple[np.ndarray, np.ndarray]:
    """The earlier and the later mention of each pair. Pairs with the same later mention follow each other."""
    count = len(m.start)
    later = np.arange(count)
    offsets = np.arange(NEAREST, 0, -1)
    earlier = later[:, None] - offsets
    columns: list[np.ndarray] = [earlier]
    keys = (np.where(m.kind == IS_PRONOUN, -1, m.head_word), np.where(m.kind == IS_PRONOUN, -1, m.text), m.sieve)
    for key in keys:
        previous = previous_with_same(key)
        far = previous
        for _ in range(SIMILAR // len(keys)):
            columns.insert(0, far[:, None])
            far = np.where(far >= 0, previous[far], -1)
    table = np.concatenate(columns, axis=1)
    # A farther one counts only if it is not a near one, and once.
    extra = table[:, :-NEAREST]
    extra[extra >= later[:, None] - NEAREST] = -1
    extra.sort(axis=1)
    extra[:, 1:][extra[:, 1:] == extra[:, :-1]] = -1
    valid = table >= 0
    return table[valid], np.broadcast_to(later[:, None], table.shape)[valid]


def pair_features(m: Candidates, earlier: np.ndarray, later: np.ndarray) -> np.ndarray:
    """The features of pairs of mentions. Shape: (pairs, features)"""
    i, j = earlier, later
    apart = m.sentence[j] - m.sentence[i]
    mentions = np.searchsorted(DISTANCES, j - i)
    sentences = np.searchsorted(SENTENCES, apart, side="right")
    group_i, group_j = m.group[i], m.group[j]
    pronoun_i, pronoun_j = m.kind[i] == IS_PRONOUN, m.kind[j] == IS_PRONOUN
    name_i, name_j = m.kind[i] == IS_NAME, m.kind[j] == IS_NAME
    nominal_i, nominal_j = m.kind[i] == IS_NOMINAL, m.kind[j] == IS_NOMINAL
    gender = (m.gender[i] & m.gender[j]) == 0
    voted = (m.voted[i] & m.voted[j]) == 0
    number = (m.number[i] & m.number[j]) == 0
    text = (m.text[i] == m.text[j]) & ~pronoun_i
    head = (m.head_word[i] == m.head_word[j]) & ~pronoun_i
    common = ((m.bits[i] & m.bits[j]) != 0) & ((m.more_bits[i] & m.more_bits[j]) != 0)
    all_of_j = ((m.bits[j] & ~m.bits[i]) == 0) & ((m.more_bits[j] & ~m.more_bits[i]) == 0) & common
    all_of_i = ((m.bits[i] & ~m.bits[j]) == 0) & ((m.more_bits[i] & ~m.more_bits[j]) == 0) & common
    same_sieve = (m.sieve[i] == m.sieve[j]) & (m.sieve[j] >= 0)
    both_sieve = (m.sieve[i] >= 0) & (m.sieve[j] >= 0)
    inside = m.stop[i] > m.start[j]
    quoted_i, quoted_j = m.turn[i] >= 0, m.turn[j] >= 0
    same_turn = m.turn[i] == m.turn[j]
    next_turn = quoted_i & quoted_j & ~same_turn & (m.turn[j] - m.turn[i] <= 2)
    speaks = (m.speaker[j] >= 0) & (m.speaker[j] == m.sieve[i])
    spoken = (m.speaker[i] >= 0) & (m.speaker[i] == m.sieve[j])
    same_speaker = quoted_i & quoted_j & (m.speaker[i] == m.speaker[j]) & (m.speaker[i] >= 0)
    other_speaker = quoted_i & quoted_j & (m.speaker[i] != m.speaker[j]) & (m.speaker[i] >= 0) & (m.speaker[j] >= 0)
    same_group = (group_i == group_j) & (group_j < NO_GROUP)
    first_i, first_j = group_i == 0, group_j == 0
    second_i, second_j = group_i == 2, group_j == 2
    third_i, third_j = (group_i > 2) & (group_i < NO_GROUP), (group_j > 2) & (group_j < NO_GROUP)
    adjacent = m.start[j] - m.stop[i]
    owned = (m.determiner[j] == 4) & (m.start[i] == m.start[j])
    rivals = [
        _between(((m.voted & g) > 0) & ((m.voted & ~g) == 0) & (m.kind != IS_NOMINAL), i, j) for g in (MALE, FEMALE)
    ]
    rival = np.where(
        (m.voted[j] & PERSON) == MALE,
        rivals[0],
        np.where((m.voted[j] & PERSON) == FEMALE, rivals[1], 9),
    )
    subjects = _between(m.is_subject > 0, i, j)
    columns = [
        *(mentions == k for k in range(len(DISTANCES) + 1)),
        *(sentences == k for k in range(len(SENTENCES) + 1)),
        gender,
        voted,
        number,
        (m.gender[i] == m.gender[j]) & (m.gender[j] != 7),
        (m.voted[i] == m.voted[j]) & (m.voted[j] != 7) & (m.voted[j] != 3),
        (m.gender[i] == NEUTER) != (m.gender[j] == NEUTER),
        (m.number[i] == PLURAL) != (m.number[j] == PLURAL),
        (m.number[i] == m.number[j]) & (m.number[j] == SINGULAR),
        text,
        text & name_j,
        text & nominal_j,
        head,
        head & name_i & name_j,
        head & nominal_i & nominal_j,
        head & nominal_j & (m.determiner[j] == 1),
        head & nominal_j & (m.determiner[j] == 2),
        head & nominal_j & (m.determiner[i] == m.determiner[j]),
        common & ~head,
        common & name_i & name_j,
        all_of_j & name_j,
        all_of_i & name_i,
        all_of_j & nominal_j,
        all_of_i & nominal_i,
        head & ~all_of_j & nominal_j,
        same_sieve,
        same_sieve & pronoun_j,
        same_sieve & nominal_j,
        same_sieve & name_j,
        both_sieve & ~same_sieve,
        inside,
        inside & pronoun_i,
        owned,
        quoted_i,
        quoted_j,
        quoted_i & quoted_j & same_turn,
        next_turn,
        ~quoted_i & ~quoted_j,
        quoted_i & ~quoted_j,
        speaks & first_j,
        speaks & second_j,
        speaks & third_j,
        spoken & first_i,
        spoken & second_i,
        spoken & third_i,
        same_speaker & first_i & first_j,
        same_speaker & second_i & second_j,
        other_speaker & first_i & second_j,
        other_speaker & second_i & first_j,
        other_speaker & first_i & first_j,
        same_turn & first_i & second_j,
        same_turn & second_i & first_j,
        same_turn & first_i & first_j,
        same_turn & second_i & second_j,
        next_turn & first_i & second_j,
        next_turn & second_i & first_j,
        next_turn & first_i & first_j,
        same_group,
        same_group & third_j,
        (group_i < NO_GROUP) & (group_j < NO_GROUP) & ~same_group,
        first_i & third_j,
        third_i & first_j,
        *((group_i == k) & (group_j == k) for k in range(NO_GROUP)),
        name_i & pronoun_j,
        nominal_i & pronoun_j,
        pronoun_i & pronoun_j,
        name_i & nominal_j,
        nominal_i & name_j,
        nominal_i & nominal_j,
        name_i & name_j,
        pronoun_i & ~pronoun_j,
        adjacent <= 0,
        adjacent == 1,
        adjacent == 2,
        (m.is_subject[i] > 0) & (m.is_subject[j] > 0),
        (m.is_subject[i] > 0) & (apart == 0),
        (m.is_subject[i] > 0) & (apart == 1),
        rival == 0,
        (rival > 0) & (rival < 3),
        (rival >= 3) & (rival < 9),
        subjects == 0,
        subjects == 1,
        subjects > 3,
        (m.classes[i, 4] > 0.5) & (m.classes[j, 4] > 0.5),
        (m.classes[i, 6] > 0.5) & (m.classes[j, 6] > 0.5),
        (m.classes[i, 5] > 0.5) & (m.classes[j, 5] > 0.5),
    ]
    return np.stack([column.astype(np.float32) for column in columns]).T


def _between(is_one: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """How many of the given mentions lie between the two mentions of a pair."""
    total = np.concatenate([[0], np.cumsum(is_one)])
    return total[j] - total[i + 1]


ENTITY_GROUPS = NO_GROUP + 2


class EntityFeatures:
    """
    Features of pairs from a first linking, which has an `entity` for each mention. If both mentions of a pair are in
    one entity, the later one does not count as a part of it.
    """

    def __init__(self, m: Candidates, entity: np.ndarray) -> None:
        self._mentions, self._entity = m, entity
        size = int(entity.max()) + 1 if len(entity) else 0
        traits = np.zeros((len(entity), ENTITY_GROUPS + 2), np.float32)
        rows = np.arange(len(entity))
        traits[rows, np.where(m.group < NO_GROUP, m.group, NO_GROUP + (m.kind == IS_NOMINAL))] = 1
        traits[:, ENTITY_GROUPS] = (m.gender == MALE) & (m.kind != IS_PRONOUN)
        traits[:, ENTITY_GROUPS + 1] = (m.gender == FEMALE) & (m.kind != IS_PRONOUN)
        self._traits = traits
        self._totals = np.zeros((size, traits.shape[1]), np.float32)
        np.add.at(self._totals, entity, traits)
        previous = previous_with_same(entity)
        self._next = np.full(len(entity), len(entity))
        self._next[previous[previous >= 0]] = rows[previous >= 0]
        self._rank = rank_in_group(entity)
        self._order = np.lexsort((rows, entity))
        self._ordered = (entity * len(entity) + rows)[self._order]
        weight = np.where(m.is_subject > 0, 1.0, 0.3) * np.where(m.kind == IS_NAME, 1.0, 0.7)
        self._salience = salience(weight * np.where(m.turn >= 0, 0.5, 1), m.sentence, entity)
        self._genders = _genders(m, entity)
        self._names, self._more_names = _name_bits(m, entity)

    def of(self, earlier: np.ndarray, later: np.ndarray) -> np.ndarray:
        """The features of all pairs with certain later mentions. Shape: (pairs, features)"""
        m, entity, i, j = self._mentions, self._entity, earlier, later
        traits, totals, next_one = self._traits, self._totals, self._next
        names, more_names = self._names, self._more_names
        same = entity[i] == entity[j]
        of_i = totals[entity[i]] - np.where(same[:, None], traits[j], 0)
        of_j = totals[entity[j]] - traits[j] - np.where(same[:, None], traits[i], 0)
        count = of_i[:, :ENTITY_GROUPS].sum(axis=1)
        share = of_i / np.maximum(count, 1)[:, None]
        own = traits[j]
        male = of_i[:, 3] + of_i[:, ENTITY_GROUPS]
        female = of_i[:, 4] + of_i[:, ENTITY_GROUPS + 1]
        male_j = np.where(same, own[:, 3] + own[:, ENTITY_GROUPS], of_j[:, 3] + of_j[:, ENTITY_GROUPS] + own[:, 3])
        female_j = np.where(
            same, own[:, 4] + own[:, ENTITY_GROUPS + 1], of_j[:, 4] + of_j[:, ENTITY_GROUPS + 1] + own[:, 4]
        )
        # The earlier mention is the last of its entity before the later one.
        is_last = (next_one[i] >= j) | (
            same & (next_one[next_one[i].clip(max=len(entity) - 1)] >= j) & (next_one[i] == j)
        )
        recent = np.minimum(self._rank[i], 10) / 10
        # The last mention of the earlier one's entity before the later one, and how salient that entity is then.
        last = self._order[np.searchsorted(self._ordered, entity[i] * len(entity) + j) - 1]
        gap = m.sentence[j] - m.sentence[last]
        salient = self._salience[last] * FADING ** np.minimum(gap, 20)
        agrees = ((m.voted[j] & self._genders[entity[i]]) != 0) & ((m.number[i] & m.number[j]) != 0)
        starts = np.flatnonzero(np.r_[True, j[1:] != j[:-1]]) if len(j) else np.zeros(0, int)
        group = np.cumsum(np.r_[True, j[1:] != j[:-1]]) - 1 if len(j) else np.zeros(0, int)
        most = np.maximum.reduceat(np.where(agrees, salient, 0), starts)[group] if len(j) else salient
        nearest = np.maximum.reduceat(np.where(agrees, last, -1), starts)[group] if len(j) else last
        is_name = m.kind[j] == IS_NAME
        alone = ~same
        named = (names[entity[i]] != 0) & alone
        name_match = ((names[entity[i]] & m.bits[j]) != 0) & ((more_names[entity[i]] & m.more_bits[j]) != 0) & alone
        other_named = (names[entity[j]] != 0) & alone
        entity_match = ((names[entity[i]] & names[entity[j]]) != 0) & (
            (more_names[entity[i]] & more_names[entity[j]]) != 0
        )
        columns = [
            salient / 3,
            (salient / np.maximum(most, 0.01)).clip(max=2),
            agrees,
            agrees & (salient >= most),
            agrees & (last == nearest),
            (m.is_subject[last] > 0) & (gap == 0),
            (m.is_subject[last] > 0) & (gap == 1),
            gap == 0,
            gap == 1,
            gap > 3,
            np.minimum(j - last, 30) / 30,
            is_name & name_match,
            is_name & named & ~name_match,
            is_name & ~named & alone,
            other_named & named & entity_match,
            other_named & named & ~entity_match,
            same,
            is_last,
            recent,
            *share.T,
            np.minimum(count, 20) / 20,
            count == 1,
            count > 10,
            (male > 2 * female) & (female_j > 2 * male_j),
            (female > 2 * male) & (male_j > 2 * female_j),
            (male > 2 * female) & (male_j > 2 * female_j),
            (female > 2 * male) & (female_j > 2 * male_j),
            (share[:, 5] > 0.3) & (male_j + female_j > 0),
            (share[:, 6] > 0.3) & (m.number[j] == SINGULAR),
            (share[:, 6] > 0.3) & (m.number[j] == PLURAL),
            (of_i[:, NO_GROUP] > 0) & (m.kind[j] == IS_NAME),
            (of_i[:, NO_GROUP] > 0) & (m.kind[j] == IS_NOMINAL),
            (of_i[:, NO_GROUP] == 0) & (m.kind[j] == IS_PRONOUN),
            (of_i[:, 0] > 0) & (m.group[j] == 0),
            (of_i[:, 0] > 0) & (m.group[j] > 2),
        ]
        return np.stack([column.astype(np.float32) for column in columns]).T


def _genders(m: Candidates, entity: np.ndarray) -> np.ndarray:
    """The genders that each entity may have. Mentions that allow a single gender decide, by their majority."""
    counts = np.zeros((int(entity.max()) + 1 if len(entity) else 0, 3))
    for column, gender in enumerate((MALE, FEMALE, NEUTER)):
        np.add.at(counts[:, column], entity, m.voted == gender)
    best = (counts > 0) & (counts * 2 >= counts.max(axis=1, keepdims=True))
    allowed = (best * np.array([MALE, FEMALE, NEUTER])).sum(axis=1)
    either = np.full(len(counts), MALE | FEMALE | NEUTER)
    np.bitwise_and.at(either, entity, m.voted)
    either[either == 0] = MALE | FEMALE | NEUTER
    return np.where(allowed > 0, allowed, either)


def _name_bits(m: Candidates, entity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The words of the names of each entity."""
    size = int(entity.max()) + 1 if len(entity) else 0
    results = np.zeros((2, size), np.int64)
    is_name = m.kind == IS_NAME
    for result, bits in zip(results, (m.bits, m.more_bits)):
        np.bitwise_or.at(result, entity[is_name], bits[is_name])
    return results[0], results[1]


def sieve_entities(m: Candidates) -> np.ndarray:
    """The entity of each mention by the rules; mentions that they do not have are entities of their own."""
    return np.where(m.sieve >= 0, m.sieve, m.sieve.max(initial=-1) + 1 + np.arange(len(m.sieve)))


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


def link(
    m: Candidates, earlier: np.ndarray, later: np.ndarray, score: np.ndarray, new: np.ndarray, bonuses: np.ndarray
) -> list[int]:
    """
    The entity of each mention, in one pass from left to right. A mention joins the entity whose mentions together have
    the highest probability, or begins a new entity if that is more likely. Before this comparison, the probability of a
    new entity is multiplied by e to the power of the bonus for the mention's kind (`linking_kinds`).
    """
    count = len(new)
    chance = probabilities(later, score, new)
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
