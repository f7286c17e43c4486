import logging
import re

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader

from allennlp_coref_rc.data.dataset_readers import DiscourseSensesReader
from tests.training_config.configs import FIXTURES

ANNOTATORS = FIXTURES / "annotators"
GDTB = str(ANNOTATORS / "gdtb")
CONLL = str(ANNOTATORS / "conll2016" / "relations.json")


def read(path=GDTB, **options):
    reader = DiscourseSensesReader(**options)
    return reader, list(reader.read(path))


def words(instance):
    return " ".join(token.text for token in instance["tokens"])


def test_an_instance_is_the_first_argument_the_connective_and_the_second():
    _, instances = read()
    assert words(instances[0]) == "Mara watered the roses because the ground was dry"
    places = "arg1-4 arg1-3 arg1-2 arg1-1 connective arg2-1 arg2-2 arg2-3 arg2-4".split()
    assert [token.ent_type_ for token in instances[0]["tokens"]] == places
    assert instances[0]["label"].label == "Contingency.Cause.Reason"
    assert words(instances[2]).startswith("But the well was empty . @implicit She went")
    assert "for_example" in words(instances[9])


def test_what_is_left_out_is_counted_by_cause(caplog):
    with caplog.at_level(logging.WARNING):
        reader, instances = read()
    assert len(instances) == 21
    assert reader.skipped == {
        "relations without their text": 1,
        "relations of the type 'hypophora'": 1,
        "relations of the type 'AltLex'": 1,
        "explicit relations whose connective was not found": 1,
    }
    assert "1 skipped: relations of the type 'AltLex'" in caplog.text


def test_conll_2016_and_a_list_of_paths():
    reader, instances = read(CONLL)
    assert [instance["label"].label for instance in instances] == [
        "Comparison.Contrast",
        "Contingency.Cause.Reason",
        "EntRel",
        "Contingency.Cause.Result",
    ]
    assert "as_a_result" in words(instances[3])
    assert reader.skipped["relations of the sense 'Comparison'"] == 1
    assert len(read([CONLL, GDTB])[1]) == 4 + 21
    assert len(read(f"{GDTB}/*.rels")[1]) == 21
    assert len(read(CONLL, find_connectives=True)[1]) == 4


def test_folds_are_documents_and_together_all():
    sides = {fold: read(fold=fold)[1] for fold in ("train", "valid")}
    documents = {fold: {i["metadata"]["document"] for i in instances} for fold, instances in sides.items()}
    assert documents["valid"] == {"FIX_winter"}
    assert not documents["train"] & documents["valid"]
    assert len(sides["train"]) + len(sides["valid"]) == 21
    assert len(read(fold="valid", held_out=0.9)[1]) > len(sides["valid"])


def test_connectives_are_found_in_the_sentences_and_some_make_no_relation():
    _, instances = read(find_connectives=True)
    found = {words(instance): instance["label"].label for instance in instances}
    assert found["Mara watered the roses because the ground was dry ."] == "Contingency.Cause.Reason"
    assert found["Carts and horses crossed it , and children played under it ."] in (
        "NoRelation",
        "Expansion.Conjunction",
    )
    labels = [instance["label"].label for instance in instances if words(instance).startswith("Carts and")]
    assert sorted(labels) == ["Expansion.Conjunction", "NoRelation"]
    assert sum(instance["metadata"]["type"] == "Implicit" for instance in instances) == 4


def test_long_arguments_are_cut_far_from_the_connective():
    numbers = list(map(str, range(30)))
    instance = DiscourseSensesReader().text_to_instance(numbers, numbers, ["But"])
    assert words(instance) == " ".join([*numbers[10:], "but", *numbers[:20]])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"fold": "test"}, "dataset_reader: fold is 'test', expected one of train, valid"),
        ({"held_out": 1.0}, "dataset_reader.held_out is 1.0"),
    ],
)
def test_mistaken_settings_are_named(options, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        DatasetReader.from_params(Params({"type": "discourse_senses", **options}))


@pytest.mark.parametrize(
    "path, message",
    [("", "found no file that ends with .rels"), ("/*.x", "found no file with"), ("/x", "no such file")],
)
def test_paths_without_files_are_named(tmp_path, path, message):
    with pytest.raises(ConfigurationError, match=re.escape(f"{tmp_path}{path}: {message}")):
        read(str(tmp_path) + path)


def test_errors_in_what_was_downloaded_name_the_address(tmp_path, monkeypatch):
    address, cached = "https://a.b/relations.json", tmp_path / "0a1b2c"
    monkeypatch.setattr("allennlp.common.file_utils.cached_path", lambda path: {address: cached}[path])
    cached.write_text("{")
    with pytest.raises(ConfigurationError, match=f"^{address}, line 1: ") as error:
        list(DiscourseSensesReader().read(address))
    assert "0a1b2c" not in str(error.value)
