"""
The fields of many questions as columns: arrays of numbers, from which batches are made without an object for
each token. A column of each kind below holds the fields of one class, packs them, and gives what AllenNLP
would make of them: counts for the vocabulary and padded tensors.
"""

import logging
import marshal
import mmap
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Optional, cast

import numpy as np
import torch
from allennlp.data import Field, Instance, Token, TokenIndexer, Vocabulary
from allennlp.data.fields import IndexField, SequenceLabelField, TextField

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import counted, excerpt
from allennlp_coref_rc.data.annotation_layers.annotation_layer import TokenLists
from allennlp_coref_rc.data.annotation_layers.edges import PADDING
from allennlp_coref_rc.data.fields import (
    CANDIDATE_LABELS,
    UNKNOWN_ANSWER,
    AnnotationField,
    AnswerField,
    CandidatesField,
    QuestionField,
)
from allennlp_coref_rc.data.fields.annotation_field import NO_LABEL, UNKNOWN_LABEL
from allennlp_coref_rc.data.fields.question_fields import Questions
from allennlp_coref_rc.data.store.word_tables import Counter, WeightedCounter, WordTables, padded

logger = logging.getLogger(__name__)

WORDS = "words of texts"
"""The key of the names of words; those of labels are keyed by their vocabulary namespace."""

PASSAGE = "passage"

TOKENS_OF = {"passage_tokens": PASSAGE, "question_tokens": "question"}
"""The values of metadata that are the words of another field."""

other_attributes = attrgetter("lemma_", "pos_", "tag_", "dep_", "ent_type_", "text_id", "type_id")
"""What tokens may have beside their text, and indexers may read."""

BLOCK = 1 << 20
"""So many numbers are counted at once, which bounds the memory for it."""


class NotStorable(Exception):
    """A field that no column can hold."""


class Ragged:
    """
    Rows of numbers of any length, one after the other in one array or several, which may be in files.
    `release` gives back what was read of them.
    """

    def __init__(self, release: Callable[[], None], lengths: np.ndarray, *values: np.ndarray) -> None:
        self._release = release
        self._lengths = lengths
        ends = np.cumsum(lengths, dtype=np.int64)
        # All that is kept in memory of each row, so it is small.
        self._ends = ends.astype(np.min_scalar_type(int(ends[-1]) if len(ends) else 0))
        self._values = values

    def length(self, row: int) -> int:
        return int(self._lengths[row])

    def lengths(self, rows: np.ndarray) -> np.ndarray:
        return self._lengths[rows].astype(np.int64)

    def rows(self, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """The numbers of some rows, one after the other, from each array."""
        ends = self._ends[rows].astype(np.int64)
        spans = list(zip((ends - self._lengths[rows]).tolist(), ends.tolist()))
        return tuple(np.concatenate([values[start:stop] for start, stop in spans]) for values in self._values)

    def counts(self, rows: np.ndarray, number: int) -> np.ndarray:
        """How often each number below `number` is in some rows of the first array."""
        counts = np.zeros(number, dtype=np.int64)
        size = 1 + BLOCK * len(self._ends) // max(1, *self._ends[-1:].tolist())
        for start in range(0, len(rows), size):
            counts += np.bincount(self.rows(rows[start : start + size])[0], minlength=number)
            self._release()
        return counts


class Part(NamedTuple):
    """The packed fields of consecutive questions."""

    size: int
    columns: dict[str, tuple[str, dict[str, Any]]]
    """By the name of the field, the kind of its column and its options."""
    names: dict[str, list[str]]
    """By key, `WORDS` or a vocabulary namespace, the names that numbers stand for."""
    named: dict[str, str]
    """The arrays whose numbers stand for names, with the key of these."""
    arrays: dict[str, np.ndarray]
    report: Any = None
    """What else there is to say about them, as JSON."""


class Packer:
    """Packs instances, one after the other."""

    def __init__(self) -> None:
        self._size = 0
        self._columns: dict[str, Column] = {}
        self._names: dict[str, dict[str, int]] = defaultdict(dict)
        self._named: dict[str, str] = {}
        self._arrays: dict[str, array] = defaultdict(lambda: array("q"))

    def add(self, instance: Instance) -> None:
        for name, field in instance.fields.items():
            column = self._columns.get(name) or self._new_column(name, field)
            if column.field_class is not type(field) or column.options != column.options_of(field):
                raise NotStorable(f"{name}: found fields of several kinds")
            column.pack(field, instance, self)
            self.put(f"{name}.present", [1])
        for name in self._columns.keys() - instance.fields.keys():
            self._columns[name].skip(self)
            self.put(f"{name}.present", [0])
        self._size += 1

    def _new_column(self, name: str, field: Field) -> "Column":
        for cls in KINDS.values():
            if cls.field_class is type(field):
                column = self._columns[name] = cls(name, cls.options_of(field))
                self.skip({name: (cls.kind, column.options)}, self._size)
                return column
        raise NotStorable(f"{name}: found a {type(field).__name__}")

    def put(self, name: str, values: Iterable[int]) -> None:
        try:
            self._arrays[name].extend(values)
        except TypeError as error:
            raise NotStorable(f"{name}: {error}") from error

    def put_names(self, name: str, values: Iterable[str], key: str) -> None:
        """Puts numbers for names. New ones are numbered in the order in which they occur."""
        numbers = self._names[key]
        self._named[name] = key
        self._arrays[name].extend([numbers.setdefault(value, len(numbers)) for value in values])

    def skip(self, columns: Mapping[str, tuple[str, dict[str, Any]]], number: int) -> None:
        """Packs instances that lack the fields of some columns."""
        for name, (kind, options) in columns.items():
            for _ in range(number):
                KINDS[kind](name, options).skip(self)
            self.put(f"{name}.present", [0] * number)

    def part(self, report: Any = None) -> Part:
        arrays = {
            name: np.frombuffer(values, dtype=np.int64) for name, values in self._arrays.items() if values
        }
        columns = {name: (column.kind, column.options) for name, column in self._columns.items()}
        return Part(
            self._size,
            columns,
            {key: list(names) for key, names in self._names.items()},
            self._named,
            arrays,
            report,
        )


class Table:
    """The columns of a data set, or of the first part of it, in memory or in files."""

    def __init__(self, part: Part) -> None:
        self.size = part.size
        self.names = part.names
        self._arrays = part.arrays
        self.columns = {name: KINDS[kind](name, options) for name, (kind, options) in part.columns.items()}
        for column in self.columns.values():
            column.open(self)

    def array(self, name: str) -> np.ndarray:
        # Slices of a `memmap` itself take several times as long.
        return np.asarray(self._arrays.get(name, np.zeros(0, dtype=np.int64)))

    def ragged(self, name: str, *values: str) -> Ragged:
        arrays = (self.array(f"{name}.{part}") for part in ("lengths", *values))
        return Ragged(self.release, *arrays)

    def text(self, name: str) -> "TextColumn":
        return cast(TextColumn, self.columns[name])

    def release(self) -> None:
        """Gives back the pages of files that were read. They would count as memory of this process."""
        for values in self._arrays.values() if hasattr(mmap, "MADV_DONTNEED") else ():
            if isinstance(values, np.memmap):
                values._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]

    def count_vocab_items(
        self, counter: Counter, rows: np.ndarray, indexers: Mapping[str, Mapping[str, TokenIndexer]]
    ) -> None:
        """
        Adds what AllenNLP would count in the instances of increasing rows, in the same order: names were
        numbered when they first occurred. `indexers` are those of each text.
        """
        counts: dict[str, np.ndarray] = {}
        for column in self.columns.values():
            for key, of_column in column.name_counts(rows):
                counts[key] = counts.get(key, 0) + of_column
        # All texts have the same.
        of_texts = next(iter(indexers.values()), {}).values()
        weighted = WeightedCounter(counter)
        for key, of_key in counts.items():
            names = self.names[key]
            for number in np.flatnonzero(of_key).tolist():
                weighted.weight = int(of_key[number])
                if key != WORDS:
                    weighted[key][names[number]] += 1
                for indexer in of_texts if key == WORDS else ():
                    indexer.count_vocab_items(Token(names[number]), weighted)  # type: ignore[arg-type]

    def index(self, vocab: Vocabulary, indexers: Mapping[str, Mapping[str, TokenIndexer]]) -> None:
        """Prepares for `batch`. `indexers` are those of each text."""
        tables = WordTables(self.names.get(WORDS, []), vocab)
        for name, column in self.columns.items():
            column.index(vocab, indexers.get(name, {}), tables)

    def check_vocabulary(self, vocab: Vocabulary) -> None:
        """Raises a `ConfigurationError` if the vocabulary of a training has no label of a namespace."""
        for namespace, names in self.names.items():
            labels, known = [name for name in names if name], vocab.get_token_to_index_vocabulary(namespace)
            if namespace != WORDS and labels and known.keys().isdisjoint(labels):
                found = _found(known, namespace, labels)
                raise ConfigurationError(f'{found}; expected those of this data, as with "type": "extend"')

    def batch(self, rows: np.ndarray) -> dict[str, Any]:
        """The tensors of some rows, as a batch of their instances has them."""
        tensors = {}
        for name, column in self.columns.items():
            present = self.array(f"{name}.present")[rows]
            if present.all():
                tensors[name] = column.tensors(rows)
            elif present.any():
                raise ConfigurationError(
                    "You cannot construct a Batch with non-homogeneous Instances. "
                    f"Field '{name}' present in some Instances but not others."
                )
        return tensors


def _indices(vocab: Vocabulary, namespace: str, names: Sequence[str], unknown: int) -> list[int]:
    """The indices of labels in a vocabulary, which should know them. Those that it does not are `unknown`."""
    known = vocab.get_token_to_index_vocabulary(namespace)
    if not known.keys() >= set(names):
        logger.warning("%s; a model cannot learn or tell what is not there", _found(known, namespace, names))
    return [known.get(name, unknown) for name in names]


def _found(known: Mapping[str, int], namespace: str, names: Sequence[str]) -> str:
    """Says how many of the data's labels a vocabulary has, and which one it lacks first."""
    missing = [name for name in names if name not in known]
    found = counted(len(names) - len(missing), "label")
    return f"vocabulary: found {found} of the data's {len(names)} in {namespace}, not {excerpt(missing[0])}"


class Column:
    """
    The fields of a name in all instances.

    # Parameters

    name : `str`
    options : `dict[str, Any]`
        What all fields have in common, as `options_of` gives it.
    """

    kind: ClassVar[str]
    field_class: ClassVar[type]
    scalar: ClassVar[bool] = False
    """Whether a field has one number, in place of a row of them."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name = name
        self.options = options

    @classmethod
    def options_of(cls, field: Any) -> dict[str, Any]:
        return {}

    def pack(self, field: Any, instance: Instance, packer: Packer) -> None:
        raise NotImplementedError

    def skip(self, packer: Packer) -> None:
        """Packs an instance that lacks the field."""
        packer.put(f"{self.name}.{'values' if self.scalar else 'lengths'}", [0])

    def open(self, table: Table) -> None:
        raise NotImplementedError

    def length(self, row: int) -> int:
        """The length of the field in a row."""
        return 1

    def name_counts(self, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        """How often each name is in the fields of some rows, with the key of the names."""
        return iter(())

    def index(self, vocab: Vocabulary, indexers: Mapping[str, TokenIndexer], tables: "WordTables") -> None:
        """Prepares for `tensors`."""

    def tensors(self, rows: np.ndarray) -> Any:
        raise NotImplementedError


class TextColumn(Column):
    """The words of texts."""

    kind, field_class = "text", TextField

    def pack(self, field: TextField, instance: Instance, packer: Packer) -> None:
        if {*map(other_attributes, field.tokens)} - {(None,) * 7}:
            raise NotStorable(f"{self.name}: found tokens with more than a text")
        packer.put_names(f"{self.name}.words", [str(token.text) for token in field.tokens], WORDS)
        packer.put(f"{self.name}.lengths", [len(field)])

    def open(self, table: Table) -> None:
        self._words = table.ragged(self.name, "words")
        self._names = table.names.get(WORDS, [])

    def length(self, row: int) -> int:
        return self._words.length(row)

    def numbers(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The lengths of texts, and the numbers of their words, one text after the other."""
        return self._words.lengths(rows), self._words.rows(rows)[0]

    def words(self, row: int) -> list[str]:
        return [self._names[number] for number in self.numbers(np.array([row]))[1].tolist()]

    def name_counts(self, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        yield WORDS, self._words.counts(rows, len(self._names))

    def index(self, vocab: Vocabulary, indexers: Mapping[str, TokenIndexer], tables: "WordTables") -> None:
        self._indexers = {name: tables.of(indexer) for name, indexer in indexers.items()}

    def tensors(self, rows: np.ndarray) -> dict[str, dict[str, torch.Tensor]]:
        lengths, numbers = self.numbers(rows)
        return {name: tensors(lengths, numbers) for name, tensors in self._indexers.items()}


class AnnotationColumn(Column):
    """
    Annotation layers. Numbers that tokens have are stored with the positions of the tokens, in their order.
    """

    kind, field_class = "annotations", AnnotationField

    @classmethod
    def options_of(cls, field: AnnotationField) -> dict[str, Any]:
        namespaces = field.namespaces
        return {
            layer: {name: namespaces.get(layer, {}).get(name) for name in numbers}
            for layer, numbers in field.layers.items()
        }

    def _all(self) -> Iterator[tuple[str, str, Optional[str]]]:
        return (
            (layer, name, key) for layer, numbers in self.options.items() for name, key in numbers.items()
        )

    def pack(self, field: AnnotationField, instance: Instance, packer: Packer) -> None:
        packer.put(f"{self.name}.lengths", [len(field)])
        for layer, name, key in self._all():
            place, tokens = f"{self.name}.{layer}.{name}", field.layers[layer][name]
            listed = TokenLists.of(tokens).items()
            positions = [token for token, numbers in listed for _ in numbers]
            values = [number for _, numbers in listed for number in numbers]
            packer.put(f"{place}.lengths", [len(values)])
            packer.put(f"{place}.positions", positions)
            if key is None:
                packer.put(f"{place}.values", cast(list[int], values))
            else:
                # The empty label comes first. It is no item of the vocabulary.
                packer.put_names(f"{place}.none", [""], key)
                packer.put_names(f"{place}.values", map(str, values), key)

    def skip(self, packer: Packer) -> None:
        super().skip(packer)
        for layer, name, _ in self._all():
            packer.put(f"{self.name}.{layer}.{name}.lengths", [0])

    def open(self, table: Table) -> None:
        self._names = table.names
        self._lengths = table.array(f"{self.name}.lengths")
        self._numbers = {
            (layer, name): table.ragged(f"{self.name}.{layer}.{name}", "values", "positions")
            for layer, name, _ in self._all()
        }

    def length(self, row: int) -> int:
        return int(self._lengths[row])

    def name_counts(self, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        for layer, name, key in self._all():
            if key is not None:
                counts = self._numbers[layer, name].counts(rows, len(self._names[key]))
                counts[0] = 0
                yield key, counts

    def index(self, vocab: Vocabulary, indexers: Mapping[str, TokenIndexer], tables: "WordTables") -> None:
        self._labels = {}
        for key in {key for _, _, key in self._all() if key is not None}:
            labels = self._names.get(key, [""])
            indices = [NO_LABEL, *_indices(vocab, key, labels[1:], UNKNOWN_LABEL)]
            self._labels[key] = np.array(indices, dtype=np.int64)

    def tensors(self, rows: np.ndarray) -> dict[str, dict[str, torch.Tensor]]:
        length = int(self._lengths[rows].max())
        tensors: dict[str, dict[str, torch.Tensor]] = {layer: {} for layer in self.options}
        for layer, name, key in self._all():
            ragged = self._numbers[layer, name]
            values, positions = ragged.rows(rows)
            tokens = np.repeat(np.arange(len(rows)) * length, ragged.lengths(rows)) + positions
            # The numbers of a token stand together. Each one's place in the token is its distance from the
            # first.
            first = np.flatnonzero(np.diff(tokens, prepend=-1))
            places = np.arange(len(tokens)) - np.repeat(first, np.diff(first, append=len(tokens)))
            matrix = np.full((len(rows) * length, int(places.max(initial=-1)) + 1), PADDING, dtype=np.int64)
            matrix[tokens, places] = values if key is None else self._labels[key][values]
            tensors[layer][name] = torch.from_numpy(matrix.reshape(len(rows), length, matrix.shape[1]))
        return tensors


class IndexColumn(Column):
    """Positions in a text."""

    kind, field_class, scalar = "index", IndexField, True

    def pack(self, field: IndexField, instance: Instance, packer: Packer) -> None:
        packer.put(f"{self.name}.values", [field.sequence_index])

    def open(self, table: Table) -> None:
        self._values = table.array(f"{self.name}.values")

    def tensors(self, rows: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(self._values[rows].astype(np.int64)).unsqueeze(1)


class AnswerColumn(Column):
    """Answers: indices of candidates, and labels."""

    kind, field_class, scalar = "answer", AnswerField, True

    @classmethod
    def options_of(cls, field: AnswerField) -> dict[str, Any]:
        return {"namespace": field._label_namespace}

    def pack(self, field: AnswerField, instance: Instance, packer: Packer) -> None:
        packer.put(f"{self.name}.is_label", [not field._skip_indexing])
        if field._skip_indexing:
            packer.put(f"{self.name}.values", [cast(int, field.label)])
            packer.put(f"{self.name}.labels", [0])
        else:
            packer.put(f"{self.name}.values", [0])
            packer.put_names(f"{self.name}.labels", [str(field.label)], self.options["namespace"])

    def skip(self, packer: Packer) -> None:
        for part in ("values", "is_label", "labels"):
            packer.put(f"{self.name}.{part}", [0])

    def open(self, table: Table) -> None:
        self._is_label = table.array(f"{self.name}.is_label")
        self._values, self._labels = table.array(f"{self.name}.values"), table.array(f"{self.name}.labels")
        self._names = table.names.get(self.options["namespace"], [])

    def name_counts(self, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        labels = self._labels[rows][self._is_label[rows] > 0]
        if self._names:
            yield self.options["namespace"], np.bincount(labels, minlength=len(self._names))

    def index(self, vocab: Vocabulary, indexers: Mapping[str, TokenIndexer], tables: "WordTables") -> None:
        indices = _indices(vocab, self.options["namespace"], self._names, UNKNOWN_ANSWER)
        self._indices = np.array(indices or [0], dtype=np.int64)

    def tensors(self, rows: np.ndarray) -> torch.Tensor:
        values = self._values[rows].astype(np.int64)
        return torch.from_numpy(np.where(self._is_label[rows], self._indices[self._labels[rows]], values))


class TagColumn(Column):
    """A number for each word of a text."""

    kind, field_class = "tags", SequenceLabelField

    def pack(self, field: SequenceLabelField, instance: Instance, packer: Packer) -> None:
        if not all(isinstance(label, int) for label in field.labels):
            raise NotStorable(f"{self.name}: found labels that are no numbers")
        packer.put(f"{self.name}.values", cast(list[int], field.labels))
        packer.put(f"{self.name}.lengths", [len(field.labels)])

    def open(self, table: Table) -> None:
        self._tags = table.ragged(self.name, "values")

    def length(self, row: int) -> int:
        return self._tags.length(row)

    def tensors(self, rows: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(padded(self._tags.lengths(rows), self._tags.rows(rows)[0]))


class CandidatesColumn(Column):
    """The places of candidates in the passage. If the vocabulary has the candidates, nothing is stored."""

    kind, field_class = "candidates", CandidatesField

    @classmethod
    def options_of(cls, field: CandidatesField) -> dict[str, Any]:
        return {"of_vocabulary": field._candidates is None}

    def pack(self, field: CandidatesField, instance: Instance, packer: Packer) -> None:
        if self.options["of_vocabulary"]:
            if field._tokens != [str(token.text).lower() for token in cast(TextField, instance[PASSAGE])]:
                raise NotStorable(f"{self.name}: found other words than those of the passage")
            self.skip(packer)
            return
        packer.put(f"{self.name}.lengths", [len(field._occurrences)])
        packer.put(f"{self.name}.candidates", [candidate for candidate, _ in field._occurrences])
        packer.put(f"{self.name}.positions", [position for _, position in field._occurrences])
        packer.put(f"{self.name}.number", [len(field)])

    def skip(self, packer: Packer) -> None:
        super().skip(packer)
        packer.put(f"{self.name}.number", [0])

    def open(self, table: Table) -> None:
        self._passage = table.text(PASSAGE)
        self._number, self._num_labels = table.array(f"{self.name}.number"), 0
        self._occurrences = table.ragged(self.name, "candidates", "positions")

    def length(self, row: int) -> int:
        return self._num_labels if self.options["of_vocabulary"] else int(self._number[row])

    def index(self, vocab: Vocabulary, indexers: Mapping[str, TokenIndexer], tables: "WordTables") -> None:
        if self.options["of_vocabulary"]:
            labels = vocab.get_index_to_token_vocabulary(CANDIDATE_LABELS)
            self._num_labels = len(labels)
            self._candidates = tables.candidates([labels[i].lower() for i in range(len(labels))])

    def _found(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """
        Of each row, the numbers of occurrences and of candidates; of each occurrence, the candidate and the
        position.
        """
        if not self.options["of_vocabulary"]:
            return self._occurrences.lengths(rows), self._number[rows], *self._occurrences.rows(rows)
        lengths, words = self._passage.numbers(rows)
        row_of = np.repeat(np.arange(len(rows)), lengths)
        position_of = np.arange(len(words)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        candidates_of = self._candidates[words]
        tokens, columns = np.nonzero(candidates_of >= 0)
        candidates = candidates_of[tokens, columns]
        # In the order of `CandidatesField`: by candidate, and then, as the sort is stable, by position.
        order = np.lexsort((candidates, row_of[tokens]))
        tokens = tokens[order]
        occurrences = np.bincount(row_of[tokens], minlength=len(rows))
        return occurrences, np.full(len(rows), self._num_labels), candidates[order], position_of[tokens]

    def tensors(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        lengths, number, candidates, positions = self._found(rows)
        mask = np.arange(int(number.max(initial=0))) < number[:, None]
        return {
            "candidates": torch.from_numpy(padded(lengths, candidates, -1)),
            "positions": torch.from_numpy(padded(lengths, positions, -1)),
            "mask": torch.from_numpy(mask),
        }


class QuestionColumn(Column):
    """Metadata, as bytes. Those that are words of a text of the instance are not stored."""

    kind, field_class = "metadata", QuestionField

    def pack(self, field: QuestionField, instance: Instance, packer: Packer) -> None:
        values = dict(field.metadata)
        for key, name in TOKENS_OF.items():
            if name in instance.fields and values.get(key) == [
                token.text for token in cast(TextField, instance[name])
            ]:
                del values[key]
        try:
            # It keeps tuples, and unlike pickle runs nothing when it is read.
            dumped = marshal.dumps(values)
            # Of numbers of NumPy it keeps the bytes.
            if marshal.loads(dumped) != values:
                raise ValueError("found values that are not read as they were written")
        except ValueError as error:
            raise NotStorable(f"{self.name}: {error}") from error
        data = zlib.compress(dumped, 1)
        packer.put(f"{self.name}.values", data)
        packer.put(f"{self.name}.lengths", [len(data)])

    def open(self, table: Table) -> None:
        self.added: dict[int, dict[str, Any]] = {}
        """By row, what is known only when all questions were read."""
        self._texts = {key: table.text(name) for key, name in TOKENS_OF.items() if name in table.columns}
        self._data = table.ragged(self.name, "values")

    def metadata(self, row: int) -> dict[str, Any]:
        values = marshal.loads(
            zlib.decompress(self._data.rows(np.array([row]))[0].astype(np.uint8).tobytes())
        )
        missing = {key: text.words(row) for key, text in self._texts.items() if key not in values}
        return {**missing, **values, **self.added.get(row, {})}

    def tensors(self, rows: np.ndarray) -> Questions:
        return StoredQuestions([partial(self.metadata, row) for row in rows.tolist()])


class StoredQuestions(Questions):
    """
    The metadata of the questions of a batch, which are read when they are used: training needs few of them.
    """

    def __init__(self, readers: Sequence[Callable[[], dict[str, Any]]]) -> None:
        self._readers = readers

    @cached_property
    def data(self) -> list[dict[str, Any]]:  # type: ignore[override]
        return [read() for read in self._readers]


KINDS: dict[str, type[Column]] = {
    column.kind: column
    for column in (
        TextColumn,
        AnnotationColumn,
        IndexColumn,
        AnswerColumn,
        TagColumn,
        CandidatesColumn,
        QuestionColumn,
    )
}
