import re
from collections import Counter

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.data.corpora.discourse_corpora import possible_connectives, read_rels_texts
from tests.shared import SHARED
from tests.training_config.configs import FIXTURES

STORIES = FIXTURES / "annotators" / "gdtb" / "stories.rels"
TALKS = FIXTURES / "annotators" / "tedmdb" / "talks.rels"
CORPORA = SHARED / "data" / "annotators"


def relations(path):
    """Each relation with its text, and its parts as words."""
    found = []
    for text in read_rels_texts(str(path)):
        for relation in text.relations:
            parts = (relation.connective, relation.arg1, relation.arg2)
            words = [" ".join(text.tokens[i] for span in part for i in range(*span)) for part in parts]
            found.append((relation, *words))
    return found


def test_rels_have_their_connective_in_the_second_argument():
    found = relations(STORIES)
    assert (found[0][0].type, found[0][0].sense) == ("Explicit", "contingency.cause.reason")
    assert found[0][1:] == ("because", "Mara watered the roses", "the ground was dry")
    assert found[2][1:] == ("", "But the well was empty .", "She went to the river and filled two buckets .")
    # A subordinate clause in front, and a unit around the other one.
    assert found[4][1:] == ("When", "it began to rain .", "she came back ,")
    assert ("before", "It would arrive", "Sunday came") in [tuple(words) for _, *words in found]


def test_relations_of_other_types_and_masked_texts_are_left_out():
    assert {relation.type for relation, *_ in relations(STORIES)} == {"Explicit", "Implicit", "AltLex"}


def test_without_a_column_of_types_a_connective_at_the_beginning_makes_a_relation_explicit():
    found = [relation for relation, *_ in relations(TALKS)]
    assert [relation.type for relation in found] == ["Implicit"] + ["Explicit"] * 4 + ["Implicit"]
    assert found[3].sense == "Expansion.Conjunction"


@pytest.mark.parametrize(
    "unit1, unit2, expected",
    [
        ("he ran", "and fell", [(2, "and", True)]),
        ("he ran", "( and fell", [(2, "and", True)]),
        ("he ran", "Um , yeah , BUT he fell", [(2, "but", True)]),
        ("he ran", "even when it rained", [(2, "when", True)]),
        ("he ran", "it and fell", [(2, "and", False)]),
        ("he ran", "one of those it hit and broke", []),
        ("and he ran", "it fell", []),
        ("because he ran", "it fell", [(1, "because", True)]),
        ("because he ran", "so it fell", [(2, "so", True), (1, "because", True)]),
        ("he ran", "it fell , however", [(2, "however", False)]),
        ("he ran", "and so it fell", [(2, "and", True), (2, "so", True)]),
        ("he ran", "by walking", [(2, "by", True)]),
        ("by walking", "he came", [(1, "by", True)]),
        ("he ran", "it fell by night", []),
        ("he ran", "and", []),
    ],
)
def test_where_connectives_are_looked_for(unit1, unit2, expected):
    found = possible_connectives(unit1.split(), unit2.split())
    assert [(possible.unit, possible.words, possible.begins) for possible in found] == expected


def rels(tmp_path, *rows):
    """A file with relations of one text, each (positions and words of unit 1, of unit 2, label)."""
    lines = [HEADER]
    for toks1, unit1, toks2, unit2, label in rows:
        units = [toks1, toks2, unit1, unit2]
        lines.append("\t".join(["a", *units, *units, "1<2", "explicit", label, label]))
    path = tmp_path / "a.rels"
    path.write_text("\n".join(lines))
    return [words for _, words, *_ in relations(path)]


def test_relations_of_one_unit_have_connectives_of_their_own(tmp_path):
    first, second = ("1-3", "He ran ."), ("4-8", "And then he fell .")
    conjunction, precedence = "expansion.conjunction", "temporal.asynchronous.precedence"
    assert rels(tmp_path, (*first, *second, precedence)) == ["then"]
    assert rels(tmp_path, (*first, *second, precedence), (*first, *second, conjunction)) == ["then", "And"]
    assert rels(tmp_path, (*first, *second, conjunction), (*first, *second, conjunction)) == ["And", "then"]
    assert rels(tmp_path, *[(*first, *second, conjunction)] * 3) == ["And", "then", "And"]


def test_rels_as_texts_have_their_sentences_and_their_relations():
    texts = {text.id: text for text in read_rels_texts(str(STORIES))}
    expected = ["FIX_garden", "FIX_harbour", "FIX_market", "FIX_letter", "FIX_winter", "FIX_bridge"]
    assert list(texts) == expected
    garden = texts["FIX_garden"]
    assert " ".join(garden.tokens[10:16]) == "But the well was empty ."
    assert garden.sentences == [(0, 10), (10, 16), (16, 26), (26, 36)]
    relation = texts["FIX_letter"].relations[1]
    expected = ([(11, 12), (16, 18)], [(19, 21)], [(18, 19)])
    assert (relation.arg1, relation.arg2, relation.connective) == expected
    assert [relation.type for relation in texts["FIX_bridge"].relations] == ["Explicit", "Explicit", "AltLex"]


HEADER, FIRST = STORIES.read_text().split("\n")[:2]


@pytest.mark.parametrize(
    "lines, message",
    [
        ([], "line 1: found an empty file, expected the names of columns"),
        ([HEADER, FIRST, FIRST[:-40].rpartition("\t")[0]], "line 3: found 1"),
        ([HEADER, FIRST.replace("\t1-4\t", "\t1-\t")], "line 2: found unit1_toks '1-', expected positions"),
        ([HEADER, FIRST.replace("\t1-4\t", "\t1-5\t")], "line 2: found 4 tokens in unit1_txt, expected as"),
    ],
)
def test_malformed_lines_are_named(tmp_path, lines, message):
    path = tmp_path / "a.rels"
    path.write_text("\n".join(lines))
    with pytest.raises(ConfigurationError, match=re.escape(f"{path}, {message}")):
        list(read_rels_texts(str(path)))


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA.exists(), reason="GDTB and TED-MDB are missing")
def test_the_real_corpora():
    found = [relation for path in (CORPORA / "gdtb").glob("*.rels") for relation, *_ in relations(path)]
    assert Counter(relation.type for relation in found).items() >= {("Explicit", 6293), ("Implicit", 3538)}
    assert sum(relation.type == "Explicit" and not relation.connective for relation in found) < 100
    assert sum(len(relations(path)) for path in (CORPORA / "tedmdb").glob("*.rels")) == 529
