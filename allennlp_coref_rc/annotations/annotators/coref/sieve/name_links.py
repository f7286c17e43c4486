"""The rules that link names: to each other, to noun phrases beside them, and to the gender of pronouns after them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import Entities, Entity
from allennlp_coref_rc.annotations.annotators.coref.sieve.mention import NAME, NOMINAL, PRONOUN, Mention
from allennlp_coref_rc.annotations.annotators.lexicon import FEMALE, MALE, NEUTER, PERSON, SINGULAR

Name = tuple[str, ...]

WIVES = frozenset(["mrs", "lady"])
"""Titles that stand before a husband's name."""


def link_names(entities: Entities, mentions: Sequence[Mention]) -> None:
    """Links equal names, then parts of names to longer ones: "Mr. Archer" and "Archer" to "Newland Archer"."""
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
    for other in longer[core[-1]]:
        candidate = entities[first[other]]
        agree = candidate.gender & entity.gender & PERSON and candidate.number & entity.number
        if agree and all(word in other for word in core) and _titles_agree(name, other):
            # A surname alone is a man's, where there is a choice.
            surname_of_woman = len(name) == 1 and name[0] not in lexicon.GIVEN_NAMES and candidate.gender == FEMALE
            matches.append((not surname_of_woman, len(candidate.mentions), -len(matches), other))
    return max(matches)[-1] if matches else None


def _core(name: Name) -> Name:
    """The name without titles."""
    return tuple(word for word in name if word not in lexicon.TITLES) or name


def _titles_agree(name: Name, longer: Name) -> bool:
    one, other = ({word.rstrip(".") for word in words if word in lexicon.TITLES} for words in (name, longer))
    for titles, untitled in ((one, longer), (other, name)):
        if WIVES & titles and len(untitled) == len(_core(untitled)) > 1:
            return lexicon.GIVEN_NAMES.get(untitled[0], MALE) != MALE
    return not one or not other or bool(one & other)


def link_appositions(entities: Entities, mentions: Sequence[Mention], words: Sequence[str]) -> None:
    """Links a noun phrase for a person to the name beside it: "her sister Anne", "Anne, the eldest sister,"."""
    starts = {mention.start: mention for mention in mentions if mention.kind == NAME}
    stops = {mention.stop: mention for mention in mentions if mention.kind == NAME}
    for mention in mentions:
        if mention.kind != NOMINAL or not mention.is_person or mention.number != SINGULAR or not mention.determiner:
            continue
        name = starts.get(mention.stop)
        if name is None and _word(words, mention.stop) == ",":
            name = starts.get(mention.stop + 1)
            if name and _word(words, name.stop) not in (",", "."):
                name = None
        in_commas = _word(words, mention.start - 1) == "," and _word(words, mention.stop) in (",", ".", ";", "who")
        if name is None and in_commas:
            name = stops.get(mention.start - 1)
        if name and name.gender & mention.gender & PERSON and name.sentence == mention.sentence:
            entities.add(mention, entities[name])


def _word(words: Sequence[str], position: int) -> str:
    return words[position] if 0 <= position < len(words) else ""


def vote_genders(entities: Entities, mentions: Sequence[Mention], words: Sequence[str]) -> None:
    """
    Gives a name of unknown gender the gender of most pronouns that follow it, in its sentence or the next, before
    another name. Names that stand mostly after "in", "from" and the like are places.
    """
    votes: dict[Entity, list[int]] = defaultdict(list)
    latest: Optional[Mention] = None
    for mention in mentions:
        if mention.kind == NAME and entities[mention].gender != NEUTER and entities[mention].number & SINGULAR:
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
