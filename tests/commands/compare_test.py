import json

import pytest

from allennlp_coref_rc.__main__ import main


def call(*arguments):
    main(["compare", *map(str, arguments)])


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    for shift, path in enumerate(paths):
        questions = (
            {"id": i, "correct": i % 10 > 4 * shift, "rouge_l": i / 100 - shift / 10} for i in range(60)
        )
        path.write_text("".join(json.dumps(question) + "\n" for question in questions))
    return paths


def test_right_and_wrong_answers_are_compared(files, capsys):
    call(*files)
    result = json.loads(capsys.readouterr().out)
    # Of ten questions the first has 9 right and the second 5 of these.
    assert (result["questions"], result["only_first"], result["only_second"]) == (60, 24, 0)
    assert result["exact"] == pytest.approx(2 * 0.5**24)


def test_exact_matches_are_right_answers(files, capsys):
    for path in files:
        path.write_text(path.read_text().replace("correct", "exact_match"))
    call(*files)
    assert json.loads(capsys.readouterr().out)["only_first"] == 24


def test_half_an_answer_is_not_right(files, capsys):
    """As on pages and in files of results."""
    for path, score in zip(files, (1, 0.5)):
        path.write_text(json.dumps({"id": 1, "correct": score}))
    call(*files)
    result = json.loads(capsys.readouterr().out)
    assert (result["only_first"], result["only_second"]) == (1, 0)


def test_scores_are_compared(files, capsys):
    call(*files, "--score", "rouge_l", "--samples", 200)
    result = json.loads(capsys.readouterr().out)
    assert result["difference"] == pytest.approx(0.1)
    assert result["p"] == pytest.approx(2 / 201)


def refusal(capsys, *arguments):
    """The text on the screen after arguments that cannot be used."""
    with pytest.raises(SystemExit) as stop:
        call(*arguments)
    assert stop.value.code == 2
    return capsys.readouterr().err


def test_what_is_wrong_is_said_in_a_line(files, capsys):
    expected = "first.jsonl, line 1, object 1: found None as bleu, expected a number"
    assert expected in refusal(capsys, *files, "--score", "bleu")
    assert "absent.jsonl: no such file" in refusal(capsys, files[0], "absent.jsonl")
    assert "found 1 files of predictions, expected two" in refusal(capsys, files[0])
    for option, value in (("--samples", 0), ("--seed", -1)):
        assert f"{option}: found {value}, expected" in refusal(
            capsys, *files, "--score", "rouge_l", option, value
        )
