"""The scripts of evaluations, and what they say if their input is missing."""

import json

import pytest

from allennlp_coref_rc.common.errors import ConfigurationError
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures"
TEXTS = """\
bob met ann . bob left . then came bob
bob met ann . bob left . then came ann
bob met ann . bob left . then came eve
"""


def test_the_most_frequent_candidate(evaluate, tmp_path):
    """Bob, who is there twice; Eve is no candidate, and so her question is left out."""
    (tmp_path / "texts.txt").write_text(TEXTS)
    found = json.loads(evaluate("evaluate_baseline", "lambada/ga_gru", tmp_path / "texts.txt"))
    assert found == {"accuracy": 1 / 2, "accuracy_official": pytest.approx(1 / 3), "kept": 2, "total": 3}


def test_oracle_spans(evaluate):
    lines = evaluate("evaluate_oracle_spans", FIXTURES / "narrativeqa" / "valid").splitlines()
    assert lines[0].endswith("documents, oracle 'best'") and lines[2].startswith("as the papers report: ")


def test_answers_of_quoref(evaluate, tmp_path):
    """Kit O'Neill has the cluster he, Kit, him, and the Red Duke, twice an answer, has his, him."""
    values = json.loads((FIXTURES / "quoref" / "train.json").read_text(encoding="utf-8"))
    paragraph = values["data"][0]["paragraphs"][1]
    answer = {"text": "him", "answer_start": paragraph["context"].index("him")}
    paragraph["qas"].append({"id": "q10", "question": "Whom did Kit leave?", "answers": [answer]})
    (tmp_path / "a.json").write_text(json.dumps(values))
    first, *counts = evaluate("evaluate_quoref", tmp_path / "a.json").splitlines()
    assert first.startswith("10 questions of 3 passages, which have 27 tokens on average and at most 39; read and ")
    assert counts == [
        "2 questions with several spans",
        "12 of 12 spans of answers",
        "12 of 12 found as tokens",
        "11 of 12 begin and end where tokens do",
        "4 of 12 are a mention of a cluster with other mentions in the passage",
        "1 of 12 have an antecedent, a mention before",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate_baseline", "lambada/ga_gru", "nowhere.txt"),
        ("evaluate_annotator", "exact_match_coref", "nowhere.txt.conll"),
        ("evaluate_quoref", "nowhere.txt"),
        ("evaluate_oracle_spans", "nowhere.txt/valid"),
    ],
)
def test_what_is_not_there(evaluate, arguments):
    with pytest.raises((ConfigurationError, OSError), match="nowhere.txt.*: no such file|No such file"):
        evaluate(*arguments)
