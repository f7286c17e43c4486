import hashlib
import json
import multiprocessing
import os
import re
import shutil
from pathlib import Path

import torch
from allennlp.common.params import with_overrides

from allennlp_coref_rc.reproduction import execution, sweep
from allennlp_coref_rc.reproduction.runs import ATTEMPT, MODEL, Run
from tests.json_lines import write_lines


def attempt(run):
    return json.loads(open(run.path(ATTEMPT)).read())


def test_seconds_are_those_of_all_attempts(tmp_path, monkeypatch):
    run = Run("babi/ga_gru.jsonnet", seed=1, task=2, output=str(tmp_path))
    now = [1000.0]
    monkeypatch.setattr(execution.time, "time", lambda: now[0])
    os.makedirs(run.path(MODEL))
    assert execution._begin(run, "abc", -1) == 0
    os.makedirs(run.path(MODEL))
    checkpoint, last = (run.path(MODEL, f"training_state_e{epoch}_b0.th") for epoch in (1, 2))
    for path, written in ((checkpoint, 1100), (last, 1200)):
        open(path, "w").close()
        os.utime(path, (written, written))
    Path(run.path(MODEL, "config.json")).write_text(
        json.dumps(with_overrides(run.params(), run._overrides(-1)))
    )
    # What was trained after the last checkpoint but one is lost.
    now[0] = 2000.0
    assert execution._begin(run, "abc", -1) == 100
    assert attempt(run) == {"commit": "abc", "begun": 2000.0, "seconds": 100.0}
    # Killed before it has come to a checkpoint of its own.
    now[0] = 3000.0
    assert execution._begin(run, "abc", -1) == 100
    os.utime(checkpoint, (3050, 3050))
    os.utime(last, (3100, 3100))
    now[0] = 4000.0
    assert execution._begin(run, "abc", -1) == 150
    # On another device it begins again, and so does another version of the code.
    shutil.copytree(run.path(), tmp_path / "copy")
    assert execution._begin(run, "abc", 0) == 0
    shutil.rmtree(run.path())
    shutil.copytree(tmp_path / "copy", run.path())
    assert execution._begin(run, "def", -1) == 0
    assert not os.path.exists(checkpoint)


def test_of_answers_to_questions_about_texts_what_groups_them_is_kept(tmp_path):
    path = tmp_path / "all.jsonl"
    common = {"question_tokens": ["Who", "?"], "passage_tokens": ["a", "b", "c"], "attention": [1, 2, 3]}
    spans = {"id": "1", "answer": "a man", "answer_texts": ["a man", "one"], **common}
    words = {"id": "2", "answer": "A", "gold": "a", **common}
    quoref = {"answers": ["a man"], **spans, "exact_match": 0.0, "f1": 0.5}
    write_lines(path, [spans, words, quoref])
    article = hashlib.sha256(b"a b c").hexdigest()[:16]
    asked = {"id": "1", "question_tokens": ["Who", "?"], "passage_length": 3, "article": article}
    man = {**asked, "answer": "a man", "answer_texts": ["a man", "one"]}
    assert execution._predictions(str(path)) == [
        {**man, "rouge_l": 1.0, "f1": 1.0},
        {"id": "2", "answer": "A", "gold": "a", "correct": True, "article": article},
        {**man, "answers": ["a man"], "exact_match": 0.0, "f1": 0.5},
    ]
    # The next question of a story of bAbI has a longer passage.
    story = [{**words, "passage_tokens": tokens} for tokens in (["a"], ["a", "b"], ["b"])]
    write_lines(path, story)
    first, second, third = (prediction["article"] for prediction in execution._predictions(str(path)))
    assert first == second != third


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
