"""The rules that link names, to each other and to noun phrases; and the genders of names."""

from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from itertools import islice
from typing import Optional

from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import (
    NAME,
    NOMINAL,
    PRONOUN,
    Entities,
    Entity,
    Mention,
)
from allennlp_coref_rc.annotations.annotators.lexicon import FEMALE, MALE, NEUTER, PERSON, PLURAL, SINGULAR

Name = tuple[str, ...]

WIVES = frozenset(["mrs", "lady"])
"""Titles that stand before a husband's name."""


def link_names(entities: Entities, mentions: Sequence[Mention]) -> None:
    """
    Links equal names, then parts of names to longer ones: "Mr. Archer" and "Archer" to "Newland Archer".
    """
    first: dict[Name, Mention] = {}
    for mention in mentions:
        if mention.kind == NAME:
            same = None if mention.determiner == "'s" else first.setdefault(mention.words, mention)
            entities.add(mention, entities.get(same))
    longer: dict[str, list[Name]] = defaultdict(list)
    for name in sorted(first, key=lambda name: (-len(_core(name)), first[name].start)):
        match = _longer_name(name, longer, first, entities)
        if match:
            entities.merge(first[match], first[name])
        for word in dict.fromkeys(_core(name)):
            longer[word].append(name)


def _longer_name(
    name: Name, longer: dict[str, list[Name]], first: dict[Name, Mention], entities: Entities
) -> Optional[Name]:
    """The most frequent name that this one may be a part of."""
    entity, core = entities[first[name]], _core(name)
    if entity.gender == NEUTER:
        return None
    matches: list[tuple[bool, int, int, Name]] = []
    for other in min((longer[word] for word in core), key=len):
        candidate = entities[first[other]]
        agree = candidate.gender & entity.gender & PERSON and candidate.number & entity.number
        if agree and all(word in other for word in core) and _titles_agree(name, other):
            # A surname alone is a man's, where there is a choice.
            surname_of_woman = (
                len(name) == 1 and name[0] not in lexicon.GIVEN_NAMES and candidate.gender == FEMALE
            )
            matches.append((not surname_of_woman, len(candidate.mentions), -len(matches), other))
    return max(matches)[-1] if matches else None


def _core(name: Name) -> Name:
    return tuple(word for word in name if word not in lexicon.TITLES) or name


def _titles_agree(name: Name, longer: Name) -> bool:
    one, other = ({word.rstrip(".") for word in words if word in lexicon.TITLES} for words in (name, longer))
    for titles, untitled in ((one, longer), (other, name)):
        if WIVES & titles and len(untitled) == len(_core(untitled)) > 1:
            return lexicon.GIVEN_NAMES.get(untitled[0], MALE) != MALE
    return not one or not other or bool(one & other)


def link_appositions(entities: Entities, mentions: Sequence[Mention], words: Sequence[str]) -> None:
    """
    Links a noun phrase for a person to the name beside it: "her sister Anne", "Anne, the eldest sister,".
    """
    starts = {mention.start: mention for mention in mentions if mention.kind == NAME}
    stops = {mention.stop: mention for mention in mentions if mention.kind == NAME}
    for mention in mentions:
        if (
            mention.kind != NOMINAL
            or not mention.is_person
            or mention.number != SINGULAR
            or not mention.determiner
        ):
            continue
        name = starts.get(mention.stop)
        if name is None and _word(words, mention.stop) == ",":
            name = starts.get(mention.stop + 1)
            if name and _word(words, name.stop) not in (",", "."):
                name = None
        in_commas = _word(words, mention.start - 1) == "," and _word(words, mention.stop) in (
            ",",
            ".",
            ";",
            "who",
        )
        if name is None and in_commas:
            name = stops.get(mention.start - 1)
        if name and name.gender & mention.gender & PERSON and name.sentence == mention.sentence:
            entities.add(mention, entities[name])


def _word(words: Sequence[str], position: int) -> str:
    return words[position] if 0 <= position < len(words) else ""


def vote_genders(entities: Entities, mentions: Sequence[Mention], words: Sequence[str]) -> None:
    """
    Gives a name of unknown gender the gender of most pronouns that follow it, in its sentence or the next,
    before another name. Names that stand mostly after "in", "from" and the like are places.
    """
    votes: dict[Entity, list[int]] = defaultdict(list)
    latest: Optional[Mention] = None
    for mention in mentions:
        if (
            mention.kind == NAME
            and entities[mention].gender != NEUTER
            and entities[mention].number & SINGULAR
        ):
            latest = mention
        elif mention.kind == PRONOUN and latest and mention.sentence - latest.sentence <= 1:
            votes[entities[latest]].append(mention.gender)
    for entity in entities:
        if entity.gender in (MALE, FEMALE, NEUTER) or entity.mentions[0].kind != NAME:
            continue
        male, female = (votes[entity].count(gender) for gender in (MALE, FEMALE))
        places = sum(_word(words, m.start - 1) in lexicon.PLACE_PREPOSITIONS for m in entity.mentions)
        if not entity.is_person and places * 2 > len(entity.mentions):
            entity.gender = NEUTER
        elif male >= 2 * female and male:
            entity.gender = MALE
        elif female >= 2 * male and female:
            entity.gender = FEMALE


GENERIC = {
    **dict.fromkeys(("boy", "fellow", "gentleman", "lad", "man"), MALE),
    **dict.fromkeys(("girl", "lady", "woman"), FEMALE),
    **dict.fromkeys(("child", "couple"), PERSON),
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

MAX_CANDIDATES = 50
"""The most entities that a pronoun or a description is compared with, the latest first."""

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
    recent: OrderedDict[Entity, Mention] = OrderedDict()
    for mention in mentions:
        if mention.kind == NAME:
            recent[entities[mention]] = mention
            recent.move_to_end(entities[mention])
        elif mention.kind == NOMINAL and mention.determiner == "the" and len(mention.words) == 1:
            # The last two say whether there is a choice.
            last = list(islice(reversed(recent.items()), 2))
            near = [entity for entity, latest in last if mention.sentence - latest.sentence <= RECENT]
            if mention.words[0] in ORGANISATIONS and len(near) == 1 and near[0].gender == lexicon.ANY_GENDER:
                near[0].gender = NEUTER


def _may_be(entity: Entity, mention: Mention) -> bool:
    if mention.is_person:
        return entity.agrees(mention) and bool(entity.gender & mention.gender & PERSON)
    return not entity.is_person and bool(entity.number & mention.number) and mention.gender == NEUTER


class Descriptions:
    """Finds the one entity, among those with a recent mention, that a definite noun phrase describes."""

    def __init__(self, entities: Entities, words: Sequence[str]) -> None:
        self._entities = entities
        self._words = words
        self._titled: dict[str, list[Mention]] = defaultdict(list)
        """A name of each entity that has names with this word before their last one."""
        for entity in entities:
            names = {word: name for name in entity.mentions if name.kind == NAME for word in name.words[:-1]}
            for word, name in names.items():
                self._titled[word].append(name)

    def find(self, mention: Mention, recent: OrderedDict[Entity, Mention]) -> Optional[Entity]:
        """`recent` maps entities to their latest mentions, in the order of these mentions."""
        head = mention.words[-1]
        if mention.determiner not in ("the", "this", "that", "these", "those"):
            return None
        # "Mayor Ruth Delgado … the mayor", however far.
        names = self._titled.get(head, []) if mention.number == SINGULAR else []
        titled = {entity for name in names[:MAX_CANDIDATES] if (entity := self._entities[name]) in recent}
        described: list[Entity] = []
        for entity, latest in islice(reversed(recent.items()), MAX_CANDIDATES):
            if mention.sentence - latest.sentence > RECENT:
                break
            if entity in titled:
                return entity
            if latest.stop <= mention.start and self._describes(mention, head, entity):
                described.append(entity)
        if described:
            return described[0] if len(described) == 1 else None
        return max(titled, key=lambda entity: recent[entity].span, default=None)

    def _describes(self, mention: Mention, head: str, entity: Entity) -> bool:
        if len(mention.words) > 1 or head not in DESCRIPTIVE:
            return False
        if head in GENERIC:
            return entity.is_named and entity.gender == GENERIC[head] and bool(entity.number & SINGULAR)
        if head in GENERIC_PLURALS:
            heads = entity.heads
            return (
                not entity.is_named
                and entity.number == PLURAL
                and any(word in lexicon.NOUNS and lexicon.NOUNS[word].is_person for word in heads)
                and any(
                    lexicon.NOUNS[word].gender == GENERIC_PLURALS[head]
                    for word in heads
                    if word in lexicon.NOUNS
                )
                and head not in heads
            )
        if head in ORGANISATIONS:
            return (
                entity.is_named
                and not entity.is_person
                and not entity.is_place
                and entity.gender & NEUTER > 0
            )
        if head in PLACES:
            return entity.is_place and entity.gender == NEUTER
        return False
