import dataclasses
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Optional

import numpy as np

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, DiscourseRelation, Span
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.connective_discourse import Arguments, first_occurrences
from allennlp_coref_rc.annotations.annotators.connectives import CONNECTIVES, HARD, find_connectives
from allennlp_coref_rc.annotations.annotators.discourse.clauses import arguments_of
from allennlp_coref_rc.annotations.annotators.discourse.features import (
    connective_features,
    connective_rows,
    pair_rows,
    sense_rows,
)
from allennlp_coref_rc.annotations.annotators.parse import Parse
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.common.errors import ConfigurationError

MODEL = Path(__file__).parent / "model.npz"
CANDIDATES = CONNECTIVES.keys() | HARD


@Annotator.register("discourse")
class Discourse(Annotator):
    """
    Discourse relations by their connectives, as in `connective_discourse`, but with a parse and three small
    log-linear models. The first decides whether a connective expresses a relation (Pitler & Nenkova, ACL
    2009; Lin et al., Natural Language Engineering 2014), the second which sense it has, the third which sense
    an implicit relation has. They were trained on GDTB (Liu et al., EMNLP 2024); `CARD.md` beside the weights
    has their scores.

    - Connectives are those of `connective_discourse` and some that rules cannot tell from other uses ("by",
      "without"). The dependencies of the papers' features are in place of their constituents.
    - Arg2 is the clause that the connective introduces or modifies. Arg1 is the clause that this clause
      depends on: the main clause, or the conjunct before. If Arg2 is itself the main clause, Arg1 is the
      sentence before.
    - The senses of explicit relations are fourteen of the fifteen of CoNLL-2016 (there is no EntRel), and
      "Contingency.Purpose", "Expansion.Manner" and "Comparison.Similarity" of PDTB 3, which have no
      counterpart there.
    - Implicit relations link neighbouring sentences that no explicit relation links.

    `paper_like` finds relations as DASSA does (Mihaylov & Frank, EMNLP 2019, section 2), by the rule of
    `connective_discourse`: every connective expresses one, its arguments are all that is before and after it
    in the sentence, and implicit relations link all neighbouring sentences. Their senses are predicted here
    too.

    Registered as an `Annotator` with name "discourse".

    # Parameters

    threshold : `float`, optional (default = `0.5`)
        Make a relation of a connective if the probability that it expresses one is higher.
    implicit : `bool`, optional (default = `False`)
        Add implicit relations.
    paper_like : `bool`, optional (default = `False`)
        Find relations by the paper's rule.
    model : `str`, optional (default = `None`)
        A file of weights that `scripts/train_discourse.py` wrote. By default those of this package.
    spacy_model : `str`, optional (default = `None`)
        The name or folder of the pipeline of spaCy that parses, with Universal Dependencies. By default the
        English pipeline of this package.

    # Example

    ```jsonnet
    {"type": "discourse", "implicit": true}
    ```
    """

    def __init__(
        self,
        threshold: float = 0.5,
        implicit: bool = False,
        paper_like: bool = False,
        model: Optional[str] = None,
        spacy_model: Optional[str] = None,
    ) -> None:
        if not 0.0 <= threshold <= 1.0:
            raise ConfigurationError(f"discourse: threshold is {threshold}, expected 0 to 1")
        self._threshold = threshold
        self._implicit = implicit
        self._paper_like = paper_like
        self._model = str(model or MODEL)
        self._spacy_model = spacy_model

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        docs = parse(texts, self._spacy_model)
        return [
            dataclasses.replace(text, relations=text.relations + self._relations(text, Parse(doc)))
            for text, doc in zip(texts, docs)
        ]

    def _relations(self, text: AnnotatedText, parsed: Parse) -> list[DiscourseRelation]:
        weights = load_weights(self._model)
        relations = []
        for number, span, words in find_candidates(parsed, self._paper_like):
            start, stop = parsed.sentences[number]
            features = list(connective_features(parsed, (start, stop), span))
            if self._paper_like:
                arguments: Optional[Arguments] = ([(start, span[0])], [(span[1], stop)])
            elif weights.expresses_relation(words, features) > self._threshold:
                arguments = arguments_of(parsed, number, span)
            else:
                continue
            if arguments:
                sense = weights.explicit_sense(words, features)
                relations.append(DiscourseRelation("Explicit", sense, *arguments, [span]))
        if self._implicit:
            relations += self._implicit_relations(text, parsed, relations)
        return relations

    def _implicit_relations(
        self, text: AnnotatedText, parsed: Parse, explicit: Sequence[DiscourseRelation]
    ) -> Iterator[DiscourseRelation]:
        weights = load_weights(self._model)
        linked = set() if self._paper_like else {relation.arg1[0] for relation in explicit}
        for first, second in zip(text.sentences, text.sentences[1:]):
            if first not in linked and parsed.has_words(range(*first)) and parsed.has_words(range(*second)):
                sense = weights.implicit_sense(parsed.words[slice(*first)], parsed.words[slice(*second)])
                yield DiscourseRelation("Implicit" if sense != "EntRel" else sense, sense, [first], [second])


def find_candidates(parsed: Parse, paper_like: bool = False) -> Iterator[tuple[int, Span, str]]:
    """The possible connectives of a text, each with the number of its sentence, its span, and its words."""
    for number, (start, stop) in enumerate(parsed.sentences):
        tokens = parsed.tokens[start:stop]
        found = first_occurrences(tokens, CONNECTIVES) if paper_like else find_connectives(tokens, CANDIDATES)
        for (first, last), words in found:
            yield number, (start + first, start + last), words


@dataclasses.dataclass(frozen=True)
class Weights:
    """
    The weights of three log-linear models: of relations (rows), of explicit senses (rows, senses), and of
    implicit senses (rows, senses). The score of an instance is the sum of the rows of its features.
    """

    relation: np.ndarray
    explicit: np.ndarray
    implicit: np.ndarray
    explicit_senses: list[str]
    implicit_senses: list[str]

    def expresses_relation(self, words: str, features: Sequence[str]) -> float:
        """The probability that a connective with these words and features expresses a relation."""
        return float(1 / (1 + np.exp(-self.relation[connective_rows(words, features)].sum())))

    def explicit_sense(self, words: str, features: Sequence[str]) -> str:
        return self.explicit_senses[self.explicit[sense_rows(words, features)].sum(axis=0).argmax()]

    def implicit_sense(self, first: Sequence[str], second: Sequence[str]) -> str:
        """The most probable sense of an implicit relation of two sentences, as words in lower case."""
        return self.implicit_senses[self.implicit[pair_rows(first, second)].sum(axis=0).argmax()]


@lru_cache(maxsize=2)
def load_weights(path: str) -> Weights:
    """The weights in a file. Each process loads them once."""
    if not os.path.isfile(path):
        raise ConfigurationError(f"discourse: {path}: no such file of weights")
    with np.load(path) as arrays:
        floats = {name: arrays[name].astype(np.float32) for name in ("relation", "explicit", "implicit")}
        senses = {name: arrays[name].tolist() for name in ("explicit_senses", "implicit_senses")}
    return Weights(**floats, **senses)
