from itertools import islice

from allennlp.common import Params
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.models import Model

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.runs import Run

PATHS = ("train_data_path", "validation_data_path", "test_data_path")

FEW = 4
"""The number of questions that are read from each file."""


def smoke_test(run: Run, with_data: bool = True) -> None:
    """
    Builds the dataset reader of a run. With `with_data`, it also reads the beginnings of the data files and builds the
    model. Whatever fails raises a `ConfigurationError`.
    """
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
