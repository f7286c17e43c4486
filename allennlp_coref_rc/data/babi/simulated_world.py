"""
A simulated world of people, places and things that tells stories in the format of the bAbI tasks, version 1.2
(Weston et al., 2015, "Towards AI-Complete Question Answering: A Set of Prerequisite Toy Tasks", arXiv
1502.05698).

Use them if the published files are too few or not available. We inferred the sentences, the rules of the
world and the choice of questions from the published English files. The simulated stories have the same
statistics, and none of them is a published one. The same arguments give the same text with every supported
version of Python.

In each story four people walk between six places, and three things lie about or are carried. All seven begin
at random places, which are not told. Statements come in blocks of two, and a question follows each block if
one is possible. Its subject is drawn from the last five facts, so the newest supporting fact is one of these
five. A fact is one statement about one subject.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Optional

from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError

PRONOUNS = {"Mary": "she", "Daniel": "he", "John": "he", "Sandra": "she"}
PEOPLE = tuple(PRONOUNS)
PLACES = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
THINGS = ("apple", "football", "milk")

VERBS = {
    "move": ("went to", "went back to", "moved to", "travelled to", "journeyed to"),
    "get": ("got", "took", "picked up", "grabbed"),
    "drop": ("dropped", "left", "discarded", "put down"),
    "give": ("gave", "handed", "passed"),
    "be": ("is in",),
    "be away": ("is not in", "is no longer in"),
}
CONNECTIVES = ("Then", "Afterwards", "After that", "Following that")
NUMBERS = ("none", "one", "two", "three")

QUESTIONS_PER_STORY = 5
RECENT_FACTS = 5
SHARE_OF_THERE = 0.2


@dataclass(frozen=True)
class Event:
    """
    Something that happened, or what a statement says of it.

    `kind` is a key of `VERBS`. `actors` are the people who did it: two in task 13, one in the others. `place`
    is where they went, are, or are not. `thing` was taken, dropped or given, and `receiver` is the person who
    was given it.
    """

    kind: str
    actors: tuple[str, ...]
    place: str = ""
    thing: str = ""
    receiver: str = ""


@dataclass(frozen=True)
class Statement:
    """
    An event that was told. `facts` are the ids of the statements that explain it, a pronoun's antecedent
    first.
    """

    event: Event
    facts: tuple[int, ...]


class Question(NamedTuple):
    """
    A question with its answer and the ids of its supporting facts, in the order in which they are written.
    """

    text: str
    answer: str
    facts: Sequence[int]


class World:
    """The places of people and of things that nobody carries, and who carries which thing."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.place: dict[str, str] = {name: rng.choice(PLACES) for name in PEOPLE + THINGS}
        self._carrier: dict[str, str] = {}

    def random_event(self, kinds: Sequence[str]) -> Event:
        """
        Draws a person and a kind of event until the person can do it, so what is rarely possible is rare.
        """
        while True:
            actor, kind = self._rng.choice(PEOPLE), self._rng.choice(kinds)
            event = self.random_move((actor,)) if kind == "move" else self._random_handling(actor, kind)
            if event:
                return event

    def random_move(self, actors: tuple[str, ...]) -> Optional[Event]:
        """
        Moves the people to one place. Returns `None`, and moves nobody, if one of them is already there.
        """
        place = self._rng.choice(PLACES)
        if any(self.place[actor] == place for actor in actors):
            return None
        self.place.update(dict.fromkeys(actors, place))
        return Event("move", actors, place=place)

    def _random_handling(self, actor: str, kind: str) -> Optional[Event]:
        place = self.place[actor]
        if kind == "get":
            things = [thing for thing in THINGS if thing not in self._carrier and self.place[thing] == place]
        else:
            things = [thing for thing in THINGS if self._carrier.get(thing) == actor]
        receivers = [person for person in PEOPLE if person != actor and self.place[person] == place]
        if not things or (kind == "give" and not receivers):
            return None
        thing = self._rng.choice(things)
        if kind == "get":
            self._carrier[thing] = actor
        elif kind == "drop":
            del self._carrier[thing]
            self.place[thing] = place
        else:
            self._carrier[thing] = self._rng.choice(receivers)
            return Event("give", (actor,), thing=thing, receiver=self._carrier[thing])
        return Event(kind, (actor,), thing=thing)


class Story:
    """
    One story, told block by block. A subclass for a task defines which kinds of events happen (`kinds`), what
    questions may be about (`subjects`), how they are asked (`ask`) and, if it differs, how a block is told
    (`tell_block`).
    """

    kinds: tuple[str, ...] = ("move",)
    share_of_there_after_get = 1.0

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.world = World(rng)
        self.statements: list[Statement] = []
        self.lines: list[str] = []

    def add_question(self) -> None:
        """Tells blocks until something can be asked, and asks it."""
        question = None
        while question is None:
            self.tell_block()
            question = self._find_question()
        facts = " ".join(map(str, question.facts))
        self._add_line(f"{question.text}? \t{question.answer}\t{facts}")

    def tell_block(self) -> None:
        for _ in range(2):
            self.tell(self.world.random_event(self.kinds))

    def subjects(self, event: Event) -> Sequence[str]:
        """
        The people or things that one may ask about after the event. An empty name stands for a fact without
        one.
        """
        return event.actors if event.kind == "move" else ("",)

    def ask(self, subject: str) -> Optional[Question]:
        """The question about a subject of a recent fact, or `None` if the story does not tell the answer."""
        raise NotImplementedError

    def tell(self, event: Event, subject: str = "", antecedent: tuple[int, ...] = ()) -> None:
        """
        Adds the statement. `subject` replaces the actors' names; the statements `antecedent` explain it.
        """
        verb = self.rng.choice(VERBS[event.kind])
        words = [subject or " and ".join(event.actors), verb, "the", event.place or event.thing]
        if event.receiver:
            words += ["to", event.receiver]
        share = {"get": self.share_of_there_after_get, "drop": SHARE_OF_THERE}.get(event.kind, 0.0)
        if self.rng.random() < share:
            words.append("there")
        self._add_line(" ".join(words) + ".")
        self.statements.append(Statement(event, antecedent + (len(self.lines),)))

    def told(self, kinds: Sequence[str], person: str = "", thing: str = "") -> list[Statement]:
        """The statements of these kinds in which the person or the thing has a part, oldest first."""
        return [
            statement
            for statement in self.statements
            if statement.event.kind in kinds
            and (not person or person in statement.event.actors or person == statement.event.receiver)
            and (not thing or thing == statement.event.thing)
        ]

    def _add_line(self, text: str) -> None:
        self.lines.append(f"{len(self.lines) + 1} {text}")

    def _find_question(self) -> Optional[Question]:
        facts = [subject for statement in self.statements for subject in self.subjects(statement.event)]
        recent = [subject for subject in facts[-RECENT_FACTS:] if subject]
        # A subject of two recent facts is twice as likely to be asked about, as in the published stories.
        self.rng.shuffle(recent)
        for subject in recent:
            question = self.ask(subject)
            if question:
                return question
        return None


class WhereIsPerson(Story):
    """Task 1, single supporting fact: "Where is Mary?"."""

    def ask(self, subject: str) -> Optional[Question]:
        newest = self.told(("move",), person=subject)[-1]
        return Question(f"Where is {subject}", newest.event.place, newest.facts)


class PronounStory(WhereIsPerson):
    """Task 11, basic coreference: someone moves, and "after that she" moves again."""

    def tell_block(self) -> None:
        first = None
        while first is None:
            actors = self.draw_actors()
            first = self.world.random_move(actors)
        self.tell(first)
        second = None
        while second is None:
            second = self.world.random_move(actors)
        pronoun = PRONOUNS[actors[0]] if len(actors) == 1 else "they"
        self.tell(second, f"{self.rng.choice(CONNECTIVES)} {pronoun}", antecedent=self.statements[-1].facts)

    def draw_actors(self) -> tuple[str, ...]:
        return (self.rng.choice(PEOPLE),)


class CompoundStory(PronounStory):
    """Task 13, compound coreference: two people move, and "after that they" move again."""

    def draw_actors(self) -> tuple[str, ...]:
        return tuple(self.rng.sample(PEOPLE, 2))


class YesNoStory(Story):
    """Task 6, yes/no questions: "Is Mary in the kitchen?". Half the answers are yes."""

    kinds = ("move", "get", "drop")

    def ask(self, subject: str) -> Optional[Question]:
        newest = self.told(("move", "be", "be away"), person=subject)[-1]
        place, answer = newest.event.place, "yes"
        if newest.event.kind == "be away":
            answer = "no"
        elif self.rng.random() < 0.5:
            place, answer = self.rng.choice([other for other in PLACES if other != place]), "no"
        return Question(f"Is {subject} in the {place}", answer, newest.facts)


class NegationStory(YesNoStory):
    """Task 9, simple negation: half of the moves are told as where someone is now, or is no longer."""

    def tell_block(self) -> None:
        for _ in range(2):
            old_place = {person: self.world.place[person] for person in PEOPLE}
            event = self.world.random_event(("move",))
            kind = self.rng.choice(("move", "move", "be", "be away"))
            place = old_place[event.actors[0]] if kind == "be away" else event.place
            self.tell(replace(event, kind=kind, place=place))

    def subjects(self, event: Event) -> Sequence[str]:
        return event.actors


class WhereIsThing(Story):
    """
    Task 2, two supporting facts: "Where is the apple?". The two facts are the last one that took or dropped
    it, and the one that tells the place. Questions about a carried thing wait until its carrier has moved
    with it.
    """

    kinds = ("move", "get", "drop")

    def subjects(self, event: Event) -> Sequence[str]:
        return (event.thing,)

    def ask(self, subject: str) -> Optional[Question]:
        handled = self.told(("get", "drop"), thing=subject)[-1]
        carried = handled.event.kind == "get"
        # Where the carrier went after taking it, or was before dropping it.
        moves = [
            move
            for move in self.told(("move",), person=handled.event.actors[0])
            if (move.facts[-1] > handled.facts[-1]) == carried
        ]
        if not moves:
            return None
        return Question(f"Where is the {subject}", moves[-1].event.place, handled.facts + moves[-1].facts)


class WhereWasThing(WhereIsThing):
    """
    Task 3, three supporting facts: "Where was the apple before the office?". The facts are the last one that
    took or dropped it, the move to the place in the question, and the move before that; both moves are by the
    person who carries it or carried it last.
    """

    share_of_there_after_get = SHARE_OF_THERE

    def ask(self, subject: str) -> Optional[Question]:
        handled = self.told(("get", "drop"), thing=subject)
        taken = [statement for statement in handled if statement.event.kind == "get"][-1]
        dropped = handled[-1] if handled[-1].event.kind == "drop" else None
        moves = [
            move
            for move in self.told(("move",), person=taken.event.actors[0])
            if move.facts > taken.facts and (dropped is None or move.facts < dropped.facts)
        ]
        if len(moves) < 2:
            return None
        places = [move.event.place for move in moves]
        later = 0
        # The newest visit to a place is the one that counts, so the first place will do only if it was
        # visited again.
        while later == 0:
            place = self.rng.choice(places)
            later = max(index for index, visited in enumerate(places) if visited == place)
        facts = handled[-1].facts + moves[later].facts + moves[later - 1].facts
        return Question(f"Where was the {subject} before the {place}", places[later - 1], facts)


class CarryingStory(Story):
    """The base of tasks 7 and 8: questions about people who recently took, dropped or gave something."""

    kinds: tuple[str, ...] = ("move", "get", "drop")

    def subjects(self, event: Event) -> Sequence[str]:
        return ("",) if event.kind == "move" else event.actors

    def carried(self, person: str) -> tuple[list[str], dict[str, list[int]]]:
        """
        The things that the person carries, and the ids of the statements about each that the person ever had.
        """
        facts: dict[str, list[int]] = {}
        carried = set()
        for statement in self.told(("get", "drop", "give"), person=person):
            event = statement.event
            facts.setdefault(event.thing, []).extend(statement.facts)
            if event.kind == "get" or event.receiver == person:
                carried.add(event.thing)
            else:
                carried.remove(event.thing)
        return [thing for thing in facts if thing in carried], facts


class CountingStory(CarryingStory):
    """Task 7, counting: "How many objects is Mary carrying?". The facts are sorted."""

    # In the published files, people who can give something do so four times as often as people who can drop
    # it.
    kinds = ("move", "get", "drop", "give", "give", "give", "give")

    def ask(self, subject: str) -> Optional[Question]:
        things, facts = self.carried(subject)
        text = f"How many objects is {subject} carrying"
        return Question(text, NUMBERS[len(things)], sorted(sum(facts.values(), [])))


class ListStory(CarryingStory):
    """Task 8, lists: "What is Mary carrying?". Things are in the order in which the person first got them."""

    def ask(self, subject: str) -> Optional[Question]:
        things, facts = self.carried(subject)
        return Question(f"What is {subject} carrying", ",".join(things) or "nothing", sum(facts.values(), []))


STORIES: dict[int, type[Story]] = {
    1: WhereIsPerson,
    2: WhereIsThing,
    3: WhereWasThing,
    6: YesNoStory,
    7: CountingStory,
    8: ListStory,
    9: NegationStory,
    11: PronounStory,
    13: CompoundStory,
}
SIMULATED_TASKS = tuple(STORIES)


def simulate_task(task: int, questions: int, seed: int) -> list[str]:
    """
    Lines of stories of one of the `SIMULATED_TASKS`, the same for the same arguments, with five questions
    each.
    """
    if task not in STORIES:
        raise ConfigurationError(
            f"task: found {task}, expected one of {', '.join(map(str, SIMULATED_TASKS))}"
        )
    check_number("simulate", "questions", questions)
    check_number("simulate", "seed", seed, 0)
    rng = random.Random(seed)
    lines: list[str] = []
    for done in range(0, questions, QUESTIONS_PER_STORY):
        story = STORIES[task](rng)
        for _ in range(min(QUESTIONS_PER_STORY, questions - done)):
            story.add_question()
        lines.extend(story.lines)
    return lines
