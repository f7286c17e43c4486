from collections.abc import Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import Entities, Entity
from allennlp_coref_rc.annotations.annotators.coref.sieve.mention import Mention
from allennlp_coref_rc.annotations.annotators.coref.sieve.quotes import Quote
from allennlp_coref_rc.annotations.annotators.lexicon import PLURAL, SINGULAR

MIN_NARRATOR = 10
"""The fewest mentions outside quotations that make the first person a character of the story."""


class Speakers:
    """
    Finds out who "I", "you" and "we" are. Each of them is one entity within a turn, and one entity in the narrator's
    text outside quotations. After all other mentions are linked, `link` joins these entities to others.
    """

    def __init__(self, quotes: Sequence[Quote], length: int) -> None:
        self._quotes = quotes
        self._turns: list[Optional[Quote]] = [None] * length
        for quote in quotes:
            self._turns[quote.start : quote.stop] = [quote.turn] * (quote.stop - quote.start)
        self._first: dict[Optional[Quote], Entity] = {}
        self._second: dict[Optional[Quote], Entity] = {}
        self._plural: dict[Optional[Quote], Entity] = {}

    def is_quoted(self, mention: Mention) -> bool:
        return self._turns[mention.start] is not None

    def speaker(self, mention: Mention) -> Optional[Mention]:
        """The speaker of the quotation that the mention is in."""
        turn = self._turns[mention.start]
        return turn.speaker if turn else None

    def entity(self, mention: Mention) -> Entity:
        """The entity of a pronoun of the first or second person."""
        pronoun, turn = lexicon.PRONOUNS[mention.words[0]], self._turns[mention.start]
        if pronoun.person == 2:
            return self._second.setdefault(turn, Entity(number=SINGULAR | PLURAL))
        if pronoun.number == PLURAL:
            return self._plural.setdefault(turn, Entity(number=PLURAL))
        return self._first.setdefault(turn, Entity())

    def link(self, entities: Entities) -> None:
        """
        "I" is the speaker. If a turn has no named speaker, it has the speaker of the turn two before it, or two after
        it. "You" is the speaker of the turn before, or else of the turn after, or else the narrator.
        """
        speaking: dict[Quote, Mention] = {}
        turns = [quote for quote in self._quotes if quote.turn is quote]
        for quote in self._quotes:
            if quote.speaker is not None:
                speaking.setdefault(quote.turn, quote.speaker)
        for turn in turns:
            if turn.before and turn.before.before in speaking:
                speaking.setdefault(turn, speaking[turn.before.before])
        for turn in reversed(turns):
            if turn.after and turn.after.after in speaking:
                speaking.setdefault(turn, speaking[turn.after.after])
        for said_in, entity in self._first.items():
            if said_in in speaking:
                entities.merge(entity.mentions[0], speaking[said_in])
            elif said_in:
                speaking[said_in] = entity.mentions[0]
        narrator = self._first.get(None)
        for said_in, entity in self._second.items():
            beside = (said_in.before, said_in.after) if said_in else ()
            own = speaking.get(said_in) if said_in else None
            others = [speaking[other] for other in beside if other in speaking]
            if own and narrator and len(narrator.mentions) >= MIN_NARRATOR:
                others.append(narrator.mentions[0])
            for other in others:
                if own is None or entities[own] is not entities[other]:
                    entities.merge(entity.mentions[0], other)
                    break
