from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.sieve import function_words
from allennlp_coref_rc.annotations.sieve.mentions import PRONOUN, Mention

CLOSING = {"“": "”", "``": "''", "‘": "’"}

OBJECTS = frozenset("him me us them".split())

MAX_LENGTH = 400
"""Tokens of a quotation; what goes on for longer has lost its closing mark, and is none."""

SAME_GAP = 20
"""Tokens between two quotations of one turn."""

MAX_GAP = 60
"""Tokens between two turns of a conversation."""


@dataclass(eq=False, slots=True)
class Quote:
    """The tokens between two quotation marks, the mention that names the speaker and the quotations around it."""

    start: int
    stop: int
    speaker: Optional[Mention] = None
    same_as: "Optional[Quote]" = None
    """An earlier quotation of the same speaker, which this one goes on with."""
    before: "Optional[Quote]" = None
    """The turn before this one in the conversation."""
    after: "Optional[Quote]" = None


def find_quotes(words: Sequence[str]) -> List[Quote]:
    """The quotations of a text in order: between “ and ”, `` and '', ‘ and ’, or, where those are not used, " or '."""
    marks = set(words)
    plain = "'" if '"' not in marks and "'" in marks else '"'
    quotes: List[Quote] = []
    start, closing = -1, ""
    for position, word in enumerate(words):
        if start >= 0 and (word == closing or position - start > MAX_LENGTH):
            if word == closing and position > start:
                quotes.append(Quote(start, position))
            start = -1
        elif start < 0 and word in CLOSING:
            start, closing = position + 1, CLOSING[word]
        elif start < 0 and word == plain and not marks & {"“", "``", "‘"}:
            # An apostrophe stands right after a word.
            if word == '"' or position == 0 or not words[position - 1][-1:].isalpha():
                start, closing = position + 1, plain
    return quotes


def attribute_quotes(
    quotes: Sequence[Quote],
    tokens: Sequence[str],
    words: Sequence[str],
    sentences: Sequence[Span],
    mentions: Sequence[Mention],
) -> None:
    """
    Finds who speaks: beside a verb of speaking right after the quotation, or before it in its sentence; else the one who
    goes on, where only such words stand between two quotations; else whom the sentence beside the quotation is about.
    """
    first: Dict[int, Mention] = {}
    last: Dict[int, Mention] = {}
    for mention in mentions:
        if mention.gender & 3 and words[mention.start] not in OBJECTS and (
            mention.kind != PRONOUN or words[mention.start] not in function_words.POSSESSIVES
        ):
            first.setdefault(mention.start, mention)
            last[mention.stop] = mention
    sentence_of = [i for i, span in enumerate(sentences) for _ in range(*span)]
    for i, quote in enumerate(quotes):
        after = quotes[i + 1].start - 1 if i + 1 < len(quotes) else len(words)
        before = quotes[i - 1].stop + 1 if i else 0
        quote.speaker = _speaker_after(quote.stop + 1, min(after, quote.stop + 12), tokens, words, first, last)
        if quote.speaker:
            continue
        previous = quotes[i - 1] if i else None
        if previous and previous.speaker and previous.speaker.start > previous.stop:
            # ``A,'' said she. ``B'': she goes on, if little else stands between.
            if 2 < quote.start - previous.stop <= SAME_GAP:
                quote.same_as = previous
                continue
        start = max(before, sentences[sentence_of[quote.start]][0], quote.start - 14)
        quote.speaker = _speaker_before(start, quote.start - 1, words, last)
        if quote.speaker is None and quote.stop + 1 < after:
            found = first.get(quote.stop + 1)
            if found and found.is_subject:
                quote.speaker = found
        if quote.speaker is None and quote.start >= 2 and before < quote.start - 1:
            start = sentences[sentence_of[quote.start - 2]][0]
            if start >= before:
                start = max(start, before)
                for position in range(start, quote.start - 1):
                    found = first.get(position)
                    if found and found.is_subject:
                        quote.speaker = found
                        break
    _take_turns(quotes)


def _speaker_after(start: int, stop: int, tokens, words, first, last) -> Optional[Mention]:
    if start < stop and tokens[start] in ("he", "she", "I", "they", "we", "i"):
        return first.get(start)
    for position in range(start, min(stop, start + 6)):
        word = words[position]
        if word in function_words.SPEECH_VERBS:
            found = last.get(position)
            if found is None or found.start < start:
                found = first.get(position + 1)
            if found and found.start >= start:
                return found
            # "Anne softly said"
            for gap in (1, 2):
                found = last.get(position - gap)
                if found and found.start >= start:
                    return found
            return None
        if word in (".", "!", "?", ";"):
            return None
    return None


def _speaker_before(start: int, stop: int, words, last) -> Optional[Mention]:
    if stop <= start or words[stop - 1] not in (",", ":", "--", "—"):
        return None
    for position in range(stop - 1, start, -1):
        if words[position] in function_words.SPEECH_VERBS:
            for end in range(position, start, -1):
                found = last.get(end)
                if found and found.start >= start and (found.is_subject or end == position):
                    return found
    return None


def _take_turns(quotes: Sequence[Quote]) -> None:
    turn: Optional[Quote] = None
    for quote in quotes:
        if quote.same_as:
            quote.before = quote.same_as.before
            continue
        if turn and quote.start - turn.stop <= MAX_GAP:
            quote.before, turn.after = turn, quote
        turn = quote
