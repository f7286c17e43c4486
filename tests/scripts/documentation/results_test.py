"""
The pages of results say what docs/results/runs.csv says.
"""

import csv
import re
import statistics

import pytest

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.results_file import FIRST, LAST, read_lines, write_lines
from scripts.documentation import results
from scripts.documentation.results import RESULTS, made, number
from tests.shared import PROJECT

PAGES = results.pages()

RUNS = RESULTS / "runs.csv"


@pytest.fixture(scope="module")
def tables():
    return results.read_tables()


@pytest.fixture(scope="module")
def runs():
    return read_lines(str(RUNS))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_tables_of_a_page_are_those_of_the_file(page, tables, runs):
    text = page.read_text(encoding="utf-8")
    assert len(results.MARKED.findall(text)) == text.count("<!-- results: ") == text.count("<!-- end of results -->")
    assert results.filled(text, tables, runs) == text, "run python -m scripts.documentation.results"


def test_every_table_is_on_a_page(tables, runs):
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert sorted(name for _, name, _ in results.MARKED.findall(text)) == sorted(tables)
    with pytest.raises(ConfigurationError, match="'qoref'.*quoref"):
        results.filled("<!-- results: qoref -->\n<!-- end of results -->", tables, runs)


def test_the_file_is_as_the_command_writes_it(tmp_path):
    write_lines(str(tmp_path / "again.csv"), read_lines(str(RUNS)))
    assert (tmp_path / "again.csv").read_text(encoding="utf-8") == RUNS.read_text(encoding="utf-8")
    with RUNS.open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len({(line["run"], line["hardware"], line["commit"]) for line in lines}) == len(lines)
    for line in lines:
        # A line needs a commit or a note that says where it comes from.
        assert (line["commit"] or line["note"]) and (line["seed"] or line["note"]), line["run"]


def run(condition, task, seed, **columns):
    """A line of a file of results. Columns that are not given are empty, as in a file."""
    empty = dict.fromkeys((*FIRST, "best_validation_accuracy", "best_validation_loss", "test_accuracy", *LAST), "")
    name = f"babi/{condition}/task_{task}/seed_{seed}"
    line = {"run": name, "conditions": f"other.1.row a.1.{condition}", "task": task, "seed": seed, **columns}
    return {**empty, **{column: str(value) for column, value in {"questions": 1, **line}.items()}}


def cells(rows, columns, lines, **cell):
    """The rows of a table over lines, by label."""
    table = {"rows": rows, "columns": columns, "cells": {"of": "test_accuracy", **cell}}
    found = [[text.strip() for text in line[1:-1].split("|")] for line in made(table, lines)]
    assert found[0] == ["", *columns]
    return {row[0]: row[1:] for row in found[2:]}


@pytest.fixture
def three_seeds():
    """The accuracies and runs of three seeds on four tasks. Seed 3 has the lowest loss, but seed 1 on task 4."""
    tests = {(task, seed): 1 - (task * seed % 7) / 100 for task in (1, 2, 3, 4) for seed in (1, 2, 3)}
    losses = {(task, seed): seed if task == 4 else 10 - seed for task, seed in tests}
    lines = [
        run("a", *key, best_validation_accuracy=0.5, best_validation_loss=losses[key], test_accuracy=test)
        for key, test in tests.items()
    ]
    return tests, lines


def test_all_seeds_of_a_row(three_seeds):
    tests, lines = three_seeds
    rows = {"all": {}, "two": {"task": 2}, "of another seed": {"seed": 4}}
    columns = {
        "each": {"show": "each", "seeds": "1-4"},
        "errors": {"show": "mean", "unit": "error", "digits": 2},
        "best": {"show": "best"},
        "failed": {"show": "each", "over": "failed", "unit": "count"},
        "lowest": {"show": "each", "over": "min"},
    }
    shown = cells(rows, columns, lines, conditions="a.1.a")
    seeds = [[tests[task, seed] for task in (1, 2, 3, 4)] for seed in (1, 2, 3)]
    errors = [100 * (1 - statistics.mean(seed)) for seed in seeds]
    best = [tests[1, 3], tests[2, 3], tests[3, 3], tests[4, 1]]
    assert shown["all"] == [
        " / ".join([*(f"{statistics.mean(seed):.3f}"[1:] for seed in seeds), "–"]),
        f"{statistics.mean(errors):.2f} ± {statistics.stdev(errors):.2f}",
        f"{statistics.mean(best):.3f}"[1:],
        " / ".join(str(sum(test < 0.95 for test in seed)) for seed in seeds),
        " / ".join(f"{min(seed):.3f}"[1:] for seed in seeds),
    ]
    assert shown["two"][0] == ".980 / .960 / .940 / –" and shown["two"][2] == ".940"
    assert shown["of another seed"] == ["", "", "", "", ""]


def test_differences_are_over_the_seeds_that_both_rows_have():
    tests = {("base", 1): 0.8, ("base", 2): 0.9, ("new", 2): 0.95, ("new", 3): 0.75, ("apart", 4): 0.7}
    lines = [run(*key[:1], 16, *key[1:], test_accuracy=test) for key, test in tests.items()]
    rows = {name: {"conditions": f"a.1.{name}"} for name in ("none", "base", "new", "apart")}
    columns = {"gain": {"show": "gain"}, "new": {"show": "gain", "base": "new"}}
    assert cells(rows, columns, lines) == {
        "none": ["", ""],
        "base": ["", "-.050"],
        "new": ["+.050", ""],
        "apart": ["", ""],
    }
    again = {**lines[0], "commit": "another"}
    with pytest.raises(ConfigurationError, match="babi/base/task_16/seed_1 twice"):
        cells(rows, columns, [*lines, again])


def test_folds_count_by_their_questions():
    lines = [run("a", "", 1, run=f"a/fold_{i}/seed_1", test_accuracy=i / 10, questions=10 * i) for i in (1, 2, 3)]
    columns = {"all": {"show": "average", "over": "questions"}, "folds": {"show": "each", "by": "run"}}
    # (10 * .1 + 20 * .2 + 30 * .3) / 60
    assert cells({"a": {"run": "a/*"}}, columns, lines, unit="percent") == {"a": ["23.33", "10.00 / 20.00 / 30.00"]}


def test_an_interval_is_over_the_questions_that_differ():
    answers = {"base": "00" * 50, "new": "ff" * 50}
    lines = [run(name, 1, 1, right=right, questions=400, test_accuracy=0) for name, right in answers.items()]
    rows = {name: {"conditions": f"a.1.{name}"} for name in answers}
    shown = cells(rows, {"interval": {"show": "interval"}}, lines)
    assert shown == {"base": [""], "new": ["+1.000 (+1.000 to +1.000), p = .000"]}


def test_rows_of_a_paper_have_its_values(runs):
    columns = {"paper": {"show": "paper", "paper": "task 16"}}
    shown = cells("why_we_differ.coref_gru", columns, runs)
    assert shown.pop("the paper, best of 10 seeds") == [".999"] and set(map(tuple, shown.values())) == {("",)}


def test_numbers_have_no_zero_before_the_point():
    assert [number({}, value) for value in (0.4361, 1.0, 0.0)] == [".436", "1.000", ".000"]
    assert [number({}, value, "+") for value in (0.0234, -0.0234, -0.0001, 0.0)] == ["+.023", "-.023", "+.000", "+.000"]
    assert number({"unit": "error", "digits": 2}, 0.831) == "0.83"


def test_the_documented_commands_give_what_the_pages_say():
    page = (PROJECT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    columns = re.findall(r"^\| ((?:`\w+`(?:, | and so on)?)+) \|", page.partition("## One file")[2], flags=re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", "".join(columns)))
    assert {*FIRST, *LAST} <= named
