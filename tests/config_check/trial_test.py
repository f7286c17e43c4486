import json

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.common.config_files import load_config, locate
from allennlp_coref_rc.config_check.check import check_config
from allennlp_coref_rc.config_check.trial import try_out
from tests.shared import PROJECT

BABI = PROJECT / "tests" / "fixtures" / "babi" / "qa2_train.txt"
SPLITS = ("train", "validation", "test")


def config(data, **changes):
    paths = {f"{split}_data_path": str(data) for split in SPLITS}
    return load_config(locate("babi/ga_coref_gru.jsonnet"), json.dumps({**paths, "dataset_reader.task": 2, **changes}))


def refusal(params):
    assert check_config(params) == []
    with pytest.raises(ConfigurationError) as error:
        try_out(params)
    return str(error.value)


def test_a_good_config_with_weights_that_are_not_read():
    params = config(BABI)
    before = json.dumps(params)
    try_out(params)
    assert json.dumps(params) == before
    params["model"]["text_field_embedder"]["token_embedders"]["tokens"]["pretrained_file"] = str(BABI)
    try_out(params)


def test_data_that_the_reader_cannot_read(tmp_path):
    bad = tmp_path / "mine.txt"
    bad.write_text("Mary left.\n")
    assert refusal(config(bad)).startswith(f"train_data_path: {bad}, line 1: found ")
    message = refusal(config(BABI, test_data_path=str(bad)))
    assert message.startswith(f"test_data_path: {bad}, line 1: found ")


def test_sizes_that_do_not_fit():
    params = config(BABI)
    params["model"]["passage_encoders"][0]["hidden_size"] = 6
    message = refusal(params)
    assert message.startswith("model: ") and "passage_encoders" in message
