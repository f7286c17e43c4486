import csv
import json
import math
import os
import re
import shutil

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.data.babi.babi_files import read_babi
from allennlp_coref_rc.reproduction.condition import select
from allennlp_coref_rc.reproduction.condition_files import read_conditions
from allennlp_coref_rc.reproduction.report import report
from allennlp_coref_rc.reproduction.runs import MODEL
from tests.archives import untrained_archive
from tests.reproduction.report_test import write_run
from tests.shared import PROJECT
from tests.training_config.configs import BABI

REMOVED = "dataset_reader.annotator.remove_mentions"

CONDITIONS = """
paper: "Tiny: nobody, nowhere"
figures:
  1_left:
    caption: accuracy by share
    drawing: {type: ablation_curves, published: {C-GRU: {0: 0.9}, GRU: 0.3}}
    tasks: 3
    seeds: 1-2
    rows:
      removed_0: {row: C-GRU, config: CONFIG}
      removed_50: {row: C-GRU, config: CONFIG, overrides: {REMOVED: 0.5}}
      gru: {row: GRU, config: CONFIG, overrides: {trainer.num_epochs: 2}, note: one epoch more}
  "2":
    caption: loss by epoch
    drawing: {type: training_curves}
    tasks: 3
    seeds: 1-2
    rows:
      coref_gru: {row: C-GRU, config: CONFIG}
  "3":
    caption: scores by type of question
    drawing: {type: question_bars, by: [passage length], measures: [rouge_l]}
    seeds: 1-2
    rows:
      qanet: {row: QANet, config: CONFIG}
      dassa: {row: DASSA, config: CONFIG, overrides: {trainer.num_epochs: 3}}
  "4":
    caption: data that are not at hand
    drawing: {type: story_maps}
    seeds: "1"
    data: {absent.txt: 1}
    rows:
      gru: {row: GRU, config: CONFIG}
"""


@pytest.fixture
def figures(tmp_path):
    config = tmp_path / "config.jsonnet"
    config.write_text(
        '{ dataset_reader: { annotator: { type: "corrupted_coref" } }, trainer: { num_epochs: 1 } }'
    )
    (tmp_path / "tiny.yaml").write_text(CONDITIONS.replace("CONFIG", str(config)).replace("REMOVED", REMOVED))
    return {figure.name: figure for figure in read_conditions(str(tmp_path / "tiny.yaml"))}


def finish(output, figure, row, **by_seed):
    """Writes metrics and predictions as if runs had given them: all runs, or those of some seeds."""
    (condition,) = [condition for condition in figure.conditions if condition.name == f"{figure.name}.{row}"]
    for run in condition.runs(condition.seeds, str(output)):
        if f"seed_{run.seed}" not in by_seed:
            continue
        metrics, predictions = by_seed[f"seed_{run.seed}"]
        write_run(output, run, metrics, predictions, {"train": 3600})
        folder = output / run.name / MODEL
        folder.mkdir()
        for name, content in (("config", run.params()), ("metrics", metrics), ("metrics_epoch_0", metrics)):
            (folder / f"{name}.json").write_text(json.dumps(content))


def accuracy(value):
    return {"test_accuracy": value, "training_loss": -math.log(value)}, []


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def drawn(output, figure, **options):
    return report([figure], [], str(output), str(output), **options)


def test_curves_are_of_all_runs_of_the_rows_of_a_name(figures, tmp_path):
    figure, folder = figures["tiny.figure_1_left"], tmp_path / "figures" / "tiny.figure_1_left"
    finish(tmp_path, figure, "removed_0", seed_1=accuracy(0.75), seed_2=accuracy(1.0))
    finish(tmp_path, figure, "removed_50", seed_1=accuracy(0.5))
    # Without all of its points, the curve would be another one.
    assert "curves.png" not in drawn(tmp_path, figure)
    finish(tmp_path, select([figure], [], ["*.removed_50"])[0], "removed_50", seed_2=accuracy(0.25))
    finish(tmp_path, figure, "gru", seed_1=accuracy(0.125))
    text = drawn(tmp_path, figure)
    assert "[curves.png]" in text and "\n\nGRU: one epoch more.\n\n| row |" in text
    assert "| C-GRU | removed_0 | 2 of 2 | 1, 2 | abc | a processor | 2.00 |  |" in text
    assert "| GRU | gru | 1 of 2 | 1 | abc | a processor | 1.00 | [1/2 run] |" in text
    c_gru = [["C-GRU", "0", "2", "0.875000"], ["C-GRU", "0.5", "2", "0.375000"]]
    published = [["C-GRU, published", "0", "1", "0.900000"], ["GRU, published", "", "1", "0.300000"]]
    assert [row[:4] for row in rows(folder / "curves.csv")[1:]] == c_gru + published

    finish(tmp_path, select([figure], [], ["*.gru"])[0], "gru", seed_2=accuracy(0.125))
    text = drawn(tmp_path, figure)
    assert f"[curves.png]({folder}/curves.png), [curves.csv]({folder}/curves.csv)\n" in text
    assert [row[:4] for row in rows(folder / "curves.csv")[1:]] == [
        *c_gru,
        ["GRU", "", "2", "0.125000"],
        *published,
    ]
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert sorted(path.name for path in folder.iterdir()) == ["curves.csv", "curves.png"]


def answers(*words):
    who = {"answer_texts": ["fish"], "question_tokens": ["Who"]}
    return [{"id": str(i), "answer": word, "passage_length": 200 + i, **who} for i, word in enumerate(words)]


def test_bars_are_of_the_run_that_is_best_on_validation_questions(figures, tmp_path):
    figure = figures["tiny.figure_3"]
    worse, better = {"best_validation_rouge_l": 0.25}, {"best_validation_rouge_l": 0.5}
    seeds = {"seed_1": (better, answers("fish", "dog")), "seed_2": (worse, answers("fish", "fish"))}
    finish(tmp_path, figure, "qanet", **seeds)
    seeds = {"seed_1": (worse, answers("cat", "cat")), "seed_2": (better, answers("dog", "fish"))}
    finish(tmp_path, figure, "dassa", **seeds)
    drawn(tmp_path, figure)
    folder = tmp_path / "figures" / "tiny.figure_3"
    assert [row[1:6] for row in rows(folder / "scores.csv")[1:]] == [
        ["all", "2", "QANet", "rouge_l", "50.0000"],
        ["all", "2", "DASSA", "rouge_l", "50.0000"],
        ["1-200", "1", "QANet", "rouge_l", "100.0000"],
        ["1-200", "1", "DASSA", "rouge_l", "0.0000"],
        ["201-400", "1", "QANet", "rouge_l", "0.0000"],
        ["201-400", "1", "DASSA", "rouge_l", "100.0000"],
    ]
    names = ["passage_length_rouge_l.png", "scores.csv", "scores.md"]
    assert sorted(path.name for path in folder.iterdir()) == names


@pytest.mark.slow
def test_answers_are_of_the_archives_of_runs_to_the_test_questions(tmp_path):
    text = """
paper: "Tiny: nobody, nowhere"
figures:
  "5":
    caption: answers
    drawing: {type: compared_answers, questions: 2, pages: 1, only_different: false, explain: true}
    seeds: "1"
    overrides: {dataset_reader.folder: FOLDER, dataset_reader.task: 2}
    rows:
      gru: {row: GA, config: babi/bi_gru.jsonnet}
      coref_gru: {row: C-GRU, config: babi/bi_coref_gru.jsonnet}
"""
    (tmp_path / "tiny.yaml").write_text(text.replace("FOLDER", str(BABI)))
    (figure,) = read_conditions(str(tmp_path / "tiny.yaml"))
    for condition in figure.conditions:
        (run,) = condition.runs([1], str(tmp_path))
        write_run(tmp_path, run, {}, [], {})
        archive = untrained_archive(tmp_path / condition.row, config=os.path.basename(run.config)[:-8])
        (tmp_path / run.name / MODEL).mkdir()
        shutil.copy(archive, run.path(MODEL, "model.tar.gz"))
    assert "[index.html]" in drawn(tmp_path, figure)
    folder = tmp_path / "figures" / figure.name
    names = {path.name for path in folder.iterdir()}
    assert names == {"index.html", "001.html"} | {
        f"reader_{i}{end}" for i in (1, 2) for end in ("", ".jsonl")
    }
    asked = [question.question.replace(" ", "") for question in read_babi(str(BABI / "qa2_test.txt"))][:2]
    for i in (1, 2):
        answers = [json.loads(line) for line in (folder / f"reader_{i}.jsonl").read_text().splitlines()]
        assert ["".join(answer["question_tokens"][1:-1]) for answer in answers] == asked
        assert (
            all(answer["attention"] for answer in answers) and (folder / f"reader_{i}" / "001.html").exists()
        )


def test_what_cannot_be_drawn_is_said_and_the_report_goes_on(figures, tmp_path):
    bars, stories = figures["tiny.figure_3"], figures["tiny.figure_4"]
    for row in ("qanet", "dassa"):
        finish(tmp_path, bars, row, seed_1=({"best_validation_accuracy": 1}, []), seed_2=({}, []))
    text = report([bars, stories], [], str(tmp_path), str(tmp_path))
    reason = "found no best_validation_rouge_l among its metrics"
    assert re.search(f"### .* scores by type .*\n\n.FAIL. Not drawn: .*{reason}", text)
    # It is of a run of the other.
    assert "| GRU | gru | 1 of 1 | 1 | abc |" in text
    assert re.search(
        "### .*at hand\n\n.FAIL. Not drawn: .*model.tar.gz: no such archive; coref-rc train", text
    )


def test_figures_without_data_are_marked(figures, tmp_path):
    text = drawn(tmp_path, figures["tiny.figure_4"])
    assert "| GRU | gru | 0 of 1 |  |  |  |  | [no data] |" in text
    assert not (tmp_path / "figures").exists()


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("{type: story_maps}", "{type: pie}", r"figures\.4\.drawing, .*pie"),
        ("{type: story_maps}", "{type: story_maps, way: back}", r"figures\.4\.drawing, .*way is 'back', exp"),
        ("{type: story_maps}", "{type: story_maps, questions: [0]}", r"drawing, .*found the questions \[0\]"),
        ("by: [passage length]", "by: [weather]", r"drawing, .*found \['weather'\], expected some of quest"),
        ("row: QANet, config: CONFIG", "row: QANet", r"found null at figures\.3\.rows\.qanet\.config"),
        ("row: QANet", "row: QANet, paper: {a: 1}", r"found {.*} at figures\.3\.rows\.qanet\.paper"),
    ],
)
def test_errors_name_the_file_and_the_key(tmp_path, old, new, message):
    assert CONDITIONS.count(old) == 1
    path = tmp_path / "tiny.yaml"
    path.write_text(CONDITIONS.replace(old, new))
    with pytest.raises(ConfigurationError, match=f"(?s){path}, {message}|{path}, .*{message}"):
        read_conditions(str(path))


COREF_GRU = ["ga_gru", "ga_coref_gru"]


@pytest.mark.parametrize(
    "figure, table, rows",
    [
        ("coref_gru.figure_3_left", "coref_gru.1", ["ga_gru"]),
        ("coref_gru.figure_3_left", "coref_gru.1", {"removed_0": COREF_GRU[1], "replaced_0": COREF_GRU[1]}),
        ("coref_gru.figure_3_right_babi", "coref_gru.1", COREF_GRU),
        ("coref_gru.figure_3_right", "coref_gru.2", ["ga_gru_1k", "ga_coref_gru"]),
        ("mage_gru.figure_4", "mage_gru.1", ["ga_gru", "ga_mage_gru"]),
        ("dassa.figure_4", "dassa.2", ["qanet", "dr_exp"]),
        ("dassa.figure_6_to_8", "dassa.2", ["qanet", "srl"]),
        ("mage_gru.figure_5", "mage_gru.3", ["ga_gru", "ga_mage_gru_64"]),
        ("cg_sba.figure_3", "cg_sba.1_cnn", ["ga_gru", "sba_question"]),
    ],
)
def test_figures_share_the_runs_of_tables(figure, table, rows):
    rows = rows if isinstance(rows, dict) else dict(zip(rows, rows))
    tables = read_conditions(str(PROJECT / "allennlp_coref_rc" / "reproduction" / "conditions"))
    conditions = {condition.name: condition for table in tables for condition in table.conditions}
    for row, other in rows.items():
        drawn, run = (conditions[name] for name in (f"{figure}.{row}", f"{table}.{other}"))
        names = {run.name for run in run.runs(run.seeds, "output")}
        assert {run.name for run in drawn.runs(drawn.seeds, "output")} <= names
