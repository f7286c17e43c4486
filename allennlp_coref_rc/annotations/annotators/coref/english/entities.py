"""Entities from a first linking, and features of pairs of mentions that tell of their entities."""

from collections.abc import Iterator

import numpy as np

from allennlp_coref_rc.annotations.annotators.coref.english.mentions import EntityType, Mentions, Role
from allennlp_coref_rc.annotations.annotators.coref.english.pairs import (
    Facts,
    Pairs,
    classes,
    grammatical_person,
    one_hot,
    pair_features,
)
from allennlp_coref_rc.annotations.annotators.coref.english.words import PronounGroup
from allennlp_coref_rc.annotations.annotators.lexicon import FEMALE, MALE, NEUTER, PLURAL, SINGULAR

FADING = 0.6
"""The share of an entity's salience that stays after a sentence."""

NAME, NOMINAL = int(PronounGroup.NONE), PronounGroup.NONE + 1
"""Forms of mentions beside the groups of pronouns."""

FORMS_OF_PERSONS = [PronounGroup.I, PronounGroup.YOU, PronounGroup.HE, NAME]

TYPES = (
    (EntityType.PERSON,),
    (EntityType.PLACE,),
    (EntityType.ORGANIZATION,),
    (EntityType.OBJECT, EntityType.SUBSTANCE, EntityType.ANIMAL, EntityType.PLANT),
    (EntityType.EVENT, EntityType.TIME, EntityType.ABSTRACT),
)
"""Groups of types of entities."""


def first_entities(mentions: Mentions) -> np.ndarray:
    """
    Names, nominals, "I" and "you" are in the clusters of `sieve_coref`, if they are in any. Otherwise equal
    names are one entity, and "I" in one turn. Other mentions are entities of their own.
    """
    says_i, says_you = mentions.group == PronounGroup.I, mentions.group == PronounGroup.YOU
    # The first that holds, and what is then equal for the mentions of an entity.
    reasons = [
        ((mentions.ruled >= 0) & (~mentions.is_pronoun | says_i | says_you), mentions.ruled),
        (says_i & mentions.is_quoted, mentions.turn),
        (says_you & mentions.is_quoted, mentions.turn),
        (mentions.is_name & ~mentions.is_coordination, mentions.text),
        (np.ones(len(mentions), bool), np.arange(len(mentions))),
    ]
    holds, keys = map(np.stack, zip(*reasons))
    reason = holds.argmax(axis=0)
    key = np.take_along_axis(keys, reason[None], axis=0)[0]
    return np.unique(np.stack([reason, key]), axis=1, return_inverse=True)[1].reshape(-1)


def salience(weight: np.ndarray, sentence: np.ndarray, entity: np.ndarray) -> np.ndarray:
    """
    How salient the entity of each mention is right after it: a sum over its mentions that fades by sentences.
    """
    latest: dict[int, tuple[float, int]] = {}
    result = []
    for own, place, number in zip(weight.tolist(), sentence.tolist(), entity.tolist()):
        before, last_place = latest.get(number, (0.0, place))
        latest[number] = own + before * FADING ** (place - last_place), place
        result.append(latest[number][0])
    return np.array(result)


FEATURES = """
beside & pronoun, beside & ~pronoun, same_clause & pronoun, salience, agree & most_salient,
agree & nearly_most_salient, agree & most_recent, sentences, latest_is_subject & here,
latest_is_subject & next, is_latest, same_entity, same_entity & is_latest,

size, same_listed_sex, other_listed_sex, same_sex, other_sex, only_entity_has_sex, same_number, other_number,
mostly_type, mostly_type & other_type, has_form, says_i & has_form_of_person,

name & shares_word, name & named & ~shares_word & ~same_entity, nominal & named,
nominal & shares_word_of_nominals, pronoun & named, both_named & names_share_word,
both_named & ~names_share_word,

entity_speaks, own_entity_speaks, entity_listens, own_entity_listens, i_to_you, you_to_i, you_to_you,

more_recent, more_salient, same_speaker, other_speaker
"""
"""
The features that a network sees of a pair and the antecedent's entity, as in `pairs`. Facts about the clause, the
sentence and the subject are about the entity's latest mention before the anaphor.
"""


class Entities:
    """
    The entities of a first linking, by the number of the `entity` of each mention. `traits` are those of each
    mention, and `sums` those of each entity. Where two exclude each other, more of the one is positive, and
    more of the other negative. `name_bits` and `nominal_bits` have a bit for each word of an entity's names,
    and of its nominals. If both mentions of a pair are in one entity, the later one does not count as a part
    of it.
    """

    def __init__(self, mentions: Mentions, entity: np.ndarray) -> None:
        self._mentions, self._entity = mentions, entity
        size = int(entity.max()) + 1 if len(entity) else 0
        form = np.where(mentions.is_pronoun, mentions.group, np.where(mentions.is_name, NAME, NOMINAL))
        sex = (mentions.gender == MALE).astype(np.float32) - (mentions.gender == FEMALE)
        listed_male = (mentions.listed_gender == MALE) & (mentions.gender != FEMALE)
        listed_female = (mentions.listed_gender == FEMALE) & (mentions.gender != MALE)
        types = [np.isin(mentions.type, types) & ~mentions.is_pronoun for types in TYPES]
        self._traits = {
            "form": one_hot(form, NOMINAL + 1).astype(np.float32),
            "sex": sex,
            "listed_sex": sex + 0.5 * listed_male - 0.5 * listed_female,
            "number": (mentions.number == SINGULAR).astype(np.float32) - (mentions.number == PLURAL),
            "type": np.stack(types).astype(np.float32),
        }
        self._sums = {}
        for name, trait in self._traits.items():
            self._sums[name] = np.zeros((*trait.shape[:-1], size), np.float32)
            np.add.at(self._sums[name].T, entity, trait.T)
        weight = np.where(mentions.is_subject, 1.0, 0.5) * np.where(mentions.is_name, 1.0, 0.7)
        weight *= np.where(mentions.is_quoted, 0.5, 1)
        self._salience = salience(weight, mentions.sentence, entity)
        self._name_bits, self._nominal_bits = np.zeros((2, 2, size), np.int64)
        for row, bits in enumerate((mentions.bits, mentions.more_bits)):
            np.bitwise_or.at(self._name_bits[row], entity[mentions.is_name], bits[mentions.is_name])
            np.bitwise_or.at(self._nominal_bits[row], entity[mentions.is_nominal], bits[mentions.is_nominal])
        places = np.arange(len(mentions))
        self._by_entity = np.lexsort((places, entity))
        self._keys = (entity * len(mentions) + places)[self._by_entity]

    def features(self, pairs: Pairs) -> np.ndarray:
        """The features of pairs that tell of the antecedent's entity. Shape: (pairs, features)"""
        facts = Facts(pairs)
        entity, own_entity = self._entity[pairs.earlier], self._entity[pairs.later]
        facts["same_entity"] = entity == own_entity
        for add_facts in (self._add_traits, self._add_latest, self._add_words, self._add_speakers):
            add_facts(facts, entity, own_entity)
        return facts.features(FEATURES)

    def _add_traits(self, facts: Facts, entity: np.ndarray, own_entity: np.ndarray) -> None:
        """Forms, genders, numbers and types of the entity."""
        own = {name: trait[..., facts.pairs.later] for name, trait in self._traits.items()}
        sums = {
            name: total[..., entity] - np.where(facts["same_entity"], own[name], 0)
            for name, total in self._sums.items()
        }
        sex, own_sex = np.sign(sums["listed_sex"]), np.sign(self._sums["listed_sex"][own_entity])
        listed_sex, sex_of_words = sex * own_sex, sums["sex"] * own["sex"]
        number, types, forms = sums["number"] * own["number"], sums["type"], sums["form"]
        gender, own_gender = facts.antecedent.gender, facts.anaphor.gender
        facts["agree"] = (listed_sex >= 0) & (number >= 0) & ((gender & own_gender) != 0)
        facts["size"] = classes(forms.sum(axis=0), (1, 2, 4, 8, 16))
        facts["same_listed_sex"], facts["other_listed_sex"] = listed_sex > 0, listed_sex < 0
        facts["same_sex"], facts["other_sex"] = sex_of_words > 0, sex_of_words < 0
        facts["only_entity_has_sex"] = (sex != 0) & (own_sex == 0) & (own_gender & NEUTER == 0)
        facts["same_number"], facts["other_number"] = number > 0, number < 0
        facts["mostly_type"] = types > 0.5 * np.maximum(types.sum(axis=0), 0.5)
        facts["other_type"] = (facts.anaphor.type > 0) & (own["type"] == 0)
        facts["has_form"], facts["has_form_of_person"] = forms > 0, forms[FORMS_OF_PERSONS] > 0
        facts["says_i"] = facts.anaphor.group == PronounGroup.I
        facts["named"] = forms[NAME] > 0
        facts["both_named"] = (
            facts["named"] & (self._sums["form"][NAME, own_entity] > 0) & ~facts["same_entity"]
        )

    def _add_latest(self, facts: Facts, entity: np.ndarray, own_entity: np.ndarray) -> None:
        """The entity's latest mention before the anaphor, and how salient the entity is since."""
        pairs, anaphor, mentions, agree = facts.pairs, facts.anaphor, self._mentions, facts["agree"]
        latest = self._by_entity[np.searchsorted(self._keys, entity * len(mentions) + pairs.later) - 1]
        sentences = anaphor.sentence - mentions.sentence[latest]
        salience = self._salience[latest] * FADING ** np.minimum(sentences, 20)
        most_salient = pairs.greatest(np.where(agree, salience, 0))
        facts["salience"] = classes(salience, (0.2, 0.5, 1, 1.7, 3))
        facts["most_salient"] = salience >= most_salient
        facts["nearly_most_salient"] = salience >= 0.6 * most_salient
        facts["most_recent"] = latest == pairs.greatest(np.where(agree, latest, -1))
        facts["sentences"] = classes(sentences, (0, 1, 3, 7))
        facts["here"], facts["next"] = sentences == 0, sentences == 1
        facts["is_latest"], facts["latest_is_subject"] = latest == pairs.earlier, mentions.is_subject[latest]
        is_other = facts["here"] & ~anaphor.is_reflexive & (anaphor.role != Role.POSSESSOR)
        facts["beside"] = is_other & (mentions.governor[latest] == anaphor.governor)
        facts["same_clause"] = is_other & (mentions.clause[latest] == anaphor.clause)
        # An entity is counted at its latest mention, after its other ones.
        counted = agree & facts["is_latest"]
        facts["more_recent"] = classes(pairs.rank(counted, counted, -latest), (0, 1, 2))
        more_salient = pairs.rank(counted, counted, -(salience * 1e4).astype(int))
        facts["more_salient"] = classes(more_salient, (0, 1, 2))

    def _add_words(self, facts: Facts, entity: np.ndarray, own_entity: np.ndarray) -> None:
        own = np.stack([facts.anaphor.bits, facts.anaphor.more_bits])
        names, nominals, other = (
            self._name_bits[:, entity],
            self._nominal_bits[:, entity],
            ~facts["same_entity"],
        )
        facts["shares_word"] = other & ((names & own) != 0).all(axis=0)
        facts["shares_word_of_nominals"] = other & ((nominals & own) != 0).all(axis=0)
        facts["names_share_word"] = ((names & self._name_bits[:, own_entity]) != 0).all(axis=0)

    def _add_speakers(self, facts: Facts, entity: np.ndarray, own_entity: np.ndarray) -> None:
        """Whether the entity of one mention speaks or listens where the other is quoted."""
        person, own_person = grammatical_person(facts.antecedent), grammatical_person(facts.anaphor)
        speaker, listener, own_speaker, own_listener = (
            np.where(places >= 0, self._entity[places], -1)
            for mentions in (facts.antecedent, facts.anaphor)
            for places in (mentions.speaker, mentions.listener)
        )
        persons = one_hot(person * 3 + own_person, 9)
        facts["entity_speaks"] = (own_speaker == entity) & one_hot(own_person, 3)
        facts["own_entity_speaks"] = (speaker == own_entity) & one_hot(person, 3)
        facts["entity_listens"] = (own_listener == entity) & one_hot(own_person, 3)
        facts["own_entity_listens"] = (listener == own_entity) & one_hot(person, 3)
        facts["i_to_you"] = (speaker >= 0) & (speaker == own_listener) & (person == 0) & (own_person == 1)
        facts["you_to_i"] = (listener >= 0) & (listener == own_speaker) & (person == 1) & (own_person == 0)
        facts["you_to_you"] = (listener >= 0) & (listener == own_listener) & (person == 1) & (own_person == 1)
        both_speak = (speaker >= 0) & (own_speaker >= 0)
        facts["same_speaker"] = both_speak & (speaker == own_speaker) & persons
        facts["other_speaker"] = both_speak & (speaker != own_speaker) & persons


def describe(pairs: Pairs) -> Iterator[np.ndarray]:
    """All features of pairs, in blocks. Shape: (pairs, features)"""
    entities = Entities(pairs.mentions, first_entities(pairs.mentions))
    for block in pairs.blocks():
        yield np.concatenate([pair_features(block), entities.features(block)], axis=1)
