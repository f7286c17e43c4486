import json
import re

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.data.corpora.discourse_corpora import locate_connective, read_discourse_corpus, read_rels_texts
from tests.shared import SHARED
from tests.training_config.configs import FIXTURES

STORIES = FIXTURES / "annotators" / "gdtb" / "stories.rels"
TALKS = FIXTURES / "annotators" / "tedmdb" / "talks.rels"
CONLL = FIXTURES / "annotators" / "conll2016" / "relations.json"
CORPORA = SHARED / "data" / "annotators"


def parts(relation):
    return tuple(" ".join(part) for part in (relation.connective, relation.arg1, relation.arg2))


def test_rels_have_their_connective_in_the_second_argument():
    relations = list(read_discourse_corpus(str(STORIES)))
    assert relations[0].type == "Explicit" and relations[0].label == "contingency.cause.reason"
    assert relations[0].document == "FIX_garden" and relations[0].place == f"{STORIES}, line 2"
    assert parts(relations[0]) == ("because", "Mara watered the roses", "the ground was dry")
    assert parts(relations[2]) == (
        "",
        "But the well was empty .",
        "She went to the river and filled two buckets .",
    )
    # A subordinate clause in front, and a unit around the other one.
    assert parts(relations[4]) == ("When", "it began to rain .", "she came back ,")
    assert ("before", "It would arrive", "Sunday came") in map(parts, relations)


def test_types_are_pdtb_s_and_masked_texts_are_marked():
    relations = list(read_discourse_corpus(str(STORIES)))
    assert {relation.type for relation in relations} == {"Explicit", "Implicit", "AltLex", "hypophora", "masked"}
    assert [relation.document for relation in relations if relation.masked] == ["FIX_reddit_bus"]


def test_without_a_column_of_types_a_connective_at_the_beginning_makes_a_relation_explicit():
    relations = list(read_discourse_corpus(str(TALKS)))
    assert [relation.type for relation in relations] == ["Implicit"] + ["Explicit"] * 4 + ["Implicit"]
    assert relations[3].label == "Expansion.Conjunction"


def test_conll_2016():
    relations = list(read_discourse_corpus(str(CONLL)))
    assert parts(relations[0]) == ("but", "Prices rose", "sales did n't fall")
    assert relations[1].label == "Contingency.Cause.Reason" and relations[1].type == "Implicit"
    assert parts(relations[3])[0] == "As a result"
    assert [relation.document for relation in relations] == ["wsj_1000"] * 3 + ["wsj_1001"] * 3


@pytest.mark.parametrize(
    "unit1, unit2, found",
    [
        ("he ran", "and fell", (2, (0, 1), True)),
        ("he ran", "( and fell", (2, (1, 2), True)),
        ("he ran", "even when it rained", (2, (1, 2), True)),
        ("he ran", "it and fell", None),
        ("and he ran", "it fell", None),
        ("because he ran", "it fell", (1, (0, 1), True)),
        ("because he ran", "so it fell", (2, (0, 1), True)),
        ("he ran", "it fell , however", (2, (3, 4), False)),
        ("he ran", "and", None),
    ],
)
def test_where_connectives_are_looked_for(unit1, unit2, found):
    assert locate_connective(unit1.split(), unit2.split()) == found


def test_rels_as_texts_have_their_sentences_and_their_relations():
    texts = {text.id: text for text in read_rels_texts(str(STORIES))}
    assert list(texts) == ["FIX_garden", "FIX_harbour", "FIX_market", "FIX_letter", "FIX_winter", "FIX_bridge"]
    garden = texts["FIX_garden"]
    assert " ".join(garden.tokens[10:16]) == "But the well was empty ."
    assert garden.sentences == [(0, 10), (10, 16), (16, 26), (26, 36)]
    relation = texts["FIX_letter"].relations[1]
    assert (relation.arg1, relation.arg2, relation.connective) == ([(11, 12), (16, 18)], [(19, 21)], [(18, 19)])
    assert [relation.type for relation in texts["FIX_bridge"].relations] == ["Explicit", "Explicit", "AltLex"]


RELATION = CONLL.read_text().split("\n")[0]
HEADER, FIRST = STORIES.read_text().split("\n")[:2]


@pytest.mark.parametrize(
    "lines, message",
    [
        ([], "line 1: found an empty file, expected the names of columns"),
        (["doc\tlabel"], "line 1: found 'doc\\tlabel', expected a column 'unit1_txt'"),
        ([HEADER, FIRST, FIRST[:-40].rpartition("\t")[0]], "line 3: found 1"),
        (
            [HEADER, FIRST.replace("\t1-4\t", "\t1-\t")],
            "line 2: found unit1_toks '1-', expected positions such as 3-6,9",
        ),
        (
            [HEADER, FIRST.replace("\t1-4\t", "\t1-5\t")],
            "line 2: found 4 tokens in unit1_txt, expected as many as unit1_toks '1-5'",
        ),
        ([HEADER, FIRST.replace("\t1-4\t", "\t1-999999999\t")], "line 2: found 4 tokens in unit1_txt"),
        ([HEADER, FIRST.replace("Mara watered the roses\t", "\t", 1)], "line 2: found 0 tokens in unit1_txt"),
        (["{}"], "line 1, object 1: found {}, expected an object with the key 'Sense'"),
        (["{"], "line 1: found damaged JSON"),
        ([RELATION, "[]"], "line 2: found '[]', expected an object"),
        (
            [json.dumps({**json.loads(RELATION), "Arg1": {"RawText": 3}})],
            "line 1, object 1: found 3 at Arg1.RawText, expected a string",
        ),
        (
            [RELATION.replace('["Comparison.Contrast"]', "[]")],
            "line 1, object 1: found [] at Sense, expected one or more senses",
        ),
    ],
)
def test_malformed_lines_are_named(tmp_path, lines, message):
    path = tmp_path / "a.rels"
    path.write_text("\n".join(lines))
    with pytest.raises(ConfigurationError, match=re.escape(f"{path}, {message}")):
        list(read_discourse_corpus(str(path)))


@pytest.mark.parametrize("source", [STORIES, TALKS, CONLL], ids=lambda path: path.name)
@given(data=st.data())
@settings(derandomize=True, deadline=None, max_examples=60)
def test_damaged_files_raise_nothing_else(tmp_path_factory, source, data):
    content = bytearray(source.read_bytes())
    content = content[: data.draw(st.integers(0, len(content)))]
    for _ in range(data.draw(st.integers(0, 3))):
        if content:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.sampled_from(b'\t\n 019-,<{["x\xff'))
    path = tmp_path_factory.getbasetemp() / "damaged.rels"
    path.write_bytes(bytes(content))
    for read in (read_discourse_corpus, read_rels_texts):
        try:
            list(read(str(path)))
        except ConfigurationError as error:
            assert str(path) in str(error)


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA.exists(), reason="GDTB and TED-MDB are missing")
def test_the_real_corpora():
    relations = [r for path in sorted((CORPORA / "gdtb").glob("*.rels")) for r in read_discourse_corpus(str(path))]
    explicit = [relation for relation in relations if relation.type == "Explicit"]
    assert sum(relation.masked for relation in relations) == 933
    assert len(explicit) == 6293 and sum(not relation.connective for relation in explicit) < 500
    assert sum(relation.type == "Implicit" for relation in relations) == 3538
    talks = [r for path in sorted((CORPORA / "tedmdb").glob("*.rels")) for r in read_discourse_corpus(str(path))]
    assert len(talks) == 529
