"""What every reader has to do: workers and annotated files give the same; damaged files are refused."""

import operator
import pickle
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.data.dataset_readers import WorkerInfo
from torch import distributed

from allennlp_coref_rc.annotations import read_documents, write_documents
from allennlp_coref_rc.data.dataset_readers import document_reader


def metadata(instances) -> list[dict[str, Any]]:
    return [instance["metadata"].metadata for instance in instances]


def tokens(field) -> list[str]:
    return [token.text for token in field.tokens]


def span(instance) -> tuple[int, int]:
    """The first and the last token of the answer."""
    return instance["span_start"].sequence_index, instance["span_end"].sequence_index


def refusal(read: Callable[[], Any]) -> str:
    with pytest.raises(ConfigurationError) as error:
        read()
    return str(error.value)


def write(path: Path, content: str) -> str:
    path.write_text(content, encoding="utf-8")
    return str(path)


def left_out(reader: DatasetReader, path: str, lost: int = 1) -> str:
    """The message of the only malformed part of a file, which costs so many questions, but not all."""
    assert list(reader.read(path))
    (error,) = reader.report.malformed
    assert reader.report.skipped["malformed"] == lost
    return str(error)


def check_workers(make: Callable[[], DatasetReader], path: str) -> None:
    """0 and 2 workers give the same instances, to the last tensor."""
    instances = list(make().read(path))
    vocab = Vocabulary.from_instances(instances)

    def batches(num_workers):
        # Workers that are not forks get their reader like this.
        reader = pickle.loads(pickle.dumps(make()))
        options = {"batch_size": 1, "num_workers": num_workers, "quiet": True}
        loader = MultiProcessDataLoader(reader, path, **options)
        loader.index_with(vocab)
        return sorted(
            ((batch["metadata"][0]["id"], flat(batch)) for batch in loader), key=lambda item: item[0]
        )

    alone, shared = batches(0), batches(2)
    assert [name for name, _ in alone] == [name for name, _ in shared]
    assert len({name for name, _ in alone}) == len(alone) == len(instances) > 0
    for (_, one), (_, other) in zip(alone, shared):
        assert set(one) == set(other) and len(one) > 6
        for name, values in one.items():
            same = torch.equal if torch.is_tensor(values) else operator.eq
            assert same(values, other[name]), name


def check_shards(make: Callable[[], DatasetReader], path: str, monkeypatch) -> None:
    """Two processes of two workers each share out the instances, and each instance goes to one of them."""
    whole = [data["id"] for data in metadata(make().read(path))]
    shares = []
    for rank, worker in product(range(2), repeat=2):
        monkeypatch.setattr(document_reader, "is_distributed", lambda: True)
        monkeypatch.setattr(distributed, "get_rank", lambda rank=rank: rank)
        monkeypatch.setattr(distributed, "get_world_size", lambda: 2)
        reader = make()
        reader._set_worker_info(WorkerInfo(2, worker))
        shares.append([data["id"] for data in metadata(reader.read(path))])
        monkeypatch.undo()
    assert sorted(sum(shares, [])) == sorted(whole) and len(set(whole)) == len(whole)
    assert sum(map(bool, shares)) > 1


def flat(values: Any, prefix: str = "") -> dict[str, Any]:
    if isinstance(values, dict):
        return {k: v for name in values for k, v in flat(values[name], f"{prefix}.{name}").items()}
    return {prefix: values}


def check_annotated_file(reader: DatasetReader, plain: DatasetReader, path: str, output: str) -> None:
    """Documents annotated, written and read without an annotator are what the raw file gives."""
    documents = (
        reader.annotate(reader.to_document(item)) for _, item in reader.read_items(reader.find(path), path)
    )
    write_documents(output, documents, {"reader": reader.registered_name()})
    assert any(document.text.clusters for _, document in read_documents(output))
    raw, annotated = list(reader.read(path)), list(plain.read(output))
    assert len(raw) == len(annotated) > 0
    for one, other in zip(raw, annotated):
        assert list(one.fields) == list(other.fields)
        assert one["metadata"].metadata == other["metadata"].metadata
        assert one == other
