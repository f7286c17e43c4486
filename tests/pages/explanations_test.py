import json
from html.parser import HTMLParser

import numpy
import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.pages.attention_pictures import head_matrix
from allennlp_coref_rc.pages.explanations import window, write_explanation, write_explanations

GATING = {"kind": "gating", "side": "passage", "to": "question", "layer": 1}
SELF_BELIEF = {"kind": "self_belief", "side": "question", "to": "question"}

PREDICTION = {
    "answer": "<Mary>",
    "gold": "Bill",
    "candidate_probabilities": {"<Mary>": 0.75, "Bill": 0.25},
    "passage_tokens": ["<Mary>", "saw", "Bill"],
    "attention": [0.75, 0.0, 0.25],
    "question_tokens": ["@placeholder", "saw"],
    "explanations": [
        {**GATING, "weights": [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]},
        {**GATING, "side": "question", "to": "passage", "layer": 2, "weights": [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]},
        {**SELF_BELIEF, "weights": [[0.9, 0.1]]},
        {
            **SELF_BELIEF,
            "side": "passage",
            "to": "passage",
            "weights": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        },
    ],
}


PICTURES = (
    "passage_to_question_layer_1",
    "question_to_passage_layer_2",
    "question_self_belief",
    "passage_self_belief",
)


class Spans(HTMLParser):
    def __init__(self):
        super().__init__()
        self.spans, self.open = [], False

    def handle_starttag(self, tag, attributes):
        self.open = tag == "span"
        if self.open:
            self.style = dict(attributes)["style"]

    def handle_data(self, data):
        if self.open:
            self.spans.append((data, self.style))

    def handle_endtag(self, tag):
        self.open = False


def test_pages_and_pictures(tmp_path):
    plain = {key: value for key, value in PREDICTION.items() if key not in ("explanations", "gold")}
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps(prediction) + "\n" for prediction in (PREDICTION, plain, plain)))
    assert write_explanations(str(answers), str(tmp_path / "out"), limit=2) == 2
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        ["001.html", "002.html"] + [f"001_{name}.png" for name in PICTURES]
    )
    for path in (tmp_path / "out").glob("*.png"):
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    spans = Spans()
    spans.feed((tmp_path / "out" / "001.html").read_text())
    assert spans.spans[:3] == [
        ("<Mary>", "background: rgba(220, 40, 40, 1.000)"),
        ("saw", "background: rgba(220, 40, 40, 0.000)"),
        ("Bill", "background: rgba(220, 40, 40, 0.333)"),
    ]
    # A line for each of the four attentions: over 2, 3, 2 and 3 tokens.
    assert len(spans.spans) == 3 + 2 + 3 + 2 + 3


def head(application, side, scopes, weights, labels):
    return {
        "encoder": "modeling_layer",
        "side": side,
        "application": application,
        "block": 1,
        "annotation_layer": "srl",
        "view": 1,
        "labels": labels,
        "scopes": scopes,
        "weights": weights,
    }


class Heads(HTMLParser):
    def __init__(self):
        super().__init__()
        self.options, self.data, self.open = [], "", None

    def handle_starttag(self, tag, attributes):
        self.open = (tag, dict(attributes).get("id"))

    def handle_data(self, data):
        if self.open == ("script", "heads"):
            self.data += data
        elif self.open == ("option", None):
            self.options.append(data)

    def handle_endtag(self, tag):
        self.open = None


def test_annotated_heads_of_a_span_reader(tmp_path):
    length = 70
    weights = [[[1.0]], [[1 / (length - 1)] * (length - 1)] * (length - 1)]
    scopes = [[5], [token for token in range(length) if token != 5]]
    prediction = {
        "answer": "w60 </script>",
        "answer_texts": ["<b>", "w60"],
        "best_span": [60, 61],
        "passage_tokens": [f"w{i}" for i in range(61)] + ["</script>"] + [f"w{i}" for i in range(62, length)],
        "question_tokens": ["Who", "&"],
        "span_start_probs": [1 / length] * length,
        "annotated_heads": [
            head(1, "passage", scopes, weights, ["B-V"] + [""] * (length - 1)),
            head(2, "passage", scopes, weights, ["B-V"] + [""] * (length - 1)),
            head(1, "question", [[0], [1]], [[[1.0]], [[1.0]]], ["", ""]),
        ],
    }
    write_explanation(prediction, tmp_path, "1")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "1.html",
        "1_passage_srl_1_modeling_layer.png",
        "1_question_srl_1_modeling_layer.png",
    ]
    content = (tmp_path / "1.html").read_text()
    assert "correct: &lt;b&gt; / w60" in content
    heads = Heads()
    heads.feed(content)
    assert len(heads.options) == 3
    assert heads.options[1] == "passage, srl 1, modeling_layer, application 2, block 1"
    for found, expected in zip(json.loads(heads.data), prediction["annotated_heads"]):
        assert found == {**expected, "tokens": prediction[f"{expected['side']}_tokens"]}


def test_the_picture_of_a_head_shows_the_scopes_around_the_answer():
    shown = window({"best_span": [60, 61]}, 70)
    assert shown == (10, 70)
    assert window({"attention": [0.0] * 100 + [1.0] + [0.0] * 99}, 200) == (70, 130)
    assert window({"best_span": [2, 2]}, 9) == (0, 9)
    scopes, weights = [[0, 2, 4], [1, 3]], [[[0.5, 0.3, 0.2]] * 2 + [[0.1, 0.2, 0.7]], [[0.9, 0.1], [0.4, 0.6]]]
    matrix = head_matrix(head(1, "passage", scopes, weights, [""] * 5), 1, 5)
    nan = float("nan")
    expected = [[0.9, nan, 0.1, nan], [nan, 0.3, nan, 0.2], [0.4, nan, 0.6, nan], [nan, 0.2, nan, 0.7]]
    numpy.testing.assert_array_equal(matrix, expected)


@pytest.mark.parametrize(
    "line, message",
    [
        (json.dumps(PREDICTION)[:-20], "line [23]: found damaged JSON .*, expected an object"),
        ("3", "line 2: found '3.*, expected an object"),
        (
            json.dumps({**PREDICTION, "question": ""}).replace("question_tokens", "q"),
            "without question_tokens, expected",
        ),
        (
            json.dumps({**PREDICTION, "explanations": {"question_self_belief": [[1.0]]}}),
            "line 2.*: found question_self_belief among its explanations, "
            "expected an object with kind, side, to, weights",
        ),
    ],
)
def test_what_is_no_prediction_is_refused(tmp_path, line, message):
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps(PREDICTION) + "\n" + line + "\n")
    for path, found in ((answers, message), (tmp_path / "absent.jsonl", "no such file")):
        with pytest.raises(ConfigurationError, match=found):
            write_explanations(str(path), str(tmp_path / "out"), limit=20)
        assert not (tmp_path / "out").exists()
