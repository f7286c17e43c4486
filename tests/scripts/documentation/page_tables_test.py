"""The tables of pages, from lines made up here."""

import statistics

import pytest

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.condition import Condition, Table
from allennlp_coref_rc.reproduction.results_file import FIRST, LAST
from scripts.documentation.page_tables import PageTables

PAPER = Condition(name="a.1.paper", row="the paper", paper={"task 2": 0.98, "Task": [0.1, 0.2]})


def run(condition, task, seed, **columns):
    """A line of a file of results. Columns that are not given are empty, as in a file."""
    empty = dict.fromkeys(
        (*FIRST, "best_validation_accuracy", "best_validation_loss", "test_accuracy", *LAST), ""
    )
    name = f"babi/{condition}/task_{task}/seed_{seed}"
    line = {"run": name, "conditions": f"other.1.row a.1.{condition}", "task": task, "seed": seed, **columns}
    return {**empty, **{column: str(value) for column, value in {"questions": 1, **line}.items()}}


def cells(rows, columns, lines, **cell):
    """The rows of a table over lines, by label."""
    conditions = [Table("a.1", "", "", [], [PAPER])]
    tables = PageTables({"name": {"rows": rows, "columns": columns, "cells": cell}}, lines, conditions)
    page = tables.filled("before <!-- results: name -->\nold\n<!-- end of results -->")
    found = [[text.strip() for text in line[1:-1].split("|")] for line in page.splitlines()[2:-2]]
    headers = [header for column in columns for header in ([column] if column == str(column) else column)]
    assert found[0] == ["", *headers]
    return {row[0]: row[1:] for row in found[2:]}


@pytest.fixture
def three_seeds():
    """Accuracies and runs of three seeds on four tasks. Seed 3 has the lowest loss; on task 4 seed 1."""
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
    columns = [
        "seeds 1 / 2 / 3",
        {"errors, mean ± sd": {"unit": "error", "digits": 2}},
        "best seeds",
        {"failed": {"show": "seeds", "measure": "failed", "digits": 0}},
        {"lowest": {"show": "seeds", "measure": "lowest"}},
    ]
    shown = cells(rows, columns, lines, conditions="a.1.a")
    seeds = [[tests[task, seed] for task in (1, 2, 3, 4)] for seed in (1, 2, 3)]
    errors = [100 * (1 - statistics.mean(seed)) for seed in seeds]
    best = [tests[1, 3], tests[2, 3], tests[3, 3], tests[4, 1]]
    assert shown["all"] == [
        " / ".join(f"{statistics.mean(seed):.3f}"[1:] for seed in seeds),
        f"{statistics.mean(errors):.2f} ± {statistics.stdev(errors):.2f}",
        f"{statistics.mean(best):.3f}"[1:],
        " / ".join(str(sum(test < 0.95 for test in seed)) for seed in seeds),
        " / ".join(f"{min(seed):.3f}"[1:] for seed in seeds),
    ]
    assert shown["two"][0] == ".980 / .960 / .940" and shown["two"][2] == ".940"
    assert shown["of another seed"] == ["", "", "", "", ""]


def test_rows_of_tasks(three_seeds):
    tests, lines = three_seeds
    columns = ["seeds 1 / 2 / 3", {"the paper": {"conditions": PAPER.name, "show": "paper", "paper": "Task"}}]
    expected = {"1": [".990 / .980 / .970", ".100"], "2": [".980 / .960 / .940", ".200"]}
    assert cells("tasks 1-2", columns, lines) == expected


def test_a_row_without_runs_has_the_value_of_the_paper(three_seeds):
    columns = ["task 2, seeds 1 / 2 / 3", "task 2, mean", "task 3, mean"]
    assert cells("a.1", columns, three_seeds[1]) == {"the paper": ["", ".980", ""]}


def test_differences_are_over_the_seeds_that_both_rows_have():
    tests = {("base", 1): 0.8, ("base", 2): 0.9, ("new", 2): 0.95, ("new", 3): 0.75, ("apart", 4): 0.7}
    lines = [run(*key[:1], 16, *key[1:], test_accuracy=test) for key, test in tests.items()]
    rows = {name: {"conditions": f"a.1.{name}"} for name in ("none", "base", "new", "apart")}
    columns = [{"gain": {"show": "gain"}, "new": {"show": "gain", "base": "new"}}]
    expected = {"none": ["", ""], "base": ["", "-.050"], "new": ["+.050", ""], "apart": ["", ""]}
    assert cells(rows, columns, lines) == expected
    with pytest.raises(ConfigurationError, match="task_16/seed_1 of commit  and .* of commit other"):
        cells(rows, columns, [*lines, {**lines[0], "commit": "other"}])


def test_folds_count_by_their_questions():
    lines = [run("a", "", 1, run=f"a/fold_{i}/seed_1", test_f1=i / 10, questions=10 * i) for i in (1, 2, 3)]
    columns = ["F1, mean", "F1, folds 1 / 2 / 3"]
    # (10 * .1 + 20 * .2 + 30 * .3) / 60
    expected = {"a": ["23.33", "10.00 / 20.00 / 30.00"]}
    assert cells({"a": {"run": "a/*"}}, columns, lines, unit="percent") == expected


def test_an_interval_is_over_the_questions_that_differ():
    answers = {"base": "00" * 50, "new": "ff" * 50}
    lines = [run(name, 1, 1, right=right, questions=400, test_accuracy=0) for name, right in answers.items()]
    rows = {name: {"conditions": f"a.1.{name}"} for name in answers}
    shown = cells(rows, [{"interval": {"show": "interval"}}], lines)
    assert shown == {"base": [""], "new": ["+1.000 (+1.000 to +1.000), p < .001"]}


FRACTIONS = [(0.4361, ".436"), (1.0, "1.000"), (0.0, ".000")]


@pytest.mark.parametrize(
    "test, unit, text", [*((test, "fraction", text) for test, text in FRACTIONS), (0.831, "error", "16.9")]
)
def test_fractions_have_no_zero_before_the_point(test, unit, text):
    assert cells({"a": {}}, ["mean"], [run("a", 1, 1, test_accuracy=test)], unit=unit) == {"a": [text]}


def test_a_row_may_say_what_each_of_its_cells_has(three_seeds):
    tests, lines = three_seeds
    lines = [{**line, "hardware": "Intel(R) Xeon(R) Processor with AVX512, 1 thread"} for line in lines]
    rows = {"a": {"in": {"least": {"task": 1}, "seeds": {}, "CPU": {}}}, "paper": {"in": {"paper": {}}}}
    columns = [
        {"least": {"show": "least"}},
        {"seeds": {"show": "how many seeds"}},
        {"CPU": {"show": "hardware"}},
        {"paper": {"show": "paper", "of_paper": PAPER.name, "paper": "task 2"}},
    ]
    shown = cells(rows, columns, lines, conditions="a.1.a")
    assert shown["a"] == [f"{min(tests[1, s] for s in (1, 2, 3)):.3f}"[1:], "3", "Intel Xeon with AVX512", ""]
    assert shown["paper"] == ["", "", "", ".980"]


def test_figures_of_sentences_are_filled_in_over_line_breaks(three_seeds):
    tests, lines = three_seeds
    figures = {show: {"conditions": "a.1.a", "task": "1", "show": show} for show in ("least", "most")}
    page = "Before. It has .1\nto .2 (bAbI). After .3."
    filled = PageTables({}, lines, []).sentence(page, "It has {least} to {most} (bAbI).", figures)
    least, most = (f"{of(tests[1, seed] for seed in (1, 2, 3)):.3f}"[1:] for of in (min, max))
    assert filled == f"Before. It has {least}\nto {most} (bAbI). After .3."
    with pytest.raises(ConfigurationError, match="found 'It had {least}' 0 times on the page"):
        PageTables({}, lines, []).sentence(page, "It had {least}", figures)
    values = [tests[1, seed] for seed in (1, 2, 3)]
    spread = f"{statistics.mean(values):.3f} ± {statistics.stdev(values):.3f}".replace("0.", ".")
    figures = {"mean": {**figures["least"], "show": "mean", "sd": True}}
    assert (
        PageTables({}, lines, []).sentence("As .1 ± .2: so.", "As {mean}: so", figures) == f"As {spread}: so."
    )


def test_an_unknown_table_is_named():
    with pytest.raises(ConfigurationError, match="'qoref'.*quoref"):
        PageTables({"quoref": {}}, [], []).filled("<!-- results: qoref -->\n<!-- end of results -->")
