"""Reads the first instances of the data that a config names, builds its model, and runs it on them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from itertools import islice
from logging import getLogger
from logging.handlers import BufferingHandler
from typing import Any

import torch
from allennlp.common import Params
from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
from allennlp.models import Model

from allennlp_coref_rc.allennlp_runtime.console.quiet import quiet_screen
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.config_check.check import data_paths, named
from allennlp_coref_rc.data.dataset_readers import ReadingComprehensionReader
from allennlp_coref_rc.data.dataset_readers.reading_report import ReadingReport

FIRST = 4
"""How many instances of a file are tried."""

COUNTED = 1000
"""The most questions of a split that are read to say how many would be skipped."""

LARGE_FILE = 10_000_000
"""The bytes from which on columns are large enough to be spoken of."""

LARGE = ("pretrained_file", "pretrained_files", "min_pretrained_embeddings", "only_include_pretrained_words")
"""Keys that are left out, as reading their files takes long."""

DOWNLOADED = ("model_name", "archive_path", "weights_file", "weights_file_path")
"""A model that has one of these is not built, as it may be downloaded."""


ENCODERS = "allennlp_coref_rc.modules.seq2seq_encoders"
"""The package whose modules warn if they get no annotations."""


def try_out(params: Mapping[str, Any]) -> list[str]:
    """
    What is skipped of the data of a config, and the warnings of encoders in its model. Raises a
    `ConfigurationError` if first instances, or the model without what is pretrained, cannot be made, or if
    the model cannot run on these instances.
    """
    params = _without(deepcopy(dict(params)), LARGE)
    instances: dict[str, list[Instance]] = {}
    skipped: list[str] = []
    warnings = BufferingHandler(100)
    getLogger(ENCODERS).addHandler(warnings)
    try:
        with quiet_screen(speaks=False):
            for key, reader, path in data_paths(params):
                if "://" not in path:
                    built = DatasetReader.from_params(Params(deepcopy(reader), "dataset_reader."))
                    instances[key] = _guarded(key, partial(_first_instances, built, path))
                    skipped += [f"{key}: {losses}" for losses in _losses(built, path)]
            model = params.get("model")
            if (
                instances
                and isinstance(model, dict)
                and not any(named([model, params["dataset_reader"]], DOWNLOADED))
            ):
                _guarded(
                    "model", partial(_run, _model(params, sum(instances.values(), [])), instances.values())
                )
    finally:
        getLogger(ENCODERS).removeHandler(warnings)
    return skipped + [record.getMessage() for record in warnings.buffer]


def sizes(params: Mapping[str, Any]) -> Iterator[str]:
    """A line for each large file that data loaders prepare: its size, and what it takes to prepare it."""
    from allennlp_coref_rc.data.store.columns import NotStorable
    from allennlp_coref_rc.data.store.preparing import estimate

    loaders = {"train_data_path": "data_loader"}
    for key, reader, path in data_paths(params):
        loader = params.get(loaders.get(key, "validation_data_loader")) or params["data_loader"]
        if loader.get("type") == "prepared" and "://" not in path and not reader.get("max_instances"):
            with quiet_screen(speaks=False):
                built = DatasetReader.from_params(Params(deepcopy(reader)))
                try:
                    # The instances of others, and those with other fields, are kept in memory.
                    found = estimate(built, path) if isinstance(built, ReadingComprehensionReader) else None
                except NotStorable:
                    found = None
            if found is None:
                continue
            if found.minutes >= 1 or found.size >= LARGE_FILE:
                minutes = f"{max(1, round(found.minutes))} minutes"
                sizes = f"{found.size / 1e6:,.0f} MB on disk, up to {found.memory / 1e9:.1f} GB of memory"
                yield f"{key}: {found.items:,} items; prepared in about {minutes}, {sizes}"


def _model(params: Mapping[str, Any], instances: list[Instance]) -> Model:
    vocabulary = Params(params.get("vocabulary") or {})
    vocab = _guarded("vocabulary", lambda: Vocabulary.from_params(vocabulary, instances=instances))
    return _guarded("model", lambda: Model.from_params(Params(params["model"]), vocab=vocab))


def _run(model: Model, splits: Iterable[list[Instance]]) -> None:
    model.eval()
    for instances in splits:
        batch = Batch(instances)
        batch.index_instances(model.vocab)
        with torch.no_grad():
            model(**batch.as_tensor_dict())


def _first_instances(reader: DatasetReader, path: str) -> list[Instance]:
    instances = list(islice(reader.read(path), FIRST))
    if not instances:
        raise ConfigurationError(f"{path}: found no instance, expected some")
    # AllenNLP's data loaders apply the indexers, not the reader's `read`.
    for instance in instances:
        reader.apply_token_indexers(instance)
    return instances


def _losses(reader: DatasetReader, path: str) -> Iterator[str]:
    """How many of the first questions are left out, and what is malformed, which needs no annotations."""
    if isinstance(reader, ReadingComprehensionReader):
        plain = reader.with_annotator(None)
        plain.annotation_layers, plain.report = {}, ReadingReport()
        part = ""
        for place, document in plain.documents(path):
            for _ in plain.instances_of(place, document):
                pass
            if plain.report.kept + plain.report.left_out >= COUNTED:
                part = "among the first, "
                break
        if plain.report.left_out:
            yield f"{path}: {part}{plain.report.losses('would be')}"
        yield from plain.report.first_malformed()


def _guarded(key: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except Exception as error:  # AllenNLP and PyTorch raise errors of all kinds.
        raise ConfigurationError(f"{key}: {error or type(error).__name__}") from error


def _without(value: Any, keys: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return {key: _without(inner, keys) for key, inner in value.items() if key not in keys}
    return [_without(inner, keys) for inner in value] if isinstance(value, list) else value
