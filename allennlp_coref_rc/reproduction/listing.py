from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.config_check.check import check_config
from allennlp_coref_rc.config_check.trial import try_out
from allennlp_coref_rc.reproduction.condition import Condition, Table
from allennlp_coref_rc.reproduction.report import mean_and_deviation, state
from allennlp_coref_rc.reproduction.scores import Scores
from allennlp_coref_rc.reproduction.session import Selection


def print_table(table: Table, selection: Selection) -> None:
    """Prints a table's rows with the papers' values, the progress of their runs, and missing data."""
    print(f"{table.name}  {table.paper}: {table.caption}")
    for condition in table.conditions:
        scores = Scores(condition, selection.runs(condition))
        words = [
            ", ".join(f"{name} {shown(value)}" for name, value in condition.paper.items()),
            condition.note,
        ]
        words.append(condition.needs and f"a run needs {condition.needs}")
        if condition.config is None:
            words.append("published, not run here")
        else:
            left = scores.num_runs - len(scores.results)
            hours = (
                f", about {left * condition.minutes / 60:.1f} h left on one core" if condition.minutes else ""
            )
            words.append(f"{len(scores.results)} of {scores.num_runs} runs finished{hours}")
            words.append(
                " ".join(
                    [state(condition, scores, selection.data), *condition.missing(selection.data)[:1]]
                ).strip()
            )
            columns = [column for column in table.columns if column.measure != "tasks"]
            known = [(column, scores.score(column, column.task)) for column in columns]
            here = [f"{column.name} {mean_and_deviation(score, column)}" for column, score in known if score]
            words.append("here " + ", ".join(here) if here else "")
        print(f"  {condition.name}: {condition.row}: " + "; ".join(filter(None, words)))


def shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def try_condition(condition: Condition, selection: Selection) -> bool:
    """Prints what is wrong with a condition, if anything. Returns whether its runs can begin."""
    runs = selection.runs(condition)
    if not runs:
        return True
    missing = condition.missing(selection.data, selection.parts(condition))
    try:
        params = runs[0].params(located=True)
        problem = "; ".join(check_config(params, devices=False, files=not missing))
        if not problem and not missing:
            try_out(params)
    except ConfigurationError as error:
        problem = str(error)
    label = "[FAIL]" if problem else "[no data]" if missing else "[OK]"
    print(f"{label} {condition.name}: {problem or '; '.join(missing[:1]) or condition.config}")
    return not problem and not missing
