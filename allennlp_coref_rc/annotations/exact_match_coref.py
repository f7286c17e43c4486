import dataclasses
import random
from functools import lru_cache
from typing import Dict, Iterable, List, Optional
from zlib import crc32

import inflect
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotator import Annotator
from allennlp_coref_rc.annotations.clusters import (
    check_max_clusters,
    largest_clusters,
    random_clusters,
    remove_mentions,
)
from allennlp_coref_rc.annotations.word_lists import NOT_ENTITIES

_inflect = inflect.engine()


@Annotator.register("exact_match_coref")
class ExactMatchCoref(Annotator):
    """
    Coreference by exact match: the tokens that are the same word, and may name an entity, are one cluster. It is what
    Coref-GRU (Dhingra et al., NAACL 2018, section 4) annotates bAbI with; case does not count.

    An entity token has a letter and is none of `not_entities`: by default not a function word and not a verb (see
    `word_lists.py`). On bAbI this gives at most 13 clusters a question, the paper's C.

    Registered as an `Annotator` with name "exact_match_coref".

    # Parameters

    entities : `List[str]`, optional (default = `None`)
        Only these words name entities. By default every word that is not excluded.
    not_entities : `List[str]`, optional (default = `None`)
        Words that name no entity, in place of the default lists.
    also_not_entities : `List[str]`, optional (default = `[]`)
        Words that name no entity either, besides `not_entities`.
    normalize_number : `bool`, optional (default = `False`)
        Join singular and plural (mice and mouse, wolves and wolf, cats and cat), which the paper found exact match to
        lack in task 15. A departure from the paper, so it has to be asked for.
    min_mentions : `int`, optional (default = `2`)
        Words that occur less often are no cluster.
    max_clusters : `int`, optional (default = `None`)
        Keep the clusters with the most mentions only. By default all.
    remove_mentions : `float`, optional (default = `0.0`)
        Leave each mention out with this probability (Figure 3, left).
    random_clusters : `bool`, optional (default = `False`)
        Replace the clusters by random ones of the same sizes (GA with random-GRU, Figure 3, left).
    seed : `int`, optional (default = `13370`)
        Of the two corruptions. What is drawn depends on the seed and on the text alone, so that it does not change with
        the order of reading.

    # Example

    ```jsonnet
    {"type": "exact_match_coref", "normalize_number": true, "max_clusters": 13}
    ```
    """

    def __init__(
        self,
        entities: Optional[List[str]] = None,
        not_entities: Optional[List[str]] = None,
        also_not_entities: Iterable[str] = (),
        normalize_number: bool = False,
        min_mentions: int = 2,
        max_clusters: Optional[int] = None,
        remove_mentions: float = 0.0,
        random_clusters: bool = False,
        seed: int = 13370,
    ) -> None:
        if entities is not None and not_entities is not None:
            raise ConfigurationError("exact_match_coref: found both entities and not_entities, expected one of them")
        if not 0.0 <= remove_mentions <= 1.0:
            raise ConfigurationError(f"exact_match_coref: remove_mentions is {remove_mentions}, expected 0 to 1")
        if min_mentions < 1:
            raise ConfigurationError(f"exact_match_coref: min_mentions is {min_mentions}, expected 1 or more")
        check_max_clusters("exact_match_coref", max_clusters)
        self._entities = None if entities is None else {word.lower() for word in entities}
        if not_entities is None:
            not_entities = [] if entities is not None else NOT_ENTITIES
        self._not_entities = {word.lower() for word in not_entities} | {word.lower() for word in also_not_entities}
        self._normalize_number = normalize_number
        self._min_mentions = min_mentions
        self._max_clusters = max_clusters
        self._remove_mentions = remove_mentions
        self._random_clusters = random_clusters
        self._seed = seed

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        mentions: Dict[str, List[Span]] = {}
        for position, token in enumerate(text.tokens):
            word = token.lower()
            if self._is_entity(word):
                mentions.setdefault(singular(word) if self._normalize_number else word, []).append(
                    (position, position + 1)
                )
        clusters = [cluster for cluster in mentions.values() if len(cluster) >= self._min_mentions]
        clusters = largest_clusters(clusters, self._max_clusters)
        if self._random_clusters or self._remove_mentions:
            rng = random.Random(f"{self._seed} {crc32(' '.join(text.tokens).encode())}")
            if self._random_clusters:
                clusters = random_clusters(clusters, len(text), rng)
            if self._remove_mentions:
                clusters = remove_mentions(clusters, self._remove_mentions, rng, self._min_mentions)
        return dataclasses.replace(text, clusters=text.clusters + clusters)

    def _is_entity(self, word: str) -> bool:
        if self._entities is not None:
            return word in self._entities and word not in self._not_entities
        return any(character.isalpha() for character in word) and word not in self._not_entities


@lru_cache(maxsize=100_000)
def singular(word: str) -> str:
    """A key that singular and plural of a noun share: "mouse" of "mice" and "mouse", but "bu" of "buses" and "bus"."""
    # Only where nothing more changes do all forms meet.
    while shorter := _inflect.singular_noun(word):
        if shorter == word:
            break
        word = shorter
    return word
