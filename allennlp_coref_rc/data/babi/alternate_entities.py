"""The entities of the English bAbI tasks (version 1.2), and alternates for them that occur in none of the tasks."""

from allennlp_coref_rc.annotations.annotators.word_lists import NOT_ENTITIES

PEOPLE = {
    "antoine": "marcel",
    "bernhard": "gustav",
    "bill": "frank",
    "brian": "oscar",
    "daniel": "david",
    "emily": "sophie",
    "fred": "henry",
    "gertrude": "martha",
    "greg": "simon",
    "jason": "kevin",
    "jeff": "steve",
    "jessica": "rachel",
    "john": "peter",
    "julie": "karen",
    "julius": "victor",
    "lily": "nora",
    "mary": "alice",
    "sandra": "laura",
    "sumit": "rahul",
    "winona": "monica",
    "yann": "olaf",
}
"""She becomes a she, and he a he, for the sake of pronouns."""

PLACES = {
    "bathroom": "cellar",
    "bedroom": "attic",
    "cinema": "theater",
    "garden": "balcony",
    "hallway": "lobby",
    "kitchen": "library",
    "office": "studio",
    "park": "beach",
    "school": "museum",
}

THINGS = {
    "apple": "pear",
    "box": "crate",
    "chest": "trunk",
    "chocolate": "cookie",
    "chocolates": "cookies",
    "container": "basket",
    "football": "frisbee",
    "milk": "juice",
    "pajamas": "slippers",
    "suitcase": "backpack",
}

ANIMALS = {
    "cat": "dog",
    "cats": "dogs",
    "frog": "toad",
    "lion": "tiger",
    "mice": "rats",
    "mouse": "rat",
    "rhino": "hippo",
    "sheep": "deer",
    "swan": "goose",
    "wolf": "fox",
    "wolves": "foxes",
}
"""After "a" in the singular, as their alternates are."""

COLORS = {
    "blue": "orange",
    "gray": "brown",
    "green": "purple",
    "pink": "violet",
    "red": "black",
    "white": "silver",
    "yellow": "golden",
}

SHAPES = {"rectangle": "oval", "sphere": "cube", "square": "circle", "triangle": "star"}

ALTERNATES = {**PEOPLE, **PLACES, **THINGS, **ANIMALS, **COLORS, **SHAPES}

OTHER_WORDS = NOT_ENTITIES | frozenset(
    "afternoon evening morning bored hungry thirsty tired color objects maybe yes n e s w".split()
)
"""What two worlds may share: function words, verbs, times of day, states, answers."""
