import re
from fractions import Fraction
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation, Frame
from allennlp_coref_rc.models.structure._coreference_scores import refers
from tests.scripts.scripts import load_script
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures" / "annotators"

evaluate_annotator = load_script("evaluate_annotator")


@st.composite
def clusterings(draw):
    numbers = draw(st.lists(st.integers(0, 3), max_size=8))
    clusters = [[(i, i + 1) for i, number in enumerate(numbers) if number == n] for n in range(4)]
    return [cluster for cluster in clusters if cluster]


def without_singletons(clusters):
    return [cluster for cluster in clusters if len(cluster) > 1]


@given(clusterings(), clusterings())
@settings(max_examples=100, derandomize=True, deadline=None)
def test_without_singletons_all_ways_to_count_them_are_the_same(predicted, gold):
    pairs = [(without_singletons(predicted), without_singletons(gold))]
    scores = [evaluate_annotator.conll_scores(pairs, way) for way in ("without", "kept", "credited")]
    for other in scores[1:]:
        for name, values in scores[0].items():
            assert other[name] == pytest.approx(values)


@given(clusterings(), clusterings())
@settings(max_examples=100, derandomize=True, deadline=None)
def test_singletons_are_left_out_with_the_annotated_ones(predicted, gold):
    left_out = evaluate_annotator.conll_scores([(predicted, without_singletons(gold))], "kept")
    assert evaluate_annotator.conll_scores([(predicted, gold)], "without") == left_out


def test_singletons_that_were_found_are_credited():
    clusters = [[(0, 1), (2, 3)], [(1, 2)], [(4, 5)]]
    found = evaluate_annotator.conll_scores([(clusters, clusters)], "credited")["CoNLL"]
    assert found == pytest.approx((1, 1, 1))
    scores = evaluate_annotator.conll_scores([([[(0, 1)], [(2, 3)]], clusters)], "credited")
    # Of B-cubed's four mentions two are found, each with half of its cluster; of three clusters one is
    # matched, to 2/3.
    assert scores["B-cubed"][:2] == pytest.approx((1, 1 / 4))
    assert scores["CEAF"][:2] == pytest.approx((2 / 3 / 2, 2 / 3 / 3))


# Key, response, and recall and precision of MUC, B-cubed and CEAF (entities), as fractions, where the test
# cases of CoNLL's reference scorer (Pradhan et al., 2014) give them. Each letter is a mention.
REFERENCE = {
    "A1": ("a bc def", "a bc def", ("1", "1"), ("1", "1"), ("1", "1")),
    "A2": ("a bc def", "a de", ("1/3", "1"), ("7/18", "1"), ("3/5", "9/10")),
    "A3": ("a bc def", "a bcx defy z", ("1", "3/5"), ("1", "55/108"), ("31/35", "93/140")),
    "A4": ("a bc def", "a bcx dy z", ("1/3", "1/3"), ("5/9", "17/42"), ("11/15", "11/20")),
    "A5": ("a bc def", "a bcxB dy z", ("1/3", "1/4"), ("5/9", "5/16"), ("31/45", "31/60")),
    "A6": ("a bc def", "a bcx dy Bz", ("1/3", "1/4"), ("5/9", "17/48"), ("11/15", "11/20")),
    "A10": ("a bc def", "a b c d e f", ("0", "0"), ("1/2", "1"), None),
    "A11": ("a bc def", "abcdef", ("1", "3/5"), ("1", "7/18"), None),
    "A12": ("a bc def", "a x y c d e z", ("0", "0"), ("13/36", "4/7"), None),
    "A13": ("a bc def", "axycdez", ("1/3", "1/6"), ("17/36", "6/49"), None),
    "D1": ("12345 67 89ABC", "12345 6789ABC", ("1", "9/10"), ("1", "16/21"), None),
    "E1": ("12345 67 89ABC", "1234589ABC 67", ("1", "9/10"), ("1", "7/12"), None),
    "F1": ("ABCD", "AB CD", ("2/3", "1"), None, None),
    "G1": ("AB CD", "ABCD", ("1", "2/3"), None, None),
    "J1": ("ABC", "AC", ("1/2", "1"), None, None),
    "K1": ("BCDEGHJ", "ABC DEF GHI", ("1/2", "1/2"), None, None),
    "L1": ("ABC DEFG", "AB CD FGH", ("2/5", "1/2"), None, None),
    "M1": ("abcdef", "abcdef", ("1", "1"), ("1", "1"), ("1", "1")),
    "N1": ("a b c d e f", "a b c d e f", ("0", "0"), ("1", "1"), ("1", "1")),
}


def lettered(clusters):
    return [[(ord(letter), ord(letter) + 1) for letter in cluster] for cluster in clusters.split()]


@pytest.mark.parametrize("case", REFERENCE)
def test_scores_are_those_of_the_reference_scorer(case):
    key, response, *expected = REFERENCE[case]
    scores = evaluate_annotator.conll_scores([(lettered(response), lettered(key))], "credited")
    for name, values in zip(("MUC", "B-cubed", "CEAF"), expected):
        if values:
            recall, precision = (float(Fraction(value)) for value in values)
            assert scores[name][:2] == pytest.approx((precision, recall)), name


def test_links_are_counted_by_the_kind_of_the_later_mention():
    tokens = "Anne met the old man from Leeds . He saw her . The man left .".split()
    gold = [[(0, 1), (10, 11)], [(2, 7), (8, 9), (12, 14)], [(6, 7)]]
    kinds = {span: evaluate_annotator.kind_of_mention(tokens, span) for cluster in gold for span in cluster}
    expected = ["name", "nominal", "name", "pronoun", "pronoun", "nominal"]
    assert [kinds[span] for span in sorted(kinds)] == expected
    # "her" is rightly linked, "He" to the wrong one, and "The man" to nothing.
    predicted = [[(0, 1), (8, 9)], [(10, 11)], [(12, 14)]]
    scores = evaluate_annotator.link_scores([(tokens, predicted, gold)])
    assert scores == {"name": (0, 0, 0), "nominal": (0, 0, 0), "pronoun": (0, 0, 0)}
    predicted = [[(0, 1), (10, 11)], [(6, 7), (8, 9)]]
    scores = evaluate_annotator.link_scores([(tokens, predicted, gold)])
    assert scores == {"name": (0, 0, 0), "nominal": (0, 0, 0), "pronoun": (1 / 2, 1 / 2, 1 / 2)}


def scores_of(rows):
    return {name: tuple(pytest.approx(score) for score in scores) for name, scores in rows}


def test_gap_scores_pairs_by_the_pronouns_gender():
    """Counted by hand: of the pairs, two are right, one is predicted wrongly, and two are missed."""
    gold = [
        AnnotatedText("Ann met Eve . She left .".split(), clusters=[[(4, 5), (0, 1)], [(2, 3)]]),
        AnnotatedText("Bob Lee met Tom . He left .".split(), clusters=[[(5, 6), (3, 4)], [(0, 2)]]),
        AnnotatedText("Mr Bob met Tom 's friend . His dog".split(), clusters=[[(7, 8), (1, 2)], [(3, 4)]]),
        AnnotatedText("Ann met Eve and her dog".split(), clusters=[[(4, 5), (2, 3)], [(0, 1)]]),
    ]
    clusters = [[[(0, 1), (4, 5)]], [[(1, 2), (5, 6)], [(3, 4)]], [[(0, 2), (3, 6), (7, 8)]], []]
    pairs = [(AnnotatedText(text.tokens, clusters=found), text) for text, found in zip(gold, clusters)]
    assert scores_of(evaluate_annotator.score_gap(pairs)) == {
        "GAP": (2 / 3, 2 / 4, 4 / 7),
        "GAP masculine": (1 / 2, 1 / 2, 1 / 2),
        "GAP feminine": (1, 1 / 2, 2 / 3),
        "GAP bias": (4 / 3,),
    }


@pytest.mark.parametrize(
    "mention, is_right",
    [
        ((1, 3), True),
        ((0, 3), True),
        ((2, 3), True),
        ((1, 4), True),
        ((1, 5), False),
        ((6, 9), True),
        ((6, 7), True),
    ],
)
def test_a_mention_of_a_name_may_go_on_after_it(mention, is_right):
    tokens = "Mrs Ann Lee 's dog saw Ann Lee , a nurse".split()
    name = (6, 8) if mention[0] > 5 else (1, 3)
    assert refers(tokens, mention, name) == is_right


def test_roles_are_scored_by_the_rule_of_conll_2005():
    """ARG1 lacks its continuation; the verb does not count; a wrong predicate makes its argument wrong."""
    gold = [
        Frame((1, 2), [("ARG0", (0, 1)), ("ARG1", (2, 4)), ("C-ARG1", (5, 6)), ("C-V", (4, 5))]),
        Frame((4, 5), [("ARG0", (0, 1))]),
    ]
    predicted = [
        Frame((1, 2), [("ARG1", (2, 4)), ("ARG0", (0, 1)), ("ARGM-TMP", (5, 6)), ("V", (1, 2))]),
        Frame((3, 4), [("ARG0", (0, 1))]),
    ]
    texts = [AnnotatedText(["a"] * 6, frames=frames) for frames in (predicted, gold)]
    expected = {"predicates": (1 / 2, 1 / 2, 1 / 2), "arguments": (1 / 4, 1 / 3, 2 / 7)}
    assert scores_of(evaluate_annotator.score_columns([texts])) == expected
    assert scores_of(evaluate_annotator.score_columns([(texts[1], texts[1])]))["arguments"] == (1, 1, 1)


def test_connectives_senses_and_implicit_relations():
    """Of three predicted connectives two are right; two annotated ones are found, one with its sense."""

    def relation(type, sense, place, connective=()):
        return DiscourseRelation(
            type, sense, [(place, place + 2)], [(place + 2, place + 4)], list(connective)
        )

    gold = [
        relation("Explicit", "expansion.conjunction", 0, [(0, 2)]),
        relation("Explicit", "temporal.synchronous", 4, [(4, 5)]),
        relation("Implicit", "contingency.cause.result", 8),
    ]
    predicted = [
        relation("Explicit", "Expansion.Conjunction", 0, [(1, 2)]),
        relation("Explicit", "Comparison.Contrast", 0, [(2, 3)]),
        relation("Explicit", "Comparison.Contrast", 4, [(4, 5)]),
        relation("Implicit", "Contingency.Cause.Result", 9),
        relation("Implicit", "Expansion.Conjunction", 8),
    ]
    pairs = [tuple(AnnotatedText(["a"] * 13, relations=relations) for relations in (predicted, gold))]
    expected = {"explicit connectives": (2 / 3, 1, 4 / 5)}
    assert scores_of(evaluate_annotator.score_connectives(pairs)) == expected
    assert scores_of(evaluate_annotator.score_senses(pairs)) == {
        "senses of 2 explicit relations": (1 / 2,),
        "implicit relations": (1 / 2, 1, 2 / 3),
    }


def rows_of(table):
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:] if line]
    return {
        (Path(corpus).name, name): figures
        for corpus, name, *figures in (row for row in cells if len(row) == 5)
    }


def test_the_files_of_a_corpus_tell_what_is_scored(evaluate, tmp_path):
    """Mary is found, and he is not, whose cluster has a single mention."""
    words = [
        ("Mary", "(0)", "*"),
        ("sat", "-", "(V*)"),
        ("Mary", "(0)", "(ARG0*)"),
        ("ran", "-", "*"),
        ("he", "(1)", "*"),
    ]
    lines = [
        f"a 0 {i} {word} - - - - - - - {role} {cluster}" for i, (word, cluster, role) in enumerate(words)
    ]
    (tmp_path / "a.conll").write_text(
        "\n".join(["#begin document (a); part 000", *lines, "", "#end document", ""])
    )
    columns = "ID Text Pronoun Pronoun-offset A A-offset A-coref B B-offset B-coref".split()
    passage = ["1", "Ann and Eve. She", "She", "13", "Ann", "0", "TRUE", "Eve", "8", "FALSE"]
    (tmp_path / "b.tsv").write_text("\t".join(columns) + "\n" + "\t".join(passage) + "\n")
    discourse = [FIXTURES / name for name in ("gdtb", "tedmdb")]
    corpora = [tmp_path / "a.conll", tmp_path / "b.tsv", *discourse]
    rows = rows_of(evaluate("evaluate_annotator", "exact_match_coref", *corpora))
    # Four metrics in three ways, the links of three kinds of mentions, and roles.
    assert sum(corpus == "a.conll" for corpus, _ in rows) == 3 * 4 + 3 + 2
    assert rows["a.conll", "CoNLL, singletons without"] == ["100.0"] * 3
    assert rows["a.conll", "B-cubed, singletons credited"][:2] == ["100.0", "66.7"]
    assert rows["a.conll", "arguments"] == rows["b.tsv", "GAP"] == ["0.0"] * 3
    assert rows["b.tsv", "GAP bias"] == ["", "", "0.00"]
    assert rows["tedmdb", "explicit connectives"] == rows["gdtb", "explicit connectives"] == ["0.0"] * 3
    options = "--part", "odd", "--measures", "connect|senses"
    rows = rows_of(evaluate("evaluate_annotator", "connective_discourse", *discourse, *options))
    assert rows["gdtb", "explicit connectives"][2] > "50"
    assert {name.split()[0] for _, name in rows} == {"explicit", "senses"}


def test_marked_connectives_are_those_of_the_columns(tmp_path):
    marks = ["Seg=B-Conn", "Seg=I-Conn", "_", "Seg=B-Conn|SpaceAfter=No"]
    lines = [
        f"{i}\tw{i}{8 * chr(9)}{mark}\n".replace("\t" * 9, "\t_" * 8 + "\t")
        for i, mark in enumerate(marks, 1)
    ]
    (tmp_path / "a.conllu").write_text("# newdoc id = d\n" + "".join(lines) + "\n" + lines[0])
    (text,) = evaluate_annotator.marked_connectives(str(tmp_path / "a.conllu"))
    assert text.sentences == [(0, 4), (4, 5)] and text.id == "d"
    assert [relation.connective for relation in text.relations] == [[(0, 1), (1, 2)], [(3, 4)], [(4, 5)]]


def test_a_corpus_without_known_files_is_named(evaluate, tmp_path):
    with pytest.raises(ConfigurationError, match=re.escape(str(tmp_path)) + ".*conllu"):
        evaluate("evaluate_annotator", "exact_match_coref", tmp_path)


def test_a_corpus_that_is_not_there_is_named(evaluate):
    with pytest.raises((ConfigurationError, OSError), match="nowhere.conll.*: no such file|No such file"):
        evaluate("evaluate_annotator", "exact_match_coref", "nowhere.conll")
