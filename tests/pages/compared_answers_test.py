import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.pages.compared_answers import write_compared_answers
from tests.json_lines import write_lines
from tests.pages.parsed import parse

STORY = "Mary saw <Bill> . She left .".split()


def predicted(number, answer, **more):
    return {
        "id": f"q{number}",
        "answer": answer,
        "gold": "mary",
        "passage_tokens": STORY,
        "question_tokens": ["@begin", "who", f"left{number}", "?", "@end"],
        "clusters": [[[0, 1], [4, 5]], [[2, 3], [9, 10]]],
        "candidate_probabilities": {"Mary": 0.25, "<Bill>": 0.75},
        **more,
    }


GRU = [predicted(1, "<Bill>", warnings=["<i>Unsure</i>."]), predicted(2, "Mary"), predicted(3, None)]
ATTENTION = [0.5, 0.0, 0.25, 0.0, 0.25, 0.0, 0.0]
COREF = [predicted(1, "Mary", attention=ATTENTION), predicted(2, "Mary"), predicted(3, "x")]


@pytest.fixture
def write(tmp_path):
    def written(**predictions):
        return {name: str(write_lines(tmp_path / f"{name}.jsonl", of)) for name, of in predictions.items()}

    return written


def test_a_page_has_the_answers_of_all_readers(tmp_path, write):
    assert write_compared_answers(str(tmp_path / "pages"), write(GRU=GRU, Coref=COREF), limit=10) == 3
    page = parse((tmp_path / "pages" / "001.html").read_text())
    assert [heading.text for heading in page.all(tag="h1")] == ["who left1?"]
    first, second = page.all(tag="section")
    assert [one.all(tag="b")[0].text for one in (first, second)] == ["✗ <Bill>", "✓ Mary"]
    assert [one.text for one in first.all(of_class="warning")] == ["<i>Unsure</i>."]
    # Each reader's own answer is framed; where it is wrong, the right ones are marked in another way.
    assert [mark.text for mark in first.all(of_class="crc-answer")] == ["<Bill>"]
    assert [mark.text for mark in first.all(of_class="crc-gold")] == ["Mary"]
    assert [mark.text for mark in second.all(of_class="crc-answer")] == ["Mary"]
    assert not second.all(of_class="crc-gold")
    # Two entities, and those of their mentions that are in the passage.
    assert [mark.text for mark in first.all(of_class="crc-text")[0].all(of_class="crc-e1")] == ["Mary", "She"]
    assert [mark.text for mark in first.all(of_class="crc-text")[0].all(of_class="crc-e2")] == ["<Bill>"]
    # What counted for the answer colours the words of the reader that says so: a half is the largest weight
    # here.
    assert not first.all(of_class="crc-weighed")
    expected = ["--w:0.85", "--w:0.00", "--w:0.42"]
    assert [word.attributes["style"] for word in second.all(of_class="crc-w")][:3] == expected
    assert [row.text.split()[0] for row in first.all(of_class="bars")[0].all(tag="tr")] == ["<Bill>", "Mary"]


def test_the_index_and_its_pages_lead_to_each_other(tmp_path, write):
    write_compared_answers(str(tmp_path / "pages"), write(GRU=GRU, Coref=COREF), limit=2)
    index = parse((tmp_path / "pages" / "index.html").read_text())
    links = [link.attributes["href"] for link in index.all(tag="a")]
    assert links == ["001.html", "002.html"] and not (tmp_path / "pages" / "003.html").exists()
    expected = [["who left1?", "mary", "✗ <Bill>", "✓ Mary"], ["who left2?", "mary", "✓ Mary", "✓ Mary"]]
    assert [[cell.text for cell in row.all(tag="td")] for row in index.all(tag="tr")[1:]] == expected
    pages = [parse((tmp_path / "pages" / name).read_text()) for name in links]
    expected = [["index.html", "002.html"], ["001.html", "index.html"]]
    assert [[link.attributes["href"] for link in page.all(tag="a")] for page in pages] == expected


def test_questions_can_be_those_that_only_some_readers_answer(tmp_path, write, capsys):
    paths = write(GRU=GRU, Coref=COREF)
    named = [f"{name}={path}" for name, path in paths.items()]
    main(["draw", "answers", str(tmp_path / "pages"), *named, "--only-different"])
    # A progress bar is for terminals.
    assert capsys.readouterr() == (f"{tmp_path}/pages/index.html: 1 question to 2 readers\n", "")
    assert "who left1?" in (tmp_path / "pages" / "001.html").read_text()
    with pytest.raises(ConfigurationError, match="found no questions which only some readers answer"):
        write_compared_answers(str(tmp_path / "none"), {"a": paths["GRU"], "b": paths["GRU"]}, 10, True)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "predictions, message",
    [
        ({"GRU": GRU}, r"found one reader \(GRU\), expected two or more"),
        (
            {"GRU": GRU, "Coref": [*COREF[:2], {**COREF[2], "gold": None}]},
            r"Coref.jsonl, object 3: found no gold or answer_texts, expected a question",
        ),
    ],
)
def test_without_several_readers_and_right_answers_none_is_different(tmp_path, write, predictions, message):
    with pytest.raises(ConfigurationError, match=message):
        write_compared_answers(str(tmp_path / "pages"), write(**predictions), 10, only_different=True)
    assert not (tmp_path / "pages").exists()


def test_the_spans_of_one_answer_are_no_alternatives(tmp_path, write):
    """Predictions of Quoref: Mary alone is not all of the answer, whose case and articles do not count."""

    def of(answer, exact_match):
        return [predicted(1, answer, answer_texts=["Mary", "She"], exact_match=exact_match)]

    paths = write(
        one=of("Mary", 0.0),
        both=of("She, the mary", 1.0),
        alternatives=[predicted(1, "The she.", answer_texts=["she"])],
    )
    assert write_compared_answers(str(tmp_path / "pages"), paths, 10, only_different=True) == 1
    index = parse((tmp_path / "pages" / "index.html").read_text())
    (row,) = index.all(tag="tr")[1:]
    cells = [cell.text for cell in row.all(tag="td")]
    assert cells == ["who left1?", "Mary, She", "✗ Mary", "✓ She, the mary", "✓ The she."]
    assert index.all(of_class="note")[0].text == "1 question"
    page = parse((tmp_path / "pages" / "001.html").read_text())
    assert "Correct: Mary, She" in page.text
    # Both spans are marked where the answer is wrong.
    wrong = page.all(tag="section")[0]
    assert [mark.text for mark in wrong.all(of_class="crc-gold")] == ["Mary", "She"]


def test_without_ids_questions_are_the_same_if_their_texts_are(tmp_path, write):
    """One reader puts signs around questions, another does not, and has other tokens. A null is no id."""
    first = {key: value for key, value in GRU[0].items() if key != "id"}
    second = {**GRU[0], "id": None, "question_tokens": ["who", "left", "1", "?"]}
    assert write_compared_answers(str(tmp_path / "pages"), write(first=[first], second=[second]), 10) == 1
    for third in (COREF[0], {**first, "question_tokens": ["who", "left", "2", "?"]}):
        with pytest.raises(ConfigurationError, match=r"third.jsonl: .* number 1, expected .*\(id None\)"):
            write_compared_answers(str(tmp_path / "none"), write(first=[first], third=[third]), 10)


def test_without_right_answers_nothing_is_called_right_or_wrong(tmp_path, write):
    unlabelled = [{key: value for key, value in GRU[0].items() if key != "gold"}]
    write_compared_answers(str(tmp_path / "pages"), write(GRU=unlabelled), limit=10)
    (answer,) = (
        parse((tmp_path / "pages" / "001.html").read_text()).all(tag="section")[0].all(of_class="answer")
    )
    assert answer.text == "<Bill>" and "✗" not in (tmp_path / "pages" / "index.html").read_text()


@pytest.mark.parametrize(
    "other, message",
    [
        ([{**COREF[0], "id": "p1"}], r"Coref.jsonl: .*\(id 'p1'\) as number 1, expected .*GRU.*\(id 'q1'\)"),
        ([COREF[1], COREF[0], COREF[2]], r"Coref.jsonl: .*\(id 'q2'\) as number 1, expected what"),
        ([*COREF, predicted(4, "Mary")], r"GRU.jsonl: found nothing as number 4, expected .*Coref.jsonl"),
        ([{"answer": "Mary"}], r"Coref.jsonl, object 1: found no question_tokens, .* coref-rc predict"),
    ],
)
def test_readers_of_other_questions_are_refused_before_anything_is_written(tmp_path, write, other, message):
    with pytest.raises(ConfigurationError, match=message):
        write_compared_answers(str(tmp_path / "pages"), write(GRU=GRU, Coref=other), limit=10)
    assert not (tmp_path / "pages").exists()
