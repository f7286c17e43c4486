"""What AllenNLP makes of words, by tables of all different words: tensors of indices and characters, and counts."""

from collections import defaultdict
from collections.abc import Callable, MutableMapping, Sequence
from itertools import chain
from typing import Any, cast

import numpy as np
import torch
from allennlp.data import Batch, Instance, TextFieldTensors, Token, TokenIndexer, Vocabulary
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer, TokenCharactersIndexer

from allennlp_coref_rc.data.token_indexers.oov_bucket_indexer import OovBucketIndexer

Counter = MutableMapping[str, MutableMapping[str, int]]
"""By namespace and item, counts for a vocabulary."""

TextTensors = Callable[[np.ndarray, np.ndarray], dict[str, torch.Tensor]]
"""Makes an indexer's tensors of the lengths of texts and the numbers of their words."""


def padded(lengths: np.ndarray, values: np.ndarray, padding: int = 0, least: int = 0) -> np.ndarray:
    """
    Rows of numbers (or of arrays) as a matrix. A row is filled up with `padding`, to at least `least`
    columns.
    """
    width = max(int(lengths.max(initial=0)), least)
    matrix = np.full((len(lengths), width, *values.shape[1:]), padding, dtype=np.int64)
    matrix[np.arange(width) < lengths[:, None]] = values
    return matrix


class WordTables:
    """What AllenNLP makes of each word by itself."""

    def __init__(self, words: Sequence[str], vocab: Vocabulary) -> None:
        self._words = words
        self._vocab = vocab
        self._made: dict[int, TextTensors] = {}

    def of(self, indexer: TokenIndexer) -> TextTensors:
        if id(indexer) not in self._made:
            adds_words = getattr(indexer, "_start_tokens", None) or getattr(indexer, "_end_tokens", None)
            kind = IndexedTexts if adds_words else INDEXED.get(type(indexer), IndexedTexts)
            self._made[id(indexer)] = kind(indexer, self._words, self._vocab)
        return self._made[id(indexer)]

    def candidates(self, names: Sequence[str]) -> np.ndarray:
        """For each word a row with the candidates that have this name, filled up with -1: names may recur."""
        of_name = defaultdict(list)
        for candidate, name in enumerate(names):
            of_name[name].append(candidate)
        found = [of_name.get(word.lower(), []) for word in self._words]
        lengths = np.array(list(map(len, found)), dtype=np.int64)
        return padded(lengths, np.fromiter(chain(*found), dtype=np.int64), padding=-1)


class SingleIds:
    """The indices of words."""

    def __init__(self, indexer: SingleIdTokenIndexer, words: Sequence[str], vocab: Vocabulary) -> None:
        self._least = indexer._token_min_padding_length
        self._indices = np.array(
            indexer.tokens_to_indices(list(map(Token, words)), vocab)["tokens"], dtype=np.int64
        )

    def __call__(self, lengths: np.ndarray, numbers: np.ndarray) -> dict[str, torch.Tensor]:
        return {"tokens": torch.from_numpy(padded(lengths, self._indices[numbers], least=self._least))}


class Characters:
    """The characters of words."""

    def __init__(self, indexer: TokenCharactersIndexer, words: Sequence[str], vocab: Vocabulary) -> None:
        self._least, self._least_characters = indexer._token_min_padding_length, indexer._min_padding_length
        indexed = indexer.tokens_to_indices(list(map(Token, words)), vocab)["token_characters"]
        self._lengths = np.array(list(map(len, indexed)), dtype=np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._characters = np.array([character for word in indexed for character in word], dtype=np.int64)

    def __call__(self, lengths: np.ndarray, numbers: np.ndarray) -> dict[str, torch.Tensor]:
        of_words = self._lengths[numbers]
        shift = self._starts[numbers] - (np.cumsum(of_words) - of_words)
        characters = self._characters[np.repeat(shift, of_words) + np.arange(of_words.sum())]
        matrix = padded(of_words, characters, least=self._least_characters)
        return {"token_characters": torch.from_numpy(padded(lengths, matrix, least=self._least))}


class IndexedTexts:
    """Makes the tensors of any other indexer, from whole texts."""

    def __init__(self, indexer: TokenIndexer, words: Sequence[str], vocab: Vocabulary) -> None:
        self._indexer, self._words, self._vocab = indexer, words, vocab

    def __call__(self, lengths: np.ndarray, numbers: np.ndarray) -> dict[str, torch.Tensor]:
        words = [Token(self._words[number]) for number in numbers.tolist()]
        ends = np.cumsum(lengths)
        batch = Batch(
            Instance({"text": TextField(words[start:end], {"": self._indexer})})
            for start, end in zip((ends - lengths).tolist(), ends.tolist())
        )
        batch.index_instances(self._vocab)
        return cast(TextFieldTensors, batch.as_tensor_dict()["text"])[""]


INDEXED: dict[type, Callable[[Any, Sequence[str], Vocabulary], TextTensors]] = {
    SingleIdTokenIndexer: SingleIds,
    OovBucketIndexer: SingleIds,
    TokenCharactersIndexer: Characters,
}
"""How the tensors of these indexers are made, which look at each word by itself."""


class Weighted:
    """The counts of a namespace, to which everything is added several times."""

    def __init__(self, counts: MutableMapping[str, int], weight: int) -> None:
        self._counts, self._weight = counts, weight

    def __contains__(self, item: str) -> bool:
        return item in self._counts

    def __getitem__(self, item: str) -> int:
        return self._counts[item]

    def __setitem__(self, item: str, count: int) -> None:
        before = self._counts[item]
        self._counts[item] = before + (count - before) * self._weight


class WeightedCounter:
    """A counter to which everything is added `weight` times."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self.weight = 1

    def __getitem__(self, namespace: str) -> Weighted:
        return Weighted(self._counter[namespace], self.weight)
