import csv
import json

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def few_questions(load, monkeypatch):
    long_files = load("long_files")
    sizes = {
        "annotated_cnn_dailymail": long_files.Size(120, 120, 40),
        "annotated_narrativeqa": long_files.Size(60, 10, 40),
    }
    monkeypatch.setattr(long_files, "SIZES", sizes)
    return long_files


def test_a_row_for_each_config(call, few_questions, tmp_path):
    path = tmp_path / "rows.json"
    arguments = ["--share", 0.2, "--instances-in-memory", 8, "--json", path]
    header, cnn, narrativeqa = call("epoch_memory", *arguments)
    assert header[:3] == ["config", "questions", "minutes"] and len(header) == 10
    assert cnn[:2] == ["cnn/ga_mage_gru_16", "24"] and narrativeqa[:2] == ["narrativeqa/dassa_coref_feats", "12"]
    for row in json.loads(path.read_text())["rows"]:
        samples = row["samples"]
        assert samples[-1][0] == row["questions"] and row["highest"] == max(resident for _, resident in samples)
        assert min(row["quarters"]) > 50 * 2**20


def test_texts_repeat_but_each_story_and_question_has_a_word_of_its_own(few_questions, monkeypatch, tmp_path):
    monkeypatch.setattr(few_questions, "TEXTS", 3)
    path, questions = few_questions.write("annotated_narrativeqa", tmp_path / "narrativeqa")
    assert (path, questions) == (str(tmp_path / "narrativeqa" / "train"), 60)
    with open(tmp_path / "narrativeqa" / "qaps.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["question"].split()[-1] for row in rows}) == 60 and len({row["document_id"] for row in rows}) == 10
    path, _ = few_questions.write("annotated_cnn_dailymail", tmp_path / "cnn")
    with open(path) as lines:
        words = [set(json.loads(line)["passage"].split()) for line in lines]
    for i, own in enumerate(words):
        assert len(own - words[(i + 3) % 120]) == 1
    assert len({few_questions.own_word(i) for i in range(2000)}) == 2000


def test_growth_is_that_of_the_second_half(load):
    epoch_memory = load("epoch_memory")
    resident = [5, 50, 90, 100, 107, 114, 121, 128]
    samples = [epoch_memory.Sample(2 * i, value) for i, value in enumerate(resident, start=1)]
    assert epoch_memory.slope(samples, 16) == pytest.approx(3.5)
    assert epoch_memory.quarters(samples, 16) == [27.5, 95, 110.5, 124.5]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["lambada/ga_gru"], "found the reader 'annotated_lambada', expected one of annotated_cnn_dailymail"),
        (["--share", "2"], "found '2', expected a number above 0, at most 1"),
        (["--share", "all"], "found 'all', expected a number above 0, at most 1"),
    ],
)
def test_what_is_wrong(fails, arguments, message):
    assert message in fails("epoch_memory", *arguments)
