"""The scripts of evaluations, and what they say if their input is missing."""

import json
import re
from dataclasses import replace

import pytest

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.common.errors import ConfigurationError
from tests.scripts.scripts import load_script
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures"
TEXTS = """\
bob met ann . bob left . then came bob
bob met ann . bob left . then came ann
bob met ann . bob left . then came eve
"""


@pytest.fixture
def evaluate(monkeypatch, capsys):
    def run(name, *arguments):
        monkeypatch.setattr("sys.argv", [f"{name}.py", *map(str, arguments)])
        load_script(name).main()
        return capsys.readouterr().out

    return run


def test_the_most_frequent_candidate(evaluate, tmp_path):
    """Bob, who is there twice; Eve is no candidate, and so her question is left out."""
    (tmp_path / "texts.txt").write_text(TEXTS)
    found = json.loads(evaluate("evaluate_baseline", "lambada/ga_gru", tmp_path / "texts.txt"))
    assert found == {"accuracy": 1 / 2, "accuracy_official": pytest.approx(1 / 3), "kept": 2, "total": 3}


def test_coreference(evaluate, tmp_path):
    """Mary is found, and he is not, whose cluster has a single mention."""
    words = [("Mary", "(0)"), ("sat", "-"), ("Mary", "(0)"), ("ran", "-"), ("he", "(1)")]
    rows = [f"a 0 {i} {word} - - - - - - - {cluster}" for i, (word, cluster) in enumerate(words)]
    (tmp_path / "a.conll").write_text("\n".join(["#begin document (a); part 000", *rows, "", "#end document", ""]))
    header, *table = evaluate("evaluate_coref", "exact_match_coref", tmp_path).splitlines()
    assert re.fullmatch(r"exact_match_coref: 1 documents, 5 tokens, [\d,]+ tokens a second of processor time", header)
    scores = {tuple(row.strip("| ").split(" | ")[:2]): row.strip("| ").split(" | ")[2:] for row in table[2:]}
    # Four metrics in three ways, and the links of three kinds of mentions.
    assert len(scores) == 3 * 4 + 3 and scores["without", "average"] == ["100.0"] * 3
    assert scores["credited", "B-cubed"][:2] == ["100.0", "66.7"]


def test_discourse(evaluate):
    corpora = [FIXTURES / "annotators" / name for name in ("gdtb", "tedmdb")]
    lines = evaluate("evaluate_discourse", *corpora).splitlines()
    assert [line.split(":")[0] for line in lines if not line.startswith(" ")] == list(map(str, corpora))
    assert sum(line.startswith("  connective_discourse") for line in lines) == 2
    scores = [line.split() for line in lines if line.startswith("  discourse ")]
    # Precision: the connectives of the stories and talks are clear.
    assert [score[2] for score in scores] == ["1.000", "1.000"]


def test_scores_of_discourse():
    """One of three connectives is missed; of the two, one sense and the arguments of one are right."""
    script = load_script("evaluate_discourse")
    words = "She sat because it rained and he stood , but it was dry .".split()
    whole = AnnotatedText(words)

    def relation(connective, arg1, arg2, sense):
        return DiscourseRelation("Explicit", sense, [arg1], [arg2], [(connective, connective + 1)])

    gold = [
        relation(2, (0, 2), (3, 5), "contingency.cause.reason"),
        relation(5, (0, 5), (6, 8), "expansion.conjunction"),
        relation(9, (0, 8), (10, 13), "comparison.contrast"),
    ]
    found = [
        relation(2, (0, 2), (3, 5), "Contingency.Cause.Reason"),
        relation(5, (0, 2), (6, 9), "Expansion.Restatement"),
    ]

    class Found(Annotator):
        def annotate(self, text):
            return replace(text, relations=found)

    connectives = [script.tokens_of(relation.connective) for relation in gold]
    counts = script.measure([script.Gold(whole, gold, connectives, 3)], Found())
    assert [counts[name] for name in ("annotated", "found", "right", "found right")] == [3, 2, 2, 2]
    assert [counts[name] for name in ("senses", "senses right", "arguments", "relations")] == [2, 1, 1, 2]


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
        ("evaluate_coref", "exact_match_coref", "nowhere.txt"),
        ("evaluate_discourse", "nowhere.txt"),
        ("evaluate_quoref", "nowhere.txt"),
        ("evaluate_oracle_spans", "nowhere.txt/valid"),
        ("show_result", "nowhere.txt"),
    ],
)
def test_what_is_not_there(evaluate, arguments):
    with pytest.raises((ConfigurationError, OSError), match="nowhere.txt.*: no such file|No such file"):
        evaluate(*arguments)
