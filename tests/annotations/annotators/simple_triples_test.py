import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, Edge, sentence_spans
from allennlp_coref_rc.annotations.annotators import SimpleTriples
from tests.shared import SHARED

CASES = {
    "The red disk is to the left of the square .": ("The red disk", "is_to_left_of", "the square"),
    "Is the pink box to the right of the yellow one ?": ("the pink box", "is_to_right_of", "the yellow"),
    "Is the yellow square below the pink disk ?": ("the yellow square", "is_below", "the pink disk"),
    "Lily is a frog .": ("Lily", "is_a", "a frog"),
    "lily was an old frog .": ("lily", "is_a", "an old frog"),
    "Bernhard is green .": ("Bernhard", "is", "green"),
    "Mice are afraid of wolves .": ("Mice", "is_afraid_of", "wolves"),
    "Is Gertrude afraid of wolves ?": ("Gertrude", "is_afraid_of", "wolves"),
    "The box of chocolates fits inside the chest .": ("The box of chocolates", "fits_inside", "the chest"),
    "Does the box fit in the box of chocolates ?": ("the box", "fit_in", "the box of chocolates"),
    "Is the box of chocolates bigger than the box ?": ("the box of chocolates", "is_bigger_than", "the box"),
    "The office is east of the hallway .": ("The office", "is_east_of", "the hallway"),
    "Mary has not often gone to the garden .": ("Mary", "not_gone_to", "the garden"),
    "John is n't a thief .": ("John", "not_is_a", "a thief"),
    "John is no thief .": ("John", "not_is", "thief"),
    "Mary is no longer in the kitchen .": ("Mary", "not_is_longer_in", "the kitchen"),
    "She quickly grabbed the old milk there .": ("She", "grabbed", "the old milk"),
    "Did John love Mary ?": ("John", "love", "Mary"),
    "Did the man do the work ?": ("the man", "do", "the work"),
    "Did they have a dog ?": ("they", "have", "a dog"),
    "John does not love Mary .": ("John", "not_love", "Mary"),
    "I did n't often go to the garden .": ("I", "not_go_to", "the garden"),
    "The old men do their work .": ("The old men", "do", "their work"),
    "Mary loves her old dog .": ("Mary", "loves", "her old dog"),
    "Her dog loves Mary .": ("Her dog", "loves", "Mary"),
    "John loves her .": ("John", "loves", "her"),
    "John saw her in the garden .": ("John", "saw", "her"),
    "Ernst & Young fired Ben .": ("Ernst & Young", "fired", "Ben"),
    "An owner of Lee & Co. saw Mr. and Mrs. Lee .": ("An owner of Lee & Co.", "saw", "Mr. and Mrs. Lee"),
    "It ’s a pity": ("It", "is_a", "a pity"),
}

NOTHING = (
    "What is gertrude afraid of ?|Why ?|And so on .|The old man ran .|Yes , of course .|is|Mary got no milk ."
)


def triples(tokens):
    edges = SimpleTriples().annotate(AnnotatedText(tokens)).edges
    ends = [[" ".join(tokens[slice(*end)]) for end in (edge.source, edge.target)] for edge in edges]
    return [(source, edge.type, target) for edge, (source, target) in zip(edges, ends)]


@pytest.mark.parametrize("sentence", CASES)
def test_a_clause_gives_a_triple(sentence):
    assert triples(sentence.split()) == [CASES[sentence]]


@pytest.mark.parametrize("sentence", NOTHING.split("|"))
def test_other_clauses_give_none(sentence):
    assert triples(sentence.split()) == []


def test_edges_are_added_clause_by_clause_where_they_are():
    tokens = "Lily is a frog and Greg is a swan . She took it .".split()
    old = Edge("is", (0, 1), (5, 6))
    text = SimpleTriples().annotate(AnnotatedText(tokens, sentence_spans(tokens), edges=[old]))
    added = [Edge("is_a", (0, 1), (2, 4)), Edge("is_a", (5, 6), (7, 9)), Edge("took", (10, 11), (12, 13))]
    assert text.edges == [old, *added]


WORDS = "Lily & Mr. Co. is a the frog and , of to left than she n't go did İ ſ"


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.lists(st.sampled_from([*WORDS.split(), "", " "])))
def test_any_words_may_come_in_any_order(tokens):
    edges = SimpleTriples().annotate(AnnotatedText(tokens)).edges
    assert all(edge.source[1] <= edge.target[0] and edge.type for edge in edges)


@pytest.mark.skipif(not (SHARED / "data" / "babi").is_dir(), reason="needs the shared data")
def test_every_fact_of_babis_tasks_about_places_and_colours_is_found():
    for task, facts in (
        (16, r"^\d+ (\w+) is (a \w+|\w+)\.$"),
        (18, r"^\d+ The (.+) fits inside the (.+)\.$"),
    ):
        for line in (SHARED / "data" / "babi" / "en-valid" / f"qa{task}_valid.txt").read_text().splitlines():
            if fact := re.match(facts, line):
                tokens = re.findall(r"\w+|[^\w\s]", line.split(" ", 1)[1])
                ((source, target),) = (
                    (" ".join(tokens[slice(*e.source)]), " ".join(tokens[slice(*e.target)]))
                    for e in SimpleTriples().annotate(AnnotatedText(tokens)).edges
                )
                article = "" if task == 16 else "the "
                assert (source.lower(), target) == (article + fact[1].lower(), article + fact[2])
