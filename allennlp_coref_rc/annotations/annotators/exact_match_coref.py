import dataclasses
from functools import lru_cache
from typing import Any, Dict, Iterable, List, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.word_lists import NOT_ENTITIES
from allennlp_coref_rc.annotations.clusters import check_max_clusters, largest_clusters
from allennlp_coref_rc.common.errors import ConfigurationError


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
    ) -> None:
        if entities is not None and not_entities is not None:
            raise ConfigurationError("exact_match_coref: found both entities and not_entities, expected one of them")
        if min_mentions < 1:
            raise ConfigurationError(f"exact_match_coref: min_mentions is {min_mentions}, expected 1 or more")
        check_max_clusters("exact_match_coref", max_clusters)
        self._entities = None if entities is None else {word.lower() for word in entities}
        default = NOT_ENTITIES if entities is None else ()
        excluded = [*(default if not_entities is None else not_entities), *also_not_entities]
        self._not_entities = {word.lower() for word in excluded}
        self._normalize_number = normalize_number
        self._min_mentions = min_mentions
        self._max_clusters = max_clusters

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
        return dataclasses.replace(text, clusters=text.clusters + clusters)

    def _is_entity(self, word: str) -> bool:
        if self._entities is not None:
            return word in self._entities and word not in self._not_entities
        return any(character.isalpha() for character in word) and word not in self._not_entities


@lru_cache(maxsize=None)
def _engine() -> Any:
    # It takes longer to import than all of this package.
    import inflect

    return inflect.engine()


@lru_cache(maxsize=100_000)
def singular(word: str) -> str:
    """A key that singular and plural of a noun share: "mouse" of "mice" and "mouse", but "bu" of "buses" and "bus"."""
    # Only where nothing more changes do all forms meet.
    while shorter := _engine().singular_noun(word):
        if shorter == word:
            break
        word = shorter
    return word
