import re

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators import ConnectiveDiscourse
from allennlp_coref_rc.annotations.annotators.connectives import CONNECTIVES, find_connectives
from tests.annotations.texts import text_of


def relations(words, **options):
    """(connective, Arg1, Arg2) of each relation, as words."""
    text = text_of(words)

    def part(spans):
        return " | ".join(" ".join(text.tokens[start:stop]) for start, stop in spans)

    found = ConnectiveDiscourse(**options).annotate(text).relations
    return [(part(relation.connective), part(relation.arg1), part(relation.arg2)) for relation in found]


PAPER_LIKE = {"paper_like": True}
OWN = {"connectives": {"fell so": "a", "so that he": "b"}}


@pytest.mark.parametrize(
    "words, options, expected",
    [
        ("He ran . She sat because it rained .", {}, [("because", "She sat", "it rained .")]),
        # At the beginning of a sentence a connective links it to the one before.
        ("But he ran .", {}, []),
        ("He ran . But he fell .", {}, [("But", "He ran .", "he fell .")]),
        (
            "He ran . ( And then he fell .",
            {},
            [("And", "He ran .", "then he fell ."), ("then", "He ran .", "he fell .")],
        ),
        # A subordinate clause there is the second argument.
        (
            "He ran . Because it rained , she sat , too .",
            {},
            [("Because", "she sat , too .", "it rained")],
        ),
        ("When ?", {}, []),
        ("He ran . Because it rained .", {}, [("Because", "He ran .", "it rained .")]),
        ("However , he fell .", {}, []),
        # At the end it links its sentence to the one before.
        ("He ran . She sat , however .", {}, [("however", "He ran .", "She sat ,")]),
        ("She sat , however .", {}, []),
        # The first letter or all letters may be capitals, and only whole tokens match.
        ("He ran as it was becauses beCause he fell", {"exclude": ["as"]}, []),
        ("He ran BECAUSE it rained .", {}, [("BECAUSE", "He ran", "it rained .")]),
        ("He fell AS A RESULT he cried", {}, [("AS A RESULT", "He fell", "he cried")]),
        # The longest connective wins.
        ("He fell as a result he cried", {}, [("as a result", "He fell", "he cried")]),
        ("He fell so that he cried", OWN, [("so that he", "He fell", "cried")]),
        # Ambiguous ones are left out unless asked for.
        ("He slept or he ate and drank", {}, [("and", "He slept or he ate", "drank")]),
        ("He slept or he ate and drank", {"exclude": ["and", "or"]}, []),
        (
            "He slept or he ate and drank",
            {"exclude": []},
            [("or", "He slept", "he ate and drank"), ("and", "He slept or he ate", "drank")],
        ),
        # Paper-like, overlaps are kept, the longest first, and no first words.
        (
            "But he fell as a result and cried . And she left and ran",
            PAPER_LIKE,
            [
                ("as a result", "But he fell", "and cried ."),
                ("and", "But he fell as a result", "cried ."),
                ("as", "But he fell", "a result and cried ."),
                ("and", "And she left", "ran"),
            ],
        ),
        # The first "so" is part of a word, and so the second one does not count.
        ("the sofa is old so he left", PAPER_LIKE, []),
        ("it is old,so he left so", PAPER_LIKE, [("old,so", "it is", "he left so")]),
        ("the not-so old one", PAPER_LIKE, [("not-so", "the", "old one")]),
        ("he said so", PAPER_LIKE, []),
    ],
)
def test_connectives_and_their_arguments(words, options, expected):
    assert relations(words, **options) == expected


def test_the_sense_is_the_connective_s_most_frequent_one():
    text = text_of("She sat because it rained .")
    for annotator, sense in (
        (ConnectiveDiscourse(), "Contingency.Cause.Reason"),
        (ConnectiveDiscourse({"because": "Mine"}), "Mine"),
    ):
        (relation,) = annotator.annotate(text).relations
        assert (relation.type, relation.sense) == ("Explicit", sense)


def test_implicit_relations_link_neighbours_that_no_connective_links():
    words = "He ran . But he fell . She sat . However , he ran ."
    assert relations(words, implicit=True)[2:] == [("", "But he fell .", "She sat .")]
    (implicit,) = ConnectiveDiscourse(implicit=True).annotate(text_of(words)).relations[2:]
    assert (implicit.type, implicit.sense) == ("Implicit", "Expansion.Conjunction")


def test_what_is_annotated_stays():
    text = ConnectiveDiscourse().annotate(text_of("She sat because it rained ."))
    assert ConnectiveDiscourse().annotate(text).relations == text.relations * 2


def test_paper_like_links_all_neighbours():
    found = ConnectiveDiscourse(paper_like=True, implicit=True).annotate(text_of("A . But b . C .")).relations
    assert [(relation.arg1, relation.arg2) for relation in found] == [
        ([(0, 2)], [(2, 5)]),
        ([(2, 5)], [(5, 7)]),
    ]


WORDS = st.lists(st.sampled_from("as a result if when and then so that x , .".split()), max_size=12)


@given(WORDS)
@settings(derandomize=True, deadline=None)
def test_matches_are_those_of_a_search_that_takes_the_longest_again_and_again(tokens):
    left, found = list(tokens), []
    for connective in sorted(CONNECTIVES, key=lambda c: (-len(c.split()), -len(c))):
        words = connective.split()
        for i in range(len(left)):
            if left[i : i + len(words)] == words:
                found.append(((i, i + len(words)), connective))
                left[i : i + len(words)] = [None] * len(words)
    assert find_connectives(tokens) == sorted(found)


@given(WORDS, st.booleans(), st.booleans())
@settings(derandomize=True, deadline=None)
def test_relations_are_valid_and_their_parts_do_not_overlap(tokens, paper_like, implicit):
    text = AnnotatedText(tokens, sentence_spans(tokens))
    annotated = ConnectiveDiscourse(paper_like=paper_like, implicit=implicit).annotate(text)
    for relation in annotated.relations:
        spans = sorted(relation.arg1 + relation.arg2 + relation.connective)
        assert all(first[1] <= second[0] for first, second in zip(spans, spans[1:]))
        if not paper_like and relation.type == "Explicit":
            words = " ".join(tokens[start] for start, _ in relation.connective)
            assert all(re.search(r"\w", " ".join(tokens[a:b])) for a, b in relation.arg1 + relation.arg2), (
                words
            )


@pytest.mark.parametrize(
    "options, message",
    [
        ({"exclude": ["xyz"]}, "connective_discourse: exclude has 'xyz', expected one that is listed"),
        (
            {"connectives": {"as  if": "a"}},
            "found the connective 'as  if', expected words with one blank between",
        ),
        ({"connectives": {"": "a"}}, "found the connective ''"),
    ],
)
def test_mistaken_settings_are_named(options, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        ConnectiveDiscourse(**options)
