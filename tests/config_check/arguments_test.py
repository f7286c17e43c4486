import json
import logging
from argparse import Namespace

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.config_check.arguments import check_arguments, training_reader_keys
from tests.shared import PROJECT

OVERRIDES = {"dataset_reader": {"max_passage_length": 9}, "dataset_reader.annotator": None, "random_seed": 2}


def test_overrides_of_both_readers_are_of_none_alone():
    keys = ["dataset_reader.annotator", "dataset_reader.max_passage_length"]
    assert training_reader_keys(json.dumps(OVERRIDES)) == keys
    both = {**OVERRIDES, "validation_dataset_reader.annotator": None}
    assert training_reader_keys(json.dumps(both)) == keys[1:]
    typed = {
        "dataset_reader.annotator": {"type": "coref", "x": 1},
        "validation_dataset_reader.annotator": "coref",
    }
    assert training_reader_keys(json.dumps(typed)) == []
    assert training_reader_keys(json.dumps({**OVERRIDES, "validation_dataset_reader": None})) == []
    assert training_reader_keys('{"dataset_reader.max_instances": 9}') == training_reader_keys("") == []


@pytest.mark.parametrize("command", ["evaluate", "predict"])
def test_a_setting_that_the_reader_of_an_archive_would_not_get_is_refused(command, tmp_path):
    config = {"dataset_reader": {}, "model": {}}
    (tmp_path / "config.json").write_text(json.dumps({**config, "validation_dataset_reader": {"type": "x"}}))
    options = {"archive_file": str(tmp_path), "overrides": json.dumps(OVERRIDES)}
    message = "-o dataset_reader.annotator: found a setting .* expected validation_dataset_reader.annotator"
    with pytest.raises(ConfigurationError, match=message):
        check_arguments(command, Namespace(**options))
    (tmp_path / "config.json").write_text(json.dumps(config))
    given = {
        "cuda_device": -1,
        "batch_size": None,
        "predictor_args": "",
        "output_file": "",
        "input_file": "x",
        "embedding_sources_mapping": "",
    }
    given |= {"auto_names": "NONE", "predictions_output_file": None}
    check_arguments(command, Namespace(**options, **given))


def test_a_training_whose_validation_data_are_read_otherwise_has_a_warning(caplog):
    fixture = str(PROJECT / "tests" / "fixtures" / "babi" / "qa2_train.txt")
    overrides = {f"{split}_data_path": fixture for split in ("train", "validation", "test")}
    overrides["dataset_reader.max_passage_length"] = 9
    args = Namespace(param_path="training_config/lambada/ga_gru.jsonnet", node_rank=0)
    with caplog.at_level(logging.WARNING):
        check_arguments("train", Namespace(**vars(args), overrides=json.dumps(overrides)))
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith("-o dataset_reader.max_passage_length: validation and test data keep what")
