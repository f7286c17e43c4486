"""Pairs of a mention and an earlier one that may be its antecedent, and their features."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from allennlp_coref_rc.annotations.annotators.coref.english.mentions import (
    Document,
    EntityType,
    Mentions,
    Role,
)
from allennlp_coref_rc.annotations.annotators.coref.english.words import Determiner, PronounGroup
from allennlp_coref_rc.annotations.annotators.lexicon import NEUTER, PLURAL, SINGULAR

NEAREST, NEAREST_OF_NOUNS = 30, 16
"""The number of earlier mentions that each pronoun, and each other mention, is compared with."""

SIMILAR = 3
"""
The most mentions farther back that have a word in common, for each word of a name and for the last word of a
nominal.
"""

BLOCK = 400
"""Mentions whose pairs are described at once. All pairs of a long text at once would take a gigabyte."""

DISTANCES, SENTENCES, RANKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64), (0, 1, 2, 4, 7, 14), (0, 1, 2, 4)
"""The greatest number of each class that is told apart; one more class has all greater numbers."""

FEATURES = """
distance, sentences, other_gender, other_gender & ~thing, both_have_sex & ~other_gender, other_sex, same_sex,
other_number, same_number & singular, same_number & plural, typed & same_type, typed & ~same_type, agree,

same_text, same_text & name, same_text & nominal, same_word, same_word & earlier_name & name,
same_word & earlier_nominal & nominal, same_word & nominal & determiner,
same_word & nominal & same_determiner, common_word & ~same_word, common_word & earlier_name & name,
earlier_name & name & ~common_word, all_words & name, earlier_all_words & earlier_name, all_words & nominal,
earlier_all_words & earlier_nominal, same_word & nominal & ~all_words,
same_word & ~earlier_all_words & ~all_words, same_acronym & ~same_text & ~pronoun,
same_governor_word & ~here_same_governor, same_governor_word & same_role & ~here_same_governor,

contains, contains & pronoun, contains & possessor, contained, here_same_governor,
here_same_governor & reflexive, here_same_governor & third & ~reflexive, here_same_governor & earlier_subject,
under_antecedent & possessor, here & same_clause, here & same_clause & third & ~reflexive & ~possessor,
here & same_clause & earlier_subject & reflexive, here & same_clause & earlier_subject & possessor,
clause_above, clause_above & earlier_subject & subject, here & clause_right_above & earlier_subject & third,
clause_below, clause_below & earlier_subject & subject, here & ~same_clause & same_clause_above,
here & ~same_clause & ~clause_below & ~clause_above, commands, commands & third, commands & ~pronoun,
commanded, under_antecedent & apposition, under_antecedent & ~possessor,
under_anaphor & predicate & earlier_subject, under_anaphor & ~earlier_subject,
here_same_governor & either_conjunct, contains & earlier_coordination, same_role, earlier_subject & subject,
earlier_subject & subject & next, earlier_subject & here, earlier_subject & next,
same_role & near & ~earlier_subject, same_role & possessor, earlier_subject & earlier_in_main_clause & near,

nearer, better, nearer_subjects, nearer_persons, farther_persons, best & agree & third,
nearest & agree & third, nearest_subject & agree & earlier_subject & third,

earlier_quoted & ~quoted, ~earlier_quoted & quoted, ~earlier_quoted & ~quoted, same_turn, next_turn,
turns_and_persons,

pronoun & same_group, earlier_pronoun & pronoun & ~same_group, same_group & group, earlier_name & pronoun,
earlier_nominal & pronoun, earlier_name & nominal, earlier_nominal & name, earlier_nominal & nominal,
earlier_name & name, earlier_pronoun & ~pronoun, earlier_he & place, earlier_he & organization
"""
"""
The features that a network sees of a pair. Each is one of the `Facts`, or several that hold together. Their order
is that of the network's weights.
"""


@dataclass(eq=False)
class Pairs:
    """
    Pairs of mentions: the places of the `earlier` and the `later` ones, in the order of the later ones.
    `antecedent` and `anaphor` have their properties.
    """

    mentions: Mentions
    earlier: np.ndarray
    later: np.ndarray

    @cached_property
    def antecedent(self) -> Mentions:
        return self.mentions[self.earlier]

    @cached_property
    def anaphor(self) -> Mentions:
        return self.mentions[self.later]

    def blocks(self) -> Iterator["Pairs"]:
        bounds = np.searchsorted(self.later, np.arange(0, len(self.mentions) + BLOCK, BLOCK))
        for start, stop in zip(bounds, bounds[1:]):
            yield Pairs(self.mentions, self.earlier[start:stop], self.later[start:stop])

    def rank(self, counts: np.ndarray, *keys: np.ndarray) -> np.ndarray:
        """How many pairs of the same anaphor count and have smaller keys, of which the last is compared first."""
        order = np.lexsort((*keys, self.later))
        counted = counts[order].astype(int)
        before = np.cumsum(counted) - counted
        result = np.empty(len(order), int)
        # The pairs of an anaphor stay together.
        result[order] = before - before[np.searchsorted(self.later, self.later)]
        return result

    def greatest(self, values: np.ndarray) -> np.ndarray:
        """For each pair, the greatest value of the pairs of the same anaphor."""
        result = np.full(len(self.mentions), -np.inf)
        np.maximum.at(result, self.later, values)
        return result[self.later]


def make_pairs(document: Document) -> Pairs:
    """
    Compares each mention with the nearest mentions before it, and farther back with some that have a word in
    common.
    """
    mentions = document.mentions
    earlier: list[int] = []
    counts = []
    known: dict[int, list[int]] = {}
    for place, (is_pronoun, numbers) in enumerate(zip(mentions.is_pronoun.tolist(), document.searched)):
        nearest = max(0, place - (NEAREST if is_pronoun else NEAREST_OF_NOUNS))
        far: set[int] = set()
        for number in numbers:
            before = known.setdefault(number, [])
            far.update(one for one in before[-SIMILAR - 2 :] if one < nearest)
            before.append(place)
        counts.append(len(far) + place - nearest)
        earlier += [*sorted(far), *range(nearest, place)]
    return Pairs(mentions, np.array(earlier, int), np.repeat(np.arange(len(mentions)), np.array(counts, int)))


class Facts(dict[str, np.ndarray]):
    """
    Facts by name: whether each holds for each pair, or, in rows, which of several holds. A fact that was not
    added is found by its name: "name" is the anaphor's `is_name`, "earlier_name" the antecedent's, "same_role" that
    both have an equal `role`, and "~name" that "name" does not hold.
    """

    def __init__(self, pairs: Pairs) -> None:
        self.pairs, self.antecedent, self.anaphor = pairs, pairs.antecedent, pairs.anaphor

    def __missing__(self, name: str) -> np.ndarray:
        side, _, rest = name.partition("_")
        if name[0] == "~":
            self[name] = ~self[name[1:]]
        elif side == "same":
            self[name] = getattr(self.antecedent, rest) == getattr(self.anaphor, rest)
        elif side == "earlier":
            self[name] = getattr(self.antecedent, f"is_{rest}")
        else:
            self[name] = getattr(self.anaphor, f"is_{name}")
        return self[name]

    def features(self, listed: str) -> np.ndarray:
        """Those that are listed, each of facts that hold together. Shape: (pairs, features)"""
        features = [feature.split("&") for feature in "".join(listed.split()).split(",")]
        rows = [reduce(np.logical_and, map(self.__getitem__, facts)) for facts in features]
        return np.vstack(rows).T.astype(np.uint8)


def one_hot(values: np.ndarray, size: int) -> np.ndarray:
    """Shape: (size, pairs)"""
    return values == np.arange(size)[:, None]


def classes(values: np.ndarray, greatest: Sequence[float]) -> np.ndarray:
    """Shape: (classes, pairs)"""
    return one_hot(np.searchsorted(greatest, values), len(greatest) + 1)


def is_within(places: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    return (first <= places) & (places <= last)


def pair_features(pairs: Pairs) -> np.ndarray:
    """The features of pairs by themselves. Shape: (pairs, features)"""
    facts = Facts(pairs)
    for add_facts in (add_distance, add_agreement, add_words, add_syntax, add_ranks, add_quotations):
        add_facts(facts, pairs.antecedent, pairs.anaphor)
    return facts.features(FEATURES)


def add_distance(facts: Facts, antecedent: Mentions, anaphor: Mentions) -> None:
    sentences = anaphor.sentence - antecedent.sentence
    facts["distance"] = classes(facts.pairs.later - facts.pairs.earlier, DISTANCES)
    facts["sentences"] = classes(sentences, SENTENCES)
    facts["here"], facts["next"], facts["near"] = sentences == 0, sentences == 1, sentences <= 1
    facts["contains"] = (antecedent.start <= anaphor.start) & (anaphor.stop <= antecedent.stop)
    facts["contained"] = (anaphor.start <= antecedent.start) & (antecedent.stop <= anaphor.stop)


def add_agreement(facts: Facts, antecedent: Mentions, anaphor: Mentions) -> None:
    sexes = (antecedent.sex > 0) & (anaphor.sex > 0)
    facts["other_gender"] = (antecedent.gender & anaphor.gender) == 0
    facts["thing"] = (antecedent.gender == NEUTER) | (anaphor.gender == NEUTER)
    facts["both_have_sex"] = antecedent.has_sex & anaphor.has_sex
    facts["same_sex"] = sexes & (antecedent.sex == anaphor.sex)
    facts["other_sex"] = sexes & (antecedent.sex != anaphor.sex)
    facts["other_number"] = (antecedent.number & anaphor.number) == 0
    facts["singular"], facts["plural"] = anaphor.number == SINGULAR, anaphor.number == PLURAL
    facts["typed"] = (antecedent.type != EntityType.NONE) & (anaphor.type != EntityType.NONE)
    facts["place"] = anaphor.type == EntityType.PLACE
    facts["organization"] = anaphor.type == EntityType.ORGANIZATION
    facts["group"] = one_hot(anaphor.group, PronounGroup.NONE)
    facts["third"] = (anaphor.group >= PronounGroup.HE) & (anaphor.group <= PronounGroup.THEY)
    facts["earlier_he"] = antecedent.group == PronounGroup.HE
    is_part = facts["contains"] | facts["contained"] | (antecedent.is_conjunct & antecedent.is_coordination)
    other_type = facts["typed"] & ~facts["same_type"]
    facts["agree"] = ~(facts["other_gender"] | facts["other_number"] | other_type | is_part)


def add_words(facts: Facts, antecedent: Mentions, anaphor: Mentions) -> None:
    nouns = ~antecedent.is_pronoun & ~anaphor.is_pronoun
    earlier, later = (np.stack([mentions.bits, mentions.more_bits]) for mentions in (antecedent, anaphor))
    common = nouns & ((earlier & later) != 0).all(axis=0)
    facts["same_text"] &= nouns
    facts["same_word"] = nouns & (antecedent.last_word == anaphor.last_word)
    facts["common_word"] = common
    facts["all_words"] = common & ((later & ~earlier) == 0).all(axis=0)
    facts["earlier_all_words"] = common & ((earlier & ~later) == 0).all(axis=0)
    facts["determiner"] = one_hot(anaphor.determiner, Determiner.QUANTIFIER)


def add_syntax(facts: Facts, antecedent: Mentions, anaphor: Mentions) -> None:
    here, clause, own_clause = facts["here"], antecedent.clause, anaphor.clause
    other_clause = here & (clause != own_clause)
    commands = is_within(anaphor.head, antecedent.governor_first, antecedent.governor_last)
    commanded = is_within(antecedent.head, anaphor.governor_first, anaphor.governor_last)
    facts["here_same_governor"] = here & facts["same_governor"]
    facts["under_antecedent"] = anaphor.governor == antecedent.head
    facts["under_anaphor"] = antecedent.governor == anaphor.head
    facts["clause_above"] = other_clause & is_within(
        own_clause, antecedent.clause_first, antecedent.clause_last
    )
    facts["clause_below"] = other_clause & is_within(clause, anaphor.clause_first, anaphor.clause_last)
    facts["clause_right_above"] = clause == anaphor.clause_above
    facts["earlier_in_main_clause"] = clause == antecedent.clause_above
    facts["commands"] = here & commands & ~facts["contains"]
    facts["commanded"] = here & commanded & ~facts["contained"]
    facts["same_role"] |= antecedent.is_subject & anaphor.is_subject
    facts["possessor"], facts["apposition"] = anaphor.role == Role.POSSESSOR, anaphor.role == Role.APPOSITION
    facts["either_conjunct"] = antecedent.is_conjunct | anaphor.is_conjunct


def add_ranks(facts: Facts, antecedent: Mentions, anaphor: Mentions) -> None:
    """How many antecedents that agree are nearer, or better (in a later sentence, or more to the left)."""
    rank, earlier, agree = facts.pairs.rank, facts.pairs.earlier, facts["agree"]
    persons = agree & ~facts["other_sex"] & ~antecedent.is_nominal
    nearer, better = rank(agree, -earlier), rank(agree, antecedent.head, -antecedent.sentence)
    nearer_subjects = rank(agree & antecedent.is_subject, -earlier)
    facts["nearest"], facts["best"], facts["nearest_subject"] = nearer == 0, better == 0, nearer_subjects == 0
    facts["nearer"], facts["better"] = classes(nearer, RANKS), classes(better, RANKS)
    facts["nearer_subjects"] = classes(nearer_subjects, (0, 1))
    facts["nearer_persons"] = classes(rank(persons, -earlier), (0, 1, 2))
    facts["farther_persons"] = classes(rank(persons, earlier), (0, 1))


def add_quotations(facts: Facts, antecedent: Mentions, anaphor: Mentions) -> None:
    turns, both = anaphor.turn - antecedent.turn, antecedent.is_quoted & anaphor.is_quoted
    facts["same_turn"] = both & (turns == 0)
    facts["next_turn"] = both & (turns != 0) & (turns <= 2)
    kind = np.select([facts["same_turn"], facts["next_turn"]], [0, 1], 2)
    persons = grammatical_person(antecedent) * 3 + grammatical_person(anaphor)
    facts["turns_and_persons"] = one_hot(kind * 9 + persons, 27)


def grammatical_person(mentions: Mentions) -> np.ndarray:
    """0 for "I", 1 for "you", and 2."""
    return np.select([mentions.group == PronounGroup.I, mentions.group == PronounGroup.YOU], [0, 1], 2)
