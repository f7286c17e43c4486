from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation
from allennlp_coref_rc.annotations.alignment import UNKNOWN, transfer
from allennlp_coref_rc.annotations.formats import read_conll_2016
from tests.json_lines import read_lines, write_lines

FIXTURE = Path(__file__).parents[2] / "fixtures" / "formats" / "conll_2016" / "relations.json"
TOKENS = "Mary left because she was ill . But John stayed . He slept .".split()
RELATIONS = [
    DiscourseRelation("Explicit", "Contingency.Cause.Reason", [(0, 2)], [(3, 6)], [(2, 3)]),
    DiscourseRelation("Explicit", "Comparison.Contrast", [(0, 2), (3, 6)], [(8, 10)], [(7, 8)]),
    DiscourseRelation("Explicit", "Comparison.Concession", [(0, 2), (3, 6)], [(8, 10)], [(7, 8)]),
    DiscourseRelation("Implicit", "Expansion.Conjunction", [(8, 10)], [(11, 13)]),
]


def relations():
    return read_lines(FIXTURE)


def read(folder, *values):
    return list(read_conll_2016(str(write_lines(folder / "relations.json", values))))


def test_tokens_are_those_of_the_parses():
    assert list(read_conll_2016(str(FIXTURE))) == [
        AnnotatedText(TOKENS, [(0, 7), (7, 11), (11, 14)], relations=RELATIONS, id="made_0001"),
        AnnotatedText(["Nothing", "."], id="made_0002"),
    ]


def test_without_parses_relations_are_known_by_the_places_of_tokens(tmp_path):
    (text,) = read(tmp_path, *relations())
    known = [UNKNOWN if token in (".", "slept .") else token for token in TOKENS[:-1]]
    assert text == AnnotatedText(known, relations=RELATIONS, id="made_0001")
    assert transfer(text, AnnotatedText(TOKENS)).relations == RELATIONS
    with pytest.raises(ConfigurationError, match="token 2, 'because', .*'since'"):
        transfer(text, AnnotatedText([{"because": "since"}.get(token, token) for token in TOKENS]))


def test_tokens_may_be_mere_numbers(tmp_path):
    values = relations()
    for value in values:
        for part in ("Arg1", "Arg2", "Connective"):
            value[part]["TokenList"] = [token[2] for token in value[part]["TokenList"]]
    values[0]["Arg2"]["RawText"] = "she wasn't"
    del values[1]["Arg1"]["RawText"]
    (text,) = read(tmp_path, *values)
    assert text.relations == RELATIONS
    assert text.tokens[:6] == ["Mary", "left", "because", UNKNOWN, UNKNOWN, UNKNOWN]
    (tmp_path / "parses.json").write_text(FIXTURE.with_name("parses.json").read_text())
    assert read(tmp_path, *values) == list(read_conll_2016(str(FIXTURE)))


def change(values, path, value):
    for key in path[:-1]:
        values = values[key]
    values[path[-1]] = value


@pytest.mark.parametrize(
    "path, value, message",
    [
        (["Type"], "NoRel", 'found "NoRel" at Type, expected one of Explicit, Implicit, EntRel, AltLex'),
        (["Sense"], [], r"found \[\] at Sense, expected one or more senses"),
        (["Arg2", "TokenList"], [], "found .* at Arg2, expected an argument with a TokenList that is not"),
        (["Arg1", "TokenList"], [[0, 4]], r"found \[0, 4\] at Arg1.TokenList\[0\], expected a number or a"),
    ],
)
@pytest.mark.parametrize("parses", [False, True])
def test_malformed_relations_say_where(tmp_path, path, value, message, parses):
    if parses:
        (tmp_path / "parses.json").write_text(FIXTURE.with_name("parses.json").read_text())
    values = relations()
    change(values[1], path, value)
    with pytest.raises(ConfigurationError, match=f"relations.json, object 2: {message}"):
        read(tmp_path, *values)


def test_what_does_not_agree_says_where(tmp_path):
    values = relations()
    values[1]["Arg1"]["RawText"] = "John left she was ill"
    with pytest.raises(ConfigurationError, match="object 2: .* at Arg1, .*token 0 .*'Mary', .*'John'"):
        read(tmp_path, *values)
    parses = tmp_path / "parses.json"
    parses.write_text(FIXTURE.with_name("parses.json").read_text())
    change(values[2], ["Arg2", "TokenList"], [14])
    with pytest.raises(ConfigurationError, match=r"object 3: found 14 at Arg2.TokenList\[0\], .*0 to 13"):
        read(tmp_path, *values)
    change(values[2], ["DocID"], "made_0003")
    with pytest.raises(ConfigurationError, match='object 3: found "made_0003" at DocID'):
        read(tmp_path, *values)
    parses.write_text('{"made_0001": {"sentences": [{"words": [[]]}]}}')
    with pytest.raises(ConfigurationError, match=r"parses.json, object 1: .* made_0001.sentences\[0\].words"):
        read(tmp_path, *values)
