import numpy as np
import pytest

from allennlp_coref_rc.annotations.annotators.coref.english import pairs
from allennlp_coref_rc.annotations.annotators.coref.english.entities import (
    Entities,
    first_entities,
    salience,
)
from allennlp_coref_rc.annotations.annotators.coref.english.mentions import Document
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
    """The document, and the features of them, of pairs, and of pairs of entities and mentions."""
    document = Document(Parse(parsed(*(sentence.format(**words) for sentence in TEXT))), False)
    mentions, made = document.mentions, pairs.make_pairs(document)
    of_entities = Entities(mentions, first_entities(mentions)).features(made)
    return document, document.vectors(), pairs.pair_features(made), of_entities


def test_he_and_she_have_the_same_features():
    masculine, feminine = described(HE), described(SHE)
    for one, other in zip(masculine[1:], feminine[1:]):
        assert np.array_equal(one, other)
    assert MALE in masculine[0].mentions.gender and FEMALE in feminine[0].mentions.gender


def test_he_differs_from_she_and_it():
    same = described(HE)[2]
    mixed = described({**HE, "him": "her"})[2]
    assert np.array_equal(described({**SHE, "him": "him"})[2], mixed)
    assert not np.array_equal(mixed, same)
    assert not np.array_equal(described({**HE, "him": "it"})[2], same)


def test_pairs_are_the_nearest_mentions_and_farther_ones_with_a_common_word():
    names = [f"Name{k}/NNP/nsubj/2 slept/VBD/root/0" for k in range(60)]
    document = Document(
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
    made = pairs.make_pairs(document)
    earlier = {place: made.earlier[made.later == place].tolist() for place in range(len(document.mentions))}
    nouns, pronouns = pairs.NEAREST_OF_NOUNS, pairs.NEAREST
    assert earlier[50] == list(range(50 - nouns, 50))
    assert earlier[61] == [1, *range(61 - nouns, 61)] and earlier[62] == [0, *range(62 - nouns, 62)]
    assert earlier[63] == list(range(63 - pronouns, 63))


def test_a_feature_is_of_facts_that_hold_together():
    document = described(HE)[0]
    # "Quill", "Marlow" and "He": the first two are names, subject and object.
    made = pairs.Pairs(document.mentions, np.array([0, 0, 1]), np.array([1, 2, 2]))
    facts = pairs.Facts(made)
    facts["side"] = np.array([[True, True, False], [False, False, True]])
    found = facts.features("earlier_subject, same_role & pronoun,\n~name & side")
    assert found.tolist() == [[1, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize("seed", range(3))
def test_ranks_count_the_pairs_with_smaller_keys(seed):
    random = np.random.default_rng(seed)
    j = np.sort(random.integers(0, 6, 40))
    counts, key = random.integers(0, 2, 40), random.permutation(40)
    expected = [sum(counts[b] for b in range(40) if j[b] == j[a] and key[b] < key[a]) for a in range(40)]
    assert pairs.Pairs(None, j, j).rank(counts, key).tolist() == expected


def test_mentions_are_counted_in_their_sentence_and_by_their_last_word():
    categories = described(HE)[0].categories_in_text(len(TEXT))
    assert categories["place in sentence"][1].tolist() == [0, 1, 0, 1, 2, 3, 4, 0, 1]
    assert categories["mentions with its last word"][1].tolist() == [1, 2, 4, 4, 1, 4, 1, 2, 4]
    assert categories["last word is known"][1].tolist() == [0, 0, 0, 1, 0, 1, 0, 1, 1]


def test_the_salience_of_an_entity_fades_by_sentences():
    weight, sentence, entity = np.array([1.0, 0.5, 0.7, 1.0]), np.array([0, 0, 1, 3]), np.array([4, 2, 4, 4])
    third = 0.7 + 0.6 * 1.0
    assert salience(weight, sentence, entity) == pytest.approx([1.0, 0.5, third, 1.0 + 0.6**2 * third])


def test_classes_of_words_are_those_of_wordnet():
    assert singular("doctor")[1].person == 3 and singular("river")[1].place == 3
    assert singular("ships") == ("ship", singular("ship")[1])
    assert singular("ship")[1].vehicle == 3 and singular("country-house")[1].place > 0
    assert singular("qwertyuiop") == ("qwertyuiop", UNKNOWN)
