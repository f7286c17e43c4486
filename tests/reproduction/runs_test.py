import json
import os
import shutil
import statistics
from dataclasses import replace
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.reproduction.condition_files import read_conditions
from allennlp_coref_rc.reproduction.execution import execute
from allennlp_coref_rc.reproduction.report import report
from allennlp_coref_rc.reproduction.results_file import read_lines, write_results
from allennlp_coref_rc.reproduction.runs import ERROR, MODEL, PREDICTIONS, RESULT, Run
from allennlp_coref_rc.reproduction.session import Selection
from allennlp_coref_rc.reproduction.significance import paired_bootstrap
from tests.shared import PROJECT
from tests.training_config.configs import BABI, FIXTURES

pytestmark = pytest.mark.slow

CONFIG = str(PROJECT / "training_config" / "babi" / "bi_gru.jsonnet")

FOLDS = """
paper: "Tiny: nobody, nowhere"
tables:
  "1":
    caption: folds
    unit: percent
    measure: mean
    columns: {F1: {metric: f1}}
    folds: 2
    seeds: 1
    data: {"quoref/fold_{fold}/train.json": 10, "quoref/fold_{fold}/test.json": 10}
    overrides: {trainer.num_epochs: 1}
    rows:
      qanet: {row: QANet, config: quoref_articles/qanet.jsonnet}
      gru: {row: GRU, config: quoref_articles/gru.jsonnet, compared_with: qanet}
"""

OVERRIDES = {"dataset_reader.folder": str(BABI), "trainer.num_epochs": 1}


def test_a_finished_run_is_evaluated_on_what_it_lacks(tmp_path):
    run = Run(CONFIG, 1, 6, OVERRIDES, str(tmp_path))
    execute(run, "abc")
    metrics = run.result()["metrics"]
    assert run.finished and run.commands() == []
    (tmp_path / "moved").mkdir()
    shutil.copy(BABI / "qa6_test.txt", tmp_path / "moved" / "other.txt")
    other = {"validation_data_path": "data/other.txt"}
    more = replace(run, evaluations={"again": {}, "other": other}, data=str(tmp_path / "moved"))
    assert not more.finished and [words[0] for words in more.commands()] == ["evaluate", "evaluate"]
    execute(more, "abc")
    assert more.finished and more.commands() == []
    assert replace(more, evaluations={"again": other, "other": other}).lacking() == ["again"]
    assert replace(more, evaluations={"aga": {}, "other": other}).lacking() == ["aga"]
    assert replace(run, evaluations={"test": {}}).lacking() == ["test"]
    found = more.result()
    assert found["metrics"]["again_accuracy"] == metrics["best_validation_accuracy"]
    assert found["metrics"]["other_loss"] == pytest.approx(metrics["test_loss"])
    assert found["metrics"]["other_loss"] != pytest.approx(metrics["best_validation_loss"])
    assert {key: found["metrics"][key] for key in metrics} == metrics
    assert set(found["seconds"]) == {"train", "predict", "evaluate"}
    assert more.current_result() == found
    changed = replace(more, evaluations={"again": other}).current_result()
    assert "other_loss" in changed["metrics"] and "again_loss" not in changed["metrics"]
    assert more.joined(run) == more and run.joined(more).evaluations == more.evaluations
    with pytest.raises(ConfigurationError, match="found two evaluations 'again' with different settings"):
        more.joined(replace(run, evaluations={"again": other}))
    os.unlink(run.path(MODEL, "model.tar.gz"))
    with pytest.raises(ConfigurationError, match=r"model.tar.gz: no such file.* \(once_more\)"):
        execute(replace(run, evaluations={"again": {}, "once_more": {}}), "abc")
    assert run.finished and os.path.exists(run.path(ERROR))


def test_a_result_is_of_the_data_that_it_was_made_of(tmp_path):
    (tmp_path / "train.txt").write_text("one")
    run = Run(
        CONFIG, 1, 6, OVERRIDES, str(tmp_path / "output"), str(tmp_path), files=["train.txt", "absent.txt"]
    )
    os.makedirs(run.path())
    result = {"fingerprint": run.fingerprint(), "data": run.digests(), "metrics": {}}
    assert list(result["data"]) == ["train.txt"]
    with open(run.path(RESULT), "w") as file:
        json.dump(result, file)
    assert run.result() == result
    (tmp_path / "train.txt").write_text("two")
    os.utime(tmp_path / "train.txt", (1, 1))
    with pytest.raises(ConfigurationError, match="result.json: .*another .*train.txt"):
        run.result()
    # Where they are not at hand the result stands.
    (tmp_path / "train.txt").unlink()
    assert run.result() == result


def test_a_result_is_of_the_config_that_it_began_with(tmp_path, monkeypatch):
    config = tmp_path / "babi" / "mine.jsonnet"
    config.parent.mkdir()
    config.write_text(f"import '{CONFIG}'")
    run = Run(str(config), 1, 6, OVERRIDES, str(tmp_path / "output"))
    before, commands = run.fingerprint(), Run.commands

    def commands_and_change(self, cuda_device):
        found = commands(self, cuda_device)
        config.write_text(f"(import '{CONFIG}') {{ learning_rate:: 0.5 }}")
        os.utime(config, (1, 1))
        return found

    monkeypatch.setattr(Run, "commands", commands_and_change)
    execute(run, "abc")
    assert run.read(RESULT)["fingerprint"] == before != run.fingerprint()


def test_paths_of_the_first_fold_are_replaced_wherever_they_are(tmp_path):
    paths = {"train_data_path": "data/a/fold_1/train.json", "dataset_reader.other": ["b/fold_1/c"]}
    evaluations = {"hard": {"validation_data_path": "data/hard/fold_1/test.json"}}
    run = Run("quoref_articles/qanet.jsonnet", 1, None, paths, str(tmp_path), "data", evaluations, fold=3)
    settings = run.settings()
    assert settings["test_data_path"] == "data/quoref/fold_3/test.json"
    assert settings["train_data_path"] == "data/a/fold_3/train.json"
    assert settings["dataset_reader.other"] == ["b/fold_3/c"]
    assert "data/hard/fold_3/test.json" in run.commands()[-1]
    with pytest.raises(ConfigurationError, match="ga_gru.jsonnet: found no path with /fold_1/"):
        Run("babi/ga_gru.jsonnet", 1, output=str(tmp_path), fold=3).settings()


def read(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_folds_are_trained_and_tested_on_their_own_data(tmp_path):
    """Every question is answered once, by a model that has not seen its article."""
    (tmp_path / "tiny.yaml").write_text(FOLDS)
    articles = [
        article
        for split in ("train", "dev")
        for article in json.loads((FIXTURES / "quoref" / f"{split}.json").read_text())["data"]
    ]
    (tmp_path / "all.json").write_text(json.dumps({"data": articles}))
    main(["data", "folds", str(tmp_path / "all.json"), str(tmp_path / "quoref"), "--folds", "2"])
    (table,) = read_conditions(str(tmp_path / "tiny.yaml"))
    places = {"output": str(tmp_path / "runs"), "data": str(tmp_path)}
    answers = {}
    for condition in table.conditions:
        runs = Selection(**places).runs(condition)
        assert [run.fold for run in runs] == [1, 2]
        assert Selection(**places, folds=[2]).runs(condition) == runs[1:]
        for run in runs:
            execute(run, "abc", keep_weights="none")
            assert run.finished
            data = {
                name: json.loads((tmp_path / f"quoref/fold_{run.fold}/{name}.json").read_text())["data"]
                for name in ("train", "test")
            }
            config = run.read(os.path.join(MODEL, "config.json"))
            expected = [f"{tmp_path}/quoref/fold_{run.fold}/{name}.json" for name in data]
            assert [config[f"{name}_data_path"] for name in data] == expected
            predictions = read(run.path(PREDICTIONS))
            tested = {article["title"] for article in data["test"]}
            assert {prediction["article"] for prediction in predictions} == tested
            assert tested.isdisjoint(article["title"] for article in data["train"])
            f1 = statistics.fmean(prediction["f1"] for prediction in predictions)
            assert run.result()["metrics"]["test_f1"] == pytest.approx(f1)
            answers.setdefault(condition.row, []).extend(predictions)
    ids = [
        question["id"] for article in articles for part in article["paragraphs"] for question in part["qas"]
    ]
    text = report([table], [], **places)
    for row, predictions in answers.items():
        assert sorted(prediction["id"] for prediction in predictions) == sorted(ids)
        mean = 100 * statistics.fmean(prediction["f1"] for prediction in predictions)
        assert f"| {row} | F1 |  | {mean:.1f} (1) | {mean:.1f} |" in text
    # Whole articles are drawn.
    qanet, gru = ([100 * prediction["f1"] for prediction in predictions] for predictions in answers.values())
    bootstrap = paired_bootstrap(gru, qanet, groups=[prediction["article"] for prediction in answers["GRU"]])
    interval = f"{bootstrap.difference:+.2f} | {bootstrap.low:+.2f} to {bootstrap.high:+.2f}"
    assert f"| GRU against QANet | {len(ids)} | {interval} |" in text
    write_results(str(tmp_path / "runs.csv"), places["output"], table.conditions)
    lines = read_lines(str(tmp_path / "runs.csv"))
    expected = [([f"fold_{fold}", "seed_1"], f"tiny.1.{row}") for row in ("gru", "qanet") for fold in (1, 2)]
    assert [(line["run"].split("/")[2:], line["conditions"]) for line in lines] == expected
