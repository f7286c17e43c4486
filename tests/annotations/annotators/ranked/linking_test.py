from types import SimpleNamespace

import numpy as np
import pytest

from allennlp_coref_rc.annotations.annotators.ranked.candidates import IS_NAME, IS_PRONOUN, NO_GROUP
from allennlp_coref_rc.annotations.annotators.ranked.linking import link, probabilities
from allennlp_coref_rc.annotations.annotators.sieve.lexicon import ANY_GENDER, FEMALE, MALE


def mentions(count, **properties):
    arrays = {"kind": IS_PRONOUN, "bits": 0, "group": NO_GROUP, "turn": -1, "voted": ANY_GENDER, **properties}
    return SimpleNamespace(**{name: np.broadcast_to(values, count) for name, values in arrays.items()})


def test_probabilities_are_those_of_a_softmax_with_a_new_entity():
    earlier, later = np.array([0, 0, 1]), np.array([1, 2, 2])
    score, new = np.array([1.0, 2.0, -1.0]), np.array([0.0, 0.5, 3.0])
    odds = [np.exp(1) / (np.exp(1) + np.exp(0.5))]
    odds += [np.exp(one) / (np.exp(2) + np.exp(-1) + np.exp(3)) for one in (2, -1)]
    assert probabilities(earlier, later, score, new) == pytest.approx(odds)


def test_the_probabilities_of_an_entitys_mentions_are_added():
    # Mentions 0 and 1 are one entity. Each alone is less likely for mention 3 than mention 2, but not both.
    earlier, later = np.array([0, 0, 1, 0, 1, 2]), np.array([1, 2, 2, 3, 3, 3])
    score = np.array([5, -5, -5, 1, 1, 1.3])
    assert link(mentions(4), earlier, later, score, np.zeros(4), 0.0) == [0, 0, 2, 0]
    assert link(mentions(4), earlier, later, score, np.zeros(4), 9.0) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "properties",
    [
        {"kind": IS_NAME, "bits": [1, 2]},
        {"voted": [MALE, FEMALE]},
        {"group": [0, 2], "turn": 4},
    ],
)
def test_other_names_genders_and_speakers_are_unlikely(properties):
    earlier, later, score = np.array([0]), np.array([1]), np.array([1.0])
    assert link(mentions(2), earlier, later, score, np.zeros(2), 0.0) == [0, 0]
    assert link(mentions(2, **properties), earlier, later, score, np.zeros(2), 0.0) == [0, 1]
