from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import AbstractSet, Any, NamedTuple

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Edge
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError

POINTERS = {"hypernym": ("hypernyms", "instance_hypernyms"), "part_of": ("part_holonyms", "member_holonyms")}
"""NLTK's names of the steps that lead from sense to sense."""

RELATIONS = ("antonym", "hypernym", "part_of", "synonym")


class Entry(NamedTuple):
    """
    A word of a text: its lemmas, its senses (NLTK's synsets), and the senses that it is related to, by
    relation.
    """

    lemmas: frozenset[str]
    senses: frozenset[Any]
    targets: Mapping[str, AbstractSet[Any]]


@Annotator.register("wordnet")
class WordNet(Annotator):
    """
    Relations of WordNet between the words of a text, as edges: `synonym`, `antonym`, `hypernym` (from "dog"
    to "animal") and `part_of` (from "finger" to "hand"). For each relation and each related sense, a word is
    linked with the latest word before it that has this sense. If this is the same word again, there is no
    edge. Pronouns and other words of closed classes have no edges.

    Words are not disambiguated: two are related if any of their first `senses` senses are.

    The files are read by NLTK, which AllenNLP installs: `python -m nltk.downloader wordnet` gets them. Each
    process loads them when it annotates its first text.

    Registered as an `Annotator` with name "wordnet".

    # Parameters

    relations : `list[str]`, optional (default = all four)
    senses : `int`, optional (default = `2`)
        How many senses count for each word and part of speech: the most frequent ones.
    levels : `int`, optional (default = `2`)
        How many steps there may be from a word to its hypernyms, and from a part to a whole.

    # Example

    ```jsonnet
    {"type": "wordnet", "relations": ["hypernym"], "levels": 3}
    ```
    """

    def __init__(self, relations: Sequence[str] = RELATIONS, senses: int = 2, levels: int = 2) -> None:
        unknown = sorted(set(relations) - set(RELATIONS))
        if unknown:
            raise ConfigurationError(
                f"wordnet: relations has {unknown[0]!r}, expected some of {', '.join(RELATIONS)}"
            )
        check_number("wordnet", "senses", senses)
        check_number("wordnet", "levels", levels)
        self._relations = sorted(set(relations))
        self._senses = senses
        self._levels = levels

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        entries = [self._entry(token.lower()) for token in text.tokens]
        return text.with_more(edges=list(_edges(entries, self._relations)))

    @cached_property
    def _entry(self) -> Callable[[str], Entry]:
        """Gives the entry of a word. Each process looks it up once."""
        return lru_cache(maxsize=None)(self._look_up)

    def _look_up(self, word: str) -> Entry:
        lemmas, senses = {word}, []
        targets: dict[str, set] = {relation: set() for relation in self._relations}
        for pos in "nvar" if word not in lexicon.CLOSED and word.isalpha() else "":
            lemma = self._reader.morphy(word, pos) or word
            lemmas.add(lemma)
            senses += [(lemma, sense) for sense in self._reader.synsets(lemma, pos)[: self._senses]]
        for lemma, sense in senses:
            for relation in self._relations:
                targets[relation].update(_related(lemma, sense, relation, self._levels))
        return Entry(frozenset(lemmas), frozenset(sense for _, sense in senses), targets)

    @cached_property
    def _reader(self) -> Any:
        from nltk.corpus import wordnet

        try:
            wordnet.ensure_loaded()
        except (LookupError, OSError) as error:
            raise ConfigurationError(
                "wordnet: found no WordNet in the folders of NLTK; python -m nltk.downloader wordnet downloads it, and "
                "the environment variable NLTK_DATA names another folder"
            ) from error
        return wordnet


def _related(lemma: str, sense: Any, relation: str, levels: int) -> Iterator[Any]:
    if relation == "synonym":
        yield sense
    elif relation == "antonym":
        for word in sense.lemmas():
            if word.name().lower() == lemma:
                yield from (antonym.synset() for antonym in word.antonyms())
    else:
        steps = POINTERS[relation]
        yield from sense.closure(
            lambda s: [related for step in steps for related in getattr(s, step)()], depth=levels
        )


def _edges(entries: Sequence[Entry], relations: Sequence[str]) -> Iterator[Edge]:
    with_sense: dict[Any, int] = {}
    with_target: dict[tuple[str, Any], int] = {}
    for i, entry in enumerate(entries):
        for relation in relations:
            ends = [(i, with_sense[sense]) for sense in entry.targets[relation] if sense in with_sense]
            if relation not in ("antonym", "synonym"):
                ends += [
                    (with_target[relation, sense], i)
                    for sense in entry.senses
                    if (relation, sense) in with_target
                ]
            for source, target in sorted(set(ends)):
                if not entries[source].lemmas & entries[target].lemmas:
                    yield Edge(relation, (source, source + 1), (target, target + 1))
        with_sense.update(dict.fromkeys(entry.senses, i))
        with_target.update(
            {(relation, sense): i for relation in relations for sense in entry.targets[relation]}
        )
