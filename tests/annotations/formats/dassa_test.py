import copy
import json
import logging
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation, Frame
from allennlp_coref_rc.annotations.formats import annotated_text_from_dassa, read_dassa
from allennlp_coref_rc.common.json_value import JsonValue

FIXTURE = Path(__file__).parents[2] / "fixtures" / "formats" / "dassa.jsonl"


def parse():
    return json.loads(FIXTURE.read_text().splitlines()[0])["summary_parse"]


def test_a_file_gives_summaries_and_questions():
    summary, question, other = read_dassa(str(FIXTURE))
    assert summary == AnnotatedText(
        "Mary left because she was tired . John did n't".split() + ["\n", "sleep", "."],
        sentences=[(0, 7), (7, 13)],
        clusters=[[(0, 1), (3, 4)]],
        frames=[
            Frame((1, 2), [("ARG0", (0, 1)), ("ARGM-CAU", (2, 6))]),
            Frame((4, 5), [("ARG1", (3, 4)), ("ARG2", (5, 6))]),
            # Its words lack the token of white space, so that they are aligned.
            Frame((11, 12), [("ARG0", (7, 8)), ("ARGM-NEG", (9, 10))]),
        ],
        relations=[
            DiscourseRelation("Explicit", "Contingency.Cause.Reason", [(0, 2)], [(3, 6)], [(2, 3)]),
            DiscourseRelation("Implicit", "Expansion.Conjunction", [(0, 7)], [(7, 13)]),
        ],
        id="d1",
    )
    expected = AnnotatedText(["Who", "left", "?"], frames=[Frame((1, 2), [("ARG0", (0, 1))])], id="d1##000")
    assert question == expected
    assert other == AnnotatedText(["Nothing", "."], id="d2")


def test_frames_that_do_not_fit_are_left_out_and_counted(caplog):
    value = parse()
    value["sentences"][1]["srl"] = {
        "words": ["John", "does", "n't", "sleep", "well", ",", "."],
        "verbs": [
            {"tags": ["B-ARG0", "O", "O", "B-V", "O", "O", "O"]},
            {"tags": ["B-V"]},
            {"tags": ["O"] * 6},
        ],
    }
    value["sdp"][0]["Arg2"]["Span"] = []
    with caplog.at_level(logging.WARNING):
        text = annotated_text_from_dassa(JsonValue(value))
    assert len(text.frames) == 2 and len(text.relations) == 1
    assert "3 of 5 frames left out" in caplog.text and "1 of 2 discourse relations left out" in caplog.text


def test_words_that_are_finer_than_tokens_are_aligned():
    value = {
        "sentences": [
            {"tokens": []},
            {"tokens": ["(", "don't", ")"], "srl": {"words": ["-LRB-", "do", "n't", "-RRB-"], "verbs": [{}]}},
        ]
    }
    value["sentences"][1]["srl"]["verbs"][0]["tags"] = ["B-ARG0", "B-V", "B-ARGM-NEG", "O"]
    text = annotated_text_from_dassa(JsonValue(value))
    assert text.frames == [Frame((1, 2), [("ARG0", (0, 1)), ("ARGM-NEG", (1, 2))])]
    assert text.sentences == [(0, 3)]


@pytest.mark.parametrize(
    "path, value, message",
    [
        (["sentences"], None, r"found null at sentences, expected a list"),
        (["sentences", 0, "tokens", 1], 3, r"found 3 at sentences\[0\].tokens\[1\], expected a string"),
        (["sentences", 0, "srl", "verbs", 1, "tags"], [1], r"found 1 at sentences\[0\].srl.verbs\[1\].tags"),
        (["coref_clusters", 0, "mentions", 1, "end"], 14, r"found 14 at .*mentions\[1\].end, .*, 4 to 13"),
        (["sdp", 0, "Type"], "Explict", r'found "Explict" at sdp\[0\].Type, expected one of Explicit'),
        (["sdp", 0, "Arg1", "Span"], [2, 2], r"found \[2, 2\] at sdp\[0\].Arg1.Span, expected"),
    ],
)
def test_malformed_parses_say_where(tmp_path, path, value, message):
    wrong = copy.deepcopy(parse())
    inner = wrong
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(ConfigurationError, match=f"^{message}"):
        annotated_text_from_dassa(JsonValue(wrong))
    file = tmp_path / "a.jsonl"
    file.write_text("{}\n".replace("{}", json.dumps({"summary_parse": wrong})))
    with pytest.raises(ConfigurationError, match="a.jsonl, object 1: found .* at summary_parse."):
        list(read_dassa(str(file)))
