import json
import re

import pytest

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.reproduction.significance import Scored, read_scores
from tests.json_lines import write_lines
from tests.safe_archives.crafted import refusal


def call(output, *predictions):
    main(["compare", "--ensemble", str(output), *map(str, predictions)])


def write(path, *predictions):
    keys = ("id", "gold", "candidate_probabilities")
    return write_lines(path, (dict(zip(keys, values)) for values in predictions))


@pytest.fixture
def files(tmp_path):
    return [
        write(
            tmp_path / "1", ("a", "Milk", {"milk": 0.4, "apple": 0.6}), ("b", "yes", {"yes": 0.1, "no": 0.9})
        ),
        write(
            tmp_path / "2", ("a", "Milk", {"apple": 0.3, "milk": 0.7}), ("b", "yes", {"yes": 0.6, "no": 0.4})
        ),
        write(
            tmp_path / "3", ("a", "Milk", {"cup": 0.5, "MILK": 0.5}), ("b", "yes", {"no": 0.5, "yes": 0.5})
        ),
    ]


def test_the_candidate_of_the_highest_mean_probability_is_the_answer(files, tmp_path, capsys):
    output = tmp_path / "ensemble.jsonl"
    call(output, *files)
    printed = capsys.readouterr().out
    assert printed == f"accuracy 0.500 (1 of 2 questions)\n{output}: the predictions of 3 readers together\n"
    first, second = map(json.loads, output.read_text().splitlines())
    assert (first["id"], first["answer"], first["correct"]) == ("a", "milk", True)
    assert first["candidate_probabilities"] == pytest.approx({"milk": 1.6 / 3, "apple": 0.3, "cup": 0.5 / 3})
    assert (second["answer"], second["gold"], second["correct"]) == ("no", "yes", False)
    assert read_scores(str(output)) == [Scored("a", 1.0, "Milk"), Scored("b", 0.0, "yes")]
    # The readers' files may come by a pattern, and have names.
    call(tmp_path / "named.jsonl", f"GRU={tmp_path}/[123]")
    assert (tmp_path / "named.jsonl").read_text() == output.read_text()
    # With a single reader, the answers are those of that reader.
    call(output, files[0])
    assert [json.loads(line)["answer"] for line in output.read_text().splitlines()] == ["apple", "no"]


def test_readers_that_have_no_answer_have_none_together(tmp_path):
    """No candidate occurs in the passage. The gold answer may still be the word "none"."""
    prediction = {
        "id": "a",
        "answer": None,
        "gold": "none",
        "candidate_probabilities": {"none": 1e-7, "one": 1e-7},
    }
    paths = [tmp_path / name for name in ("1", "2")]
    for path in paths:
        path.write_text(json.dumps(prediction) + "\n")
    call(tmp_path / "ensemble.jsonl", *paths)
    together = json.loads((tmp_path / "ensemble.jsonl").read_text())
    assert together == {**prediction, "correct": False}
    assert read_scores(str(paths[0])) == [Scored("a", 0.0, "none")]
    # If one of them has an answer, it counts.
    paths[0].write_text(
        json.dumps({**prediction, "answer": "one", "candidate_probabilities": {"one": 0.9}}) + "\n"
    )
    call(tmp_path / "ensemble.jsonl", *paths)
    assert json.loads((tmp_path / "ensemble.jsonl").read_text())["answer"] == "one"


@pytest.mark.parametrize(
    "predictions, message",
    [
        ([("a", "Milk", {"milk": 1})], "other: found nothing as number 2, expected what .*1 has there"),
        ([("a", "Milk", {"milk": 1}), ("c", "yes", {"no": 1})], "found the question 'c' with the answer"),
        ([("a", "Milk", {"milk": float("nan")})], "other, object 1: found {'milk': nan} as candid"),
        ([("a", None, {"milk": 1})], "other, object 1: found no gold answer"),
    ],
)
def test_other_files_are_refused_and_nothing_is_written(files, tmp_path, capsys, predictions, message):
    output, other = tmp_path / "ensemble.jsonl", write(tmp_path / "other", *predictions)
    assert re.search(message, refusal(capsys, "compare", "--ensemble", output, files[0], other))
    assert not output.exists()


def test_spellings_of_a_candidate_do_not_add_up(tmp_path):
    spelt = {"Mary": 0.3, "mary": 0.3, "john": 0.5}
    paths = [write(tmp_path / name, ("a", "john", spelt)) for name in "12"]
    call(tmp_path / "ensemble.jsonl", *paths)
    assert json.loads((tmp_path / "ensemble.jsonl").read_text())["answer"] == "john"


def test_a_file_counts_once(files, tmp_path, capsys):
    error = refusal(capsys, "compare", "--ensemble", tmp_path / "out", f"A={files[0]}", f"B={files[0]}")
    assert f"{files[0]}: found it twice, expected every reader once" in error


def test_a_file_of_predictions_is_not_overwritten(files, capsys):
    before, output = files[1].read_text(), files[1].parent / "." / files[1].name
    error = refusal(capsys, "compare", "--ensemble", output, *files)
    assert "found one of the FILEs, expected another file" in error
    assert files[1].read_text() == before
