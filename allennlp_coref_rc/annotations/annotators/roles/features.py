"""
What the labeller of roles sees of a sentence: hashes of its words' forms, tags and dependencies, and their
heads.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span

if TYPE_CHECKING:
    from spacy.tokens import Doc

FEATURES = ("form", "prefix", "suffix", "shape", "tag", "entity", "marker", "particle", "dep")
"""
The columns of `Sentence.features`. The marker is the word's first dependent that is `case` or `mark` (a
preposition), and the particle the one that is `compound:prt`.
"""

DEPENDENCY = FEATURES.index("dep")

PREFIX = 5
"""In characters. It stands in for the lemma."""

MAX_LENGTH = 200
"""In tokens. Longer sentences are labelled in pieces."""


class Sentence(NamedTuple):
    """
    A sentence or, if it is longer than `MAX_LENGTH`, a piece of one.

    # Parameters

    start : `int`
        The position of its first token in the text.
    features : `np.ndarray`
        Hashes. Shape: (tokens, features), integers of 64 bits.
    heads : `np.ndarray`
        Positions in the sentence. Roots are their own heads. Shape: (tokens,)
    vectors : `np.ndarray`
        The vectors of the words in context by the pipeline (`Doc.tensor`). Shape: (tokens, width)
    """

    start: int
    features: np.ndarray
    heads: np.ndarray
    vectors: np.ndarray


def sentences(text: AnnotatedText, doc: "Doc") -> Iterator[Sentence]:
    """The sentences of a parsed text."""
    if not len(doc):
        return
    features, heads = _features(doc)
    for start, stop in _pieces(text.sentences):
        inside = heads[start:stop] - start
        # The head may lie in another piece of the sentence.
        outside = (inside < 0) | (inside >= stop - start)
        inside = np.where(outside, np.arange(stop - start), inside)
        yield Sentence(start, features[start:stop], inside, doc.tensor[start:stop])


def _pieces(spans: list[Span]) -> Iterator[Span]:
    for start, stop in spans:
        for begin in range(start, stop, MAX_LENGTH):
            yield begin, min(begin + MAX_LENGTH, stop)


def _features(doc: "Doc") -> tuple[np.ndarray, np.ndarray]:
    columns = doc.to_array(["LOWER", "SUFFIX", "SHAPE", "TAG", "DEP", "ENT_TYPE", "ENT_IOB", "HEAD"])
    columns = columns.astype(np.uint64).view(np.int64)
    form, suffix, shape, tag, dep, entity, place_in_entity, offset = columns.T
    heads = np.arange(len(doc)) + offset
    prefix = np.array([_hash(token.lower_[:PREFIX]) for token in doc])

    def dependents(*labels: str) -> np.ndarray:
        """The form of each word's first dependent with one of these labels."""
        forms = np.zeros(len(doc), np.int64)
        positions = np.flatnonzero(np.isin(dep, [_hash(label) for label in labels]))[::-1]
        forms[heads[positions]] = form[positions]
        return forms

    marker, particle = dependents("case", "mark"), dependents("compound:prt")
    values = form, prefix, suffix, shape, tag, entity + 7 * place_in_entity, marker, particle, dep
    return np.stack(values, axis=1), heads


@lru_cache(maxsize=100_000)
def _hash(text: str) -> int:
    """spaCy's hash of a string, as a signed number."""
    from spacy.strings import hash_string  # type: ignore[attr-defined]  # compiled

    value = hash_string(text)
    return value - 2**64 if value >= 2**63 else value
