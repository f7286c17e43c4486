"""What `coref-rc check` and `train` say about encoders that read annotations but get none."""

import json
import re
import shlex
from copy import deepcopy

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.config_check.annotations import unannotated_encoders
from allennlp_coref_rc.data.dataset_readers import AnnotatedBabiReader
from allennlp_coref_rc.models import GAReader
from allennlp_coref_rc.modules.seq2seq_encoders import AnnotatedSeq2SeqEncoder
from allennlp_coref_rc.modules.seq2seq_encoders.annotated_seq2seq_encoder import REPORTED
from tests.shared import PROJECT
from tests.training_config import configs_page
from tests.training_config.configs import CONFIGS, evaluate, load, load_small

COREF_GRU = {"type": "coref_gru", "input_size": 6, "hidden_size": 4}
MAGE_GRU = {"type": "mage_gru", "input_size": 6, "state_sizes": {"sequential": 2, "srl": 1, "coref": 1}}
DASSA = {"type": "dassa", "input_dim": 6, "hidden_dim": 8, "heads": {"views": 1}}
GRU = {"type": "gru", "input_size": 6, "hidden_size": 4, "bidirectional": True}
LAYERS = {"coref": "coref_edges", "srl": "srl_edges", "views": "coref_views"}

PLAIN = "so it works as a plain encoder"


@pytest.fixture(autouse=True)
def nobody_was_told():
    REPORTED.clear()
    yield
    REPORTED.clear()


def compose(*parts):
    return {"type": "compose", "encoders": list(parts)}


def reader(*layers, **options):
    named = {name: LAYERS[name] for name in layers}
    return {"type": "annotated_babi", "task": 2, "annotation_layers": named, **options}


def babi(dataset_reader, *encoders, **more):
    """A `ga_reader` with these encoders of the passage; plain ones read the question."""
    params = load(CONFIGS / "babi" / "ga_gru.jsonnet").as_dict(quiet=True)
    params["model"].update(passage_encoders=list(encoders), question_encoders=[GRU] * len(encoders))
    return deepcopy({**params, "dataset_reader": dataset_reader, **more})


def stock(encoder, dataset_reader=None):
    """A `simple_tagger` of AllenNLP's."""
    embedder = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 6}}}
    return {
        "dataset_reader": dataset_reader or {"type": "sequence_tagging"},
        "train_data_path": "train.tsv",
        "model": {"type": "simple_tagger", "text_field_embedder": embedder, "encoder": deepcopy(encoder)},
        "data_loader": {"batch_size": 2},
        "trainer": {"num_epochs": 2, "optimizer": "adam", "cuda_device": -1},
    }


def found(params):
    return {key: text for key, text, _ in unannotated_encoders(params)}


@pytest.mark.parametrize(
    "encoder, layers",
    [
        (COREF_GRU, "coref"),
        ({**COREF_GRU, "hidden_size": 6, "relations": ["srl", "coref"]}, "coref, srl"),
        (MAGE_GRU, "coref, srl"),
        (DASSA, "views"),
    ],
)
def test_a_reader_without_layers(encoder, layers):
    text = (
        f"{encoder['type']} reads annotations ({layers}), but dataset_reader makes none, {PLAIN}; set "
        "dataset_reader.annotation_layers, or let the encoder read no layers"
    )
    for dataset_reader in (reader(), reader(annotation_layers=None), "annotated_babi"):
        assert found(babi(dataset_reader, GRU, encoder)) == {"model.passage_encoders.1": text}


def test_a_reader_without_some_of_the_layers():
    message = (
        r"^model\.passage_encoders\.1: mage_gru reads annotations \(coref, srl\), but dataset_reader makes only coref, "
        r"views; add srl to dataset_reader\.annotation_layers, or let the encoder read no more$"
    )
    with pytest.raises(ConfigurationError, match=message):
        found(babi(reader("coref", "views"), COREF_GRU, MAGE_GRU))


def test_a_reader_of_validation_data_without_layers():
    params = babi(reader("coref"), COREF_GRU, validation_dataset_reader=reader())
    assert f"validation_dataset_reader makes none, {PLAIN}" in found(params)["model.passage_encoders.0"]


@pytest.mark.parametrize("dataset_reader", [None, reader("coref")])
def test_a_model_of_allennlp(dataset_reader):
    text = (
        f"coref_gru reads annotations (coref), but SimpleTagger, a class of AllenNLP, gives encoders none, {PLAIN}; "
        "use a model of this package, or let the encoder read no layers"
    )
    assert found(stock(COREF_GRU, dataset_reader)) == {"model.encoder": text}
    nested = compose(COREF_GRU, compose({**COREF_GRU, "input_size": 8}))
    assert found(stock(nested, dataset_reader)) == {
        "model.encoder.encoders.0": text,
        "model.encoder.encoders.1.encoders.0": text,
    }


def test_a_model_of_allennlp_within_one_of_ours():
    params = load(CONFIGS / "quoref" / "qanet_coref_gru.jsonnet").as_dict(quiet=True)
    assert found(params) == {}
    model = params["model"]
    for key in ("metric", "regularizer"):
        model.pop(key, None)
    params["model"] = {"type": "wrapped_span_reader", "reader": {**model, "type": "qanet"}}
    text = found(params)["model.reader.modeling_layer"]
    assert "but QaNet, a class of AllenNLP, gives encoders none" in text


def test_compose_in_a_model_of_ours():
    encoder = compose(COREF_GRU, {**MAGE_GRU, "input_size": 8})
    assert found(babi(reader("coref", "srl"), encoder)) == {}
    assert set(found(babi(reader(), encoder))) == {f"model.passage_encoders.0.encoders.{i}" for i in range(2)}
    with pytest.raises(ConfigurationError, match=r"^model\.passage_encoders\.0\.encoders\.1: .* add srl"):
        found(babi(reader("coref"), encoder))


def test_other_places_of_encoders():
    params = babi(reader(), GRU)
    params["model"].update(question_encoders=[COREF_GRU], passage_self_belief={"encoder": deepcopy(MAGE_GRU)})
    assert set(found(params)) == {"model.question_encoders.0", "model.passage_self_belief.encoder"}


@pytest.mark.parametrize(
    "encoder",
    [
        GRU,
        {**COREF_GRU, "relations": []},
        {**MAGE_GRU, "state_sizes": {"sequential": 4}},
        {**DASSA, "heads": {}},
        {**DASSA, "annotated_blocks": []},
    ],
)
def test_an_encoder_that_reads_nothing_is_meant_to(encoder):
    assert found(babi(reader(), encoder)) == found(stock(encoder)) == {}


def test_a_reader_within_readers_of_allennlp():
    for layers in ((), ("coref",)):
        inner = reader(*layers)
        sharded = {"type": "sharded", "base_reader": inner}
        several = {"type": "interleaving", "readers": {"a": reader(), "b": inner}}
        assert [bool(found(babi(outer, COREF_GRU))) for outer in (sharded, several)] == [not layers] * 2


@Model.register("their_model")
class TheirModel(GAReader):
    pass


@DatasetReader.register("their_reader")
class TheirReader(AnnotatedBabiReader):
    def __init__(self, **options):
        super().__init__(annotation_layers={}, **options)


@Seq2SeqEncoder.register("their_wrapper")
class TheirWrapper(Seq2SeqEncoder):
    def __init__(self, encoder: Seq2SeqEncoder):
        super().__init__()


@Seq2SeqEncoder.register("their_encoder")
class TheirEncoder(AnnotatedSeq2SeqEncoder):
    annotation_layers = ("theirs",)


def test_what_other_packages_do_is_not_known():
    theirs = babi(reader(), COREF_GRU)
    theirs["model"]["type"] = "their_model"
    assert found(theirs) == {}
    assert found(babi({"type": "their_reader", "task": 2}, COREF_GRU)) == {}
    sharded = {"type": "sharded", "base_reader": {"type": "their_reader", "task": 2}}
    assert found(babi(sharded, COREF_GRU)) == {}
    assert found(babi(reader(), {"type": "their_wrapper", "encoder": COREF_GRU})) == {}
    assert found({**babi(reader(), COREF_GRU), "model": {"type": "from_archive", "archive_file": "model.tar.gz"}}) == {}


def test_an_encoder_of_another_package_says_what_it_reads():
    assert "reads annotations (theirs)" in found(stock({"type": "their_encoder"}))["model.encoder"]


@pytest.mark.parametrize(
    "encoder, message",
    [
        ({**COREF_GRU, "questions_padded_to": 0}, "coref_gru: questions_padded_to is 0, expected 1 or more"),
        (
            {**COREF_GRU, "relations": ["coref", "srl"]},
            "coref_gru: hidden_size is 4, expected a positive multiple of 3",
        ),
        ({**MAGE_GRU, "state_sizes": {"coref": 2}}, "mage_gru: state_sizes is {'coref': 2}, expected"),
        ({**DASSA, "conv_kernel_size": 4}, "dassa: conv_kernel_size is 4, expected an odd number"),
    ],
)
def test_an_encoder_that_refuses_its_values(encoder, message, tmp_path, monkeypatch, capsys):
    (tmp_path / "config.json").write_text(json.dumps(stock(compose(encoder))))
    (tmp_path / "train.tsv").write_text("")
    monkeypatch.chdir(tmp_path)
    for command in (["check", "config.json"], ["train", "config.json", "-s", "run"]):
        with pytest.raises(SystemExit) as exit:
            main(command)
        assert exit.value.code == 2
        assert f"config.json: model.encoder.encoders.0: {message}" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("wrap", [lambda encoder: encoder, compose])
def test_encoders_of_passage_and_question_that_do_not_fit(wrap):
    encoders = [{**COREF_GRU, "hidden_size": 6, "relations": relations} for relations in (["coref", "srl"],) * 2]
    encoders[1]["relations"] = ["srl", "coref"]
    params = babi(reader("coref", "srl"), wrap(encoders[0]))
    params["model"]["question_encoders"] = [wrap(encoders[0])]
    assert found(params) == {}
    params["model"]["question_encoders"] = [wrap(encoders[1])]
    message = (
        r"^model.question_encoders.0: CorefGru of the question, .* has relations \['srl', 'coref'\], expected \['c"
    )
    with pytest.raises(ConfigurationError, match=message):
        found(params)
    # Without annotations, or each for itself, they need not fit.
    assert len(found({**params, "dataset_reader": reader()})) == 2
    params["model"]["question_encoders"] = [wrap({**encoders[1], "share_memory": False})]
    assert found(params) == {}


def test_parts_of_compose_that_do_not_match():
    message = "model.encoder: compose: Encoder input and output dimensions don't match"
    with pytest.raises(ConfigurationError, match=message):
        found(stock(compose(GRU, {**GRU})))


def test_a_layer_that_refuses_its_values():
    layers = {"edges": {"type": "typed_edges", "direction": "forward"}}
    message = "dataset_reader.annotation_layers.edges: TypedEdges: direction is 'forward', expected one of both, along"
    with pytest.raises(ConfigurationError, match=message):
        found(babi(reader() | {"annotation_layers": layers}, GRU))


@pytest.mark.slow
def test_combinations_of_variants_lack_nothing():
    lines = [row[0] for row in configs_page.lines()]
    for line, params in zip(lines, evaluate(f"[{', '.join(line.text for line in lines)}]")):
        assert found(params) == {}, line


def test_the_screen_is_that_of_the_page(monkeypatch, capsys):
    page = (PROJECT / "docs" / "mistakes.md").read_text()
    section = page.partition("## Annotations that an encoder does not get")[2]
    command, screen = re.findall(r"^```\w*\n(.+?\n)```", section, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(PROJECT)
    main(shlex.split(command)[1:])
    assert capsys.readouterr() == (screen, "")


@pytest.fixture
def tagger(tmp_path, monkeypatch):
    (tmp_path / "train.tsv").write_text("Mary###N slept###V\nBill###N ran###V .###P\n")
    (tmp_path / "config.json").write_text(json.dumps(stock(compose(COREF_GRU))))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_training_says_it_once_and_goes_on(tagger, capsys):
    main(["train", "config.json", "-s", "run"])
    warning = "WARNING: config.json: model.encoder.encoders.0: coref_gru reads annotations (coref), but SimpleTagger"
    error = capsys.readouterr().err
    assert error.startswith(warning) and error.count("reads annotations") == 1
    assert (tagger / "run" / "out.log").read_text().count("reads annotations") == 1
    assert (tagger / "run" / "model.tar.gz").exists()


@pytest.mark.slow
def test_training_without_a_layer_says_it_once(tmp_path, monkeypatch, capsys):
    params = load_small(CONFIGS / "babi" / "ga_coref_gru.jsonnet").as_dict(quiet=True)
    del params["dataset_reader"]["annotation_layers"]
    (tmp_path / "config.json").write_text(json.dumps(params))
    monkeypatch.chdir(tmp_path)
    main(["train", "config.json", "-s", "run"])
    error = capsys.readouterr().err
    assert error.count("reads annotations") == 1
    assert "model.passage_encoders.0 (and 5 more keys): coref_gru" in error


@pytest.mark.slow
def test_checked_in_a_process_of_its_own(tagger, run_command):
    checked = run_command("allennlp_coref_rc", "check", "config.json", folder=tagger)
    assert (checked.returncode, checked.stderr) == (0, "")
    first, second = checked.stdout.splitlines()
    assert first == "config.json: no errors; warnings:"
    assert second.startswith("  model.encoder.encoders.0: coref_gru reads annotations (coref), but SimpleTagger")
