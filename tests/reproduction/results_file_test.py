"""A file of results. The results of runs are written to it, and reports are made from it."""

import csv
import random
import shutil
from pathlib import Path
from statistics import fmean

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.reproduction.report import report
from allennlp_coref_rc.reproduction.results_file import Results, read_lines, write_lines, write_results
from allennlp_coref_rc.reproduction.runs import PREDICTIONS, RESULT
from allennlp_coref_rc.reproduction.significance import paired_bootstrap, read_scores
from scripts.documentation.page_tables import PageTables
from tests.reproduction.report_test import (  # noqa: F401  fixtures
    GRU,
    cells,
    finish,
    quoref,
    tables,
    write_run,
)


@pytest.fixture
def folder(tmp_path, tables):  # noqa: F811
    """Runs of two rows. One run of the second is not finished."""
    finish(tables[0], "gru", tmp_path / "runs", GRU)
    finish(tables[0], "coref_gru", tmp_path / "runs", {key: GRU[key] for key in list(GRU)[:3]})
    unfinished = tables[0].conditions[2].runs([2], str(tmp_path / "runs"))[1]
    (tmp_path / "runs" / unfinished.name / "model").mkdir(parents=True)
    return tmp_path / "runs"


@pytest.fixture
def file(tmp_path, tables, folder):  # noqa: F811
    path = str(tmp_path / "runs.csv")
    assert write_results(path, str(folder), tables[0].conditions) == 7
    return path


def test_a_line_has_what_a_run_came_to(file, tables):  # noqa: F811
    with open(file, encoding="utf-8") as lines:
        found = [line for line in csv.DictReader(lines) if line["conditions"] == "tiny.a.coref_gru"]
    assert [(line["task"], line["seed"]) for line in found] == [("1", "1"), ("1", "2"), ("6", "1")]
    assert {line.pop("right") for line in found} == {"f" * 12 + "00", "f" * 11 + "800", "f" * 5 + "0" * 9}
    run = tables[0].conditions[2].runs([1], "")[1]
    names = {"run": run.name, "conditions": "tiny.a.coref_gru", "config": run.config, "data": "", "note": ""}
    setting = {"settings": '{"trainer.num_epochs": 2}', "task": "6", "seed": "1", "hardware": "a processor"}
    best = {"best_validation_accuracy": "0.5", "best_validation_loss": "0.1", "best_epoch": "5"}
    rest = {"test_accuracy": "0.4", "epochs": "7", "questions": "50", "seconds": "1800", "commit": "abc"}
    assert found[2] == {**names, **setting, **best, **rest}


def test_the_report_is_that_of_the_folder(file, folder, tables):  # noqa: F811
    from_folder = report(tables, [], str(folder), str(folder))
    from_file = report(tables, [], "nowhere", str(folder), source=Results(file))
    # Whether data are at hand does not matter to a file.
    assert from_file.replace("|  | [not run] |", "|  | [no data] |") == from_folder
    assert cells(from_file, "Elsewhere", "Max")[-1] == "[not run]"
    assert cells(from_folder, "C-GRU", "Max")[-1] == "[FAIL], [3/4 run]"


def test_the_report_of_the_file_tests_significance(file, folder, tables):  # noqa: F811
    shutil.rmtree(next(path for path in folder.rglob("seed_2") if not (path / RESULT).exists()))
    finish(tables[0], "coref_gru", folder, {(6, 2): (1.0, 1.0, 0.0)})
    write_results(file, str(folder), tables[0].conditions)
    from_file = report(tables, [], "nowhere", str(folder), source=Results(file))
    assert cells(from_file, "C-GRU against GRU")[:2] == ["100", "+12.50"]
    found = from_file.replace("|  | [not run] |", "|  | [no data] |")
    assert found == report(tables, [], str(folder), str(folder))
    lines = read_lines(file)
    for line in lines:
        line["right"] = ""
    write_lines(file, lines)
    assert "against" in from_file
    assert "against" not in report(tables, [], "", str(folder), source=Results(file))


def test_runs_are_merged_in_one_order_without_doubles(file, folder, tables, tmp_path):  # noqa: F811
    content = Path(file).read_text(encoding="utf-8")
    lines = read_lines(file)
    write_lines(file, lines[::-1])
    assert Path(file).read_text(encoding="utf-8") == content
    for line in lines:
        line.update(note="by hand", conditions="an old name")
    write_lines(file, lines)
    path = next(folder.rglob("task_6/seed_1/" + RESULT))
    path.write_text(path.read_text().replace('"test_accuracy": 0.4', '"test_accuracy": 0.6'))
    assert write_results(file, str(folder), []) == 7
    changed = read_lines(file)
    assert [line["run"] for line in changed] == [line["run"] for line in lines]
    assert sum(old != new for old, new in zip(lines, changed)) == 1
    path.write_text(path.read_text().replace("a processor", "another").replace("test_acc", "named_acc"))
    write_results(file, str(folder), tables[0].conditions)
    assert len(read_lines(file)) == 8 and sum(line["named_accuracy"] != "" for line in read_lines(file)) == 1
    with pytest.raises(ConfigurationError, match=r"runs.csv: .*task_6/seed_1 2 times \(line 7: a pr"):
        report(tables, [], "", str(tmp_path), source=Results(file))
    assert report(tables, [], "", str(tmp_path), source=Results(file, {"hardware": "a proc*"}))


def test_a_run_of_another_config_is_no_run_of_this(file, tables):  # noqa: F811
    lines = read_lines(file)
    for line in lines:
        line["config"] = "another/config.jsonnet"
    write_lines(file, lines)
    with pytest.raises(
        ConfigurationError, match="found the run .* of the config another/config.jsonnet, expected"
    ):
        report(tables, [], "", "", source=Results(file))


def test_one_seed_needs_no_validation(file, tables, tmp_path):  # noqa: F811
    """As a run of which a page has said no more than the test accuracy."""
    lines = [line for line in read_lines(file) if line["seed"] == "1"]
    for line in lines:
        line.update(best_validation_accuracy="", best_validation_loss="", seconds="")
    write_lines(file, lines)
    found = report(tables, [1], "", str(tmp_path), source=Results(file))
    assert cells(found, "GRU", "Max") == ["0.700", "0.680 (1)", "0.680", "-0.020", "[FAIL]"]
    assert cells(found, "GRU", "2 of 2")[-1] == "nan"


@pytest.fixture
def graded(quoref, tmp_path):  # noqa: F811
    """A file of runs on two questions of each of 40 articles, which are not in the order of articles."""
    scores = random.Random(1)
    for condition in quoref.conditions:
        for run in condition.runs([1, 2], str(tmp_path / "graded")):
            questions = [
                {"id": i, "f1": scores.random(), "exact_match": scores.randrange(2), "article": f"a{i % 40}"}
                for i in range(80)
            ]
            means = {f"test_{key}": fmean(each[key] for each in questions) for key in ("f1", "exact_match")}
            epochs = {"best_epoch": 1, "epoch": 1}
            write_run(tmp_path / "graded", run, {**means, **epochs}, questions, {"train": 60})
    write_results(str(tmp_path / "graded.csv"), str(tmp_path / "graded"), quoref.conditions)
    return str(tmp_path / "graded.csv")


def test_intervals_of_graded_scores_recompute_from_the_file(graded, quoref, tmp_path):  # noqa: F811
    from_folder = report([quoref], [], str(tmp_path / "graded"), "")
    from_file = report([quoref], [], "nowhere", "", source=Results(graded))
    expected = cells(from_folder, "coref against plain")
    assert expected[0] == "80" and cells(from_file, "coref against plain") == expected
    page = "<!-- results: name -->\n<!-- end of results -->"
    for metric in ("f1", "exact_match"):
        columns = [{"gain": {"show": "interval", "metric": metric, "unit": "percent"}}]
        rows = {name: {"conditions": f"tiny.a.{name}"} for name in ("plain", "coref")}
        described = {"name": {"rows": rows, "columns": columns}}
        shown = cells(PageTables(described, read_lines(graded), [quoref]).filled(page), "coref")
        read = [
            [read_scores(run.path(PREDICTIONS), metric) for run in c.runs([1, 2], str(tmp_path / "graded"))]
            for c in quoref.conditions
        ]
        plain, coref = ([fmean(one.score for one in pair) for pair in zip(*files)] for files in read)
        test = paired_bootstrap(coref, plain, groups=[one.article for one in read[0][0]])
        difference, low, high = (100 * value for value in test[1:4])
        p = "< .001" if test.p < 0.001 else f"= {test.p:.3f}".replace("0.", ".")
        assert shown == [f"{difference:+.2f} ({low:+.2f} to {high:+.2f}), p {p}"]


def test_lines_without_answers_have_no_interval(graded, quoref):  # noqa: F811
    lines = [{**line, "right": "", "scores": ""} for line in read_lines(graded)]
    write_lines(graded, lines)
    assert "against" not in report([quoref], [], "nowhere", "", source=Results(graded))


@pytest.mark.parametrize("new, expected", [("f1 0000 ", "four digits"), ("f1 00 ", "hexadecimal digits")])
def test_scores_that_no_run_has_are_refused(graded, new, expected):
    text = Path(graded).read_text(encoding="utf-8")
    Path(graded).write_text(text.replace("f1 ", new, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=f"line 2, column 'scores': found .* expected {expected}"):
        Results(graded)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("run,", "runs,", "runs.csv, line 1: found 'runs, .*', expected also 'run'"),
        (",abc,", ",", "runs.csv, line 2: found 17 fields, expected 18"),
        (",0.1,", ",0.1x,", "runs.csv, line 3, column 'best_validation_loss': found '0.1x', expected a"),
        ("ffff", "ffxf", "runs.csv, line 2, column 'right': found 'ffxf"),
    ],
)
def test_another_file_is_refused(file, old, new, message):
    text = Path(file).read_text(encoding="utf-8")
    Path(file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        Results(file)


def test_the_commands(file, folder, tables, tmp_path, capsys):  # noqa: F811
    content = Path(file).read_text(encoding="utf-8")
    common = ["reproduce", "--conditions", str(tmp_path / "tiny.yaml"), "--data", str(folder)]
    main([*common, "--output", str(folder), "--write-results", str(tmp_path / "new.csv")])
    assert "new.csv: the results of 7 runs of " in capsys.readouterr().out
    assert (tmp_path / "new.csv").read_text(encoding="utf-8") == content
    main([*common, "--report", "--results", file, "--where", "commit=a*"])
    assert cells(capsys.readouterr().out, "GRU", "Avg")[1] == "0.690 ± 0.014 (2)"
    for more, message in [
        (["--results", file], "--results or --where: found no --report"),
        (["--report", "--results", file, "--where", "commit"], "--where: found 'commit', expected COLUMN"),
        (["--report", "--results", file, "--where", "cpu=1"], "found no column 'cpu', expected one of run, "),
        (["--report", "--results", file, "--where", "commit=x"], "found no line with commit=x, expected one"),
        (["--report", "--results", file, "--where", "commit=a", "commit=b"], "expected every column once"),
        (
            ["--table", "tiny.a", "--write-results", file],
            "--write-results: found --table too, expected it for",
        ),
        (["--tasks", "1,7", "--dry-run"], "--tasks: found 1,7, expected some of 1, 6"),
        (["--output", str(tmp_path / "absent"), "--write-results", file], "absent: no such folder"),
    ]:
        with pytest.raises(SystemExit):
            main([*common, *more])
        assert message in " ".join(capsys.readouterr().err.split())
