import json
import sys

import pytest

from tests.scripts.scripts import load_script

compare_predictions = load_script("compare_predictions")


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["compare_predictions.py", *map(str, arguments)])
    compare_predictions.main()


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    for shift, path in enumerate(paths):
        questions = ({"id": i, "correct": i % 10 > 4 * shift, "rouge_l": i / 100 - shift / 10} for i in range(60))
        path.write_text("".join(json.dumps(question) + "\n" for question in questions))
    return paths


def test_right_and_wrong_answers_are_compared(files, monkeypatch, capsys):
    call(monkeypatch, *files)
    result = json.loads(capsys.readouterr().out)
    # Of ten questions the first has 9 right and the second 5 of these.
    assert (result["questions"], result["only_first"], result["only_second"]) == (60, 24, 0)
    assert result["exact"] == pytest.approx(2 * 0.5**24)


def test_scores_are_compared(files, monkeypatch, capsys):
    call(monkeypatch, *files, "--score", "rouge_l", "--samples", 200)
    result = json.loads(capsys.readouterr().out)
    assert result["difference"] == pytest.approx(0.1)
    assert result["p"] == pytest.approx(2 / 201)


def test_what_is_wrong_is_said_in_a_line(files, monkeypatch):
    with pytest.raises(SystemExit, match="first.jsonl, line 1, object 1: found None as bleu, expected a number"):
        call(monkeypatch, *files, "--score", "bleu")
    with pytest.raises(SystemExit, match="absent.jsonl: no such file"):
        call(monkeypatch, files[0], "absent.jsonl")
    for wrong in (["--samples", 0], ["--seed", -1]):
        with pytest.raises(SystemExit, match="expected 1 and 0 or more"):
            call(monkeypatch, *files, "--score", "rouge_l", *wrong)
