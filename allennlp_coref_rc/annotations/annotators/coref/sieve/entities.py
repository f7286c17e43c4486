"""Mentions, and the entities that they refer to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.annotators.lexicon import PERSON, PLACE_HEADS, PLACE_NAMES, SINGULAR

PRONOUN, NAME, NOMINAL = "pronoun", "name", "nominal"

PLACE_WORDS = PLACE_NAMES | PLACE_HEADS


@dataclass(eq=False, slots=True)
class Mention:
    """
    A phrase that may name an entity. `words` are the lower-cased words after the determiner, up to the head,
    or a name. `determiner` is its last determiner, or "'s" after a possessor.
    """

    start: int
    stop: int
    head: int
    kind: str
    gender: int
    number: int
    words: tuple[str, ...]
    determiner: str = ""
    possessor: Optional["Mention"] = None
    is_person: bool = False
    sentence: int = 0
    is_subject: bool = False

    @property
    def span(self) -> Span:
        return self.start, self.stop


class Entity:
    """
    Linked mentions and what is known about their entity: the genders and numbers that are still possible,
    whether it has a name and a place's name, the last words of its mentions, how salient the entity is after
    its latest mention, and whether "he", "she" or "they" may refer to it.
    """

    __slots__ = (
        *("mentions", "gender", "number", "is_person", "is_third_person", "salience"),
        *("is_named", "is_place", "heads"),
    )

    def __init__(self, gender: int = PERSON, number: int = SINGULAR) -> None:
        self.mentions: list[Mention] = []
        self.gender = gender
        self.number = number
        self.is_person = False
        self.is_third_person = False
        self.salience = 0.0
        self.is_named = self.is_place = False
        self.heads: set[str] = set()

    def agrees(self, mention: Mention) -> bool:
        return bool(self.gender & mention.gender and self.number & mention.number)

    def narrow(self, gender: int, number: int) -> None:
        """Keeps only the given genders and numbers, unless none would be left."""
        self.gender = self.gender & gender or self.gender
        self.number = self.number & number or self.number


class Entities:
    """The entity of each mention that has one."""

    def __init__(self) -> None:
        self._of: dict[Mention, Entity] = {}

    def __contains__(self, mention: Mention) -> bool:
        return mention in self._of

    def __getitem__(self, mention: Mention) -> Entity:
        return self._of[mention]

    def get(self, mention: Optional[Mention]) -> Optional[Entity]:
        return None if mention is None else self._of.get(mention)

    def __iter__(self) -> Iterator[Entity]:
        return iter(dict.fromkeys(self._of.values()))

    def add(self, mention: Mention, entity: Optional[Entity] = None) -> Entity:
        """Adds a mention to an entity, or to a new one."""
        if entity is None:
            entity = Entity(mention.gender, mention.number)
            entity.is_third_person = True
        entity.mentions.append(mention)
        entity.narrow(mention.gender, mention.number)
        entity.is_person = entity.is_person or mention.is_person
        entity.heads.add(mention.words[-1])
        if mention.kind == NAME:
            entity.is_named = True
            entity.is_place = entity.is_place or not PLACE_WORDS.isdisjoint(mention.words)
        self._of[mention] = entity
        return entity

    def merge(self, one: Mention, other: Mention) -> None:
        """Merges the entities of two mentions."""
        larger, smaller = self._of[one], self._of[other]
        if larger is smaller:
            return
        if len(larger.mentions) < len(smaller.mentions):
            larger, smaller = smaller, larger
        larger.mentions.extend(smaller.mentions)
        larger.narrow(smaller.gender, smaller.number)
        larger.is_person = larger.is_person or smaller.is_person
        larger.is_named = larger.is_named or smaller.is_named
        larger.is_place = larger.is_place or smaller.is_place
        larger.heads |= smaller.heads
        for mention in smaller.mentions:
            self._of[mention] = larger
