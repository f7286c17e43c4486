"""
Makes the tables of results that are about a single data set or reader. Each table has a function, which takes the words
of its mark and returns the lines of the table.
"""

import statistics

from allennlp_coref_rc.reproduction.report import markdown
from allennlp_coref_rc.reproduction.results_file import Line
from allennlp_coref_rc.reproduction.scores import FAILED_BELOW
from scripts.documentation.results_reading import over_questions, quoref_folds
from scripts.documentation.results_values import (
    BEST,
    MEAN,
    OFFICIAL,
    TEST,
    VALIDATION,
    both,
    each,
    folder_of,
    mean,
    number,
    runs,
    table,
    values,
)

PROCESSORS = {
    "first CPU (AMD EPYC, AVX-512)": "AMD*AVX512*",
    "another CPU (AVX2)": "another CPU*",
    "a third CPU (Intel Xeon, AVX-512)": "Intel*AVX512*",
}

FIRST, _, THIRD = PROCESSORS.values()

ONE_CONFIG = "beyond.3.best"

ARITHMETIC = {
    "Intel": {
        "compiled, AVX-512": (ONE_CONFIG, "Intel*AVX512*"),
        "compiled, AVX2": (ONE_CONFIG, "Intel*AVX2*"),
        "PyTorch, AVX-512": (f"{ONE_CONFIG}_plain", "Intel*AVX512*"),
    },
    "AMD": {
        "compiled, AVX2": (ONE_CONFIG, "AMD*AVX2*"),
        "PyTorch, AVX2": (f"{ONE_CONFIG}_plain", "AMD*AVX2*"),
    },
}
"""By processor, the ways to add numbers in another order: for each the row, and the processor with its instructions."""

FASTER = "babi/ga_coref_gru_substitution_3_layers"

ALL_TASKS = range(1, 21)

OTHER_SETTINGS = {
    "GA w/ C-GRU, the paper's settings": "ga_coref_gru",
    "names exchanged, learning rate 0.01, 60 epochs": "other_settings_01",
    'the same, "red square", "box of chocolates" one mention': "other_settings_02",
    "the same with MAGE (16)": "other_settings_03",
    "learning rate 0.001": "other_settings_04",
    "learning rate 0.003": "other_settings_05",
    'the same, "box of chocolates" one mention': "other_settings_06",
    "answers exchanged too": "other_settings_07",
    "4 layers in place of 3": "other_settings_08",
    "4 layers, dropout 0.3": "other_settings_09",
    "4 layers, half the size": "other_settings_10",
    "4 layers, MAGE (16)": "other_settings_11",
    "4 layers, verbs exchanged": "other_settings_12",
    "3 layers, verbs exchanged": "other_settings_13",
    "4 layers, verbs exchanged, 30 epochs": "other_settings_14",
    "4 layers, verbs exchanged, 60 epochs: `ga_coref_gru_substitution`": "ga_coref_gru_substitution",
    "3 layers, learning rate 0.01: `ga_coref_gru_substitution_3_layers`": "ga_coref_gru_substitution_3_layers",
}
"""Settings that were tried on bAbI, in order, with the names of their runs."""

TYPED_EDGES = {
    "C-GRU with coreference alone": FASTER,
    "C-GRU with a key for all triples and one for their inverses": "babi/x_coref_triples",
    "MAGE (16) with a state of 4 for each type and each inverse, as in `ga_mage_gru_triples`": "babi/x_mage_triples",
}

LAMBADA = {
    "GA with GRU (`ga_gru`)": "ga_gru",
    "GA with C-GRU, clusters of `sieve_coref` (`ga_coref_gru`)": "ga_coref_gru",
    "CG+SBA (`cg_sba`)": "cg_sba",
}

QUOREF = {
    "QANet": "quoref_articles/qanet",
    "DASSA: the same, but one head sees the clusters of `sieve_coref`": "quoref_articles/dassa_coref",
}


def processors(*tasks: str) -> list[str]:
    """The accuracies, by seed, of the config in the headline on several processors."""
    lines = []
    for task in tasks:
        found = [runs(f"{FASTER}/task_{task}", hardware=hardware) for hardware in PROCESSORS.values()]
        lines.append([task, *("; ".join(map(_with_seed, each_runs)) or "not run" for each_runs in found)])
    return markdown(["task", *PROCESSORS], lines)


def _with_seed(line: Line) -> str:
    return f"seed {line['seed']}: {both(line)}" if line["seed"] else both(line)


def arithmetic(*tasks: str, cpu: str) -> list[str]:
    """The same seeds of the same config with numbers added in other orders, task by task."""
    found = {
        (task, label): {
            line["seed"]: float(line[TEST]) for line in runs(f"{folder_of(row)}/task_{task}", hardware=hardware)
        }
        for task in tasks
        for label, (row, hardware) in ARITHMETIC[cpu].items()
    }
    seeds = sorted({seed for tests in found.values() for seed in tests}, key=int)
    lines = [
        [task, label, *(number(tests[seed]) if seed in tests else "" for seed in seeds), mean(list(tests.values()))]
        for (task, label), tests in found.items()
        if tests
    ]
    return markdown(["task", "sums", *(f"seed {seed}" for seed in seeds), "mean ± sd"], lines)


def first_cpu() -> list[str]:
    """The mean errors of two configs with seed 1 on the first processor, beside published errors and the aim."""
    conditions = {condition.name.rpartition(".")[2]: condition for condition in table("beyond.1").conditions}
    published = [condition for condition in conditions.values() if condition.config is None]
    papers = {condition.row: condition.paper for condition in published}
    papers["the aim"] = conditions["ga_coref_gru_substitution"].paper
    lines = [[row, f"{paper['Avg']} %", str(paper["# failed"])] for row, paper in papers.items()]
    for name, settings in {
        "ga_coref_gru_substitution": "4 layers, learning rate 0.003",
        "ga_coref_gru_substitution_3_layers": "3 layers, the paper's learning rate 0.01",
    }.items():
        tests = {task: values(runs(f"babi/{name}/task_{task}", hardware=FIRST)[:1], TEST)[0] for task in ALL_TASKS}
        failed = [str(task) for task, test in tests.items() if test < FAILED_BELOW]
        error = f"{100 - 100 * statistics.fmean(tests.values()):.2f} %"
        lines.append([f"`{name}`: {settings}", error, f"{len(failed)} ({', '.join(failed)})"])
    return markdown(["reader", "mean error", "failed tasks"], lines)


def other_settings(*tasks: str) -> list[str]:
    """The settings that were tried with seed 1 on the first processor."""
    lines = []
    for label, name in OTHER_SETTINGS.items():
        found = [runs(f"babi/{name}/task_{task}", hardware=FIRST) for task in tasks]
        lines.append([label, *("".join(both(line) for line in cell if line["seed"] == "1") for cell in found)])
    return markdown(["reader", *tasks], lines)


def typed_edges() -> list[str]:
    lines = []
    for label, folder in TYPED_EDGES.items():
        found = {line["seed"]: both(line) for line in runs(f"{folder}/task_19", hardware=THIRD)}
        lines.append([label, *(found.get(seed, "not run") for seed in "123")])
    return markdown(["reader", "seed 1", "seed 2", "seed 3"], lines)


def babi(*tasks: str) -> list[str]:
    """C-GRU and GRU by seed, beside the paper and the authors' code."""
    paper = {condition.row: condition.paper.get("Task", []) for condition in table("coref_gru.4").conditions}
    lines = []
    for task in tasks:
        for encoder, name in {"C-GRU": "coref_gru", "GRU": "gru"}.items():
            folder = f"babi/ga_{name}/task_{task}"
            found = [line for line in runs(folder, hardware=FIRST) if line[VALIDATION]]
            if not found:
                continue
            validation, test = values(found, VALIDATION), values(found, TEST)
            lines.append(
                [
                    task,
                    encoder,
                    each(validation, 2),
                    number(statistics.fmean(validation)),
                    each(test),
                    number(statistics.fmean(test)),
                    each(values(runs(folder, BEST), TEST)),
                    number(paper[f"GA w/ {encoder}"][int(task) - 1]),
                    each(values(runs(f"authors_code/{name}/task_{task}"), TEST)),
                ]
            )
    seeds = "seeds 1 / 2 / 3"
    columns = ["task", "encoder", f"validation, {seeds}", "mean", f"test, {seeds}", "mean", "test, best seed"]
    return markdown([*columns, "paper (test, best of 10 seeds)", "authors' code (test, a seed each)"], lines)


def babi_averages() -> list[str]:
    """GRU and C-GRU on all tasks, from the lines that are left of runs with three seeds."""
    names = {"ga_gru": "ga_compiled_gru", "ga_coref_gru": "ga_coref_gru"}
    papers = {condition.name.rpartition(".")[2]: condition.paper for condition in table("coref_gru.1").conditions}

    def tests(name: str, seeds: str) -> list[float]:
        return [value for t in ALL_TASKS for value in values(runs(f"babi/{names[name]}/task_{t}", seeds), TEST)]

    averages = {seeds: [statistics.fmean(tests(name, seeds)) for name in names] for seeds in (MEAN, BEST)}
    failed = [sum(test < FAILED_BELOW for test in tests(name, BEST)) for name in names]

    def line(label: str, first: float, second: float) -> list[str]:
        return [label, number(first), number(second), number(second - first)]

    return markdown(
        ["", "GA w/ GRU", "GA w/ C-GRU", "gap"],
        [
            line("average, mean of three seeds", *averages[MEAN]),
            line("paper, mean of ten", *(papers[name]["Avg"] for name in names)),
            line("best of three seeds by validation, task by task", *averages[BEST]),
            line("paper, best of ten", *(papers[name]["Max"] for name in names)),
            ["tasks failed (below .95), best of three", *map(str, failed), ""],
            ["paper, best of ten", *(str(papers[name]["# failed"]) for name in names), ""],
        ],
    )


def lambada() -> list[str]:
    (baseline,) = runs("lambada_development/most_frequent_candidate")
    label = "most frequent candidate (`scripts/evaluate_baseline.py`)"
    lines = [[label, "", each(values([baseline], VALIDATION)), "", each(values([baseline], OFFICIAL))]]
    for label, name in LAMBADA.items():
        found = runs(f"lambada_development/{name}", hardware=FIRST)
        columns = [values(found, column) for column in (VALIDATION, OFFICIAL)]
        lines.append(
            [label, *(cell for column in columns for cell in (each(column), number(statistics.fmean(column))))]
        )
    seeds = "seeds 1 / 2 / 3"
    return markdown(
        ["reader", f"accuracy (778 kept), {seeds}", "mean", f"accuracy_official (974), {seeds}", "mean"], lines
    )


def quoref() -> list[str]:
    """Means over the questions of all folds."""
    lines, questions = [], 0.0
    for label, folder in QUOREF.items():
        folds = list(quoref_folds(folder).values())
        questions = sum(values(folds, "questions"))
        lines.append([label, *(f"{over_questions(folds, f'test_{key}'):.2f}" for key in ("exact_match", "f1"))])
    return markdown([f"% of {questions:,.0f} questions", "exact match", "F1"], lines)


def quoref_f1() -> list[str]:
    """F1 by fold."""
    found: dict[str, list[str]] = {}
    for label, folder in QUOREF.items():
        folds = list(quoref_folds(folder).values())
        found["questions"] = [line["questions"] for line in folds]
        found[label.partition(":")[0]] = [f"{100 * f1:.2f}" for f1 in values(folds, "test_f1")]
    return markdown(["F1 by fold", *"12345"], [[label, *cells] for label, cells in found.items()])
