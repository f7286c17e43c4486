import re

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators import ConnectiveDiscourse
from allennlp_coref_rc.annotations.annotators.connectives import CONNECTIVES, find_connectives


def text_of(words):
    tokens = words.split()
    return AnnotatedText(tokens, sentence_spans(tokens))


def relations(words, **options):
    """(connective, Arg1, Arg2) of each relation, as words."""
    text = text_of(words)

    def part(spans):
        return " | ".join(" ".join(text.tokens[start:stop]) for start, stop in spans)

    found = ConnectiveDiscourse(**options).annotate(text).relations
    return [(part(relation.connective), part(relation.arg1), part(relation.arg2)) for relation in found]


def test_a_connective_links_what_is_before_and_after_it_in_its_sentence():
    assert relations("He ran . She sat because it rained .") == [("because", "She sat", "it rained .")]


def test_the_sense_is_the_connective_s_most_frequent_one():
    (relation,) = ConnectiveDiscourse().annotate(text_of("She sat because it rained .")).relations
    assert (relation.type, relation.sense) == ("Explicit", "Contingency.Cause.Reason")
    (relation,) = (
        ConnectiveDiscourse({"because": "Mine"}).annotate(text_of("She sat because it rained .")).relations
    )
    assert relation.sense == "Mine"


def test_at_the_beginning_of_a_sentence_a_connective_links_it_to_the_one_before():
    assert relations("But he ran .") == []
    assert relations("He ran . But he fell .") == [("But", "He ran .", "he fell .")]
    assert relations("He ran . ( And then he fell .") == [
        ("And", "He ran .", "then he fell ."),
        ("then", "He ran .", "he fell ."),
    ]


def test_a_subordinate_clause_at_the_beginning_is_the_second_argument():
    assert relations("He ran . Because it rained , she sat , too .") == [
        ("Because", "she sat , too .", "it rained")
    ]
    assert relations("When ?") == []
    assert relations("He ran . Because it rained .") == [("Because", "He ran .", "it rained .")]
    assert relations("However , he fell .") == []


def test_at_the_end_a_connective_links_its_sentence_to_the_one_before():
    assert relations("He ran . She sat , however .") == [("however", "He ran .", "She sat ,")]
    assert relations("She sat , however .") == []


def test_only_the_first_letter_may_be_a_capital_and_only_whole_tokens_match():
    assert relations("He ran BECAUSE it was becauses beCause he fell") == []


def test_the_longest_connective_wins():
    assert relations("He fell as a result he cried") == [("as a result", "He fell", "he cried")]
    assert relations("He fell so that he cried", connectives={"fell so": "a", "so that he": "b"}) == [
        ("so that he", "He fell", "cried")
    ]


def test_ambiguous_connectives_are_left_out_unless_asked_for():
    assert relations("He slept or he ate and drank") == [("and", "He slept or he ate", "drank")]
    assert len(relations("He slept or he ate and drank", exclude=[])) == 2
    assert relations("He slept or he ate and drank", exclude=["and", "or"]) == []


def test_implicit_relations_link_neighbours_that_no_connective_links():
    words = "He ran . But he fell . She sat . However , he ran ."
    assert relations(words, implicit=True)[2:] == [("", "But he fell .", "She sat .")]
    (implicit,) = ConnectiveDiscourse(implicit=True).annotate(text_of(words)).relations[2:]
    assert (implicit.type, implicit.sense) == ("Implicit", "Expansion.Conjunction")


def test_what_is_annotated_stays():
    text = ConnectiveDiscourse().annotate(text_of("She sat because it rained ."))
    assert ConnectiveDiscourse().annotate(text).relations == text.relations * 2


def test_paper_like_keeps_overlaps_the_longest_first_and_no_first_words():
    words = "But he fell as a result and cried . And she left and ran"
    assert relations(words, paper_like=True) == [
        ("as a result", "But he fell", "and cried ."),
        ("and", "But he fell as a result", "cried ."),
        ("as", "But he fell", "a result and cried ."),
        ("and", "And she left", "ran"),
    ]


def test_paper_like_looks_at_first_occurrences_and_bounds():
    # The first "so" is part of a word, and so the second one does not count.
    assert relations("the sofa is old so he left", paper_like=True) == []
    assert relations("it is old,so he left so", paper_like=True) == [("old,so", "it is", "he left so")]
    assert relations("the not-so old one", paper_like=True) == [("not-so", "the", "old one")]
    assert relations("he said so", paper_like=True) == []


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
