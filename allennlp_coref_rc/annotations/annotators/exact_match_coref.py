from functools import lru_cache
from typing import Any, Optional
from unittest.mock import patch

from spacy.lang.en.stop_words import STOP_WORDS

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.coref.sieve.name_spans import compound_names
from allennlp_coref_rc.annotations.clusters import largest_clusters
from allennlp_coref_rc.common.checks import check_number

NOT_ENTITIES = STOP_WORDS | lexicon.COMMON_VERBS | lexicon.RELATION_WORDS | lexicon.BARE_PARTS
"""
spaCy's stop words (determiners, pronouns, numbers and the like), verbs, words for relations, "Mr." and
"Inc.".
"""


@Annotator.register("exact_match_coref")
class ExactMatchCoref(Annotator):
    """
    Coreference by exact match: tokens that are the same word and may name an entity form a cluster. Case does
    not count. Coref-GRU (Dhingra et al., NAACL 2018, section 4) annotates bAbI like this.

    An entity token has a letter and is not among `NOT_ENTITIES`. On bAbI this gives at most 13 clusters a
    question, the paper's C. Without `entities`, names of companies and couples ("Smith & Co.", "Mr. and Mrs.
    Smith") count as a word.

    Registered as an `Annotator` with name "exact_match_coref".

    # Parameters

    entities : `list[str]`, optional (default = `None`)
        Only these words name entities. By default every word that is not excluded.
    normalize_number : `bool`, optional (default = `False`)
        Join singular and plural (mice and mouse, wolves and wolf, cats and cat). The paper says that exact
        match misses these in task 15. This departs from the paper, so it is off by default.
    min_mentions : `int`, optional (default = `2`)
        Words that occur less often form no cluster.
    max_clusters : `int`, optional (default = `None`)
        Keep only this many clusters, those with the most mentions. By default all.

    # Example

    ```jsonnet
    {"type": "exact_match_coref", "normalize_number": true, "max_clusters": 13}
    ```
    """

    def __init__(
        self,
        entities: Optional[list[str]] = None,
        normalize_number: bool = False,
        min_mentions: int = 2,
        max_clusters: Optional[int] = None,
    ) -> None:
        check_number("exact_match_coref", "min_mentions", min_mentions)
        check_number("exact_match_coref", "max_clusters", max_clusters, least=0)
        self._entities = None if entities is None else {word.lower() for word in entities}
        self._normalize_number = normalize_number
        self._min_mentions = min_mentions
        self._max_clusters = max_clusters

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        places: dict[str, list[Span]] = {}
        compounds = compound_names(text.tokens, text.sentences) if self._entities is None else {}
        stop = 0
        for position, token in enumerate(text.tokens):
            if position >= stop:
                stop = compounds.get(position, position + 1)
                word = " ".join(text.tokens[position:stop]) if stop > position + 1 else token
                places.setdefault(word.lower(), []).append((position, stop))
        mentions: dict[str, list[Span]] = {}
        for word, spans in places.items():
            if self._is_entity(word):
                mentions.setdefault(singular(word) if self._normalize_number else word, []).extend(spans)
        clusters = [sorted(cluster) for cluster in mentions.values() if len(cluster) >= self._min_mentions]
        return text.with_more(clusters=largest_clusters(clusters, self._max_clusters))

    def _is_entity(self, word: str) -> bool:
        if self._entities is not None:
            return word in self._entities
        return any(map(str.isalpha, word)) and word not in NOT_ENTITIES


@lru_cache(maxsize=None)
def _engine() -> Any:
    import typeguard

    # Otherwise typeguard compiles inflect's methods again, with checks of types, which takes two seconds.
    with patch.object(typeguard, "typechecked", lambda method: method):
        import inflect

    return inflect.engine()


@lru_cache(maxsize=100_000)
def singular(word: str) -> str:
    """
    A key that singular and plural of a noun share ("mouse"). It need not be a word: "buses" and "bus" have
    "bu".
    """
    # Some forms meet only after several steps.
    while shorter := _engine().singular_noun(word):
        if shorter == word:
            break
        word = shorter
    return word
