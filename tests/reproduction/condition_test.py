import os
import statistics

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.common.schema import numbers
from allennlp_coref_rc.data.dataset_readers.annotated_narrativeqa import QUESTIONS, SUMMARIES
from allennlp_coref_rc.reproduction.condition import select
from allennlp_coref_rc.reproduction.condition_files import read_conditions
from allennlp_coref_rc.reproduction.session import Selection
from tests.shared import PROJECT
from tests.training_config.configs import CONFIGS

FOLDER = PROJECT / "allennlp_coref_rc" / "reproduction" / "conditions"

TABLES = read_conditions(str(FOLDER))

TINY = """
paper: "Tiny: nobody, nowhere"
tables:
  a:
    caption: nothing
    columns:
      accuracy: {}
    rows:
      first:
        row: First
        config: first.jsonnet
        data: {first.txt: 10}
        paper: {accuracy: 0.5}
"""


def conditions():
    return {condition.name: condition for table in TABLES for condition in table.conditions}


@pytest.mark.parametrize("table, column", [("coref_gru.4", "Task"), ("mage_gru.1", "Task")])
def test_the_papers_averages_are_those_of_their_tasks(table, column):
    (chosen,) = select(TABLES, [table], [])
    digits = 3 if table == "coref_gru.4" else 1
    for condition in chosen.conditions:
        tasks = condition.paper[column]
        average = condition.paper.get("Average", condition.paper.get("Avg"))
        assert abs(statistics.fmean(tasks) - average) <= 0.6 * 10**-digits, condition.name
        if table == "mage_gru.1":
            assert sum(error > 5 for error in tasks) == condition.paper["#failed"], condition.name


def test_the_tables_of_one_paper_agree():
    found = conditions()
    for row in ("qrn", "ga_gru", "ga_coref_gru"):
        assert found[f"coref_gru.1.{row}"].paper["Max"] == found[f"coref_gru.4.{row}"].paper["Average"]
        tasks = found[f"coref_gru.4.{row}"].paper["Task"]
        assert sum(accuracy < 0.95 for accuracy in tasks) == found[f"coref_gru.1.{row}"].paper["# failed"]
    for other in ("cg_sba.2", "cg_sba.3"):
        assert found[f"{other}.ga_gru"].paper == found["cg_sba.1_cnn.ga_gru"].paper
    assert found["cg_sba.2.cg"].paper == found["cg_sba.1_cnn.cg"].paper
    assert found["cg_sba.3.sba_question"].paper == found["cg_sba.1_cnn.sba_question"].paper


def test_configs_are_there_and_read_the_data_that_rows_say():
    folders = {}
    for condition in conditions().values():
        if condition.config:
            assert condition.seeds, condition.name
            assert (CONFIGS / condition.config).exists()
            folders.setdefault(os.path.dirname(condition.config), condition)
    for condition in folders.values():
        params = Params.from_file(str(CONFIGS / condition.config)).as_dict(quiet=True)
        said = {f"data/{name}" for name in condition.data}
        keys = ("train_data_path", "validation_data_path", "test_data_path")
        read = {params[key] for key in keys if params.get(key)}
        if condition.folds:
            read = {path.replace("/fold_1/", "/fold_{fold}/") for path in read}
        elif condition.tasks:
            read = {f"{params['dataset_reader']['folder']}/qa{{task}}_{split}.txt" for split in read}
        elif params["dataset_reader"]["type"] == "annotated_narrativeqa" and not any(
            "." in path for path in read
        ):
            read = {f"{os.path.dirname(path)}/{name}" for path in read for name in (QUESTIONS, SUMMARIES)}
        assert read == said, condition.name


def test_names_are_matched_as_those_of_files():
    (table,) = select(TABLES, ["coref_gru.1"], ["*.ga_*", "*.qrn"])
    expected = ["qrn", "ga_gru", "ga_gru_one_hot", "ga_coref_gru"]
    assert [condition.name.split(".")[-1] for condition in table.conditions] == expected
    assert len(select(TABLES, ["cg_sba.1*"], [])) == 4
    with pytest.raises(ConfigurationError, match=r"coref_gru.9; did you mean coref_gru.\d\? --list"):
        select(TABLES, ["coref_gru.9"], [])
    with pytest.raises(ConfigurationError, match="found nothing named coref_gru.1.ga_gruu; did you mean"):
        select(TABLES, [], ["coref_gru.1.ga_gru", "coref_gru.1.ga_gruu"])
    with pytest.raises(ConfigurationError, match="found none of mage_gru.1.ga_gru in coref_gru.1"):
        select(TABLES, ["coref_gru.1"], ["mage_gru.1.ga_gru"])


def test_numbers():
    assert numbers("1-3,7") == [1, 2, 3, 7]
    assert numbers(4) == [4]
    for text in ("", "a", "3-1", "1--2", "1-2-3", "-1"):
        with pytest.raises(ValueError):
            numbers(text)


def test_data_are_missing_where_a_file_is_absent_or_a_mere_sample(tmp_path):
    (tmp_path / "tiny.yaml").write_text(TINY)
    condition = read_conditions(str(tmp_path))[0].conditions[0]
    assert condition.missing(str(tmp_path)) == [f"{tmp_path / 'first.txt'}: no such file"]
    (tmp_path / "first.txt").write_text("short")
    expected = [f"{tmp_path / 'first.txt'}: found 5 bytes, expected 10 or more"]
    assert condition.missing(str(tmp_path)) == expected
    (tmp_path / "first.txt").write_text("long enough")
    assert condition.missing(str(tmp_path)) == []


def test_only_the_data_of_the_tasks_that_are_run_must_be_there(tmp_path, capsys):
    text = TINY.replace("{first.txt: 10}", '{"{task}.txt": 1}\n        tasks: 1-2')
    (tmp_path / "tiny.yaml").write_text(text)
    condition = read_conditions(str(tmp_path))[0].conditions[0]
    (tmp_path / "2.txt").write_text("enough")
    assert condition.missing(str(tmp_path)) == [f"{tmp_path / '1.txt'}: no such file"]
    assert condition.missing(str(tmp_path), [2]) == []
    condition = condition.model_copy(update={"config": "babi/ga_gru.jsonnet", "seeds": [1]})
    (run,) = Selection(tasks=[2], data=str(tmp_path)).minutes([condition])
    assert run.task == 2
    assert not Selection(tasks=[1], data=str(tmp_path)).minutes([condition])
    assert capsys.readouterr().err == f"[no data] {condition.name}: {tmp_path / '1.txt'}: no such file\n"


FIRST = "row: First\n        "


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("accuracy: {}", "accuracy: {unit: inches}", 'line 7: found "inches" at tables.a.columns.'),
        ("accuracy: {}", "accuracy: !!bool x", ""),
        ("      accuracy: {}\n", "      {}\n", "found {} at tables.a.columns, expected one or more"),
        ("row: First", f"{FIRST}seeds: 3-1", 'line 11: found "3-1" at tables.a.rows.first.seeds, exp'),
        ("row: First", f"{FIRST}compared_with: nobody", 'found "nobody" at tables.a.rows.first.compared'),
        ("row: First", f"{FIRST}evaluations: {{'1': {{}}, 1: {{}}}}", "found the key 1 twice"),
        ("row: First", f"{FIRST}evaluations: {{test: {{}}}}", "expected a name that none of AllenNLP's"),
        ("row: First", f"{FIRST}folds: 2\n        tasks: 1", "found 2 at tables.a.rows.first.folds, exp"),
        ("{accuracy: 0.5}", "{accuracy: [0.5]}", "found [0.5] at tables.a.rows.first.paper.accuracy"),
        ("{accuracy: 0.5}", "{f1: 0.5}", "found 'f1' at tables.a.rows.first.paper, expected one of"),
    ],
)
def test_errors_name_the_file_and_the_key(tmp_path, old, new, message):
    assert TINY.count(old) == 1
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY.replace(old, new))
    with pytest.raises(ConfigurationError) as raised:
        read_conditions(str(path))
    assert str(path) in str(raised.value) and message in str(raised.value)


def test_tasks_need_a_value_each(tmp_path):
    text = TINY.replace("accuracy: {}", "accuracy: {measure: tasks}")
    (tmp_path / "tiny.yaml").write_text(text.replace("row: First", f"{FIRST}tasks: 1-2"))
    with pytest.raises(ConfigurationError, match=r"found 0.5 at .*paper\.accuracy, expected a list of 2"):
        read_conditions(str(tmp_path))


def test_a_folder_without_conditions_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="found no .yaml file"):
        read_conditions(str(tmp_path))
    with pytest.raises(ConfigurationError, match="no such file"):
        read_conditions(str(tmp_path / "absent.yaml"))
