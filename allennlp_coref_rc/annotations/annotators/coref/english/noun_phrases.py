"""Finds the noun phrases of a parsed text that may be mentions."""

from typing import NamedTuple

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.annotators.lexicon import BARE_PARTS
from allennlp_coref_rc.annotations.annotators.parse import Parse

NOUNS = frozenset("NOUN PROPN PRON".split())
NOMINAL = frozenset("nsubj obj iobj obl nmod appos ROOT vocative dislocated conj".split())
"""Relations in which a number, adjective or determiner stands for a noun phrase."""

ADVERBS = frozenset("here there mine yours hers theirs ours".split())
"""Words that are mentions, whatever their tags."""

NO_MENTIONS = frozenset("who whom whose which what".split())
NO_MENTION_TAGS = frozenset("WDT WP WP$ EX WRB".split())
PARTS = frozenset("flat fixed goeswith reparandum expl discourse".split())
"""Relations of words that are no mentions of their own."""

OUTSIDE = frozenset("case cc conj mark parataxis discourse vocative orphan list dislocated".split())
"""Relations of a head's dependents that do not belong to its noun phrase."""

BEFORE = frozenset("advmod advcl obl nsubj aux cop".split())
"""Relations of dependents that do not belong to it if they come before it."""

LATER = frozenset(["advcl", "advmod"])
"""Relations of dependents that do not belong to it unless they come right after it."""

CLAUSAL = frozenset("nsubj csubj cop aux advmod advcl expl obl mark obj iobj xcomp ccomp".split())
"""Relations of a predicate noun's dependents that belong to its clause."""

LOOSE = frozenset("advmod advcl obl nsubj obj ccomp xcomp csubj dep".split())
"""Relations of dependents after a name that belong to its clause, whatever the parser says."""

WEAK_STARTS = frozenset("ADP PUNCT CCONJ SCONJ INTJ VERB AUX".split())
WEAK_ENDS = frozenset("PUNCT CCONJ ADP SCONJ".split())
"""Parts of speech with which no noun phrase starts, or ends."""

COMMAS = frozenset(", ( - – — --".split())
MARKS = frozenset(["'s", "'", "’s", "’"])
CLOSING = frozenset([")", "''", '"', "”"])


def is_mention(parse: Parse, token: int) -> bool:
    """Whether a token is the head of a noun phrase that may be a mention."""
    pos, base, word = parse.pos[token], parse.bases[token], parse.words[token]
    if parse.tags[token] in NO_MENTION_TAGS or word in NO_MENTIONS:
        return False
    if base in PARTS:
        return base == "expl" and word in ("it", "they")
    if pos in ("NUM", "DET", "SYM", "X"):
        return base in NOMINAL
    if pos == "ADJ":
        return base in NOMINAL and any(parse.labels[child] == "det" for child in parse.children[token])
    return pos in NOUNS or word in ADVERBS


def noun_phrase(parse: Parse, head: int, litbank: bool) -> Span:
    """The noun phrase of a head: what depends on it, as far as it is not of its clause."""
    relations = {parse.bases[child] for child in parse.children[head]}
    is_name = parse.pos[head] == "PROPN" and relations.isdisjoint(("det", "cop"))
    outside = OUTSIDE if relations.isdisjoint(("cop", "nsubj")) else OUTSIDE | CLAUSAL
    if litbank:
        outside |= {"appos"}
    first = last = head
    ended = False
    for child in parse.children[head]:
        base = parse.bases[child]
        if child < head:
            if base in outside or base in BEFORE:
                first = head
            elif base != "punct" and first == head:
                first = parse.left[child]
        elif base == "case" and parse.words[child] in MARKS and child == last + 1:
            last = last if litbank else child
        elif base in outside or (base in LATER and child > head + 1) or (is_name and _is_loose(parse, child)):
            ended = True
        elif base != "punct" and not ended:
            last = parse.right[child]
    first, last = _repaired(parse, head, first, last)
    while first < head and parse.pos[first] in WEAK_STARTS and parse.labels[first] != "amod":
        first += 1
    closing = CLOSING if litbank else CLOSING | MARKS
    while last > head and parse.pos[last] in WEAK_ENDS and parse.words[last] not in closing:
        last -= 1
    return first, last + 1


def _is_loose(parse: Parse, child: int) -> bool:
    """Whether a dependent after a name is more likely a part of its clause."""
    if parse.bases[child] == "acl":
        first = parse.left[child]
        return COMMAS.isdisjoint((parse.words[first], parse.words[first - 1]))
    if parse.bases[child] == "nmod":
        return any(parse.bases[c] == "case" and parse.words[c] != "of" for c in parse.children[child])
    return parse.bases[child] in LOOSE


def _repaired(parse: Parse, head: int, first: int, last: int) -> Span:
    """First and last token with all of a name, and with a determiner that the parser has put elsewhere."""
    if parse.bases[head] == "compound":
        return first, last
    size, entity, sentence = len(parse.words), parse.entities[head], parse.sentence
    if parse.pos[head] == "PROPN":
        while last + 1 < size and parse.pos[last] == parse.pos[last + 1] == "PROPN":
            if sentence[last + 1] != sentence[head]:
                break
            last += 1
    if entity:
        least = max(0, parse.left[head] - 3)
        while first > least and parse.continues[first] and parse.entities[first - 1] == entity:
            first -= 1
        while last + 1 < size and parse.entities[last] == entity and parse.continues[last + 1]:
            last += 1
    if first and parse.labels[first - 1] == "det" and parse.pos[first] not in ("DET", "PRON"):
        first -= 1
    return first, last


def coordination(parse: Parse, head: int, litbank: bool) -> Span | None:
    """The noun phrase from a head to the last one that is coordinated with it, if there is one."""
    for child in reversed(parse.children[head]):
        if parse.bases[child] == "conj" and parse.pos[child] in (*NOUNS, "NUM"):
            return noun_phrase(parse, head, litbank)[0], noun_phrase(parse, child, litbank)[1]
    return None


class NounPhrase(NamedTuple):
    start: int
    stop: int
    head: int
    is_coordination: bool
    """Whether it has all parts of a coordination, of which the head is the first."""


def find_noun_phrases(parse: Parse, litbank: bool) -> list[NounPhrase]:
    """All noun phrases that may be mentions, in order."""
    found: dict[Span, NounPhrase] = {}
    for head in range(len(parse.words)):
        if is_mention(parse, head):
            span = noun_phrase(parse, head, litbank)
            if span[1] > span[0] + 1 or parse.words[head] not in BARE_PARTS:
                found.setdefault(span, NounPhrase(*span, head, False))
            whole = coordination(parse, head, litbank)
            if whole:
                found.setdefault(whole, NounPhrase(*whole, head, True))
    return sorted(found.values())
