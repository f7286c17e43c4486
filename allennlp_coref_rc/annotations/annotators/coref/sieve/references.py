from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from itertools import accumulate, islice, takewhile
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import (
    NAME,
    NOMINAL,
    PRONOUN,
    Entities,
    Entity,
    Mention,
)
from allennlp_coref_rc.annotations.annotators.coref.sieve.name_links import (
    MAX_CANDIDATES,
    ORGANISATIONS,
    Descriptions,
)
from allennlp_coref_rc.annotations.annotators.coref.sieve.quotes import Speakers
from allennlp_coref_rc.annotations.annotators.lexicon import NEUTER, SINGULAR

# Salience: each mention adds its weight, and the sum fades from sentence to sentence. Tuned on half of
# LitBank.
DECAY = 0.6
OBJECT = 0.3
NOT_NAME = 0.7
QUOTED = 0.3
SAME_SENTENCE = 0.3
"""
Added for the latest subject in the sentence; for the subject of the sentence before, if the pronoun is a
subject too; and for any entity in the same sentence, if the pronoun is a possessive.
"""
NEARNESS = 0.1

MAX_DISTANCE = 8
"""The most sentences between a pronoun and the latest mention of its entity."""

MAX_HEADS = 12
"""The most earlier noun phrases with the same head that a noun phrase is compared with."""

OBJECT_REACH = 6
"""The number of tokens after a subject in which "him" cannot refer to it."""

CLAUSE_BREAKS = frozenset([",", ";", "and", "that", "who", "but"])

THINGS = lexicon.VEHICLE_NOUNS | ORGANISATIONS

THING_STARTS = frozenset("a an her his its my our that the their these this those what which your".split())
"""Words that begin noun phrases."""

NOT_SPECIFIC = frozenset(["no", "any", "every", "each"])


class ReferenceLinker:
    """
    Links noun phrases and pronouns in one pass from left to right.

    A definite noun phrase is linked to an earlier one that has the same head and all its words. A noun phrase
    with a possessor is linked to one with the same head and possessor. A pronoun of the third person is
    linked to the most salient entity within `MAX_DISTANCE` sentences that agrees in gender and number. "It"
    is linked if `link_it`.

    With `descriptions`, a noun phrase may also describe an entity in other words. A noun phrase beside a name
    is also linked to earlier ones with its head. And "it" is linked if no other thing stands between.
    """

    def __init__(
        self,
        entities: Entities,
        speakers: Speakers,
        words: Sequence[str],
        sentences: Sequence[Span],
        link_it: bool,
        descriptions: bool,
    ) -> None:
        self._entities = entities
        self._speakers = speakers
        self._words = words
        self._sentences = sentences
        self._thing_starts = [0, *accumulate(word in THING_STARTS for word in words)]
        """How many of `THING_STARTS` stand before each token."""
        self._link_it = link_it
        self._descriptions = Descriptions(entities, words) if descriptions else None
        self._recent: OrderedDict[Entity, Mention] = OrderedDict()
        """The latest mention of each entity, in the order of these mentions."""
        self._by_head: dict[str, list[Mention]] = defaultdict(list)
        self._by_possessor: dict[tuple[Entity, str], Mention] = {}
        self._relatives: dict[str, Mention] = {}
        self._subjects: dict[int, Mention] = {}
        """The latest subject of each sentence."""

    def link(self, mentions: Sequence[Mention]) -> None:
        for mention in mentions:
            if mention not in self._entities:
                antecedent = self._pronoun(mention) if mention.kind == PRONOUN else self._noun_phrase(mention)
                self._entities.add(mention, antecedent)
            elif self._descriptions and mention.kind == NOMINAL:
                self._join_earlier(mention)
            self._note(mention, self._entities[mention])

    def _join_earlier(self, mention: Mention) -> None:
        """Joins a noun phrase beside a name ("The owner, Mrs Patel,") to an earlier one ("the owner")."""
        if mention.determiner == "the":
            for earlier in reversed(self._by_head[self._words[mention.head]][-MAX_HEADS:]):
                one, other = self._entities[earlier], self._entities[mention]
                if self._may_be_antecedent(earlier, mention) and one is not other and one.agrees(mention):
                    if not one.is_named:
                        self._recent.pop(one, None)
                        self._recent.pop(other, None)
                        self._entities.merge(earlier, mention)
                    break

    def _note(self, mention: Mention, entity: Entity) -> None:
        weight = 1.0 if mention.is_subject else OBJECT
        weight *= 1.0 if mention.kind == NAME else NOT_NAME
        weight *= QUOTED if self._speakers.is_quoted(mention) else 1.0
        entity.salience = self._salience(entity, mention) + weight
        self._recent[entity] = mention
        self._recent.move_to_end(entity)
        if mention.is_subject:
            self._subjects[mention.sentence] = mention
        if mention.kind == NOMINAL:
            self._by_head[self._words[mention.head]].append(mention)

    def _salience(self, entity: Entity, mention: Mention) -> float:
        latest = self._recent.get(entity)
        return entity.salience * DECAY ** (mention.sentence - latest.sentence) if latest else 0.0

    def _noun_phrase(self, mention: Mention) -> Optional[Entity]:
        head = self._words[mention.head]
        earlier = mention
        if mention.possessor is not None:
            if mention.number == SINGULAR and mention.possessor in self._entities:
                key = self._entities[mention.possessor], mention.words[-1]
                earlier = self._by_possessor.setdefault(key, mention)
        elif not mention.determiner:
            if head in lexicon.KIN:
                earlier = self._relatives.setdefault(head, mention)
        elif mention.determiner in lexicon.DEFINITE:
            for candidate in reversed(self._by_head[head][-MAX_HEADS:]):
                if self._may_be_antecedent(candidate, mention):
                    earlier = candidate
                    break
            if earlier is mention and self._descriptions:
                return self._descriptions.find(mention, self._recent)
        return None if earlier is mention else self._entities[earlier]

    @staticmethod
    def _may_be_antecedent(earlier: Mention, mention: Mention) -> bool:
        return (
            earlier.number == mention.number
            and earlier.stop <= mention.start
            and earlier.possessor is None
            and earlier.determiner not in NOT_SPECIFIC
            and earlier.determiner != ""
            and set(mention.words) <= set(earlier.words)
        )

    def _pronoun(self, mention: Mention) -> Optional[Entity]:
        word = mention.words[0]
        if lexicon.PRONOUNS[word].person != 3:
            return self._speakers.entity(mention)
        if mention.gender == NEUTER and not self._link_it:
            return self._thing(mention) if self._descriptions else None
        if mention.gender == NEUTER and self._is_pleonastic(mention):
            return None
        subject = self._subjects.get(mention.sentence)
        if subject and word in lexicon.REFLEXIVES and self._entities[subject].agrees(mention):
            return self._entities[subject]
        return self._most_salient(mention, subject)

    def _thing(self, mention: Mention) -> Optional[Entity]:
        """
        The latest entity that "it" may refer to, in the same sentence or the one before. There is none if a
        noun phrase that is not a mention stands between, as "it" may refer to this phrase. For "its", the
        subject of the sentence is near enough in any case; for a subject "it", the subject of the sentence
        before.
        """
        if self._is_pleonastic(mention):
            return None
        for entity, latest in islice(reversed(self._recent.items()), MAX_CANDIDATES):
            distance = mention.sentence - latest.sentence
            if distance > 1 or latest.stop > mention.start:
                break
            if entity.gender != NEUTER or not entity.agrees(mention):
                continue
            if not self._is_thing(entity, latest):
                continue
            owned = mention.words[0] == "its" and distance == 0
            goes_on = mention.words[0] == "it" and mention.is_subject and distance == 1
            none_between = self._thing_starts[latest.stop] == self._thing_starts[mention.start]
            if latest.is_subject and (owned or goes_on) or none_between:
                return entity
            break
        return None

    @staticmethod
    def _is_thing(entity: Entity, latest: Mention) -> bool:
        """Whether "it" may well refer to the entity: a vehicle, an organisation, or an earlier subject."""
        if latest.is_subject and len(entity.mentions) > 1:
            return True
        return entity.is_named and not entity.is_place or not entity.heads.isdisjoint(THINGS)

    def _most_salient(self, mention: Mention, subject: Optional[Mention]) -> Optional[Entity]:
        word = mention.words[0]
        same = self._entities[subject] if subject else None
        talkers = self._speakers.talkers(mention)
        excluded = {self._entities[talker] for talker in talkers if talker in self._entities}
        if subject and self._is_object_of(mention, subject):
            excluded.add(self._entities[subject])
        previous = self._subjects.get(mention.sentence - 1) if word in lexicon.SUBJECTS else None
        before = self._entities[previous] if previous else None
        best, most = None, 0.0
        for entity, latest in islice(reversed(self._recent.items()), MAX_CANDIDATES):
            distance = mention.sentence - latest.sentence
            if distance > MAX_DISTANCE:
                break
            if not entity.is_third_person or not entity.agrees(mention) or entity in excluded:
                continue
            if latest.stop > mention.start or mention.gender == NEUTER != entity.gender:
                continue
            score = self._salience(entity, mention) + NEARNESS / (1 + (mention.start - latest.start) / 10)
            score += SAME_SENTENCE * (entity is same)
            score += SAME_SENTENCE * (entity is before)
            score += SAME_SENTENCE * (distance == 0 and word in lexicon.POSSESSIVES)
            if score > most:
                best, most = entity, score
        return best

    def _is_object_of(self, mention: Mention, subject: Mention) -> bool:
        """Whether a pronoun is an object in the clause of a subject, and so refers to somebody else."""
        word = mention.words[0]
        if word not in ("him", "them") and not (word == "her" and self._is_object(mention)):
            return False
        near = mention.start - subject.start <= OBJECT_REACH
        return near and CLAUSE_BREAKS.isdisjoint(self._words[subject.start : mention.start])

    def _is_object(self, mention: Mention) -> bool:
        """Whether "her" has no noun after it."""
        after = self._words[mention.stop] if mention.stop < len(self._words) else "."
        return after in lexicon.CLOSED or not after[:1].isalpha()

    def _is_pleonastic(self, mention: Mention) -> bool:
        """
        Whether "it" refers to nothing: "it seems", "it turns out", "it took an hour to", "it was clear that", "it
        is raining", "it is five o'clock".
        """
        _, stop = self._sentences[mention.sentence]
        verb, *after = self._words[mention.stop : min(mention.stop + 7, stop)] or [""]
        if mention.words[0] != "it":
            return False
        if verb in lexicon.IMPERSONAL_VERBS or verb in ("turned", "turns") and after[:1] == ["out"]:
            return True
        if verb in ("takes", "took"):
            return "to" in after and not lexicon.TIME_UNITS.isdisjoint(after)
        if verb not in lexicon.AUXILIARIES:
            return False
        near = takewhile(lambda word: word not in lexicon.PREPOSITIONS, after[:3])
        return not lexicon.WEATHER_AND_TIME.isdisjoint(near) or not lexicon.CLAUSE_OPENERS.isdisjoint(after)
