"""Quotations and turns, who says them, and whom their "I" and "you" refer to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import PRONOUN, Entities, Entity, Mention
from allennlp_coref_rc.annotations.annotators.coref.sieve.turns import Turn
from allennlp_coref_rc.annotations.annotators.lexicon import PERSON, PLURAL, SINGULAR

CLOSING = {"“": "”", "``": "''", "‘": "’", "`": "'", "«": "»", "„": "“"}

MAX_LENGTH = 400
"""The most tokens of a quotation. A longer one has lost its closing mark and does not count."""

SAME_TURN = 20
"""The most tokens between two quotations of one turn."""

CONVERSATION = 60
"""The most tokens between two turns of a conversation."""


@dataclass(eq=False, slots=True)
class Quote:
    """
    The text between two quotation marks. A `turn` is everything that a speaker says before somebody answers.
    Its first quotation represents the turn, and has the turns `before` and `after` it in the conversation.
    Where the text `is_labelled` with its speaker ("Anna: …"), it may also name the listener.
    """

    start: int
    stop: int
    speaker: Optional[Mention] = None
    listener: Optional[Mention] = None
    is_labelled: bool = False
    turn: "Quote" = field(init=False)
    before: Optional["Quote"] = None
    after: Optional["Quote"] = None

    def __post_init__(self) -> None:
        self.turn = self


def attributed_quotes(
    text: AnnotatedText, words: Sequence[str], mentions: Sequence[Mention], turns: Iterable[Turn]
) -> list[Quote]:
    """The labelled turns of a text, and then its quotations, with their speakers."""
    quotes = find_quotes(text)
    SpeakerFinder(text.tokens, words, text.sentences, mentions).attribute(quotes)
    # The longest of several mentions stays.
    starts: dict[Optional[int], Mention] = {mention.start: mention for mention in mentions}
    return [
        Quote(turn.start, turn.stop, starts.get(turn.speaker), starts.get(turn.listener), True)
        for turn in turns
    ] + quotes


def find_quotes(text: AnnotatedText) -> list[Quote]:
    """
    The quotations of a text in order: between opening and closing marks or, without any, between " or '.
    """
    tokens, spaced = text.tokens, [*text.spaced, True]
    marks = set(tokens)
    plain = "'" if '"' not in marks else '"'
    paired = not marks.isdisjoint(CLOSING)
    quotes: list[Quote] = []
    start, closing = -1, ""
    for position, token in enumerate(tokens):
        is_open = start >= 0
        if is_open:
            if token == closing and position > start:
                quotes.append(Quote(start, position))
            if token == closing or position - start > MAX_LENGTH:
                start = -1
        elif token in CLOSING:
            start, closing = position + 1, CLOSING[token]
        if token == plain and not paired and _opens(tokens, spaced, position, is_open):
            start, closing = position + 1, plain
    return quotes


def _opens(tokens: Sequence[str], spaced: Sequence[bool], position: int, is_open: bool) -> bool:
    """
    Whether a plain mark opens a quotation. Of ", white space on one side tells; otherwise it opens one if none
    `is_open`. A ' after a word is an apostrophe, a " after a number means inches.
    """
    before, is_double = tokens[position - 1][-1:] if position else "", tokens[position] == '"'
    if is_double and spaced[position] != spaced[position + 1]:
        return spaced[position]
    return not is_open and not (before.isdigit() if is_double else before.isalpha())


class SpeakerFinder:
    """
    Finds the speaker of each quotation. This is the person beside a verb of speaking, right before the
    quotation in the same sentence or after it. Otherwise it is the speaker of the quotation before, if only
    such words stand between the two; otherwise the subject of the sentence beside the quotation.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        words: Sequence[str],
        sentences: Sequence[Span],
        mentions: Sequence[Mention],
    ) -> None:
        self._tokens = tokens
        self._words = words
        self._sentence_starts = [start for start, stop in sentences for _ in range(start, stop)]
        self._starts: dict[int, Mention] = {}
        self._stops: dict[int, Mention] = {}
        for mention in mentions:
            is_pronoun = mention.kind == PRONOUN
            if mention.gender & PERSON and not (is_pronoun and mention.words[0] in lexicon.NEVER_SUBJECTS):
                # The longest of several mentions stays.
                self._starts[mention.start] = mention
                self._stops.setdefault(mention.stop, mention)

    def attribute(self, quotes: Sequence[Quote]) -> None:
        """Sets the speakers and turns of quotations."""
        previous: Optional[Quote] = None
        starts = [0, *(quote.stop + 1 for quote in quotes)]
        for start, quote in zip(starts, quotes):
            quote.speaker = self._before(start, quote)
        for start, quote, following in zip(starts, quotes, [*quotes[1:], None]):
            stop = following.start - 1 if following else len(self._words)
            if following and following.speaker and self._words[quote.stop - 1] == ".":
                # In '"I am tired." Bob said, "I am not."' Bob does not begin.
                stop = max(quote.stop + 1, self._sentence_starts[following.start])
            quote.speaker = quote.speaker or self._after(quote.stop + 1, stop)
            if quote.speaker is None:
                speaks_after = previous and previous.speaker and previous.speaker.start > previous.stop
                if previous and speaks_after and 2 < quote.start - previous.stop <= SAME_TURN:
                    quote.turn = previous.turn
                else:
                    quote.speaker = self._beside(start, quote, stop)
            elif previous and quote.speaker is previous.speaker:
                quote.turn = previous.turn
            previous = quote
        _take_turns(quotes)

    def _after(self, start: int, stop: int) -> Optional[Mention]:
        if start < stop and self._tokens[start] in ("he", "she", "I", "they", "we", "i"):
            return self._starts.get(start)
        for position in range(start, min(stop, start + 6)):
            if self._words[position] in lexicon.SPEECH_VERBS:
                # "said Anne", "Anne said", "Anne softly said"
                near = (self._stops.get(position), self._starts.get(position + 1))
                far = (self._stops.get(position - 1), self._stops.get(position - 2))
                return next((mention for mention in near + far if mention and mention.start >= start), None)
            if self._words[position] in (".", "!", "?", ";"):
                break
        return None

    def _before(self, start: int, quote: Quote) -> Optional[Mention]:
        stop = quote.start - 1
        first = start = max(start, self._sentence_starts[quote.start])
        if start < stop and self._words[stop - 1] not in (",", ":", "--", "—"):
            # "Anne said", "Anne said softly", "Anne told Mary", "Anne said to Mary"
            listener = self._stops.get(stop)
            first = max(start, (listener.start if listener else stop) - 2)
        speaks, inverted = False, None
        for position in range(stop - 1, start - 1, -1):
            is_verb = position >= first and self._words[position] in lexicon.SPEECH_VERBS
            if is_verb and not speaks:
                # "Then said Anne"
                speaks, inverted = True, self._starts.get(position + 1)
            mention = self._stops.get(position) if speaks else None
            if (
                mention
                and mention.start >= start
                and (is_verb or mention.is_subject or mention.start == start)
            ):
                return mention
        return inverted

    def _beside(self, start: int, quote: Quote, stop: int) -> Optional[Mention]:
        sentence = self._sentence_starts[quote.start - 2] if quote.start >= 2 else 0
        before = range(sentence, quote.start - 1) if sentence >= start else ()
        for position in (quote.stop + 1, *before) if quote.stop + 1 < stop else before:
            mention = self._starts.get(position)
            if mention and mention.is_subject:
                return mention
        return None


def _take_turns(quotes: Sequence[Quote]) -> None:
    turn: Optional[Quote] = None
    for quote in quotes:
        if quote.turn is quote:
            if turn and quote.start - turn.stop <= CONVERSATION:
                quote.before, turn.after = turn, quote
            turn = quote


def speakers_of_turns(quotes: Sequence[Quote]) -> dict[Quote, Mention]:
    """
    The speakers of turns. A turn that has none has the one of the turn two before it, or else two after it.
    """
    speaking: dict[Quote, Mention] = {}
    turns = [quote for quote in quotes if quote.turn is quote]
    for quote in quotes:
        if quote.speaker is not None:
            speaking.setdefault(quote.turn, quote.speaker)
    for turn in turns:
        if turn.before and turn.before.before in speaking:
            speaking.setdefault(turn, speaking[turn.before.before])
    for turn in reversed(turns):
        if turn.after and turn.after.after in speaking:
            speaking.setdefault(turn, speaking[turn.after.after])
    return speaking


def listeners(turn: Quote, speaking: dict[Quote, Mention]) -> list[Mention]:
    """Who may be spoken to, the most likely first: who is named, or the speaker before, or after."""
    beside = (speaking.get(other) for other in (turn.before, turn.after) if other)
    return [mention for mention in (turn.listener, *beside) if mention]


MIN_NARRATOR = 10
"""The fewest mentions outside quotations that make the first person a character of the story."""


class Speakers:
    """
    Finds out who "I", "you" and "we" are. Each of them is one entity within a turn, and one entity in the
    narrator's text outside quotations. After all other mentions are linked, `link` joins these entities to
    others.
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

    def talkers(self, mention: Mention) -> list[Mention]:
        """The speaker of the quotation that the mention is in, and the listener if it names one."""
        turn = self._turns[mention.start]
        return [talker for talker in (turn.speaker, turn.listener) if talker] if turn else []

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
        "I" is the speaker. "You" is the listener who is named, or the speaker of the turn before, or else of
        the turn after, or else the narrator.
        """
        speaking = speakers_of_turns(self._quotes)
        for said_in, entity in self._first.items():
            if said_in in speaking:
                entities.merge(entity.mentions[0], speaking[said_in])
            elif said_in:
                speaking[said_in] = entity.mentions[0]
        narrator = self._first.get(None)
        for said_in, entity in self._second.items():
            own = speaking.get(said_in) if said_in else None
            others = listeners(said_in, speaking) if said_in else []
            if own and narrator and len(narrator.mentions) >= MIN_NARRATOR:
                others.append(narrator.mentions[0])
            for other in others:
                if own is None or entities[own] is not entities[other]:
                    entities.merge(entity.mentions[0], other)
                    break
