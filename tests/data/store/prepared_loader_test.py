"""Batches of prepared data are those that AllenNLP makes of the reader's instances."""

import gc
import json
import random
from itertools import product
from threading import Event, Thread, current_thread, main_thread

import numpy as np
import pytest
import torch
from allennlp.common import Params, Registrable
from allennlp.data import DataLoader, DatasetReader, Token, Vocabulary
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer

from allennlp_coref_rc.annotations import write_documents
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers import AnnotationLayer
from allennlp_coref_rc.data.dataset_readers.annotated_cloze import AnnotatedClozeReader
from allennlp_coref_rc.data.fields import CLASS_LABELS, UNKNOWN_ANSWER
from allennlp_coref_rc.data.store.columns import KINDS, Table
from allennlp_coref_rc.data.store.prepared_loader import StoredInstance
from tests.processes import run_in_processes
from tests.training_config.configs import (
    BABI,
    CONFIGS,
    configs,
    load,
    load_small,
    load_text,
    tiny_transformer,
)

CNN = CONFIGS / "cnn" / "ga_gru.jsonnet"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLENNLP_CACHE_ROOT", str(tmp_path / "cache"))
    return tmp_path / "cache" / "prepared"


def copy(values):
    return Params(json.loads(json.dumps(values)))


def made(reader, path, options, kind="prepared"):
    """A loader and the vocabulary of its questions."""
    reader = DatasetReader.from_params(copy(reader))
    loader = DataLoader.from_params(copy({**options, "type": kind}), reader=reader, data_path=path)
    vocab = Vocabulary.from_instances(loader.iter_instances())
    loader.index_with(vocab)
    return loader, vocab


def data(kind, reader, path, options, epochs=2):
    """The vocabulary, all batches and the number of batches of an epoch."""
    random.seed(1)
    loader, vocab = made(reader, path, options, kind)
    number = None if "max_instances_in_memory" in options else len(loader)
    return vocab, [batch for _ in range(epochs) for batch in loader], number


def check_equal(found, expected, place=""):
    if isinstance(expected, torch.Tensor):
        assert found.dtype == expected.dtype and torch.equal(found, expected), place
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys(), place
        for key in expected:
            check_equal(found[key], expected[key], f"{place}.{key}")
    else:
        assert list(found) == list(expected), place


def check(reader, path, options):
    (vocab, batches, number), (own_vocab, own_batches, own_number) = (
        data(kind, reader, path, options) for kind in ("multiprocess", "prepared")
    )
    namespaces = {*vocab.get_namespaces(), *own_vocab.get_namespaces()}
    for namespace in namespaces:
        # Words that are equally frequent are in the order in which they first occur.
        assert own_vocab.get_token_to_index_vocabulary(namespace) == vocab.get_token_to_index_vocabulary(
            namespace
        )
    assert len(own_batches) == len(batches) > 0 and own_number == number
    for found, expected in zip(own_batches, batches):
        check_equal(found, expected)


def without_type(options):
    return {key: value for key, value in options.items() if key != "type"}


def sources():
    """Each way in which a config reads data for training or for validation, once."""
    found = {}
    for path in configs():
        values = load_small(path).as_dict(quiet=True)
        if values["data_loader"].get("type") == "prepared":
            validation = values.get("validation_dataset_reader", values["dataset_reader"])
            for reader, loader in (
                (values["dataset_reader"], "data_loader"),
                (validation, "validation_data_loader"),
            ):
                source = reader, values["train_data_path"], without_type(values[loader])
                found.setdefault(json.dumps(source), (f"{path.parent.name}-{path.stem}-{loader}", *source))
    return list(found.values())


@pytest.mark.slow
def test_batches_of_every_config_are_equal():
    for name, *source in sources():
        try:
            check(*source)
        except AssertionError as error:
            raise AssertionError(name) from error


def of_cnn(**reader):
    values = load(CNN).as_dict(quiet=True)
    return {**values["dataset_reader"], **reader}, values["train_data_path"]


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 2, "shuffle": True},
        {"batch_size": 3, "drop_last": True},
        {"batch_size": 2, "batches_per_epoch": 3},
        {"batch_sampler": {"type": "max_tokens_sampler", "max_tokens": 200}},
        {"batch_sampler": {"type": "bucket", "batch_size": 2, "padding_noise": 0.4, "drop_last": True}},
        {"batch_sampler": {"type": "bucket", "batch_size": 2, "sorting_keys": ["question", "passage"]}},
        {"batch_sampler": {"type": "bucket", "batch_size": 2, "sorting_keys": ["candidates"]}},
    ],
)
@pytest.mark.parametrize("reader", [{}, {"max_instances": 3}, {"keep_skipped": True}])
def test_orders_and_parts_are_equal(options, reader):
    check(*of_cnn(**reader), options)


def test_the_last_question_says_how_many_are_malformed(tmp_path):
    path = tmp_path / "questions.jsonl"
    good = {"passage": "Ann met Bo.", "question": "@placeholder left.", "candidates": ["Ann", "Bo"]}
    path.write_text("".join(json.dumps(line) + "\n" for line in [{}, good, {}, good, {}]))
    # Documents that could not be annotated count too, also when their columns are found again.
    documents = [document for _, document in AnnotatedClozeReader().documents(str(path))]
    incomplete = tmp_path / "annotated.jsonl"
    write_documents(
        str(incomplete), documents, {"reader": "annotated_cloze", "failed": 2, "lost_questions": 3}
    )
    for file, options in product((path, incomplete), ({}, {"max_instances": 9})):
        reader = {"type": "annotated_cloze", **options}
        for _ in range(2):
            check(reader, str(file), {"batch_size": 2})
            _, batches, _ = data("prepared", reader, str(file), {"batch_size": 2}, epochs=1)
            assert [values.get("malformed") for batch in batches for values in batch["metadata"]] == [None, 3]


def test_a_loop_that_is_left_does_not_wait_for_its_next_batch(monkeypatch):
    """It may be closed by the garbage collector, in a thread for which the next batch would wait."""
    loader, _ = made(*of_cnn(), {"batch_size": 2})
    expected = list(loader)
    asked, given = Event(), Event()
    make_batch = Table.batch

    def second_batch_waits(table, rows):
        if current_thread() is not main_thread():
            asked.set()
            given.wait()
        return make_batch(table, rows)

    monkeypatch.setattr(Table, "batch", second_batch_waits)
    batches = iter(loader)
    next(batches)
    asked.wait()
    closing = Thread(target=batches.close, daemon=True)
    closing.start()
    closing.join(30)
    waits = closing.is_alive()
    given.set()
    assert not waits
    for found, batch in zip(loader, expected, strict=True):
        check_equal(found, batch)


def test_labels_that_the_vocabulary_lacks(caplog):
    reader = {"type": "annotated_babi", "folder": str(BABI), "task": 15}
    loader, of_data = made(reader, "train", {"batch_size": 2})
    labels = of_data.get_token_to_index_vocabulary(CLASS_LABELS)
    vocab = Vocabulary()
    loader.index_with(vocab)
    with pytest.raises(
        ConfigurationError, match=f"found 0 labels of the data's {len(labels)} in class_labels"
    ):
        loader.check_vocabulary()
    for number, label in enumerate(labels, start=1):
        vocab.add_token_to_namespace(label, CLASS_LABELS)
        caplog.clear()
        loader.index_with(vocab)
        answers = torch.cat([batch["answer"] for batch in loader])
        assert (answers == UNKNOWN_ANSWER).any() == (number < len(labels))
        assert ("model cannot learn or tell" in caplog.text) == (number < len(labels))
        loader.check_vocabulary()


def test_annotations_with_other_labels_than_those_of_training(caplog):
    values = load_small(CONFIGS / "quoref" / "dassa_coref.jsonnet").as_dict(quiet=True)
    loader, _ = made(values["dataset_reader"], values["train_data_path"], {"batch_size": 2})
    vocab = Vocabulary()
    vocab.add_token_to_namespace("other", "coref_annotations")
    loader.index_with(vocab)
    message = "found 0 labels of the data's 2 in coref_annotations"
    assert message in caplog.text
    with pytest.raises(ConfigurationError, match=message):
        loader.check_vocabulary()


def test_no_question_is_kept(cache):
    """Hundreds of thousands of objects would take more memory than their numbers."""
    options = {"batch_sampler": {"type": "bucket", "batch_size": 2, "sorting_keys": ["passage"]}}
    loader, _ = made(*of_cnn(), options)
    batches = iter(loader)
    next(batches)
    assert len(loader) > 1 and not any(isinstance(x, StoredInstance) for x in gc.get_objects())
    batches.close()


def test_transformers_read_words_as_allennlp_does():
    values = load_text(f"(import 'babi/quick_start.jsonnet') + {tiny_transformer()}", "babi").as_dict(
        quiet=True
    )
    check(values["dataset_reader"], values["train_data_path"], {"batch_size": 4})


def ids(loader):
    return [metadata["id"] for batch in loader for metadata in batch["metadata"]]


def check_shares(rank, reader, path):
    kinds = ("multiprocess", "prepared")
    found = [ids(made(reader, path, {"batch_size": 2}, kind)[0]) for kind in kinds]
    assert found[0] == found[1] and found[0]


@pytest.mark.parametrize("reader", [{}, {"max_instances": 3}])
def test_processes_have_the_shares_that_they_would_read(reader):
    run_in_processes(2, check_shares, *of_cnn(**reader))


def test_streamed_and_other_data_are_read_as_by_allennlp(cache):
    reader, path = of_cnn()
    check(reader, path, {"batch_size": 2, "max_instances_in_memory": 3})
    check(reader, path, {"batch_size": 2, "num_workers": 1})
    assert not cache.exists()
    permuting = {**reader, "permute_entities": True}
    check(permuting, path, {"batch_size": 2})
    assert not cache.exists()


class Filtering(AnnotatedClozeReader):
    def _read(self, file_path):
        yield from list(super()._read(file_path))[::2]


class FilteringDocuments(AnnotatedClozeReader):
    def documents(self, file_path):
        yield from list(super().documents(file_path))[::2]


class QuestionsWithWordsOfTheirOwn(AnnotatedClozeReader):
    def apply_token_indexers(self, instance):
        super().apply_token_indexers(instance)
        instance["question"].token_indexers = {"tokens": SingleIdTokenIndexer(namespace="asked")}


class Tagging(AnnotatedClozeReader):
    def make_instance(self, text, boundary, metadata):
        instance = super().make_instance(text, boundary, metadata)
        tagged = [
            Token(word, tag_="UPPER" if word[0].isupper() else "LOWER") for word in text.tokens[:boundary]
        ]
        instance.fields["passage"] = TextField(tagged)
        return instance


class Measuring(AnnotatedClozeReader):
    def make_instance(self, text, boundary, metadata):
        numbers = {"half": np.float64(0.5), "one": np.int64(1)}
        return super().make_instance(text, boundary, {**metadata, **numbers})


class NumbersAsLabels(AnnotationLayer):
    label_names = ("labels",)

    def layers(self, text, boundary):
        return tuple({"labels": [[i % 3] for i in range(n)]} for n in (boundary, len(text) - boundary))


@pytest.mark.parametrize(
    "reader",
    [Filtering, FilteringDocuments, QuestionsWithWordsOfTheirOwn, Tagging, Measuring, AnnotatedClozeReader],
)
def test_what_users_readers_do_of_their_own_is_done(reader, tmp_path, monkeypatch):
    monkeypatch.setitem(Registrable._registry[DatasetReader], "users", (reader, None))
    monkeypatch.setitem(Registrable._registry[AnnotationLayer], "numbers", (NumbersAsLabels, None))
    path = tmp_path / "questions.jsonl"
    line = {"passage": "Ann met Bo.", "question": "@placeholder left.", "candidates": ["Ann", "Bo"]}
    path.write_text("".join(json.dumps({**line, "id": str(i)}) + "\n" for i in range(4)))
    tags = {"type": "single_id", "namespace": "tags", "feature_name": "tag_", "default_value": ""}
    options = {"token_indexers": {"tags": tags}} if reader is Tagging else {}
    layers = (
        {}
        if reader is QuestionsWithWordsOfTheirOwn
        else {"annotation_layers": {"numbers": {"type": "numbers"}}}
    )
    check({"type": "users", **layers, **options}, str(path), {"batch_size": 2})


def test_a_field_that_no_column_holds_stays_in_memory(monkeypatch, cache):
    monkeypatch.delitem(KINDS, "candidates")
    check(*of_cnn(), {"batch_size": 2})
    assert [path.suffix for path in cache.iterdir()] == [".lock"]


def test_a_batch_needs_fields_in_all_of_its_questions_or_in_none(tmp_path):
    lines = [
        {"passage": "Ann saw @entity0 .", "question": f"who saw @placeholder {i}", "candidates": ["@entity0"]}
        for i in (0, 1)
    ]
    lines[1]["answer"] = "@entity0"
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    reader = {"type": "annotated_cloze"}
    assert "answer" in data("prepared", reader, str(path), {"batch_size": 1})[1][1]
    with pytest.raises(ConfigurationError, match="'answer' present in some"):
        data("prepared", reader, str(path), {"batch_size": 2})
