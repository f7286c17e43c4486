import logging
import random
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, Optional, cast

import numpy as np
import torch
from allennlp.data import DataLoader, DatasetReader, Field, Instance, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.data.data_loaders.data_collator import DefaultDataCollator
from allennlp.data.data_loaders.data_loader import TensorDict
from allennlp.data.fields import TextField
from allennlp.data.samplers import BatchSampler, BucketBatchSampler
from allennlp.data.samplers.bucket_batch_sampler import add_noise_to_value
from allennlp.nn.util import move_to_device as moved

from allennlp_coref_rc.data.dataset_readers import ReadingComprehensionReader
from allennlp_coref_rc.data.fields import QuestionField
from allennlp_coref_rc.data.store.columns import Column, NotStorable, QuestionColumn, Table, TextColumn
from allennlp_coref_rc.data.store.preparing import prepared
from allennlp_coref_rc.data.store.word_tables import Counter

logger = logging.getLogger(__name__)

RELEASE_AFTER = 2
"""
After so many batches, the pages of files that were read are given back. A page, and those around it, may be
mapped for a few numbers, so that a batch takes ten megabytes.
"""


@DataLoader.register("prepared")
class PreparedDataLoader(MultiProcessDataLoader):
    """
    Makes the batches of AllenNLP's `MultiProcessDataLoader`, in the same order, from prepared data: what a
    reader makes of a file is stored as columns of numbers, which are mapped into memory, once for all runs
    that read the same file in the same way. No instances are kept. The next batch is made while the model
    works, and on a GPU in pinned memory.

    With `num_workers`, `max_instances_in_memory` or another `start_method`, and for readers whose fields
    cannot be stored, it is AllenNLP's own.

    Registered as a `DataLoader` with name "prepared". It takes the parameters of `MultiProcessDataLoader`.
    """

    reader: DatasetReader
    data_path: Any
    batch_size: Optional[int]
    batch_sampler: Optional[BatchSampler]
    drop_last: bool
    shuffle: bool
    collate_fn: Any
    num_workers: int
    max_instances_in_memory: Optional[int]
    start_method: str

    def __init__(self, reader: DatasetReader, data_path: str, **kwargs: Any) -> None:
        self._table: Optional[Table] = None
        super().__init__(reader, data_path, **kwargs)

    def iter_instances(self) -> Iterator[Instance]:
        """
        The questions. Those of prepared data count all words for the vocabulary when the first one is asked
        to.
        """
        if self._instances is None and self._keeps_all():
            try:
                self._table, rows = prepared(cast(ReadingComprehensionReader, self.reader), self.data_path)
                self._check_indexers()
            except NotStorable as error:
                self._table = None
                logger.info("%s: %s, which cannot be stored; it is kept in memory", self.data_path, error)
            else:
                self._rows = rows
                self._instances = StoredInstances(rows, self)  # type: ignore[assignment]  # no list: none is kept
        yield from super().iter_instances()

    def _keeps_all(self) -> bool:
        return (
            isinstance(self.reader, ReadingComprehensionReader)
            and self.num_workers == 0
            and self.max_instances_in_memory is None
            and self.start_method == "fork"
            and type(self.collate_fn) is DefaultDataCollator
        )

    @property
    def columns(self) -> Mapping[str, Column]:
        return cast(Table, self._table).columns

    def count_vocab_items(self, counter: dict[str, dict[str, int]], row: int) -> None:
        """
        Counts the words and labels of all questions if this is the first one. Looking at each would take
        longer.
        """
        if row == self._rows[0]:
            cast(Table, self._table).count_vocab_items(cast(Counter, counter), self._rows, self._indexers)

    @cached_property
    def _indexers(self) -> dict[str, Mapping[str, Any]]:
        """Those of each text, as the reader gives them to instances."""
        texts = {
            name: TextField([]) for name, column in self.columns.items() if isinstance(column, TextColumn)
        }
        self.reader.apply_token_indexers(Instance(dict(texts)))
        return {name: field.token_indexers for name, field in texts.items()}

    def _check_indexers(self) -> None:
        """Words are counted for all texts together."""
        first, *others = self._indexers.values()
        if any(other is not first and dict(other) != dict(first) for other in others):
            raise NotStorable("found texts with different token_indexers")

    def index_with(self, vocab: Vocabulary) -> None:
        if self._table is None:
            super().index_with(vocab)
        else:
            self._vocab = vocab
            self._table.index(vocab, self._indexers)

    def check_vocabulary(self) -> None:
        """Raises a `ConfigurationError` if the vocabulary is none to train with on these questions."""
        if self._table is not None:
            self._table.check_vocabulary(cast(Vocabulary, self._vocab))

    def _instances_to_batches(
        self, instance_iterator: Iterable[Instance], move_to_device: bool
    ) -> Iterator[TensorDict]:
        if self._table is None:
            yield from super()._instances_to_batches(instance_iterator, move_to_device)
            return
        for number, places in enumerate(self._batches(), start=1):
            tensors = self._table.batch(self._rows[places])
            if number % RELEASE_AFTER == 0:
                self._table.release()
            if self.cuda_device is not None:
                tensors = _pinned(tensors) if self.cuda_device.type == "cuda" else tensors
                tensors = moved(tensors, self.cuda_device)
            yield tensors

    def _batches(self) -> Iterator[np.ndarray]:
        """
        The places of the instances of each batch. They are chosen as AllenNLP's loader and its samplers choose
        them, with the same random numbers, but without objects for all instances.
        """
        sampler, instances = self.batch_sampler, cast(Sequence[Instance], self._instances)
        if sampler is None:
            places = array("q", range(len(instances)))
            if self.shuffle:
                random.shuffle(places)
            yield from _parts(np.array(places), cast(int, self.batch_size), self.drop_last, False)
        elif type(sampler) is BucketBatchSampler and self.columns.keys() >= set(sampler.sorting_keys or ()):
            if not sampler.sorting_keys:
                sampler._guess_sorting_keys(instances)
            keys = sampler.sorting_keys or []
            lengths = [array("d") for _ in keys]
            for row in self._rows:
                for key, numbers in zip(keys, lengths):
                    numbers.append(add_noise_to_value(self.columns[key].length(row), sampler.padding_noise))
            yield from _parts(
                np.lexsort(lengths[::-1]), sampler.batch_size, sampler.drop_last, sampler.shuffle
            )
        else:
            yield from map(np.array, sampler.get_batch_indices(instances))

    def _iter_batches(self) -> Iterator[TensorDict]:
        batches = super()._iter_batches()
        if self._table is None:
            yield from batches
            return
        # Its thread ends with it. Waiting for that, as `with` does, could be for ever: a loop that was left
        # early may be closed by the garbage collector, in another thread that holds the locks of `threading`.
        executor = ThreadPoolExecutor(1)
        # The first batch is made here, as samplers then draw the random numbers for all.
        batch = next(batches, None)
        while batch is not None:
            following = executor.submit(next, batches, None)
            yield batch
            batch = following.result()


class StoredInstances(Sequence[Instance]):
    """The questions of prepared data, each made when it is asked for."""

    def __init__(self, rows: np.ndarray, loader: PreparedDataLoader) -> None:
        self._rows = rows
        self._loader = loader

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        return StoredInstance(int(self._rows[place]), self._loader)


class StoredInstance(Instance):
    """
    A question of prepared data. It has what samplers and the vocabulary ask for, and its metadata: the
    lengths of its fields, and counts of words.
    """

    __slots__ = ["row", "_loader"]

    def __init__(self, row: int, loader: PreparedDataLoader) -> None:
        self.row = row
        self._loader = loader
        self.indexed = True

    @property
    def fields(self) -> Mapping[str, Field]:  # type: ignore[override]  # nobody changes them
        return StoredFields(self.row, self._loader.columns)

    def count_vocab_items(self, counter: dict[str, dict[str, int]]) -> None:
        self._loader.count_vocab_items(counter, self.row)


class StoredFields(Mapping[str, Field]):
    """The fields of a question."""

    def __init__(self, row: int, columns: Mapping[str, Column]) -> None:
        self._row = row
        self._columns = columns

    def __getitem__(self, name: str) -> Field:
        column = self._columns[name]
        if isinstance(column, QuestionColumn):
            return QuestionField(column.metadata(self._row))
        return StoredField(column.length(self._row))

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __len__(self) -> int:
        return len(self._columns)


class StoredField(Field):
    """A field of which nothing but the length is known."""

    __slots__ = ["_length"]

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def get_padding_lengths(self) -> dict[str, int]:
        return {"length": self._length}


def _parts(order: np.ndarray, size: int, drop_last: bool, shuffle: bool) -> Iterator[np.ndarray]:
    starts = list(range(0, len(order) - (size - 1 if drop_last else 0), size))
    if shuffle:
        random.shuffle(starts)
    return (order[start : start + size] for start in starts)


def _pinned(value: Any) -> Any:
    """The tensors of a batch in memory that a GPU reads quickly."""
    if isinstance(value, torch.Tensor):
        return value.pin_memory()
    return {key: _pinned(part) for key, part in value.items()} if isinstance(value, dict) else value
