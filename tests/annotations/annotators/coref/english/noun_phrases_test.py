import numpy as np
import pytest

from allennlp_coref_rc.annotations.annotators.coref.english.noun_phrases import find_noun_phrases
from allennlp_coref_rc.annotations.annotators.parse import Parse
from tests.annotations.annotators.coref.english.parses import parsed


def phrases(*sentences, litbank=False):
    p = Parse(parsed(*sentences))
    return [" ".join(p.tokens[start:stop]) for start, stop, _, _ in find_noun_phrases(p, litbank)]


def test_a_noun_phrase_is_its_heads_subtree_without_preposition():
    sentence = (
        "She/PRP/nsubj/2 sat/VBD/root/0 in/IN/case/5 the/DT/det/5 "
        "house/NN/obl/2 of/IN/case/8 her/PRP$/nmod:poss/8 aunt/NN/nmod/5 ././punct/2"
    )
    assert phrases(sentence) == ["She", "the house of her aunt", "her", "her aunt"]


def test_a_clause_is_not_part_of_its_predicate_noun():
    sentence = "Ann/NNP/nsubj/5 is/BE/cop/5 surely/RB/advmod/5 a/DT/det/5 doctor/NN/root/0 now/RB/advmod/5 ././punct/5"
    assert phrases(sentence) == ["Ann", "a doctor"]


def test_a_coordination_is_a_mention_beside_its_parts():
    sentence = "Ann/NNP/nsubj/5 ,/,/punct/1 Tom/NNP/conj/1 left/VBD/root/0 ././punct/4"
    assert phrases(sentence.replace("/5 ,", "/4 ,")) == ["Ann", "Ann , Tom", "Tom"]
    verbs = "Ann/NNP/nsubj/2 came/VBD/root/0 and/CC/cc/4 left/VBD/conj/2"
    assert phrases(verbs) == ["Ann"]


def test_guidelines_differ_in_appositions_and_possessive_marks():
    sentence = "Ann/NNP/nsubj/6 ,/,/punct/4 a/DT/det/4 nurse/NN/appos/1 ,/,/punct/4 slept/VBD/root/0"
    assert phrases(sentence) == ["Ann , a nurse", "a nurse"]
    assert phrases(sentence, litbank=True) == ["Ann", "a nurse"]
    sentence = "Ann/NNP/nmod:poss/3 's/POS/case/1 cat/NN/nsubj/4 slept/VBD/root/0"
    assert phrases(sentence) == ["Ann 's", "Ann 's cat"]
    assert phrases(sentence, litbank=True) == ["Ann", "Ann 's cat"]


def test_relative_pronouns_and_parts_of_names_are_no_mentions():
    sentence = "Ann/NNP/nsubj/5 Lee/NNP/flat/1 who/WP/nsubj/4 sang/VBD/acl:relcl/1 left/VBD/root/0"
    assert phrases(sentence) == ["Ann Lee"]
    sentence = (
        "Ann/NNP/nsubj/7 Lee/NNP/flat/1 ,/,/punct/5 who/WP/nsubj/5 sang/VBD/acl:relcl/1 "
        ",/,/punct/5 left/VBD/root/0"
    )
    assert phrases(sentence) == ["Ann Lee , who sang"]


def test_a_compound_name_is_one_mention_wherever_its_parts_are_attached():
    sentence = (
        "owners/NNS/nsubj/6 of/IN/case/3 Smith/NN/nmod/1 &/CC/cc/6 Co./NNP/nsubj/6 met/VBD/root/0 "
        "Mr./NNP/obj/6 and/CC/cc/10 Mrs./NNP/nmod:desc/10 Lee/NNP/conj/7"
    )
    assert phrases(sentence) == ["owners", "Smith & Co.", "Mr. and Mrs. Lee"]
    assert phrases("Mr./NNP/nsubj/2 left/VBD/root/0") == []


def test_closing_punctuation_is_left_out():
    sentence = (
        "I/PRP/nsubj/2 saw/VBD/root/0 the/DT/det/4 boat/NN/obj/2 ,/,/punct/4 "
        "a/DT/det/7 wreck/NN/appos/4 ,/,/punct/7"
    )
    assert phrases(sentence) == ["I", "the boat , a wreck", "a wreck"]


def test_subtrees_and_depths_are_those_of_the_tree():
    doc = parsed(
        "She/PRP/nsubj/2 sat/VBD/root/0 in/IN/case/5 the/DT/det/5 house/NN/obl/2 of/IN/case/7 Ann/NNP/nmod/5",
        "It/PRP/nsubj/2 rained/VBD/root/0",
    )
    p = Parse(doc)
    assert p.left == [token.left_edge.i for token in doc] and p.right == [token.right_edge.i for token in doc]
    assert p.depth == [len(list(token.ancestors)) for token in doc]
    assert p.children == [[child.i for child in token.children] for token in doc]
    assert np.diff(p.sentence).tolist() == [0] * 6 + [1, 0]


@pytest.mark.parametrize("litbank", [False, True])
def test_an_empty_text_has_no_mentions(litbank):
    assert phrases(litbank=litbank) == []
