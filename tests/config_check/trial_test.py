import json
import re
import shlex

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.common.config_files import load_config, locate
from allennlp_coref_rc.config_check.check import check_config
from allennlp_coref_rc.config_check.trial import try_out
from allennlp_coref_rc.modules.seq2seq_encoders.annotated_seq2seq_encoder import REPORTED
from tests.shared import PROJECT

BABI = PROJECT / "tests" / "fixtures" / "babi" / "qa2_train.txt"
SPLITS = ("train", "validation", "test")


def config(data, **changes):
    paths = {f"{split}_data_path": str(data) for split in SPLITS}
    return load_config(
        locate("babi/ga_coref_gru.jsonnet"), json.dumps({**paths, "dataset_reader.task": 2, **changes})
    )


def refusal(params):
    assert check_config(params) == []
    with pytest.raises(ConfigurationError) as error:
        try_out(params)
    return str(error.value)


def test_a_good_config_with_weights_that_are_not_read():
    params = config(BABI)
    before = json.dumps(params)
    assert try_out(params) == []
    assert json.dumps(params) == before
    params["model"]["text_field_embedder"]["token_embedders"]["tokens"]["pretrained_file"] = str(BABI)
    try_out(params)


def test_data_that_the_reader_cannot_read(tmp_path):
    bad = tmp_path / "mine.txt"
    bad.write_text("Mary left.\n")
    assert refusal(config(bad)).startswith(f"train_data_path: {bad}, line 1: found ")
    message = refusal(config(BABI, test_data_path=str(bad)))
    assert message.startswith(f"test_data_path: {bad}, line 1: found ")


def test_what_is_left_out_is_counted_with_its_reasons(tmp_path):
    """Of seven questions, three are malformed, and one has its answer beyond the limit of length."""
    stories = tmp_path / "mine.txt"
    lines = [
        "1 Mary is up.",
        "2 Where is Mary?\tup\t1",
        "3 Bill is in the attic.",
        "4 Where is Bill?\tattic\t3",
    ]
    lines += [f"{number} Where is Mary?\tup\t1" for number in (5, 6)]
    lines += [f"{number} Where is Mary?\tcellar\t1" for number in (7, 8, 9)]
    stories.write_text("\n".join(lines) + "\n")
    first, *malformed = try_out(
        config(BABI, train_data_path=str(stories), **{"dataset_reader.max_passage_length": 5})
    )
    assert first == (
        f"train_data_path: {stories}: 4 of 7 questions would be skipped: the answer lies beyond "
        f"dataset_reader.max_passage_length (1); malformed (3)"
    )
    for number, message in zip((7, 8, 9), malformed):
        place = (
            f"train_data_path: {stories}, line {number}: found the answer 'cellar', expected a word of the "
        )
        assert message.startswith(place) and message.endswith("; it is left out")


@pytest.mark.parametrize(
    "sides, keys, message",
    [
        (["passage"], {"hidden_size": 6}, "model: .*passage_encoders"),
        (
            ["passage", "question"],
            {"relations": ["srl"]},
            "model: CorefGRU reads the annotation layer 'srl', but",
        ),
        (["question"], {"relations": []}, "model: CorefGRU of the question, "),
    ],
)
def test_encoders_that_do_not_fit(sides, keys, message):
    params = config(BABI)
    for side in sides:
        params["model"][f"{side}_encoders"][0].update(keys)
    assert re.match(message, refusal(params))


CORPUS = "Mary###N slept###V\nBill###N ran###V .###P\n"

COREF_GRU = {"type": "coref_gru", "input_size": 6, "hidden_size": 6, "relations": ["coref", "srl"]}


@pytest.fixture
def tagger(tmp_path):
    """A model of AllenNLP's, which gives its encoders no annotations."""
    (tmp_path / "train.tsv").write_text(CORPUS)
    embedder = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 6}}}
    encoder = {"type": "compose", "encoders": [COREF_GRU]}
    return {
        "dataset_reader": {"type": "sequence_tagging"},
        "train_data_path": str(tmp_path / "train.tsv"),
        "model": {"type": "simple_tagger", "text_field_embedder": embedder, "encoder": encoder},
        "data_loader": {"batch_size": 2},
        "trainer": {"num_epochs": 2, "optimizer": "adam", "cuda_device": -1},
    }


@pytest.fixture(autouse=True)
def nobody_was_told():
    REPORTED.clear()
    yield
    REPORTED.clear()


def test_encoders_without_annotations_are_named(tagger):
    unannotated = config(BABI)
    del unannotated["dataset_reader"]["annotation_layers"]
    for params, layers in ((unannotated, "coref"), (tagger, "coref, srl")):
        REPORTED.clear()
        (warning,) = try_out(params)
        assert warning.startswith(
            f"CorefGRU reads annotations ({layers}) but got none, and works as a plain encoder"
        )


def test_the_screen_is_that_of_the_page(monkeypatch, capsys):
    page = (PROJECT / "docs" / "mistakes.md").read_text()
    section = page.partition("## Annotations that an encoder does not get")[2]
    command, screen = re.findall(r"^```\w*\n(.+?\n)```", section, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(PROJECT)
    main(shlex.split(command)[1:])
    assert capsys.readouterr() == (screen, "")
