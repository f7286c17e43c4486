import numpy as np
import pytest

from allennlp_coref_rc.annotations.annotators.coref.english import features
from allennlp_coref_rc.annotations.annotators.coref.english.features import EntityFeatures, Mentions
from allennlp_coref_rc.annotations.annotators.coref.english.words import UNKNOWN, singular
from allennlp_coref_rc.annotations.annotators.lexicon import FEMALE, MALE
from allennlp_coref_rc.annotations.annotators.parse import Parse
from tests.annotations.annotators.coref.english.parses import parsed

TEXT = (
    "Quill/NNP/nsubj/2 met/VBD/root/0 Marlow/NNP/obj/2 ././punct/2",
    "{he}/PRP/nsubj/2 praised/VBD/root/0 {himself}/PRP/obj/2 and/CC/cc/6 {his}/PRP$/nmod:poss/6 dog/NN/conj/3",
    "Marlow/NNP/nsubj/2 saw/VBD/root/0 {him}/PRP/obj/2",
)
HE = {"he": "He", "himself": "himself", "his": "his", "him": "him"}
SHE = {"he": "She", "himself": "herself", "his": "her", "him": "her"}


def described(words):
    m = Mentions(Parse(parsed(*(sentence.format(**words) for sentence in TEXT))), False)
    i, j = features.make_pairs(m)
    entity = EntityFeatures(m, features.first_entities(m)).of(i, j)
    return m, i, j, features.vectors(m), features.pair_features(m, i, j), entity


def test_he_and_she_have_the_same_features():
    masculine, feminine = described(HE), described(SHE)
    for one, other in zip(masculine[3:], feminine[3:]):
        assert np.array_equal(one, other)
    assert MALE in masculine[0].gender and FEMALE in feminine[0].gender


def test_he_differs_from_she_and_it():
    _, i, j, _, same, _ = described(HE)
    mixed = described({**HE, "him": "her"})
    assert np.array_equal(described({**SHE, "him": "him"})[4], mixed[4])
    assert not np.array_equal(mixed[4], same)
    assert not np.array_equal(described({**HE, "him": "it"})[4], same)


def test_pairs_are_the_nearest_mentions_and_farther_ones_with_a_common_word():
    names = [f"Name{k}/NNP/nsubj/2 slept/VBD/root/0" for k in range(60)]
    m = Mentions(
        Parse(
            parsed(
                "Ann/NNP/nsubj/3 Lee/NNP/flat/1 slept/VBD/root/0",
                *names,
                names[0],
                "Lee/NNP/nsubj/2 slept/VBD/root/0",
                "He/PRP/nsubj/2 slept/VBD/root/0",
            )
        ),
        False,
    )
    i, j = features.make_pairs(m)
    earlier = {k: i[j == k].tolist() for k in range(m.count)}
    nouns, pronouns = features.NEAREST_OF_NOUNS, features.NEAREST
    assert earlier[50] == list(range(50 - nouns, 50))
    assert earlier[61] == [1, *range(61 - nouns, 61)] and earlier[62] == [0, *range(62 - nouns, 62)]
    assert earlier[63] == list(range(63 - pronouns, 63))


@pytest.mark.parametrize("seed", range(3))
def test_ranks_count_the_pairs_with_smaller_keys(seed):
    random = np.random.default_rng(seed)
    j = np.sort(random.integers(0, 6, 40))
    counts, key = random.integers(0, 2, 40), random.permutation(40)
    expected = [sum(counts[b] for b in range(40) if j[b] == j[a] and key[b] < key[a]) for a in range(40)]
    assert features.ranks(j, counts, key).tolist() == expected


def test_the_last_with_the_same_key_and_the_rank_in_it_are_found():
    key = np.array([2, -1, 2, 3, -1, 2])
    assert features.previous_with_same(key).tolist() == [-1, -1, 0, -1, -1, 2]
    assert features.rank_in_group(key).tolist() == [0, 0, 1, 0, 1, 2]


def test_classes_of_words_are_those_of_wordnet():
    person, place, vehicle = (4 + i for i in (0, 2, 3))
    assert singular("doctor")[1][person] == "3" and singular("river")[1][place] == "3"
    assert singular("ships") == ("ship", singular("ship")[1])
    assert singular("ship")[1][vehicle] == "3" and singular("country-house")[1][place] != "0"
    assert singular("qwertyuiop") == ("qwertyuiop", UNKNOWN)
