"""Makes the tables of docs/results/why_we_differ.md from docs/results/why_we_differ.yaml and docs/results/runs.csv."""

import statistics

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.report import markdown
from scripts.documentation.results_values import RESULTS, TEST, mean, number, results, table

CONDITIONS = str(RESULTS / "why_we_differ.yaml")


def why_we_differ(name: str) -> list[str]:
    """
    A table of why_we_differ.yaml, with the change that each row makes and its test accuracy on each task. Differences
    are those from the first row with runs, over the seeds that both rows have.
    """
    conditions = table(f"why_we_differ.{name}", CONDITIONS).conditions
    base = next(condition for condition in conditions if condition.config)
    seeds = list(map(str, base.seeds))
    header = ["change"]
    rows = [[condition.row] for condition in conditions]
    for task in base.tasks:
        header += [f"task {task}, seeds {' / '.join(seeds)}", "mean ± sd", "difference"]
        of_base = _tests(base.name, task)
        for condition, row in zip(conditions, rows):
            found = _tests(condition.name, task)
            gains = [found[seed] - of_base[seed] for seed in found if seed in of_base and condition is not base]
            if condition.config is None:
                row += ["", number(condition.paper[f"task {task}"]), ""]
            elif not found:
                row += ["not run yet" if task in condition.tasks else "", "", ""]
            else:
                row.append(" / ".join(number(found[seed]) if seed in found else "–" for seed in seeds))
                row.append(mean(list(found.values())))
                row.append(number(statistics.fmean(gains), sign=True) if gains else "")
    return markdown(header, rows)


def _tests(condition: str, task: int) -> dict[str, float]:
    """By seed, the test accuracy of a row on a task."""
    lines = [line for line in results().lines if condition in line["conditions"].split() and line["task"] == str(task)]
    found = {line["seed"]: float(line[TEST]) for line in lines}
    if len(found) < len(lines):
        commits = sorted({line["commit"] for line in lines})
        raise ConfigurationError(
            f"runs.csv: found a seed of {condition} twice, of {' and '.join(commits)}, expected it once"
        )
    return found
