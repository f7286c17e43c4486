from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.annotators.coref.ranked.words import word_features
from allennlp_coref_rc.annotations.annotators.coref.sieve.mention import NAME, NOMINAL, Mention
from allennlp_coref_rc.annotations.annotators.coref.sieve.name_spans import OPENING

CACHED_WORDS = 50_000


@lru_cache(maxsize=CACHED_WORDS)
def _word_features(word: str) -> np.ndarray:
    return np.array(word_features(word), np.float32)


def token_features(
    tokens: Sequence[str],
    words: Sequence[str],
    sentences: Sequence[Span],
    mentions: Sequence[Mention],
    quoted: np.ndarray,
) -> np.ndarray:
    """
    The features of each token: the features of its word; its capital letters; whether the document also has the word in
    lower case, or with a capital letter at a place that does not require one; whether the token begins a sentence;
    whether it is `quoted`; and whether a mention of the sieve begins, has its head or ends there.

    Shape: (length, features)
    """
    length = len(tokens)
    types = {word: i for i, word in enumerate(dict.fromkeys(words))}
    by_type = np.stack([_word_features(word) for word in types])
    numbers = np.array([types[word] for word in words])
    capital = np.array([token[:1].isupper() for token in tokens])
    heading = np.array([len(token) > 1 and token.isupper() for token in tokens])
    first = np.zeros(length, bool)
    first[[start for start, _ in sentences]] = True
    opens = first.copy()
    opens[1:] |= np.array([token in OPENING for token in tokens[:-1]], bool)
    lower = np.zeros(len(types), bool)
    lower[numbers[~capital]] = True
    inside = np.zeros(len(types), bool)
    inside[numbers[capital & ~opens & ~heading]] = True
    counts = np.bincount(numbers)
    own = np.stack(
        [
            capital,
            heading,
            first,
            opens,
            capital & ~opens,
            lower[numbers],
            inside[numbers],
            np.minimum(counts[numbers], 10) / 10,
            capital * np.minimum(counts[numbers], 10) / 10,
            quoted,
            np.full(length, capital.mean() < 0.01),
        ],
        axis=1,
    ).astype(np.float32)
    sieve = np.zeros((length, 6), np.float32)
    for kind, column in ((NAME, 0), (NOMINAL, 3)):
        spans = [(mention.start, mention.head, mention.stop - 1) for mention in mentions if mention.kind == kind]
        if spans:
            for i, positions in enumerate(zip(*spans)):
                sieve[list(positions), column + i] = 1
    return np.concatenate([by_type[numbers], own, sieve], axis=1)
