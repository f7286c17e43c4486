import json
import statistics
from dataclasses import replace

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.reproduction.condition_files import read_conditions
from allennlp_coref_rc.reproduction.report import report
from allennlp_coref_rc.reproduction.runs import MODEL, PREDICTIONS, RESULT
from tests.json_lines import write_lines

CONDITIONS = """
paper: "Tiny: nobody, nowhere"
tables:
  a:
    caption: two readers
    columns:
      Avg: {measure: mean, tolerance: 0.01}
      Max: {measure: best}
      Error: {measure: best, unit: error, tolerance: 1}
      "# failed": {measure: failed}
      Task: {measure: tasks}
      Task 6: {measure: task 6}
      validation: {split: validation}
    tasks: 1,6
    seeds: 1-2
    rows:
      nobody: {row: Nobody, paper: {Max: 0.5}}
      gru:
        row: GRU
        config: CONFIG
        paper: {Avg: 0.66, Max: 0.7, Error: 29, "# failed": 1, Task: [0.9, 0.5], Task 6: 0.4}
      coref_gru:
        row: C-GRU
        config: CONFIG
        overrides: {trainer.num_epochs: 2}
        compared_with: gru
        paper: {Max: 0.8}
      elsewhere:
        row: Elsewhere
        config: CONFIG
        overrides: {trainer.num_epochs: 3}
        data: {absent.txt: 1}
        paper: {Max: 0.8}
      nowhere: {row: Nowhere, config: absent.jsonnet, paper: {Max: 0.8}}
"""

# By task and seed: test accuracy, best validation accuracy, its loss.
GRU = {(1, 1): (0.96, 0.9, 0.2), (1, 2): (0.90, 0.9, 0.1), (6, 1): (0.4, 0.5, 0.1), (6, 2): (0.5, 0.6, 0.3)}


@pytest.fixture
def tables(tmp_path):
    config = tmp_path / "config.jsonnet"
    config.write_text('{ dataset_reader: { type: "annotated_babi" }, trainer: { num_epochs: 1 } }')
    (tmp_path / "tiny.yaml").write_text(CONDITIONS.replace("CONFIG", str(config)))
    return read_conditions(str(tmp_path / "tiny.yaml"))


def finish(table, row, output, values):
    """Writes values as if runs had given them."""
    condition = next(condition for condition in table.conditions if condition.name.endswith(f".{row}"))
    for run in condition.runs(condition.seeds, str(output)):
        if (run.task, run.seed) not in values:
            continue
        test, validation, loss = values[run.task, run.seed]
        best = {"best_validation_accuracy": validation, "best_validation_loss": loss}
        metrics = {"test_accuracy": test, **best}
        metrics.update(best_epoch=4, epoch=6, training_loss=0.5, peak_worker_0_memory_MB=9.5)
        seconds = {"train": 1700, "predict": 100}
        write_run(output, run, metrics, [{"id": i, "correct": i < test * 50} for i in range(50)], seconds)


def write_run(output, run, metrics, predictions, seconds):
    path = output / run.name
    path.mkdir(parents=True)
    settings = {"run": run.name, "config": run.config, "settings": run.settings()}
    settings["fingerprint"] = run.fingerprint()
    made_with = {"commit": "abc", "hardware": "a processor", "seconds": seconds}
    result = {**settings, **made_with, "data": {}, "questions": len(predictions), "metrics": metrics}
    (path / RESULT).write_text(json.dumps(result))
    write_lines(path / PREDICTIONS, predictions)


def cells(text, *start):
    """The remaining cells of the lines that begin with these cells."""
    lines = [line.strip("|") for line in text.splitlines() if line[:1] == "|"]
    rows = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    found = [row[len(start) :] for row in rows if row[: len(start)] == list(start)]
    assert len(found) == 1, (start, found)
    return found[0]


def test_a_difference_of_just_the_tolerance_is_ok(tables, tmp_path):
    assert 0.66 - 0.65 > 0.01, "the last bit"
    finish(tables[0], "gru", tmp_path, dict.fromkeys(GRU, (0.65, 0.9, 0.1)))
    assert cells(report(tables, [], str(tmp_path), str(tmp_path)), "GRU", "Avg")[3:] == ["-0.010", "[OK]"]


def test_papers_values_beside_ours(tables, tmp_path):
    finish(tables[0], "gru", tmp_path, GRU)
    finish(tables[0], "coref_gru", tmp_path, dict.fromkeys(GRU, (1.0, 1.0, 0.0)))
    text = report(tables, [], str(tmp_path), str(tmp_path))
    seeds = [(0.96 + 0.4) / 2, (0.90 + 0.5) / 2]
    mean, sd = statistics.fmean(seeds), statistics.stdev(seeds)
    ours = f"{mean:.3f} ± {sd:.3f} (2)"
    # Task 1: seed 2 has the lower loss; task 6: seed 2 has the better accuracy.
    assert cells(text, "GRU", "Avg") == ["0.660", ours, "0.700", "+0.030", "[OK]"]
    assert cells(text, "GRU", "Max") == ["0.700", ours, "0.700", "+0.000", "[OK]"]
    assert cells(text, "GRU", "Error") == ["29.0", "31.0 ± 1.4 (2)", "30.0", "+1.0", "[OK]"]
    assert cells(text, "GRU", "# failed") == ["1", "1.5 ± 0.7 (2)", "2", "+1", "[FAIL]"]
    assert cells(text, "GRU", "Task 6") == ["0.400", "0.450 ± 0.071 (2)", "0.500", "+0.100", "[OK]"]
    assert cells(text, "GRU", "validation") == ["", "0.725 ± 0.035 (2)", "0.750", "", ""]
    assert cells(text, "C-GRU", "Max") == ["0.800", "1.000 ± 0.000 (2)", "1.000", "+0.200", "[OK]"]
    assert cells(text, "Nobody", "Max") == ["0.500", "", "", "", ""]
    assert cells(text, "Elsewhere", "Max") == ["0.800", "", "", "", "[no data]"]
    assert cells(text, "Nowhere", "Max") == ["0.800", "", "", "", "[no config]"]
    own = ["mean (seeds)", "minutes"]
    assert cells(text, "task") == ["GRU, paper", "GRU, best", *own, "C-GRU, best", *own]
    assert cells(text, "1") == ["0.900", "0.900", "0.930 (2)", "30.0", "1.000", "1.000 (2)", "30.0"]
    assert cells(text, "6") == ["0.500", "0.500", "0.450 (2)", "30.0", "1.000", "1.000 (2)", "30.0"]
    assert cells(text, "GRU", "4 of 4") == ["1, 2", "abc", "a processor", "2.00"]
    # Of 100 questions GRU misses 31, in the mean over seeds.
    assert "| paired bootstrap of right answers (%), means over seeds | questions |" in text
    questions, difference, _, p = cells(text, "C-GRU against GRU")
    assert (questions, difference, p) == ("100", "+31.00", "0.0002")


def test_a_run_of_another_config_is_no_run_of_this(tables, tmp_path):
    finish(tables[0], "gru", tmp_path, GRU)
    run = tables[0].conditions[1].runs([1], str(tmp_path))[0]
    (tmp_path / run.name / MODEL).mkdir()
    (tmp_path / run.name / MODEL / "config.json").write_text(json.dumps(run.params()))
    (tmp_path / "config.jsonnet").write_text(
        '{ dataset_reader: { type: "annotated_babi" }, trainer: { num_epochs: 7 } }'
    )
    with pytest.raises(ConfigurationError, match=r"config.jsonnet \(trainer.num_epochs: found 1, expected 7"):
        report(tables, [], str(tmp_path), str(tmp_path))


@pytest.fixture
def quoref(tables, tmp_path):
    """A table with F1, as on Quoref, and two rows."""
    text = (tmp_path / "tiny.yaml").read_text().partition("    columns:")
    columns = (
        "    measure: mean\n    columns: {EM: {metric: exact_match}, F1: {metric: f1}}\n"
        "    seeds: 1-2\n    rows:\n"
    )
    config = tmp_path / "config.jsonnet"
    rows = f"      plain: {{row: plain, config: {config}, needs: a GPU}}\n"
    rows += (
        f"      coref: {{row: coref, config: {config}, overrides: {{trainer.x: 1}}, compared_with: plain}}\n"
    )
    (tmp_path / "tiny.yaml").write_text(text[0] + columns + rows)
    (table,) = read_conditions(str(tmp_path / "tiny.yaml"))
    return table


def test_a_row_is_compared_by_all_of_its_own_seeds(quoref, tmp_path):
    other = quoref.conditions[1].model_copy(update={"seeds": [2, 3, 4]})
    (table,) = [replace(quoref, conditions=[quoref.conditions[0], other])]
    for condition, values in zip(table.conditions, ((0.25, 0.5), (0.25, 0.5, 1.0))):
        for run, f1 in zip(condition.runs(condition.seeds, str(tmp_path)), values):
            predictions = [{"id": i, "f1": f1} for i in range(9)]
            write_run(tmp_path, run, {"test_f1": f1}, predictions, {"train": 60})
    found = report([table], [], str(tmp_path), str(tmp_path))
    # The means over seeds are .375 and .5833, as the table has them.
    assert cells(found, "coref against plain")[1] == "+20.83"


def test_scores_of_answers_are_compared_by_a_bootstrap(quoref, tmp_path):
    """Where a table has F1, it is compared in place of right answers."""
    for condition, values in zip(quoref.conditions, ((0.25, 0.5), (0.75, 0.625))):
        for run, f1 in zip(condition.runs([1, 2], str(tmp_path)), values):
            # Without validation.
            metrics = {"test_exact_match": f1, "test_f1": f1}
            write_run(tmp_path, run, metrics, [{"id": i, "f1": f1} for i in range(9)], {"train": 60})
    found = report([quoref], [], str(tmp_path), str(tmp_path))
    assert "| paired bootstrap of F1 (%), means over seeds | questions |" in found
    # Of the means over the two seeds, 37.5 and 68.75.
    assert cells(found, "coref against plain")[:3] == ["9", "+31.25", "+31.25 to +31.25"]
    assert "\n\nfound 9 passages to draw, expected 20 or more: the interval is too narrow" in found
    assert "\n\nplain: a run needs a GPU.\n\n" in found
