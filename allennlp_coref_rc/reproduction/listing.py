from itertools import islice

from allennlp.common import Params
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.models import Model

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.condition import Condition, Table
from allennlp_coref_rc.reproduction.report import mean_and_deviation, state
from allennlp_coref_rc.reproduction.runs import Run
from allennlp_coref_rc.reproduction.scores import Scores
from allennlp_coref_rc.reproduction.session import Selection

PATHS = ("train_data_path", "validation_data_path", "test_data_path")

FEW = 4
"""The number of questions that are read from each file."""


def print_table(table: Table, selection: Selection) -> None:
    """Prints a table's rows with the papers' values, the progress of their runs, and missing data."""
    print(f"{table.name}  {table.paper}: {table.caption}")
    for condition in table.conditions:
        scores = Scores(condition, selection.runs(condition))
        words = [", ".join(f"{name} {shown(value)}" for name, value in condition.paper.items()), condition.note]
        words.append(condition.needs and f"a run needs {condition.needs}")
        if condition.config is None:
            words.append("published, not run here")
        else:
            left = scores.num_runs - len(scores.results)
            hours = f", about {left * condition.minutes / 60:.1f} h left on one core" if condition.minutes else ""
            words.append(f"{len(scores.results)} of {scores.num_runs} runs finished{hours}")
            words.append(
                " ".join([state(condition, scores, selection.data), *condition.missing(selection.data)[:1]]).strip()
            )
            columns = [column for column in table.columns if column.measure != "tasks"]
            known = [(column, scores.score(column, column.task)) for column in columns]
            here = [f"{column.name} {mean_and_deviation(score, column)}" for column, score in known if score]
            words.append("here " + ", ".join(here) if here else "")
        print(f"  {condition.name}: {condition.row}: " + "; ".join(filter(None, words)))


def shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def try_condition(condition: Condition, selection: Selection) -> bool:
    """
    Tries a condition out and prints what is wrong with it, if anything. Returns whether its runs can begin.
    """
    runs = selection.runs(condition)
    if not runs:
        return True
    problem, missing = "", condition.missing(selection.data, selection.parts(condition))
    try:
        smoke_test(runs[0], with_data=not missing)
    except ConfigurationError as error:
        problem = str(error)
    label = "[FAIL]" if problem else "[no data]" if missing else "[OK]"
    print(f"{label} {condition.name}: {problem or '; '.join(missing[:1]) or condition.config}")
    return not problem and not missing


def smoke_test(run: Run, with_data: bool = True) -> None:
    """Builds the dataset reader of a run and, `with_data`, reads the beginnings of the files and builds the model."""
    params = run.params(located=True)
    try:
        reader = DatasetReader.from_params(Params(params["dataset_reader"]))
        if not with_data:
            return
        later = params.get("validation_dataset_reader")
        later_reader = DatasetReader.from_params(Params(later)) if later else reader
        instances: list[Instance] = []
        for key in PATHS:
            if params.get(key):
                chosen = reader if key == PATHS[0] else later_reader
                instances += islice(chosen.read(params[key]), FEW)
        for instance in instances:
            reader.apply_token_indexers(instance)
        Model.from_params(Params(params["model"]), vocab=Vocabulary.from_instances(instances))
    except Exception as error:
        # Wrong configs make AllenNLP raise all kinds of errors.
        raise ConfigurationError(f"{run.config}: {type(error).__name__}: {error}") from error
