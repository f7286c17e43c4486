"""The rules that link a noun phrase to an entity that is described in other words: "Norvik … the company"."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import Entities, Entity
from allennlp_coref_rc.annotations.annotators.coref.sieve.mention import NAME, NOMINAL, Mention
from allennlp_coref_rc.annotations.annotators.lexicon import FEMALE, MALE, NEUTER, PERSON, PLURAL, SINGULAR

GENERIC = {
    "boy": MALE,
    "child": PERSON,
    "couple": PERSON,
    "fellow": MALE,
    "gentleman": MALE,
    "girl": FEMALE,
    "lad": MALE,
    "lady": FEMALE,
    "man": MALE,
    "woman": FEMALE,
}
"""Nouns that any person of the gender may be called by."""

GENERIC_PLURALS = {
    "boys": MALE,
    "children": PERSON,
    "girls": FEMALE,
    "ladies": FEMALE,
    "men": MALE,
    "women": FEMALE,
}

ORGANISATIONS = lexicon.SINGULAR_GROUPS | lexicon.read_words("organisation_nouns")

PLACES = frozenset("city country county island kingdom river state town village".split())

DESCRIPTIVE = frozenset(GENERIC) | frozenset(GENERIC_PLURALS) | ORGANISATIONS | PLACES

RECENT = 3
"""The most sentences between a description and the latest mention of its entity."""

COPULAS = frozenset("are be became becomes is was were".split())


def link_copulas(entities: Entities, mentions: Sequence[Mention], words: Sequence[str]) -> None:
    """Links a noun phrase after "is" to the name before it: "Delgado is the mayor"."""
    stops = {mention.stop: mention for mention in mentions if mention.kind == NAME}
    for mention in mentions:
        if mention.kind != NOMINAL or mention in entities:
            continue
        name = stops.get(mention.start - 1)
        if name is None or name.sentence != mention.sentence or words[mention.start - 1] not in COPULAS:
            continue
        if mention.determiner == "the" and name.is_subject and _may_be(entities[name], mention):
            entities.add(mention, entities[name])


def link_companies(entities: Entities, mentions: Sequence[Mention], words: Sequence[str]) -> None:
    """Links a noun phrase for an organisation or a place to the name before it: "Norvik, a company that"."""
    stops = {mention.stop: mention for mention in mentions if mention.kind == NAME}
    for mention in mentions:
        name = stops.get(mention.start - 1)
        if name is None or mention.kind != NOMINAL or mention in entities or words[mention.start - 1] != ",":
            continue
        after = words[mention.stop] if mention.stop < len(words) else "."
        if (
            mention.determiner in ("a", "an", "the")
            and after in (",", ".", ";", "that", "which", "in", "with", "based")
            and mention.words[-1] in ORGANISATIONS | PLACES
            and name.sentence == mention.sentence
            and not entities[name].is_person
        ):
            entities.add(mention, entities[name])


def find_companies(entities: Entities, mentions: Sequence[Mention]) -> None:
    """Names of unknown gender are names of things if a later "the company" can refer to nothing else."""
    recent: dict[Entity, Mention] = {}
    for mention in mentions:
        if mention.kind == NAME:
            recent.pop(entities[mention], None)
            recent[entities[mention]] = mention
        elif mention.kind == NOMINAL and mention.determiner == "the" and len(mention.words) == 1:
            near = [entity for entity, latest in recent.items() if mention.sentence - latest.sentence <= RECENT]
            if mention.words[0] in ORGANISATIONS and len(near) == 1 and near[0].gender == lexicon.ANY_GENDER:
                near[0].gender = NEUTER


def _may_be(entity: Entity, mention: Mention) -> bool:
    if mention.is_person:
        return entity.agrees(mention) and bool(entity.gender & mention.gender & PERSON)
    return not entity.is_person and bool(entity.number & mention.number) and mention.gender == NEUTER


class Descriptions:
    """
    Finds the entity that a definite noun phrase describes, among those with a recent mention. If two entities would
    fit, the noun phrase is not linked.
    """

    def __init__(self, entities: Entities, words: Sequence[str]) -> None:
        self._entities = entities
        self._words = words
        self._titled: dict[str, list[Mention]] = defaultdict(list)
        """The names with this word before their last one."""
        for entity in entities:
            for name in _names(entity):
                for word in set(name.words[:-1]):
                    self._titled[word].append(name)

    def find(self, mention: Mention, recent: dict[Entity, Mention]) -> Optional[Entity]:
        """`recent` maps entities to their latest mentions, in the order of these mentions."""
        head = mention.words[-1]
        if mention.determiner not in ("the", "this", "that", "these", "those"):
            return None
        # "Mayor Ruth Delgado … the mayor", however far.
        names = self._titled.get(head, ()) if mention.number == SINGULAR else ()
        titled = {self._entities[name] for name in names}
        found: list[Entity] = []
        for entity, latest in reversed(recent.items()):
            is_near = mention.sentence - latest.sentence <= RECENT
            if not is_near and (found or not titled):
                break
            if entity in titled:
                return entity
            if is_near and latest.stop <= mention.start and self._describes(mention, head, entity):
                found.append(entity)
        return found[0] if len(found) == 1 else None

    def _describes(self, mention: Mention, head: str, entity: Entity) -> bool:
        if len(mention.words) > 1 or head not in DESCRIPTIVE:
            return False
        names = _names(entity)
        if head in GENERIC:
            return bool(names) and entity.gender == GENERIC[head] and bool(entity.number & SINGULAR)
        if head in GENERIC_PLURALS:
            heads = [other.words[-1] for other in entity.mentions if other.kind == NOMINAL]
            return (
                not names
                and entity.number == PLURAL
                and any(word in lexicon.NOUNS and lexicon.NOUNS[word].is_person for word in heads)
                and any(lexicon.NOUNS[word].gender == GENERIC_PLURALS[head] for word in heads if word in lexicon.NOUNS)
                and head not in heads
            )
        if head in ORGANISATIONS:
            return bool(names) and not entity.is_person and not is_place(names) and entity.gender & NEUTER > 0
        if head in PLACES:
            return bool(names) and is_place(names) and entity.gender == NEUTER
        return False


def _names(entity: Entity) -> list[Mention]:
    return [mention for mention in entity.mentions if mention.kind == NAME]


def is_place(names: Sequence[Mention]) -> bool:
    """Whether one of the words in these names is a known word of place names."""
    return any(word in lexicon.PLACE_NAMES or word in lexicon.PLACE_HEADS for name in names for word in name.words)
