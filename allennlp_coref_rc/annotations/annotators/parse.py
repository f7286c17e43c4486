"""A parsed text in lists, for annotators that read dependencies."""

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators.coref.sieve.name_spans import compound_names

if TYPE_CHECKING:
    from spacy.tokens import Doc


class Parse:
    """
    A doc of spaCy in lists with an entry a token: words in lower case, position of the head (a root is its
    own), label of the dependency with its subtype and without (`bases`), tags, type of entity and whether it
    continues one, and dependents. A root's label is "ROOT". `tensor` has the vectors of the pipeline's
    network, if it has any. `text` has the tokens, sentences and white space. `compounds` are the names of
    companies and couples. Their first token is the head of the others.
    """

    def __init__(self, doc: "Doc") -> None:
        columns: list[int | str] = ["TAG", "POS", "DEP", "ENT_TYPE", "ENT_IOB", "HEAD", "SENT_START"]
        table = doc.to_array(columns).reshape(len(doc), len(columns)).T
        table[6, :1] = 1
        names = {key: doc.vocab.strings[int(key)] for key in set(table[:4].ravel().tolist())}
        self.tags, self.pos, labels, self.entities = (
            [names[key] for key in column] for column in table[:4].tolist()
        )
        self.tokens = [token.text for token in doc]
        self.words = [token.lower() for token in self.tokens]
        self.tensor: np.ndarray = doc.tensor
        self.labels = ["ROOT" if label == "root" else label for label in labels]
        self.continues = (table[4] == 1).tolist()
        self.heads: list[int] = (np.arange(len(doc)) + table[5].astype(np.int64)).tolist()
        starts = np.flatnonzero(table[6] == 1).tolist()
        self.sentences: list[Span] = list(pairwise([*starts, len(doc)]))
        offsets = [(token.idx, token.idx + len(token)) for token in doc]
        self.text = AnnotatedText(self.tokens, self.sentences, text=doc.text, offsets=offsets)
        self.compounds = compound_names(self.tokens, self.sentences)
        self._join_compounds()
        self.bases = [label.partition(":")[0] for label in self.labels]
        self.children: list[list[int]] = [[] for _ in self.heads]
        for i, head in enumerate(self.heads):
            if head != i:
                self.children[head].append(i)

    def _join_compounds(self) -> None:
        """
        Makes the first token of each compound name the head of the others, below the head of the highest of
        them.
        """
        depth, first = self._levels[0], list(range(len(self.heads)))
        del self._levels
        for start, stop in self.compounds.items():
            top, others = start + int(depth[start:stop].argmin()), stop - start - 1
            first[start:stop] = [start] * (others + 1)
            self.heads[start:stop] = [self.heads[top], *[start] * others]
            self.labels[start:stop] = [self.labels[top], *["flat"] * others]
            for i in range(start, stop):
                if self.words[i] not in ("&", "and"):
                    self.pos[i], self.tags[i] = "PROPN", "NNP"
        self.heads = [first[head] for head in self.heads]

    @cached_property
    def sentence(self) -> np.ndarray:
        """The number of the sentence of each token. Shape: (tokens,)"""
        return np.repeat(np.arange(len(self.sentences)), [stop - start for start, stop in self.sentences])

    @cached_property
    def depth(self) -> list[int]:
        """The number of tokens above each token."""
        return self._levels[0].tolist()

    @cached_property
    def left(self) -> list[int]:
        """The first token of each token's subtree."""
        return self._levels[1].tolist()

    @cached_property
    def right(self) -> list[int]:
        """The last token of each token's subtree."""
        return self._levels[2].tolist()

    @cached_property
    def _levels(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        here, heads = np.arange(len(self.heads)), np.array(self.heads, np.int64)
        depth, up, left, right = np.zeros_like(here), here, here.copy(), here.copy()
        while (heads[up] != up).any():
            depth += heads[up] != up
            up = heads[up]
            np.minimum.at(left, up, here)
            np.maximum.at(right, up, here)
        return depth, left, right
