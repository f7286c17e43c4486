from types import SimpleNamespace

import numpy as np
import pytest

from allennlp_coref_rc.annotations.annotators.coref.ranked.candidates import IS_NAME, IS_NOMINAL, IS_PRONOUN, NO_GROUP
from allennlp_coref_rc.annotations.annotators.coref.ranked.pairs import (
    NAMES,
    NOMINALS,
    OTHER_PRONOUNS,
    PERSON_PRONOUNS,
    link,
    linking_kinds,
    probabilities,
)
from allennlp_coref_rc.annotations.annotators.coref.ranked.ranked_coref import choose_clusters
from allennlp_coref_rc.annotations.annotators.lexicon import ANY_GENDER, FEMALE, MALE

NO_BONUS = np.zeros(4)


def mentions(count, **properties):
    start = 2 * np.arange(count)
    arrays = {"kind": IS_PRONOUN, "bits": 0, "group": NO_GROUP, "turn": -1, "voted": ANY_GENDER, "start": start}
    arrays = {**arrays, "stop": start + 1, **properties}
    return SimpleNamespace(**{name: np.broadcast_to(values, count) for name, values in arrays.items()})


def test_probabilities_are_those_of_a_softmax_with_a_new_entity():
    later = np.array([1, 2, 2])
    score, new = np.array([1.0, 2.0, -1.0]), np.array([0.0, 0.5, 3.0])
    odds = [np.exp(1) / (np.exp(1) + np.exp(0.5))]
    odds += [np.exp(one) / (np.exp(2) + np.exp(-1) + np.exp(3)) for one in (2, -1)]
    assert probabilities(later, score, new) == pytest.approx(odds)


def test_the_probabilities_of_an_entitys_mentions_are_added():
    # Mentions 0 and 1 are one entity. Each alone is less likely for mention 3 than mention 2, but not both.
    earlier, later = np.array([0, 0, 1, 0, 1, 2]), np.array([1, 2, 2, 3, 3, 3])
    score = np.array([5, -5, -5, 1, 1, 1.3])
    assert link(mentions(4), earlier, later, score, np.zeros(4), NO_BONUS) == [0, 0, 2, 0]
    assert link(mentions(4), earlier, later, score, np.zeros(4), NO_BONUS + 9) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "properties",
    [
        {"kind": IS_NAME, "bits": [1, 2]},
        {"voted": [MALE, FEMALE]},
        {"group": [0, 2], "turn": 4},
        {"start": [0, 0], "stop": [1, 2]},
        {"start": [0, 4], "stop": [6, 5]},
    ],
)
def test_other_names_genders_speakers_and_mentions_inside_are_unlikely(properties):
    earlier, later, score = np.array([0]), np.array([1]), np.array([1.0])
    assert link(mentions(2), earlier, later, score, np.zeros(2), NO_BONUS) == [0, 0]
    assert link(mentions(2, **properties), earlier, later, score, np.zeros(2), NO_BONUS) == [0, 1]


def test_a_mention_is_not_inside_an_earlier_one_that_has_ended():
    m = mentions(3, start=[0, 1, 4], stop=[3, 2, 5])
    assert link(m, np.array([0]), np.array([2]), np.array([1.0]), np.zeros(3), NO_BONUS) == [0, 1, 0]


def test_each_kind_of_mention_has_its_own_bonus():
    m = mentions(
        5,
        kind=[IS_PRONOUN, IS_PRONOUN, IS_PRONOUN, IS_NAME, IS_NOMINAL],
        group=[3, 2, 0, NO_GROUP, NO_GROUP],
    )
    expected = [PERSON_PRONOUNS, OTHER_PRONOUNS, PERSON_PRONOUNS, NAMES, NOMINALS]
    assert linking_kinds(m).tolist() == expected
    earlier, later, score = np.zeros(4, int), np.arange(1, 5), np.ones(4)
    for kind in (PERSON_PRONOUNS, OTHER_PRONOUNS, NAMES, NOMINALS):
        bonuses = np.where(np.arange(4) == kind, 9.0, 0.0)
        found = link(m, earlier, later, score, np.zeros(5), bonuses)
        assert found == [i if own == kind else 0 for i, own in enumerate(expected)]


def test_mentions_stay_that_are_likely_enough_linked_or_alone():
    m = SimpleNamespace(spans=[(i, i + 1) for i in range(6)], chances=np.array([0.9, 0.3, 0.5, 0.45, 0.7, 0.2]))
    assert choose_clusters(m, [0, 0, 0, 1, 2, 1], 0.4, 0.6) == [[(0, 1), (2, 3)], [(4, 5)]]
    assert choose_clusters(m, [0, 0, 0, 1, 2, 1], 0.1, 0.8) == [[(0, 1), (1, 2), (2, 3)], [(3, 4), (5, 6)]]
