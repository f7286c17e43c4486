import json
import multiprocessing
import os
import re

import torch

from allennlp_coref_rc.reproduction import execution, sweep
from allennlp_coref_rc.reproduction.runs import ATTEMPT, MODEL, Run


def attempt(run):
    return json.loads(open(run.path(ATTEMPT)).read())


def test_seconds_are_those_of_all_attempts(tmp_path, monkeypatch):
    run = Run("babi/tiny.jsonnet", seed=1, output=str(tmp_path))
    now = [1000.0]
    monkeypatch.setattr(execution.time, "time", lambda: now[0])
    os.makedirs(run.path(MODEL))
    assert execution._begin(run, "abc") == 0
    os.makedirs(run.path(MODEL))
    checkpoint, last = (run.path(MODEL, f"training_state_e{epoch}_b0.th") for epoch in (1, 2))
    for path, written in ((checkpoint, 1100), (last, 1200)):
        open(path, "w").close()
        os.utime(path, (written, written))
    # What was trained after the last checkpoint but one is lost.
    now[0] = 2000.0
    assert execution._begin(run, "abc") == 100
    assert attempt(run) == {"commit": "abc", "begun": 2000.0, "seconds": 100.0}
    # Killed before it has come to a checkpoint of its own.
    now[0] = 3000.0
    assert execution._begin(run, "abc") == 100
    os.utime(checkpoint, (3050, 3050))
    os.utime(last, (3100, 3100))
    now[0] = 4000.0
    assert execution._begin(run, "abc") == 150
    # Another version of the code begins again.
    assert execution._begin(run, "def") == 0
    assert not os.path.exists(checkpoint)


def test_of_answers_to_questions_about_texts_what_groups_them_is_kept(tmp_path):
    path = tmp_path / "all.jsonl"
    common = {"question_tokens": ["Who", "?"], "passage_tokens": ["a", "b", "c"], "attention": [1, 2, 3]}
    spans = {"id": "1", "answer": "a man", "answer_texts": ["a man", "one"], **common}
    words = {"id": "2", "answer": "A", "gold": "a", **common}
    quoref = {"answers": ["a man"], **spans, "exact_match": 0.0, "f1": 0.5}
    path.write_text("".join(json.dumps(prediction) + "\n" for prediction in (spans, words, quoref)))
    asked = {"id": "1", "question_tokens": ["Who", "?"], "passage_length": 3}
    man = {**asked, "answer": "a man", "answer_texts": ["a man", "one"]}
    assert list(execution._predictions(str(path))) == [
        {**man, "rouge_l": 1.0},
        {"id": "2", "answer": "A", "gold": "a", "correct": True},
        {**man, "answers": ["a man"], "exact_match": 0.0, "f1": 0.5},
    ]


def test_the_hardware_of_a_run_names_its_instructions_and_whether_it_is_limited_to_them(monkeypatch):
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    monkeypatch.delenv("ATEN_CPU_CAPABILITY", raising=False)
    plain = execution.hardware(-1)
    assert re.search(r"\w with AVX2, \d+ threads?$", plain)
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "avx2")
    assert execution.hardware(-1) == plain.replace(" with ", " limited to ")


def test_a_fork_that_does_a_run_has_the_threads_of_a_run(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    told = tmp_path / "threads"
    monkeypatch.setattr(sweep, "execute", lambda run, **_: told.write_text(str(torch.get_num_threads())))
    process = multiprocessing.get_context("fork").Process(target=sweep._child, args=(None, None, {}))
    process.start()
    process.join()
    assert told.read_text() == "3"
