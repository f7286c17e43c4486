import base64
import json
import math

import numpy
import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.pages.attention_pictures import head_matrix, shown
from allennlp_coref_rc.pages.compared_answers import write_compared_answers
from allennlp_coref_rc.pages.explanations import page as explanation_page
from allennlp_coref_rc.pages.explanations import write_explanations
from allennlp_coref_rc.pages.packed_attention import AttentionMap, Block
from allennlp_coref_rc.pages.predictions import has_right_answer
from tests.json_lines import write_lines
from tests.pages.parsed import parse

GATING = {"kind": "gating", "side": "passage", "to": "question", "layer": 1}
SELF_BELIEF = {"kind": "self_belief", "side": "question", "to": "question"}

PREDICTION = {
    "answer": "<Mary>",
    "gold": "Bill",
    "warnings": ["<b>Unsure</b>."],
    "candidate_probabilities": {"Bill": 0.25, "<Mary>": 0.75},
    "passage_tokens": ["<Mary>", "saw", "Bill", "."],
    "attention": [0.75, 0.0, 0.25, 0.0],
    "question_tokens": ["@begin", "@placeholder", "saw", "@end"],
    "clusters": [[[0, 1], [5, 6]]],
    "explanations": [
        {**GATING, "weights": [[0.5, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.25] * 4]},
        {
            **GATING,
            "side": "question",
            "to": "passage",
            "layer": 2,
            "weights": [[0.5, 0.25, 0.25, 0.0], [0.0, 1.0, 0.0, 0.0], [0.001, 0.01, 0.1, 0.889], [0.25] * 4],
        },
        {**SELF_BELIEF, "weights": [[0.9, 0.1, 0.0, 0.0]]},
        {**SELF_BELIEF, "side": "passage", "to": "passage", "weights": numpy.eye(4).tolist()},
    ],
}


def head(application, side, scopes, weights, labels):
    place = {"encoder": "modeling_layer", "side": side, "application": application, "block": 0}
    seen = {"annotation_layer": "srl", "view": 1, "labels": labels, "scopes": scopes}
    return {**place, **seen, "weights": weights}


def explained(**changed):
    return {"explanations": [{**PREDICTION["explanations"][0], **changed}]}


def headed(**changed):
    return {"annotated_heads": [{**head(1, "passage", [[0, 1]], [[[0.5, 0.5]] * 2], ["", ""]), **changed}]}


def data_of(page):
    (script,) = page.all(tag="script", id="data")
    return json.loads(script.text)


def unpacked(values):
    return numpy.frombuffer(base64.b64decode(values["values"]), "u1") * values["most"] / 255


def stored_rows(values, width):
    """The weights of a packed map as a matrix, read as its docstring says; 0 where none is stored."""
    scales, columns = (
        numpy.frombuffer(base64.b64decode(values[key]), "<u2") for key in ("scales", "columns")
    )
    counts, weights = (numpy.frombuffer(base64.b64decode(values[key]), "u1") for key in ("counts", "weights"))
    matrix, at = numpy.zeros((len(counts), width)), 0
    for row, count in enumerate(counts):
        for _ in range(count):
            matrix[row, columns[at]] = scales[row] / 65535 * weights[at] / 255
            at += 1
    assert at == len(columns) == len(weights)
    return matrix


def test_pages_and_pictures(tmp_path):
    plain = {key: value for key, value in PREDICTION.items() if key not in ("explanations", "gold")}
    answers = write_lines(tmp_path / "answers.jsonl", [PREDICTION, plain, plain])
    assert write_explanations(str(answers), str(tmp_path / "out"), limit=2) == 2
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["001.html", "002.html"]
    page = parse((tmp_path / "out" / "001.html").read_text())
    passage, question = (page.all(id=name)[0].all(of_class="crc-w") for name in ("passage", "question"))
    assert [word.text for word in passage] == ["<Mary>", "saw", "Bill", "."]
    assert [word.text for word in question] == ["[start]", "_____", "saw", "[end]"]
    assert page.all(tag="h1")[0].text == page.all(tag="title")[0].text == "_____ saw"
    assert [mention.text for mention in page.all(of_class="crc-e1")] == ["_____", "<Mary>", "<Mary>"]
    assert [mark.text for mark in page.all(of_class="crc-answer")] == ["<Mary>"]
    assert [mark.text for mark in page.all(of_class="crc-gold")] == ["Bill"]
    assert "correct: Bill" in page.text
    assert [warning.text for warning in page.all(of_class="warning")] == ["<b>Unsure</b>."]
    rows = page.all(of_class="bars")[0].all(tag="tr")
    bars = [[cell.text.strip() for cell in row.all(tag="td")] for row in rows]
    assert bars == [["<Mary>", "", "75.0 %"], ["Bill", "", "25.0 %"]]
    assert [bar.attributes["style"] for bar in page.all(of_class="bar")] == ["width:75.0%", "width:25.0%"]

    data = data_of(page)
    assert [(view["title"], [step["name"] for step in view["steps"]]) for view in data["views"]] == [
        ("Answer", [""]),
        ("Passage reads question", ["layer 1"]),
        ("Question reads passage", ["layer 2"]),
        ("Self-belief of the question", [""]),
        ("Self-belief of the passage", [""]),
    ]
    assert unpacked(data["scores"][0]) == pytest.approx(PREDICTION["attention"], abs=0.75 / 510)
    for values, attention in zip(data["maps"], PREDICTION["explanations"]):
        weights = numpy.array(attention["weights"])
        assert unpacked(values["average"]) == pytest.approx(weights.mean(axis=0), abs=1 / 510)
        # That of the question at its cloze is one row, for all of its tokens.
        assert ("counts" in values) == (len(weights) > 1)
        if len(weights) > 1:
            assert stored_rows(values, weights.shape[1]) == pytest.approx(weights, abs=1 / 500)
    assert not data_of(parse((tmp_path / "out" / "002.html").read_text()))["maps"]


@pytest.mark.slow
def test_pictures_are_drawn_where_they_are_asked_for(tmp_path):
    answers = tmp_path / "answers.jsonl"
    weights = [[[1.0]], [[1 / 3] * 3] * 3]
    heads = [head(number, "passage", [[1], [0, 2, 3]], weights, ["B-V", "", "", ""]) for number in (1, 2)]
    prediction = {**PREDICTION, "explanations": PREDICTION["explanations"][2:3], "annotated_heads": heads}
    answers.write_text(json.dumps(prediction))
    assert write_explanations(str(answers), str(tmp_path / "out"), limit=1, pictures=True) == 1
    pictures = sorted((tmp_path / "out").glob("*.png"))
    expected = ["001_self_belief_of_the_question.png", "001_semantic_roles.png"]
    assert [path.name for path in pictures] == expected
    for path in pictures:
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        # 7 inches at 200 dots an inch, less the margins that are cut off.
        width = int.from_bytes(path.read_bytes()[16:20], "big")
        assert 1200 < width < 1500


def dassa_prediction(length, heads, applications, scope):
    """As a `dassa` reader writes it, with random weights."""
    rng = numpy.random.default_rng(1)
    scopes = [list(range(start, min(length, start + scope))) for start in range(0, length, scope)]
    labels = ["B-ARG0" if i % 7 == 0 else "I-ARG0" if i % 7 < 3 else "" for i in range(length)]
    weights = []
    for tokens in scopes:
        random = rng.random((len(tokens), len(tokens))) ** 8
        weights.append((random / random.sum(axis=1, keepdims=True)).round(4).tolist())
    probabilities = [1 / length] * length
    return {
        "answer": "w5",
        "answer_texts": ["w5 </script>", "x"],
        "best_span": [length // 2, length // 2 + 1],
        "passage_tokens": [f"w{i % 50}" if i % 25 else "." for i in range(length - 1)]
        + ["</script><script>"],
        "question_tokens": ["Who", "&", "<b>"],
        "clusters": [[[i, i + 2], [i + 100, i + 101]] for i in range(1, length - 110, 9)],
        "span_start_probs": probabilities,
        "span_end_probs": probabilities,
        "annotated_heads": [
            {**head(application, "passage", scopes, weights, labels), "view": view + 1}
            for view in range(heads)
            for application in range(1, applications + 1)
        ],
    }


@pytest.mark.slow
def test_a_page_of_a_long_passage_is_small_and_right():
    """Of two heads that are applied three times, with 1,000 tokens that all see each other."""
    prediction = dassa_prediction(1000, 2, 3, 1000)
    content = explanation_page(prediction)
    assert len(content.encode()) <= 500_000
    page = parse(content)
    expected = prediction["passage_tokens"]
    assert [word.text for word in page.all(id="passage")[0].all(of_class="crc-w")] == expected
    # No element of the page comes from its texts, and it loads nothing.
    assert not page.all(tag="b")[1:] and len(page.all(tag="script")) == 2
    assert "http" not in content and "src=" not in content and "url(" not in content
    assert page.all(of_class="wrong")[0].text == "✗ correct: w5 </script> / x"
    data = data_of(page)
    assert [view["title"] for view in data["views"][2:]] == [f"Semantic roles {n}" for n in (1, 2)]
    assert [step["name"] for step in data["views"][2]["steps"]] == ["pass 1", "pass 2", "pass 3"]
    assert data["labels"] == [prediction["annotated_heads"][0]["labels"]]
    weights = numpy.array(prediction["annotated_heads"][0]["weights"][0])
    # Six maps of 1,000 rows have room for few weights of each, but those are the largest.
    for values in (data["maps"][0], data["maps"][-1]):
        stored = stored_rows(values, 1000)
        number = (stored > 0).sum(axis=1)
        assert number.min() == number.max() >= 3
        largest = numpy.sort(weights, axis=1)[:, -number[0]]
        assert (weights[stored > 0] >= numpy.repeat(largest, number[0])).all()
        assert abs(stored - weights)[stored > 0].max() <= weights.max() / 500
        found = unpacked(values["average"])
        assert found == pytest.approx(weights.mean(axis=0), abs=weights.mean(axis=0).max() / 500)
    assert "Only the largest weights of each word are stored" in page.text


def test_an_answer_of_several_spans_is_framed_where_nothing_else_is_known():
    tokens = "Ann and Bob saw Ann .".split()
    values = {"answer": "Ann, Bob", "best_spans": [[0, 0], [2, 2]], "question_tokens": ["Who"]}
    values["passage_tokens"] = tokens
    page = parse(explanation_page(values))
    assert [mark.text for mark in page.all(of_class="crc-answer")] == ["Ann", "Bob"]
    assert not page.all(id="views") and not page.all(of_class="bars")


def test_a_score_of_the_prediction_decides_what_is_right():
    question = {"passage_tokens": ["Ann", "and", "Bob"], "question_tokens": ["Who"]}
    question["answer_texts"] = ["Ann", "Bob"]
    for answer, exact_match in (("Ann", 0.0), ("Bob, Ann", 1.0), ("Ann, Bob", 1.0)):
        prediction = {**question, "answer": answer, "exact_match": exact_match}
        assert has_right_answer(prediction) == bool(exact_match)
        expected = "✓ correct" if exact_match else "✗ correct: Ann, Bob"
        assert expected in parse(explanation_page(prediction)).text


def test_scopes_are_told_apart():
    page = parse(explanation_page(dassa_prediction(150, 1, 1, 50)))
    data = data_of(page)
    assert data["maps"][0]["scopes"] == 0
    assert data["scopes"] == [[1] * 50 + [2] * 50 + [3] * 50]
    assert "Only the largest weights of each word are stored" not in page.text


def test_a_picture_shows_the_tokens_around_the_answer():
    def of(**values):
        return shown("passage", {"passage_tokens": ["w"] * 200, **values})

    assert of(best_span=[60, 61]) == of(best_spans=[[60, 61], [150, 150]]) == (40, 80)
    assert of(attention=[0.0] * 199 + [1.0]) == (160, 200)
    assert of(best_span=[2, 2]) == (0, 40)
    scopes = [[0, 2, 4], [1, 3]]
    weights = [[[0.5, 0.3, 0.2]] * 2 + [[0.1, 0.2, 0.7]], [[0.9, 0.1], [0.4, 0.6]]]
    blocks = [Block(scope, scope, numpy.array(values)) for scope, values in zip(scopes, weights)]
    nan = float("nan")
    expected = [[0.9, nan, 0.1, nan], [nan, 0.3, nan, 0.2], [0.4, nan, 0.6, nan], [nan, 0.2, nan, 0.7]]
    numpy.testing.assert_array_equal(head_matrix(AttentionMap(5, 5, blocks))[1:, 1:], expected)


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"attention": [0.5, 0.5]}, "found 2 numbers at attention, expected one for each of the 4 pass"),
        ({"attention": [0.5, 0.5, None, 0]}, r"found null at attention\[2\], expected a number, 0 or more"),
        ({"span_end_probs": [1, -1, 0, 1]}, r"found -1 at span_end_probs\[1\], expected a number, 0 or more"),
        ({"answer_texts": [1]}, r"found 1 at answer_texts\[0\], expected a string"),
        ({"exact_match": "yes"}, 'found "yes" at exact_match, expected a number, 0 to 1'),
        ({"passage_tokens": None}, "found null at passage_tokens, expected a list"),
        ({"candidate_probabilities": {"a": "b"}}, 'found "b" at candidate_probabilities.a, expected a numb'),
        ({"best_span": [3, 4]}, r"found \[3, 4\] at best_span, expected \[first, last\] with .* < 4"),
        ({"best_spans": [[0, 0], [2, 1]]}, r"found \[2, 1\] at best_spans\[1\], expected \[first, last\]"),
        ({"clusters": [[[7, 9]]]}, r"found 9 at clusters\[0\]\[0\]\[1\], expected an integer, 0 to 8"),
        ({"explanations": [3]}, r"found 3 at explanations\[0\], expected an object with the key 'kind'"),
        (explained(weights="abc"), r'found "abc" at explanations\[0\].weights, expected 4 lists of 4 or 1'),
        (explained(weights=[[0.5] * 4, [0.5]]), r"found .* at explanations\[0\].weights, expected 4 lists"),
        (explained(weights=[[0.5, 0.5, 0.5, -1]]), r"found .* at explanations\[0\].weights, .*, 0 or more"),
        (explained(weights=[[0.5, 0.5, 0.5, math.nan]]), r"found .* at explanations\[0\].weights, .*, 0 or"),
        (explained(side="answer"), r'found "answer" at explanations\[0\].side, expected one of passage'),
        (headed(weights=[]), r"found \[\] at annotated_heads\[0\].weights, expected one list for each of"),
        (headed(weights=[[["x"]]]), r"found .* at annotated_heads\[0\].weights\[0\], expected 2"),
        (headed(scopes=[[0, 4]]), r"found 4 at annotated_heads\[0\].scopes\[0\]\[1\], expected an integer"),
    ],
)
def test_damaged_values_are_refused(tmp_path, changed, message):
    answers = write_lines(tmp_path / "answers.jsonl", [PREDICTION, {**PREDICTION, **changed}])
    place = f"{answers}, object 2: "
    for write in (
        write_explanations,
        lambda path, folder, limit: write_compared_answers(folder, {"a": path}, limit),
    ):
        with pytest.raises(ConfigurationError, match=f"^{place}{message}"):
            write(str(answers), str(tmp_path / "out"), limit=20)
    assert not (tmp_path / "out").exists()


def test_what_says_nothing_can_be_null(tmp_path):
    nothing = dict.fromkeys(("answer", "answer_texts", "gold", "unanswered", "warnings", "clusters"))
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({**PREDICTION, **nothing}))
    assert write_explanations(str(answers), str(tmp_path / "out"), limit=1) == 1
    assert "correct" not in parse((tmp_path / "out" / "001.html").read_text()).all(of_class="answer")[0].text
