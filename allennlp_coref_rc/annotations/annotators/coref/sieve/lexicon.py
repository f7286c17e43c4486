"""Tables of what single words mean, made from the word lists."""

from typing import NamedTuple

from allennlp_coref_rc.annotations.annotators.coref.sieve import function_words, given_names, nouns

MALE, FEMALE, NEUTER = 1, 2, 4
PERSON = MALE | FEMALE
ANY_GENDER = MALE | FEMALE | NEUTER
SINGULAR, PLURAL = 1, 2
ANY_NUMBER = SINGULAR | PLURAL


class Noun(NamedTuple):
    """A common noun: the genders and numbers it may have, and whether it names a person."""

    gender: int
    number: int
    is_person: bool


class Pronoun(NamedTuple):
    """A personal pronoun; `person` is 1, 2 or 3."""

    person: int
    gender: int
    number: int


def _plural(noun: str) -> str:
    if noun.endswith("man") and noun not in ("german", "roman", "human"):
        return noun[:-3] + "men"
    if noun.endswith("in-law"):
        return noun.replace("-", "s-", 1)
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    return noun + "s"


def _nouns() -> dict[str, Noun]:
    table: dict[str, Noun] = {}
    for listed, gender, is_person in (
        (nouns.PLACE_NOUNS | nouns.VEHICLE_NOUNS, NEUTER, False),
        (nouns.ANIMAL_NOUNS, ANY_GENDER, False),
        (nouns.PERSON_NOUNS, PERSON, True),
        (nouns.MALE_NOUNS, MALE, True),
        (nouns.FEMALE_NOUNS, FEMALE, True),
    ):
        table.update(dict.fromkeys(listed, Noun(gender, SINGULAR, is_person)))
        # Last, since "rooms" is listed too, and the order of a set is another one in each process.
        table.update(dict.fromkeys(map(_plural, listed), Noun(gender, PLURAL, is_person)))
    for noun in nouns.SINGULAR_GROUPS:
        table[noun] = Noun(NEUTER, ANY_NUMBER, False)
        table[_plural(noun)] = Noun(NEUTER, PLURAL, False)
    for plural, singular in nouns.IRREGULAR_PLURALS.items():
        table[plural] = Noun(*table.get(singular, Noun(NEUTER, SINGULAR, False)))._replace(number=PLURAL)
    return table


NOUNS = _nouns()

PRONOUNS: dict[str, Pronoun] = {
    **{word: Pronoun(3, MALE, SINGULAR) for word in function_words.MALE_PRONOUNS},
    **{word: Pronoun(3, FEMALE, SINGULAR) for word in function_words.FEMALE_PRONOUNS},
    **{word: Pronoun(3, NEUTER, SINGULAR) for word in function_words.NEUTER_PRONOUNS},
    **{word: Pronoun(3, ANY_GENDER, PLURAL) for word in function_words.PLURAL_PRONOUNS},
    **{word: Pronoun(1, PERSON, SINGULAR) for word in function_words.FIRST_SINGULAR},
    **{word: Pronoun(1, PERSON, PLURAL) for word in function_words.FIRST_PLURAL},
    **{word: Pronoun(2, PERSON, ANY_NUMBER) for word in function_words.SECOND_PRONOUNS},
}

GIVEN_NAMES: dict[str, int] = {
    **dict.fromkeys(given_names.MALE_NAMES, MALE),
    **dict.fromkeys(given_names.FEMALE_NAMES, FEMALE),
    **dict.fromkeys(given_names.EITHER_NAMES, PERSON),
}

TITLES: dict[str, int] = {
    **dict.fromkeys(given_names.TITLES, PERSON),
    **dict.fromkeys(given_names.MALE_TITLES, MALE),
    **dict.fromkeys(given_names.FEMALE_TITLES, FEMALE),
}

CLOSED = (
    frozenset(PRONOUNS)
    | function_words.DETERMINERS
    | function_words.PREPOSITIONS
    | function_words.CONJUNCTIONS
    | function_words.AUXILIARIES
    | function_words.ADVERBS
)
"""Words that are not nouns and, apart from determiners, not part of a simple noun phrase."""
