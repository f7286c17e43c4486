import random

import pytest

from allennlp_coref_rc.data.exchangeable_words import exchangeable_words
from allennlp_coref_rc.data.question_contexts import AskedQuestion

PEOPLE = ("ann", "bob", "cem", "dee")
PLACES = ("park", "shop", "lake", "yard")
OPPOSITES = {"north": "south", "south": "north", "east": "west", "west": "east"}
EATERS = {"cat": "cats", "wolf": "wolves", "mouse": "mice"}


def question(passage, asked, answer):
    return AskedQuestion(*(tuple(text.split()) for text in (passage, asked, answer)))


def carrying(rng):
    """Who gets, and later drops, a thing. Names and things can be exchanged, but not the verbs."""
    first, second = rng.sample(PEOPLE, 2)
    thing, other = rng.sample(["ball", "cup", "hat"], 2)
    facts = [f"{first} got the {thing} .", f"{second} got the {other} ."]
    dropped = rng.random() < 0.5
    if dropped:
        facts.append(f"{first} dropped the {thing} .")
    return question(" ".join(facts), f"has {first} the {thing} ?", "no" if dropped else "yes")


def directions(rng):
    """The way from a place to another is a letter, so that directions and letters are tied."""
    here, there, elsewhere = rng.sample(PLACES, 3)
    way, other = rng.choice([*OPPOSITES]), rng.choice([*OPPOSITES])
    facts = [f"the {there} is {way} of the {here} .", f"the {elsewhere} is {other} of the {there} ."]
    if rng.random() < 0.5:
        return question(" ".join(facts), f"how do you go from the {here} to the {there} ?", way[0])
    return question(" ".join(facts), f"how do you go from the {there} to the {here} ?", OPPOSITES[way][0])


def eaters(rng):
    """A kind fears another one, in the plural; the answer is in the singular."""
    kinds = [*EATERS]
    fears = {kind: rng.choice([other for other in kinds if other != kind]) for kind in kinds}
    people = rng.sample(PEOPLE, 3)
    kind_of = {person: rng.choice(kinds) for person in people}
    facts = [f"{EATERS[kind]} fear {EATERS[other]} ." for kind, other in fears.items()]
    facts += [f"{person} is a {kind} ." for person, kind in kind_of.items()]
    rng.shuffle(facts)
    return question(" ".join(facts), f"what does {people[0]} fear ?", fears[kind_of[people[0]]])


def times(rng):
    """Questions ask only about the night, which makes it unlike other times; sentences are in any order."""
    person = rng.choice(PEOPLE)
    places = rng.sample(PLACES, 3)
    times = zip(["morning", "noon", "night"], places)
    facts = [f"in the {time} {person} was in the {place} ." for time, place in times]
    rng.shuffle(facts)
    return question(" ".join(facts), f"where was {person} last ?", places[2])


def found(world, number=600, seed=0):
    """Each group as a set of names, each the set of its forms."""
    rng = random.Random(seed)
    groups = exchangeable_words([world(rng) for _ in range(number)]).groups
    return {frozenset(frozenset(forms) for forms in group) for group in groups}


def group(*names):
    return frozenset(frozenset(name.split("/")) for name in names)


def test_names_are_found_and_verbs_of_other_meaning_are_not():
    assert found(carrying) == {group(*PEOPLE), group("ball", "cup", "hat")}


def test_words_that_can_be_exchanged_only_together_are_tied():
    groups = found(directions) - {group(*PLACES)}
    assert len(groups) == 2
    # To exchange two names is the same, whichever form is written with which.
    assert groups & {group("north/n", "south/s"), group("north/s", "south/n")}
    assert groups & {group("east/e", "west/w"), group("east/w", "west/e")}


def test_singular_and_plural_are_tied():
    assert found(eaters) == {group(*PEOPLE), group("cat/cats", "wolf/wolves", "mouse/mice")}


def test_a_word_whose_order_matters_is_not_found():
    assert found(times) == {group(*PEOPLE), group(*PLACES), group("morning", "noon")}


def test_other_names_for_all_words_change_nothing_but_the_names():
    """Their hashes are others, so no order of a set can matter."""
    rng = random.Random(0)
    questions = [eaters(rng) for _ in range(300)]
    words = sorted({word for one in questions for text in one for word in text} - {".", "?"})
    renamed = dict(zip(words, (f"x{rng.random()}" for _ in words)))
    other = [[tuple(renamed.get(word, word) for word in text) for text in one] for one in questions]
    again = exchangeable_words([AskedQuestion(*texts) for texts in other])
    before = exchangeable_words(questions)
    assert again.groups == [[[renamed[word] for word in forms] for forms in group] for group in before.groups]
    assert [exchange.p for exchange in again.exchanges] == [exchange.p for exchange in before.exchanges]


def test_nothing_is_found_where_too_little_is_known():
    assert found(carrying, number=15) == set()
    assert exchangeable_words([]).groups == []


@pytest.mark.slow
def test_an_exchange_that_changes_nothing_is_refused_no_more_often_than_the_level_says():
    p_values = []
    for seed in range(30):
        rng = random.Random(seed)
        exchanges = exchangeable_words([carrying(rng) for _ in range(120)]).exchanges
        p_values += [
            exchange.p for exchange in exchanges if {*exchange.words[0]} < {*PEOPLE} and exchange.p > 0
        ]
    assert len(p_values) > 100
    for level in (0.01, 0.05):
        assert sum(p < level for p in p_values) <= 2 * level * len(p_values)
