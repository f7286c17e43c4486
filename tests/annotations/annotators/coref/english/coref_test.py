from itertools import chain

import numpy as np
import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import EnglishCoref
from allennlp_coref_rc.annotations.annotators.coref.english import coref, network, pairs
from tests.annotations.annotators.coref.english.parses import parsed
from tests.annotations.texts import lists, text_of

TEXT = (
    "Anne Elliot lived in a large house near Bath with her father , Sir Walter . He was a vain man . "
    "Anne 's sister Mary came to the house with her husband , and they stayed for a week . "
    '" I am tired , " said Mary . " You always are , " said Anne .'
)


@pytest.fixture(scope="module")
def annotator():
    return EnglishCoref()


def clusters(annotator, text):
    return annotator.annotate(text_of(text)).cluster_texts


ALL_CLUSTERS = {
    "Ernst & Young fired Ben . He sued it .": "Ernst & Young|it; Ben|He",
    "Mr. and Mrs. Smith came home . They were tired . He sat .": "Mr. and Mrs. Smith|They",
    # Two speakers in a row stay two.
    'Ann said , " I love my dog . " Bob said , " I hate mine . "': "Ann|I|my; Bob|I|mine",
}

SOME_CLUSTERS = {
    "Kim Novak called Tom . She told him about the plan .": "Kim Novak|She; Tom|him",
    "The company sold its boats . It needed money .": "The company|its|It",
    "Maria hurt herself when she fell .": "Maria|herself|she",
    "Obama met Merkel in Berlin . Merkel praised him .": "Obama|him; Merkel|Merkel",
    "Black & Decker Corp. sold its plants . He left .": "Black & Decker Corp.|its",
    "The owner of Smith & Co. bought a boat from Acme Inc. He sold it because the firm needed money .": (
        "The owner|He"
    ),
    # Turns and letters name who writes and to whom.
    "Rita : my printer broke . Can you help me ? Jan : I had that too . Rita : now it is black .": (
        "Rita|my|me|Rita; you|Jan|I"
    ),
    "Tim : did your brother call ? Zoe : yes , I saw him .": "your|Zoe|I",
    "Dear Ms Holt , thank you for your letter . My son will call .": "Ms Holt|you|your",
}
"""By the text all or some of its clusters."""


@pytest.mark.parametrize("text", [*ALL_CLUSTERS, *SOME_CLUSTERS])
def test_who_is_who(annotator, text):
    found = clusters(annotator, text)
    if text in ALL_CLUSTERS:
        assert found == lists(ALL_CLUSTERS[text])
    else:
        assert all(cluster in found for cluster in lists(SOME_CLUSTERS[text]))


@pytest.mark.parametrize(
    "text, person",
    [
        ("Tom took the train . It was late . Tom left it .", "Tom"),
        ("Mary said it was late . It hurt Mary .", "Mary"),
        ("Mr. Demir : the plumber has called . It is broken .", "Mr. Demir"),
        ("Anna has a dog . Its name is Tim . It is old .", "Anna"),
        ("Anna was great . Its end was good .", "Anna"),
    ],
)
def test_a_person_by_name_is_never_it(annotator, text, person):
    for cluster in clusters(annotator, text):
        assert person not in cluster or {"it", "It", "its", "Its"}.isdisjoint(cluster)


def test_he_and_she_are_treated_alike(annotator):
    text = (
        "Quillon met Marlowe . {He} told Marlowe that {he} had lost {his} dog . Quillon had loved {his} dog ."
    )
    spans = [
        annotator.annotate(text_of(text.format(He=he.title(), he=he, his=his))).clusters
        for he, his in (("he", "his"), ("she", "her"))
    ]
    assert spans[0] == spans[1] and spans[0]


def test_guidelines_differ_in_kinds_of_mentions():
    text = "Tom 's letter lay on the table . The letter was old , and it was torn . Tom read it ."
    web, novels = (
        clusters(EnglishCoref(guideline=guideline), text) for guideline in ("ontonotes", "litbank")
    )
    assert ["Tom 's", "Tom"] in web and ["Tom", "Tom"] in novels
    assert any("The letter" in cluster for cluster in web) and not any(
        "The letter" in cluster for cluster in novels
    )


def test_singletons_are_added_on_request(annotator):
    every = EnglishCoref(include_singletons=True).annotate(text_of(TEXT)).clusters
    assert annotator.annotate(text_of(TEXT)).clusters == [cluster for cluster in every if len(cluster) > 1]
    assert any(len(cluster) == 1 for cluster in every)


def test_the_same_text_gives_the_same_clusters_also_beside_others(annotator):
    texts = [text_of(TEXT), text_of("He saw the boat . " * 30), AnnotatedText([]), text_of("Mary")]
    together = EnglishCoref().annotate_batch(texts)
    assert together == [EnglishCoref().annotate(text_of(" ".join(text.tokens))) for text in texts]


def test_blocks_of_pairs_have_the_features_of_all_pairs_together(annotator, monkeypatch):
    together = annotator.annotate(text_of(TEXT * 3))
    monkeypatch.setattr(pairs, "BLOCK", 7)
    assert EnglishCoref().annotate(text_of(TEXT * 3)) == together


def test_the_largest_clusters_are_kept():
    assert len(EnglishCoref(max_clusters=1).annotate(text_of(TEXT)).clusters) == 1


def test_a_network_that_is_nowhere():
    with pytest.raises(ConfigurationError, match="no/such.npz"):
        EnglishCoref(path="no/such.npz")


WORDS = "the & Co. his Mary Tom men house of 's , . \" “ ” said I you he it they Mr. walked very ’ é 3 😀 | 中".split()


@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=3)), max_size=40), st.booleans())
@settings(max_examples=40, derandomize=True, deadline=None)
def test_any_tokens_give_clusters_that_share_no_mention(annotator, tokens, litbank):
    own = EnglishCoref(guideline="litbank", include_singletons=True) if litbank else annotator
    given_clusters = [[(0, len(tokens))]] if tokens else []
    annotated = own.annotate(AnnotatedText(tokens, clusters=given_clusters))
    assert annotated.checked().clusters[: len(given_clusters)] == given_clusters
    mentions = list(chain(*annotated.clusters[len(given_clusters) :]))
    assert len(mentions) == len(set(mentions))
    assert litbank or all(len(cluster) > 1 for cluster in annotated.clusters[len(given_clusters) :])


# The network


def linked(count, places, scores, new=0.0, bonus=0.0):
    """Links of pronouns that are made by hand."""
    document = coref.Document(coref.Parse(parsed(*["he/PRP/root/0"] * count)), False)
    made = pairs.Pairs(document.mentions, *(np.array(side, int) for side in zip(*places)))
    scores, new = np.array(scores, float), np.full(count, new)
    entity, links = network.link(document, made, scores, new, np.full(4, bonus))
    return entity.tolist(), links


def test_probabilities_are_those_of_a_softmax_with_a_new_entity():
    j, new = np.array([1, 2, 2]), np.array([0.0, 0.5, 3.0])
    odds = [np.exp(1) / (np.exp(1) + np.exp(0.5))]
    odds += [np.exp(one) / (np.exp(2) + np.exp(-1) + np.exp(3)) for one in (2, -1)]
    assert network.probabilities(j, np.array([1.0, 2.0, -1.0]), new) == pytest.approx(odds)


def test_who_speaks_is_certain(annotator):
    turns = "Anna: I saw him, Ben.\nBen: Did you see him?\nAnna: Yes, I told you about Paul.\n"
    text = annotator.annotate(AnnotatedText.of_text(turns))
    assert {
        (text.tokens[one.mention[0]], text.tokens[one.antecedent[0]])
        for one in text.links
        if one.confidence == 1
    } >= {("I", "Anna"), ("you", "Anna"), ("you", "Ben"), ("Anna", "Anna")}
    assert text.confident(1).cluster_texts[0] == ["Anna", "I", "you", "Anna", "I"]


def test_the_probabilities_of_an_entitys_mentions_are_added():
    # Mentions 0 and 1 are one entity. Each alone is less likely for mention 3 than mention 2, but not both.
    places = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    scores = [5, -5, -5, 1, 1, 1.3]
    entity, links = linked(4, places, scores)
    assert entity == [0, 0, 2, 0]
    first, last = np.exp(5) / (1 + np.exp(5)), 2 * np.e / (1 + 2 * np.e + np.exp(1.3))
    assert links == [(1, 0, pytest.approx(first)), (3, 1, pytest.approx(last))]
    assert linked(4, places, scores, bonus=9) == ([0, 1, 2, 3], [])
