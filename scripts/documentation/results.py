"""
Fills the tables of the pages of results from docs/results/runs.csv:

    python -m scripts.documentation.results

A table stands between two marks, `<!-- results: babi 1 2 16 -->` and `<!-- end of results -->`. The first mark names a
function and its arguments. Most functions are in results_tables.py. Two are for any table of the papers or of
beyond.yaml:

- `report beyond.1 seeds=1 hardware=AMD*`: what `coref-rc reproduce --report` says about the table, from the lines of
  the file whose columns have such values
- `seeds beyond.1.ga_coref_gru_substitution hardware=AMD*`: all seeds of a row, task by task
"""

import re
import shlex
import statistics
from collections.abc import Callable
from pathlib import Path

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import write_text
from allennlp_coref_rc.reproduction.condition_files import numbers
from allennlp_coref_rc.reproduction.report import markdown, report
from allennlp_coref_rc.reproduction.runs import OUTPUT
from allennlp_coref_rc.reproduction.scores import FAILED_BELOW, Scores
from scripts.documentation import results_tables
from scripts.documentation.places import PROJECT
from scripts.documentation.results_differ import why_we_differ
from scripts.documentation.results_reading import reading, reading_quoref
from scripts.documentation.results_values import TEST, VALIDATION, both, condition_of, mean, number, results, table

MARKED = re.compile(r"(<!-- results: (.*?) -->\n).*?(<!-- end of results -->)", flags=re.DOTALL)


def pages() -> list[Path]:
    """The pages that have marks."""
    paths = [PROJECT / "README.md", PROJECT / "RESULTS.md", *sorted((PROJECT / "docs").rglob("*.md"))]
    return [path for path in paths if MARKED.search(path.read_text(encoding="utf-8"))]


def filled(text: str) -> str:
    """The text of a page, with its tables made anew from the file of results."""

    def fill(match: "re.Match[str]") -> str:
        name, *words = shlex.split(match[2])
        if name not in TABLES:
            raise ConfigurationError(f"found a table {name!r}, expected one of {', '.join(TABLES)}")
        where = dict(word.split("=", 1) for word in words if "=" in word)
        lines = TABLES[name](*(word for word in words if "=" not in word), **where)
        return match[1] + "\n" + "\n".join(lines) + "\n\n" + match[3]

    return MARKED.sub(fill, text)


def of_report(name: str, **where: str) -> list[str]:
    """The report on a table of the papers or of beyond.yaml, without its title. `seeds` is written like 1-3."""
    seeds = numbers(where.pop("seeds")) if "seeds" in where else []
    text = report([table(name)], seeds, OUTPUT, "data", source=results(**where))
    return text.partition("\n### ")[2].split("\n")[2:]


def of_seeds(row: str, **where: str) -> list[str]:
    """
    The validation / test accuracies of a row by task and seed, and the test accuracy of the best seed on validation.
    """
    source = results(**where)
    condition = condition_of(row)
    folders = {run.name.rpartition("/")[0] for run in condition.runs([0], OUTPUT)}
    lines = [line for line in source.lines if line["run"].rpartition("/")[0] in folders and line["seed"].isdigit()]
    seeds = sorted({int(line["seed"]) for line in lines})
    scores = Scores(condition, condition.runs(seeds, OUTPUT), source)
    cells = {(line["task"], int(line["seed"])): both(line) for line in lines}
    tests: dict[object, dict[object, float]] = {seed: {} for seed in [*seeds, "best"]}
    for (task, seed), result in scores.results.items():
        tests[seed][task] = result["metrics"][TEST]
    for task in scores.tasks:
        tests["best"][task] = tests[scores.best_seed(task, VALIDATION)][task]
    rows = [
        [
            str(task),
            *(cells.get((str(task), seed), "") for seed in seeds),
            mean([tests[seed][task] for seed in scores.seeds(task)]),
            number(tests["best"][task]),
        ]
        for task in scores.tasks
    ]
    complete = {seed: list(found.values()) for seed, found in tests.items() if len(found) == len(condition.tasks)}
    for label, (measure, show) in MEASURES.items():
        found = {seed: measure(values) for seed, values in complete.items()}
        of_seeds = [found[seed] for seed in seeds if seed in found]
        deviation = f" ± {show(statistics.stdev(of_seeds))}" if len(of_seeds) > 1 else ""
        shown = {seed: show(value) for seed, value in found.items()}
        if of_seeds:
            over_seeds = show(statistics.fmean(of_seeds)) + deviation
            rows.append([label, *(shown.get(seed, "") for seed in seeds), over_seeds, shown.get("best", "")])
    return markdown(["task", *(f"seed {seed}" for seed in seeds), "mean ± sd", "best on validation"], rows)


MEASURES: dict[str, tuple[Callable[[list[float]], float], Callable[[float], str]]] = {
    "mean error": (lambda tests: 100 - 100 * statistics.fmean(tests), "{:.2f} %".format),
    "tasks failed": (lambda tests: sum(test < FAILED_BELOW for test in tests), "{:.3g}".format),
    "lowest accuracy": (min, number),
}
"""Lines below those of tasks, for a row that has run on all tasks: a number for each seed, and how it is written."""

TABLES: dict[str, Callable[..., list[str]]] = {
    "report": of_report,
    "seeds": of_seeds,
    **{
        function.__name__: function
        for function in (
            results_tables.processors,
            results_tables.arithmetic,
            results_tables.first_cpu,
            results_tables.other_settings,
            results_tables.typed_edges,
            results_tables.babi,
            results_tables.babi_averages,
            results_tables.lambada,
            results_tables.quoref,
            results_tables.quoref_f1,
            reading,
            reading_quoref,
            why_we_differ,
        )
    },
}


def main() -> None:
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            write_text(path, filled(text))
            print(f"{path.relative_to(PROJECT)}: filled anew")


if __name__ == "__main__":
    main()
