"""The evaluations, and what they say of input that is not there."""

import json
import re
from pathlib import Path

import pytest

from allennlp_coref_rc.annotations import read_documents
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.results_file import read_lines, right_answers
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


@pytest.mark.slow
def test_cross_validation_of_quoref(monkeypatch, capsys, tmp_path):
    script, path = load_script("cross_validate_quoref"), FIXTURES / "quoref" / "train.json"
    trained, train = [], script.train_model

    def run(*arguments):
        given = [
            path,
            "--output",
            tmp_path,
            "--folds",
            2,
            "--epochs",
            1,
            "--annotator",
            '{"type": "exact_match_coref"}',
            "--write-results",
            tmp_path / "runs.csv",
            *arguments,
        ]
        monkeypatch.setattr("sys.argv", ["cross_validate_quoref.py", *map(str, given)])
        script.main()
        return capsys.readouterr().out.splitlines()

    def train_model(params, folder, recover):
        trained.append(Path(folder).name)
        if len(trained) == 2:
            raise KeyboardInterrupt
        return train(params, folder, recover=recover)

    monkeypatch.setattr(script, "train_model", train_model)
    with pytest.raises(KeyboardInterrupt):
        run("--models", "qanet")
    # Every question is answered once, by a model that has not seen its passage.
    tested = [[doc.text.id for _, doc in read_documents(f"{tmp_path}/test_{fold}.jsonl")] for fold in range(2)]
    for fold in range(2):
        assert [doc.text.id for _, doc in read_documents(f"{tmp_path}/train_{fold}.jsonl")] == tested[1 - fold]
    assert sorted(sum(tested, [])) == ["c0ffee", "decade", "facade"]
    found = [json.loads(line) for line in (tmp_path / "qanet_0.jsonl").read_text().splitlines()]
    assert {one["passage"] for one in found} == set(tested[0])
    # The answers are those of the model without dropout.
    model, seen = script.load_archive(f"{tmp_path}/qanet_0/model.tar.gz"), []
    model.model.register_forward_hook(lambda module, inputs, output: seen.append(module.training))
    assert script.predictions(model, f"{tmp_path}/test_0.jsonl") == found and not any(seen)
    (line,) = read_lines(f"{tmp_path}/runs.csv")
    assert line["run"] == f"{tmp_path.name}/qanet/fold_1/seed_1" and line["commit"] and line["hardware"]
    assert float(line["test_f1"]) == pytest.approx(sum(one["f1"] for one in found) / len(found))
    assert right_answers(line) == [one["exact_match"] == 1 for one in found] and line["questions"] == str(len(found))
    # The same answers for the other fold, and another model with less in everything.
    for name, fold, less in (("qanet", 0, 0), ("qanet", 1, 0), ("gru", 0, 0.5), ("gru", 1, 0.5)):
        lines = [{**one, "id": f"{one['id']} {fold}", "f1": one["f1"] - less} for one in found]
        (tmp_path / f"{name}_{fold}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    *_, exact_match, f1 = run("--models", "qanet", "gru")
    assert exact_match.startswith("gru - qanet, exact_match: +0.00, 95 % interval +0.00 to +0.00, p = 1.000, ")
    assert f1.startswith("gru - qanet, f1: -50.00, 95 % interval -50.00 to -50.00, p = 0.000, ")
    # One fold alone, against a model of another folder.
    counts, other, exact_match, f1 = run("--models", "gru", "--test", 1, "--against", tmp_path / "qanet")
    assert counts.startswith(f"gru: {len(found)} questions: ") and other.startswith(f"{tmp_path}/qanet: {len(found)} ")
    assert f1.startswith(f"gru - {tmp_path}/qanet, f1: -50.00, 95 % interval -50.00 to -50.00, ")
    with pytest.raises(ConfigurationError, match=r"--test: found \[2\], expected folds from 0 to 1"):
        run("--test", 2)
    # What is complete is not done again.
    assert trained == ["qanet_0", "qanet_1"]
    with pytest.raises(ConfigurationError, match="settings.json: found .* expected .* give another folder as --output"):
        run("--seed", "2")


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
