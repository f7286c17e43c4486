"""
Answers the questions of bAbI tasks 1, 2, 3, 6, 7, 8, 9, 11 and 13 (Weston et al., 2015; version 1.2) only
from the text. It knows nothing of the simulated world: it reads sentences with its own patterns, and an
unknown sentence raises a `ValueError`. It answers every question of the published files right.
"""

import re
from typing import NamedTuple, Optional


class AskedQuestion(NamedTuple):
    """A question: the statements told before it (id to sentence), its text, answer and supporting ids."""

    statements: dict[int, str]
    text: str
    answer: str
    facts: list[int]


def read_stories(lines: list[str]) -> list[list[AskedQuestion]]:
    """The questions of each story; raises a `ValueError` at a line that departs from the format."""
    stories: list[list[AskedQuestion]] = []
    statements: dict[int, str] = {}
    last_id = 0
    for line in lines:
        match = re.fullmatch(
            r"([1-9]\d*) ([A-Z][A-Za-z ]*)(?:\.|\? \t([a-z,]+)\t([1-9]\d*(?: [1-9]\d*)*))", line
        )
        if match is None:
            raise ValueError(f"not a line of a bAbI file: {line!r}")
        number, text, answer, facts = int(match[1]), match[2], match[3], match[4]
        if number == 1:
            stories.append([])
            statements = {}
        elif number != last_id + 1:
            raise ValueError(f"after the id {last_id}: {line!r}")
        last_id = number
        if answer is None:
            statements[number] = text
        else:
            stories[-1].append(
                AskedQuestion(dict(statements), text, answer, [int(fact) for fact in facts.split()])
            )
    return stories


PERSON = "(Mary|Daniel|John|Sandra)"
PLACE = "the (bathroom|bedroom|garden|hallway|kitchen|office)"
THING = "the (apple|football|milk)"
GENDER = {"Mary": "she", "Sandra": "she", "Daniel": "he", "John": "he"}
WALKS = "(?:went|went back|moved|travelled|journeyed) to"

WALK = re.compile(f"{PERSON} {WALKS} {PLACE}")
WALK_OF_TWO = re.compile(f"{PERSON} and {PERSON} {WALKS} {PLACE}")
WALK_ON = re.compile(f"(?:Then|Afterwards|After that|Following that) (he|she|they) {WALKS} {PLACE}")
BE = re.compile(f"{PERSON} is( not| no longer|) in {PLACE}")
TAKE = re.compile(f"{PERSON} (?:got|took|picked up|grabbed) {THING}(?: there)?")
LEAVE = re.compile(f"{PERSON} (?:dropped|left|discarded|put down) {THING}(?: there)?")
HAND = re.compile(f"{PERSON} (?:gave|handed|passed) {THING} to {PERSON}")


class Reader:
    """
    What a reader knows after reading the sentences in order. If they are complete, a sentence that
    contradicts earlier ones raises a `ValueError`. If some were left out, somebody may have handed on a thing
    unseen.
    """

    def __init__(self, sentences: list[str], complete: bool = True) -> None:
        self._complete = complete
        self.is_at: dict[str, tuple[str, bool]] = {}
        self.holder: dict[str, Optional[str]] = {}
        self.ever_held: dict[str, list[str]] = {person: [] for person in GENDER}
        self.visited: dict[str, list[str]] = {}
        self._last_people: tuple[str, ...] = ()
        self._find_first_holders(sentences)
        for sentence in sentences:
            self._read(sentence)

    def _find_first_holders(self, sentences: list[str]) -> None:
        """Who drops or gives a thing that nobody took must have held it from the start."""
        for sentence in sentences:
            match = TAKE.fullmatch(sentence) or LEAVE.fullmatch(sentence) or HAND.fullmatch(sentence)
            if match and match[2] not in self.holder:
                self.holder[match[2]] = None
                self.visited[match[2]] = []
                if not TAKE.fullmatch(sentence):
                    self._take(match[1], match[2])

    def _read(self, sentence: str) -> None:
        if match := WALK.fullmatch(sentence):
            self._walk((match[1],), match[2])
        elif match := WALK_OF_TWO.fullmatch(sentence):
            self._walk((match[1], match[2]), match[3])
        elif match := WALK_ON.fullmatch(sentence):
            people = self._last_people
            expected = "they" if len(people) == 2 else GENDER[people[0]]
            if match[1] != expected:
                raise ValueError(f"{match[1]!r} for {people}: {sentence!r}")
            self._walk(people, match[2])
        elif match := BE.fullmatch(sentence):
            self.is_at[match[1]] = (match[3], match[2] == "")
        elif match := TAKE.fullmatch(sentence):
            if self._complete and self.holder[match[2]]:
                raise ValueError(f"{self.holder[match[2]]} has it: {sentence!r}")
            self._take(match[1], match[2])
            self._see(match[1], match[2])
        elif match := LEAVE.fullmatch(sentence):
            self._lose(sentence, match[1], match[2])
            self._see(match[1], match[2])
        elif match := HAND.fullmatch(sentence):
            self._lose(sentence, match[1], match[2])
            self._take(match[3], match[2])
        else:
            raise ValueError(f"not understood: {sentence!r}")

    def _walk(self, people: tuple[str, ...], place: str) -> None:
        self._last_people = people
        for person in people:
            if self.is_at.get(person) == (place, True):
                raise ValueError(f"{person} walks to the {place} but is there")
            self.is_at[person] = (place, True)
            for thing, holder in self.holder.items():
                if holder == person:
                    self._see(person, thing)

    def _take(self, person: str, thing: str) -> None:
        self.holder[thing] = person
        if thing not in self.ever_held[person]:
            self.ever_held[person].append(thing)

    def _lose(self, sentence: str, person: str, thing: str) -> None:
        if self._complete and self.holder[thing] != person:
            raise ValueError(f"{self.holder[thing]} has it: {sentence!r}")
        self.holder[thing] = None

    def _see(self, person: str, thing: str) -> None:
        """The thing is where the person is, if that is known."""
        if person in self.is_at:
            place = self.is_at[person][0]
            if self.visited[thing][-1:] != [place]:
                self.visited[thing].append(place)

    def carried_by(self, person: str) -> list[str]:
        return [thing for thing in self.ever_held[person] if self.holder[thing] == person]


def answer(sentences: list[str], question: str, complete: bool = True) -> str:
    """The answer that follows from the sentences in the order of the story; see `Reader` for `complete`."""
    reader = Reader(sentences, complete)
    if match := re.fullmatch(f"Where is {PERSON}", question):
        return reader.is_at[match[1]][0]
    if match := re.fullmatch(f"Where is {THING}", question):
        return reader.visited[match[1]][-1]
    if match := re.fullmatch(f"Where was {THING} before {PLACE}", question):
        visited = reader.visited[match[1]]
        newest_visit = len(visited) - 1 - visited[::-1].index(match[2])
        return visited[newest_visit - 1] if newest_visit else "nowhere"
    if match := re.fullmatch(f"Is {PERSON} in {PLACE}", question):
        place, is_there = reader.is_at[match[1]]
        if not is_there and place != match[2]:
            return "maybe"
        return "yes" if is_there and place == match[2] else "no"
    if match := re.fullmatch(f"How many objects is {PERSON} carrying", question):
        return ["none", "one", "two", "three"][len(reader.carried_by(match[1]))]
    if match := re.fullmatch(f"What is {PERSON} carrying", question):
        return ",".join(reader.carried_by(match[1])) or "nothing"
    raise ValueError(f"not understood: {question!r}")
