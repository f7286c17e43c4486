"""
English words in lower case, with plain ': lists, each in a text file beside this one, where lines that begin
with "#" say what the words are, and tables of what single words mean.
"""

from pathlib import Path
from typing import NamedTuple

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


def read_lines(name: str) -> list[str]:
    lines = Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def read_words(name: str) -> frozenset[str]:
    """The words of the list with this name, which blanks divide."""
    return frozenset(word for line in read_lines(name) for word in line.split())


MALE_PRONOUNS = frozenset("he him himself his".split())
FEMALE_PRONOUNS = frozenset("her hers herself she".split())
NEUTER_PRONOUNS = frozenset("it its itself".split())
PLURAL_PRONOUNS = frozenset("'em their theirs them themselves they".split())
FIRST_SINGULAR = frozenset("i me mine my myself".split())
FIRST_PLURAL = frozenset("our ours ourselves us we".split())
SECOND_PRONOUNS = frozenset(
    "thee thine thou thy thyself ya ye yeh yer you your yours yourself yourselves".split()
)

POSSESSIVES = frozenset("her his its my our their thy yer your".split())
"""Pronouns that begin a noun phrase."""

REFLEXIVES = frozenset(
    "herself himself itself myself ourselves themselves thyself yourself yourselves".split()
)
SUBJECTS = frozenset("he i she they we".split())
NEVER_SUBJECTS = POSSESSIVES | frozenset("him me them us".split())

DEFINITE = frozenset("that the these this those".split())
INDEFINITE = read_words("indefinite")
DETERMINERS = DEFINITE | INDEFINITE
POSSESSIVE_MARKS = frozenset(["'s", "'"])

PREPOSITIONS = read_words("prepositions")
PLACE_PREPOSITIONS = frozenset("across around at from in into near through throughout toward towards".split())
CONJUNCTIONS = read_words("conjunctions")
AUXILIARIES = read_words("auxiliaries")
ADVERBS = read_words("adverbs")
INTENSIFIERS = frozenset("almost extremely just more most nearly only quite rather so too very".split())
"""Adverbs inside a noun phrase."""

SPEECH_VERBS = read_words("speech_verbs")
VERBS = read_words("verbs")
COMMON_VERBS = read_words("common_verbs")
IMPERSONAL_VERBS = read_words("impersonal_verbs")
WEATHER_AND_TIME = frozenset(
    "dawn friday midnight monday noon o'clock raining saturday snowing sunday thursday tuesday wednesday".split()
)
"""Words after "it is" for which "it" stands for nothing."""

TIME_UNITS = frozenset(
    "ages day days hour hours minute minutes month months second seconds time week weeks year years".split()
)
CLAUSE_OPENERS = frozenset("for how if that to what when who why".split())
"""Words that begin a clause for which "it" stands, as in "it is clear that"."""

BARE_WORDS = read_words("bare_words")
RELATION_WORDS = read_words("relation_words")

ALSO_WORDS = read_words("also_words")
PLACE_NAMES = read_words("place_names")
PLACE_HEADS = read_words("place_heads")
GROUP_HEADS = read_words("group_heads")
NOT_NAMES = read_words("not_names")
KIN = read_words("kin")
SINGULAR_GROUPS = read_words("singular_groups")
VEHICLE_NOUNS = read_words("vehicle_nouns")


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
        (read_words("place_nouns") | VEHICLE_NOUNS, NEUTER, False),
        (read_words("animal_nouns"), ANY_GENDER, False),
        (read_words("person_nouns"), PERSON, True),
        (read_words("male_nouns"), MALE, True),
        (read_words("female_nouns"), FEMALE, True),
    ):
        table.update(dict.fromkeys(listed, Noun(gender, SINGULAR, is_person)))
        # Last, since "rooms" is listed too, and the order of a set is another one in each process.
        table.update(dict.fromkeys(map(_plural, listed), Noun(gender, PLURAL, is_person)))
    for noun in SINGULAR_GROUPS:
        table[noun] = Noun(NEUTER, ANY_NUMBER, False)
        table[_plural(noun)] = Noun(NEUTER, PLURAL, False)
    for plural, singular in sorted(pair.split(":") for pair in read_words("irregular_plurals")):
        table[plural] = Noun(*table.get(singular, Noun(NEUTER, SINGULAR, False)))._replace(number=PLURAL)
    return table


NOUNS = _nouns()

GIVEN_NAMES: dict[str, int] = {
    **dict.fromkeys(read_words("male_names"), MALE),
    **dict.fromkeys(read_words("female_names"), FEMALE),
    **dict.fromkeys(read_words("either_names"), PERSON),
}

TITLES: dict[str, int] = {
    **dict.fromkeys(read_words("titles"), PERSON),
    **dict.fromkeys(read_words("male_titles"), MALE),
    **dict.fromkeys(read_words("female_titles"), FEMALE),
}

COMPANY_ENDINGS = frozenset("co co. corp corp. gmbh inc inc. llc llp ltd ltd. plc".split())

BARE_PARTS = COMPANY_ENDINGS | {word for word in TITLES if word[-1] == "." or f"{word}." in TITLES}
"""Parts of names that name nothing alone: what follows the name of a company, and abbreviated titles."""

PRONOUNS: dict[str, Pronoun] = {
    word: pronoun
    for words, pronoun in (
        (MALE_PRONOUNS, Pronoun(3, MALE, SINGULAR)),
        (FEMALE_PRONOUNS, Pronoun(3, FEMALE, SINGULAR)),
        (NEUTER_PRONOUNS, Pronoun(3, NEUTER, SINGULAR)),
        (PLURAL_PRONOUNS, Pronoun(3, ANY_GENDER, PLURAL)),
        (FIRST_SINGULAR, Pronoun(1, PERSON, SINGULAR)),
        (FIRST_PLURAL, Pronoun(1, PERSON, PLURAL)),
        (SECOND_PRONOUNS, Pronoun(2, PERSON, ANY_NUMBER)),
    )
    for word in words
}

CLOSED = frozenset(PRONOUNS) | DETERMINERS | PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | ADVERBS
"""Words that are not nouns and, apart from determiners, not part of a simple noun phrase."""
