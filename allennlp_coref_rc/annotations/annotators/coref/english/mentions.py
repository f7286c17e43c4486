"""Finds the noun phrases of a parsed text that may be mentions."""

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

CLAUSAL = frozenset("nsubj csubj cop aux advmod advcl expl obl mark obj iobj xcomp ccomp".split())
"""Relations of a predicate noun's dependents that belong to its clause."""

MARKS = frozenset(["'s", "'", "’s", "’"])
CLOSING = frozenset([")", "''", '"', "”"])


def is_mention(p: Parse, token: int) -> bool:
    """Whether a token is the head of a noun phrase that may be a mention."""
    pos, base, word = p.pos[token], p.bases[token], p.words[token]
    if p.tags[token] in NO_MENTION_TAGS or word in NO_MENTIONS:
        return False
    if base in PARTS:
        return base == "expl" and word in ("it", "they")
    if pos in ("NUM", "DET", "SYM", "X"):
        return base in NOMINAL
    if pos == "ADJ":
        return base in NOMINAL and any(p.labels[child] == "det" for child in p.children[token])
    return pos in NOUNS or word in ADVERBS


def noun_phrase(p: Parse, head: int, litbank: bool) -> Span:
    """The noun phrase of a head: what depends on it, as far as it is not of its clause."""
    children = p.children[head]
    is_predicate = any(p.bases[child] in ("cop", "nsubj") for child in children)
    is_name = p.pos[head] == "PROPN" and not any(p.bases[child] in ("det", "cop") for child in children)
    first = last = head
    ended = False
    for child in children:
        base = p.bases[child]
        is_outside = base in OUTSIDE or (litbank and base == "appos") or (is_predicate and base in CLAUSAL)
        if child < head:
            if is_outside or base in BEFORE:
                first = head
            elif base != "punct" and first == head:
                first = p.left[child]
        elif base == "case" and p.words[child] in MARKS and child == last + 1:
            last = last if litbank else child
        elif (
            is_outside
            or (base in ("advcl", "advmod") and child > head + 1)
            or (is_name and _is_loose(p, child))
        ):
            ended = ended or base != "punct"
        elif base != "punct" and not ended:
            last = p.right[child]
    first, last = _repaired(p, head, first, last)
    while first < head and p.pos[first] in WEAK_STARTS and p.labels[first] != "amod":
        first += 1
    closing = CLOSING if litbank else CLOSING | MARKS
    while last > head and p.pos[last] in WEAK_ENDS and p.words[last] not in closing:
        last -= 1
    return first, last + 1


WEAK_STARTS = frozenset("ADP PUNCT CCONJ SCONJ INTJ VERB AUX".split())
WEAK_ENDS = frozenset("PUNCT CCONJ ADP SCONJ".split())


def _is_loose(p: Parse, child: int) -> bool:
    """Whether a dependent after a name is more likely a part of its clause."""
    if p.bases[child] == "acl":
        first = p.left[child]
        return COMMAS.isdisjoint((p.words[first], p.words[first - 1]))
    if p.bases[child] == "nmod":
        return any(p.bases[c] == "case" and p.words[c] != "of" for c in p.children[child])
    return p.bases[child] in LOOSE


COMMAS = frozenset(", ( - – — --".split())
LOOSE = frozenset("advmod advcl obl nsubj obj ccomp xcomp csubj dep".split())


def _repaired(p: Parse, head: int, first: int, last: int) -> Span:
    """First and last token with all of a name, and with a determiner that the parser has put elsewhere."""
    if p.bases[head] == "compound":
        return first, last
    size, entity = len(p.words), p.entities[head]
    if p.pos[head] == "PROPN":
        while (
            last + 1 < size
            and p.pos[last] == p.pos[last + 1] == "PROPN"
            and p.sentence[last + 1] == p.sentence[head]
        ):
            last += 1
    while (
        first
        and entity
        and p.continues[first]
        and p.entities[first - 1] == entity
        and first > p.left[head] - 3
    ):
        first -= 1
    while last + 1 < size and entity and p.entities[last] == entity and p.continues[last + 1]:
        last += 1
    if first and p.labels[first - 1] == "det" and p.pos[first] not in ("DET", "PRON"):
        first -= 1
    return first, last


def coordination(p: Parse, head: int, litbank: bool) -> Span | None:
    """The noun phrase from a head to the last one that is coordinated with it, if there is one."""
    others = [
        child for child in p.children[head] if p.bases[child] == "conj" and p.pos[child] in (*NOUNS, "NUM")
    ]
    if not others:
        return None
    return noun_phrase(p, head, litbank)[0], noun_phrase(p, others[-1], litbank)[1]


def find_spans(p: Parse, litbank: bool) -> list[tuple[int, int, int, bool]]:
    """Start, end and head of each noun phrase in order, and whether it is a whole coordination."""
    spans: dict[Span, tuple[int, bool]] = {}
    for head in range(len(p.words)):
        if is_mention(p, head):
            start, stop = noun_phrase(p, head, litbank)
            if stop > start + 1 or p.words[head] not in BARE_PARTS:
                spans.setdefault((start, stop), (head, False))
            whole = coordination(p, head, litbank)
            if whole:
                spans.setdefault(whole, (head, True))
    return sorted((*span, *rest) for span, rest in spans.items())
