"""The annotator `discourse` with the model of the package."""

from dataclasses import replace

import pytest

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import ConnectiveDiscourse, Discourse, StructureModel
from allennlp_coref_rc.annotations.annotators.connectives import CONNECTIVES, HARD
from allennlp_coref_rc.annotations.annotators.senses import SENSES
from tests.annotations.texts import text_of


@pytest.fixture(scope="module")
def discourse():
    return Discourse()


def words_of(text, spans):
    return " ".join(text.tokens[i] for span in spans for i in range(*span))


@pytest.mark.parametrize(
    "words, expected",
    [
        ("Anna likes bread and butter .", {}),
        ("Anna came home and Bob left .", {"and": "Expansion.Conjunction"}),
        ("She has lived here since 1990 .", {}),
        ("She stayed since it was raining .", {"since": "Contingency.Cause.Reason"}),
        ("He works as a teacher .", {}),
        ("It is so cold .", {}),
        ("I was tired , so I went home .", {"so": "Contingency.Cause.Result"}),
        ("If it rains , we will stay at home .", {"If": "Contingency.Condition"}),
        ("She was tired . But she went on .", {"But": "Comparison.Concession"}),
        ("She ran for office .", {}),
        ("He stood by the door .", {}),
        ("You can save money by cooking at home .", {"by": "Expansion.Manner"}),
        ("They met in order to talk .", {"in order": "Contingency.Purpose"}),
    ],
)
def test_connectives_in_clear_sentences(discourse, words, expected):
    text = text_of(words)
    relations = discourse.annotate(text).relations
    assert {words_of(text, relation.connective): relation.sense for relation in relations} == expected


def test_connectives_that_begin_a_sentence_of_a_short_text(discourse):
    text = text_of("Boil the water . Then , add the salt . However , do not stir .")
    relations = discourse.annotate(text).relations
    assert [words_of(text, relation.connective) for relation in relations] == ["Then", "However"]
    assert words_of(text, relations[0].arg1) == "Boil the water"
    # Where nothing is before, there is no relation.
    assert not discourse.annotate(text_of("And she left .")).relations


@pytest.mark.parametrize(
    "words, arg1, arg2",
    [
        ("She sat down because it rained .", "She sat down", "it rained"),
        ("If it rains , she sits down .", "she sits down", "it rains"),
        ("The rain fell . But she sat there .", "The rain fell", "she sat there"),
    ],
)
def test_arguments_are_clauses_or_the_sentence_before(discourse, words, arg1, arg2):
    text = text_of(words)
    (relation,) = discourse.annotate(text).relations
    assert words_of(text, relation.arg1).rstrip(" .,") == arg1
    assert words_of(text, relation.arg2).rstrip(" .,") == arg2


def test_paper_like_finds_what_the_rule_finds_and_predicts_senses():
    text = text_of("She stayed because it rained and froze . But he left . He was tired because of work .")
    rule, found = (
        make(paper_like=True, implicit=True).annotate(text).relations
        for make in (ConnectiveDiscourse, Discourse)
    )
    assert [replace(relation, sense="", type="", confidence=None) for relation in found] == [
        replace(relation, sense="", type="") for relation in rule
    ]
    by_connective = {text.tokens[r.connective[0][0]]: r.sense for r in found if r.connective}
    assert by_connective["because"] == "Contingency.Cause.Reason"
    assert {r.sense for r in found if not r.connective} <= {*SENSES}


def test_implicit_relations_link_neighbours():
    text = text_of("The road was closed . A tree had fallen on it . But we went on . It was late .")
    implicit = [r for r in Discourse(implicit=True).annotate(text).relations if not r.connective]
    assert ([(0, 5)], [(5, 12)]) in [(relation.arg1, relation.arg2) for relation in implicit]
    assert all(relation.sense in SENSES for relation in implicit)


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        ["and"],
        ["."],
        ["and"] * 300,
        ["🎉", "http://a.example", "because", "\u200b", "so"],
        "the end of a table without verbs and with names".split(),
    ],
    ids=lambda tokens: f"{' '.join(tokens[:2])} {len(tokens)}",
)
def test_odd_texts(tokens):
    text = AnnotatedText(tokens, [(0, len(tokens))] if tokens else [])
    options = {"discourse.least": 0.0, "discourse.implicit": True}
    for relation in StructureModel(heads=["discourse"], options=options).annotate(text).checked().relations:
        assert relation.arg1 and relation.arg2
        spans = sorted(relation.arg1 + relation.arg2 + relation.connective)
        assert all(first[1] <= second[0] for first, second in zip(spans, spans[1:]))


def test_hard_connectives_are_not_among_those_of_the_rules():
    assert not HARD & CONNECTIVES.keys()
