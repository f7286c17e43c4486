"""Common nouns that name persons, groups, places and vehicles: the entities of ACE. All in lower case."""

from allennlp_coref_rc.annotations.annotators.english_words import read_words

MALE_NOUNS = read_words("male_nouns")
FEMALE_NOUNS = read_words("female_nouns")
PERSON_NOUNS = read_words("person_nouns")
SINGULAR_GROUPS = read_words("singular_groups")
PLACE_NOUNS = read_words("place_nouns")
VEHICLE_NOUNS = read_words("vehicle_nouns")
ANIMAL_NOUNS = read_words("animal_nouns")

IRREGULAR_PLURALS = {
    "brethren": "brother",
    "cattle": "cow",
    "children": "child",
    "folk": "person",
    "folks": "person",
    "geese": "goose",
    "gentlefolk": "person",
    "heroes": "hero",
    "men": "man",
    "mice": "mouse",
    "negroes": "negro",
    "peasantry": "peasant",
    "people": "person",
    "thieves": "thief",
    "wives": "wife",
    "wolves": "wolf",
    "women": "woman",
}
"""Plurals, and words that are plural in themselves, with the singular that tells gender and kind."""

KIN = read_words("kin")
