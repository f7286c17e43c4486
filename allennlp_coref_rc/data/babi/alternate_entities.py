"""The entities of the English bAbI tasks (version 1.2), and alternates for them that occur in none of the tasks."""


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


PEOPLE = _pairs(
    """
    antoine:marcel bernhard:gustav bill:frank brian:oscar daniel:david emily:sophie fred:henry gertrude:martha
    greg:simon jason:kevin jeff:steve jessica:rachel john:peter julie:karen julius:victor lily:nora mary:alice
    sandra:laura sumit:rahul winona:monica yann:olaf
    """
)
"""The alternate of a woman's name is a woman's name, and of a man's name a man's, so that pronouns still fit."""

PLACES = _pairs(
    """
    bathroom:cellar bedroom:attic cinema:theater garden:balcony hallway:lobby kitchen:library office:studio park:beach
    school:museum
    """
)

THINGS = _pairs(
    """
    apple:pear box:crate chest:trunk chocolate:cookie chocolates:cookies container:basket football:frisbee milk:juice
    pajamas:slippers suitcase:backpack
    """
)

ANIMALS = _pairs(
    """
    cat:dog cats:dogs frog:toad lion:tiger mice:rats mouse:rat rhino:hippo sheep:deer swan:goose wolf:fox wolves:foxes
    """
)
"""Singular names stand after "a", and so do their alternates."""

COLORS = _pairs(
    """
    blue:orange gray:brown green:purple pink:violet red:black white:silver yellow:golden
    """
)

SHAPES = _pairs(
    """
    rectangle:oval sphere:cube square:circle triangle:star
    """
)

ALTERNATES = {**PEOPLE, **PLACES, **THINGS, **ANIMALS, **COLORS, **SHAPES}

OTHER_WORDS = frozenset(
    """
    a above afraid after afternoon afterwards and are back before below bigger bored carrying color did discarded
    do does down dropped e east either evening fit fits following from gave get give go got grabbed handed he how
    hungry in inside is journeyed left longer many maybe morning moved n no none north not nothing objects of one
    or passed picked put received right s she south than that the then there they thirsty this three tired to took
    travelled two up w was went west what where who why will yes yesterday you
    """.split()
)
"""The other words of the tasks, which two worlds may share: function words, verbs, times of day, states and answers."""
