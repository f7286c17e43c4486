"""`coref-rc predict` answers every line that it can, and says why it cannot answer the others."""

import gzip
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import pytest

from allennlp_coref_rc.common.files import partial_path
from allennlp_coref_rc.predictors import ClozeReaderPredictor
from tests.archives import untrained_archive
from tests.json_lines import read_lines, write_lines
from tests.stops import files_of_at_most, status_of
from tests.training_config.configs import BABI as FILES

pytestmark = pytest.mark.slow

GOOD = [
    {"passage": "Bill went to the park.", "question": "Where is Bill?", "candidates": ["park"]},
    {"passage": "Fred took the milk. Fred went to the office.", "question": "Where is the milk?"},
    {"passage": "Julie is in the school.", "question": "Where is Julie?"},
]

BAD = {
    b"{": "found damaged JSON",
    b"[1]": "found [1], expected an object",
    b'{"passage": [[1]], "question": "a"}': "found 1 at passage[0][0], expected a string",
    b'{"passage": "", "question": "a"}': "found an empty passage",
    b'{"passage": "\\ud800", "question": "a"}': "found half of a surrogate pair",
    b'{"passage": "\xff", "question": "a"}': "found the byte 0xff, which is not UTF-8",
    b"[" * 100_000: "found damaged JSON",
}
"""Lines of input, and the messages about them."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return untrained_archive(tmp_path_factory.mktemp("archives") / "model")


def predict(*arguments):
    """The exit status."""
    return status_of(["predict", *arguments])


def mixed():
    """Good lines with bad ones and a blank one between them, and the numbers of the bad lines."""
    good = [json.dumps(values).encode() for values in GOOD]
    bad = list(BAD)
    lines = [*bad[:2], good[0], b" ", good[1], *bad[2:5], good[2], *bad[5:]]
    numbers = [i for i, line in enumerate(lines, start=1) if line in BAD]
    return b"".join(line + b"\n" for line in lines), numbers


@pytest.mark.parametrize("batch_size, name", [(1, "questions.jsonl"), (100, "questions.jsonl.gz")])
def test_bad_lines_are_set_aside_and_all_others_answered(archive, tmp_path, capsys, batch_size, name):
    content, numbers = mixed()
    inputs, output, alone = tmp_path / name, tmp_path / "answers.jsonl", tmp_path / "alone.jsonl"
    inputs.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert predict(archive, inputs, "--output-file", output, "--batch-size", batch_size) == 1
    captured = capsys.readouterr()
    assert captured.out == f"{output}: 3 predictions\n"
    assert captured.err.startswith("WARNING: 7 of 10 lines could not be answered")
    failed = read_lines(tmp_path / "answers.jsonl.failed.jsonl")
    assert [item["line"] for item in failed] == numbers
    assert {item["file"] for item in failed} == {str(inputs)}
    for item, (line, message) in zip(failed, BAD.items()):
        assert item["error"].startswith(message) and "traceback" not in item
        assert item["input"].encode() == line.replace(b"\xff", b"\\xff")

    assert predict(archive, write_lines(tmp_path / "good.jsonl", GOOD), "--output-file", alone) == 0
    for found, expected in zip(read_lines(output), read_lines(alone), strict=True):
        assert found["answer"] == expected["answer"] and found["passage_tokens"] == expected["passage_tokens"]
        wanted = expected["candidate_probabilities"]
        assert found["candidate_probabilities"] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("batch_size", [1, 100])
def test_an_answer_has_the_id_of_its_question(archive, tmp_path, batch_size):
    lines = [{**GOOD[0], "id": "a"}, {"id": "bad"}, GOOD[1], {**GOOD[2], "id": 3}]
    inputs, output = write_lines(tmp_path / "questions.jsonl", lines), tmp_path / "answers.jsonl"
    assert predict(archive, inputs, "--output-file", output, "--batch-size", batch_size) == 1
    assert [answer.get("id") for answer in read_lines(output)] == ["a", None, 3]


def test_what_an_earlier_run_set_aside_is_gone(archive, tmp_path):
    inputs, output, failed = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "b.jsonl.failed.jsonl"))
    inputs.write_text("{\n")
    for _ in range(2):
        assert predict(archive, inputs, "--output-file", output) == 1
        assert len(read_lines(failed)) == 1 and read_lines(output) == []
    write_lines(inputs, GOOD[:1])
    assert predict(archive, inputs, "--output-file", output) == 0
    assert len(read_lines(output)) == 1 and not failed.exists()


def test_what_is_not_answered_to_the_end_replaces_nothing(archive, tmp_path, capsys, monkeypatch):
    inputs, output, part = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "b.jsonl.part"))
    inputs.write_text("".join(json.dumps(values) + "\n" for values in GOOD) + "{\n")
    assert predict(archive, inputs, "--output-file", output, "--batch-size", 1) == 1
    names = sorted(os.listdir(tmp_path))
    before = [(tmp_path / name).read_bytes() for name in names]
    answer = ClozeReaderPredictor.predict_json

    def stopped(self, values):
        if values == GOOD[1]:
            raise KeyboardInterrupt
        return answer(self, values)

    with monkeypatch.context() as patch:
        patch.setattr(ClozeReaderPredictor, "predict_json", stopped)
        assert predict(archive, inputs, "--output-file", output, "--batch-size", 1) == 130
    assert f"{part} has the answers so far" in capsys.readouterr().err
    assert [(tmp_path / name).read_bytes() for name in names] == before
    assert read_lines(part) == read_lines(output)[:1]
    with files_of_at_most(500):
        assert predict(archive, inputs, "--output-file", output, "--batch-size", 1) == 2
    assert [(tmp_path / name).read_bytes() for name in names] == before
    assert predict(archive, inputs, "--output-file", output, "--batch-size", 1) == 1
    assert sorted(os.listdir(tmp_path)) == names
    assert [(tmp_path / name).read_bytes() for name in names] == before


def test_two_processes_do_not_write_one_file(archive, tmp_path):
    inputs, output = write_lines(tmp_path / "a.jsonl", GOOD[:1]), tmp_path / "b.jsonl"
    with ProcessPoolExecutor(1, get_context("fork")) as other, partial_path(output) as part:
        Path(part).write_text("mine")
        assert other.submit(predict, archive, inputs, "--output-file", output).result() == 2
        assert Path(part).read_text() == "mine"
    assert output.read_text() == "mine" and sorted(os.listdir(tmp_path)) == ["a.jsonl", "b.jsonl"]


def test_without_a_file_for_answers_the_screen_names_bad_lines(archive, tmp_path, capsys):
    inputs = write_lines(tmp_path / "questions.jsonl", [GOOD[0], {"passage": 5, "question": "a"}, GOOD[1]])
    assert predict(archive, inputs) == 1
    captured = capsys.readouterr()
    answers = [line for line in captured.out.splitlines() if line.startswith("prediction: ")]
    assert len(answers) == 2 and json.loads(answers[0].removeprefix("prediction: "))["answer"] == "park"
    assert captured.err == (
        f"{inputs}, line 2: found 5 at passage, expected a text or a list of texts\n"
        "WARNING: 1 of 3 lines could not be answered\n"
    )


def test_what_is_not_the_line_s_fault_has_its_traceback(archive, tmp_path, monkeypatch):
    answer = ClozeReaderPredictor.predict_batch_instance

    def fails_on_julie(self, instances):
        if any("Julie" in instance["metadata"]["passage_tokens"] for instance in instances):
            raise KeyError("julie")
        return answer(self, instances)

    monkeypatch.setattr(ClozeReaderPredictor, "predict_batch_instance", fails_on_julie)
    inputs, output = write_lines(tmp_path / "questions.jsonl", GOOD), tmp_path / "answers.jsonl"
    assert predict(archive, inputs, "--output-file", output, "--batch-size", 3) == 1
    assert len(read_lines(output)) == 2
    (failed,) = read_lines(tmp_path / "answers.jsonl.failed.jsonl")
    assert failed["error"] == "KeyError: 'julie'" and "fails_on_julie" in "".join(failed["traceback"])


def test_a_malformed_question_of_a_data_set_is_left_out_and_named_with_its_line(archive, tmp_path, capsys):
    lines = (FILES / "qa2_test.txt").read_text().splitlines()
    bad = tmp_path / "qa2_bad.txt"
    # The last line is no question.
    bad.write_text("\n".join([*lines, "1 Bill left.", "2 Where is Bill?", "Bill left."]))
    output, scores = tmp_path / "answers.jsonl", tmp_path / "scores.json"
    assert predict(archive, bad, "--use-dataset-reader", "--output-file", output) == 1
    error = f"{bad}, line {len(lines) + 2}: found a question without a tab"
    assert error in capsys.readouterr().err
    (failed,) = read_lines(tmp_path / "answers.jsonl.failed.jsonl")
    assert failed["error"].startswith(error) and failed["file"] == str(bad)
    assert failed["line"] == len(lines) + 2 and failed["input"] == "2 Where is Bill?"
    good = sum("?" in line for line in lines)
    assert len(read_lines(output)) == good
    status_of(["evaluate", archive, bad, "--output-file", scores])
    found = json.loads(scores.read_text())
    right = sum(answer["answer"] == answer["gold"] for answer in read_lines(output))
    assert right and found["accuracy"] == right / good
    assert found["accuracy_official"] == right / (good + 1)


def test_answers_with_the_same_id_are_counted(archive, tmp_path, capsys):
    ids = ["a", "b", "a", 1, "a"]
    inputs = write_lines(tmp_path / "questions.jsonl", [{**GOOD[0], "id": id} for id in ids])
    assert predict(archive, inputs, "--output-file", tmp_path / "answers.jsonl") == 0
    assert "WARNING: 2 of 5 answers have the id of an earlier one\n" in capsys.readouterr().err


@pytest.mark.parametrize("is_data_set", [True, False])
def test_questions_are_answered_by_length_and_written_in_order(archive, tmp_path, monkeypatch, is_data_set):
    batches = []
    answer = ClozeReaderPredictor.predict_batch_instance

    def predict_batch(self, instances):
        batches.append([len(instance["passage"]) for instance in instances])
        return answer(self, instances)

    monkeypatch.setattr(ClozeReaderPredictor, "predict_batch_instance", predict_batch)
    stories, output = tmp_path / "qa2_stories.txt", tmp_path / "answers.jsonl"
    lengths = [3, 1, 2, 5, 4]
    lines = [["Bill went to the park."] * length + ["Where is Bill?\tpark\t1"] for length in lengths]
    if is_data_set:
        stories.write_text(
            "".join(f"{i} {line}\n" for story in lines for i, line in enumerate(story, start=1))
        )
    else:
        write_lines(
            stories, [{"passage": " ".join(story[:-1]), "question": "Where is Bill?"} for story in lines]
        )
    options = ["--use-dataset-reader"] * is_data_set
    assert predict(archive, stories, *options, "--output-file", output, "--batch-size", 2) == 0
    assert batches == [[6, 12], [18, 24], [30]]
    assert [len(found["passage_tokens"]) for found in read_lines(output)] == [
        6 * length for length in lengths
    ]


def test_lines_of_a_stream_are_answered_batch_by_batch(archive, tmp_path, monkeypatch):
    """Who writes them may wait for their answers."""
    lines = [*(json.dumps(values) + "\n" for values in GOOD), "{\n"]
    answered = []
    answer = ClozeReaderPredictor.predict_batch_instance

    def stream():
        for i, line in enumerate(lines):
            assert len(answered) == i // 2 * 2
            yield line.encode()

    def predict_batch(self, instances):
        answered.extend(instances)
        return answer(self, instances)

    monkeypatch.setattr(ClozeReaderPredictor, "predict_batch_instance", predict_batch)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream()))
    assert predict(archive, "-", "--output-file", tmp_path / "answers.jsonl", "--batch-size", 2) == 1
    assert len(answered) == 3
    assert [item["file"] for item in read_lines(tmp_path / "answers.jsonl.failed.jsonl")] == [
        "standard input"
    ]


def test_answers_that_would_go_nowhere_are_not_computed(archive, tmp_path, capsys):
    assert predict(archive, write_lines(tmp_path / "questions.jsonl", GOOD[:1]), "--silent") == 2
    assert "--silent: found no --output-file" in capsys.readouterr().err
