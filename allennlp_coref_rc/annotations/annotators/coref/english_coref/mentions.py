"""Finds the noun phrases of a parsed text that may be mentions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from allennlp_coref_rc.annotations.annotated_text import Span

if TYPE_CHECKING:
    from spacy.tokens import Doc

NOUNS = frozenset("NOUN PROPN PRON".split())
NOMINAL = frozenset("nsubj obj iobj obl nmod appos root vocative dislocated conj".split())
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


WIDTH = 128
"""The width of the pipeline's network."""


@dataclass
class Parse:
    """
    A parsed text in lists with an entry a token: words in lower case, position of the head, relation with and without
    its subtype, tags, type of entity and whether it continues one, number of the sentence, number of tokens above,
    first and last token of the subtree, and dependents. `tensor` has the vectors of the pipeline's own network, or
    zeros for another pipeline.
    """

    tokens: list[str]
    words: list[str]
    head: list[int]
    dep: list[str]
    base: list[str]
    pos: list[str]
    tag: list[str]
    entity: list[str]
    continues: list[bool]
    sentence: np.ndarray
    depth: np.ndarray
    left: list[int]
    right: list[int]
    children: list[list[int]]
    tensor: np.ndarray

    @classmethod
    def of(cls, doc: "Doc", has_tensor: bool = True) -> "Parse":
        size = len(doc)
        columns: list[int | str] = ["DEP", "POS", "TAG", "ENT_TYPE", "HEAD", "SENT_START", "ENT_IOB"]
        table = doc.to_array(columns).reshape(size, len(columns)).T
        names = {number: doc.vocab.strings[int(number)] for number in set(table[:4].ravel().tolist())}
        dep, pos, tag, entity = ([names[number] for number in column] for column in table[:4].tolist())
        here = np.arange(size)
        head = here + table[4].astype(np.int64)
        depth, up, left, right = np.zeros(size, np.int64), here, here.copy(), here.copy()
        while (head[up] != up).any():
            depth += head[up] != up
            up = head[up]
            np.minimum.at(left, up, here)
            np.maximum.at(right, up, here)
        children: list[list[int]] = [[] for _ in range(size)]
        for token, above in enumerate(head.tolist()):
            if above != token:
                children[above].append(token)
        tokens = [token.text for token in doc]
        words = [token.lower() for token in tokens]
        dep = [label.lower() for label in dep]
        base = [label.partition(":")[0] for label in dep]
        sentence = np.cumsum(table[5].astype(np.int64) == 1)
        continues = (table[6] == 1).tolist()
        tensor = np.zeros((size, WIDTH), np.float32)
        if has_tensor and doc.tensor.shape == tensor.shape:
            tensor = doc.tensor / np.sqrt(np.square(doc.tensor).mean(axis=1, keepdims=True)).clip(min=1e-6)
        edges = left.tolist(), right.tolist()
        rest = continues, sentence, depth, *edges, children, 0.3 * tensor.astype(np.float32)
        return cls(tokens, words, head.tolist(), dep, base, pos, tag, entity, *rest)


def is_mention(p: Parse, token: int) -> bool:
    """Whether a token is the head of a noun phrase that may be a mention."""
    pos, base, word = p.pos[token], p.base[token], p.words[token]
    if p.tag[token] in NO_MENTION_TAGS or word in NO_MENTIONS:
        return False
    if base in PARTS:
        return base == "expl" and word in ("it", "they")
    if pos in ("NUM", "DET", "SYM", "X"):
        return base in NOMINAL
    if pos == "ADJ":
        return base in NOMINAL and any(p.dep[child] == "det" for child in p.children[token])
    return pos in NOUNS or word in ADVERBS


def noun_phrase(p: Parse, head: int, litbank: bool) -> Span:
    """The noun phrase of a head: what depends on it, as far as it is not of its clause."""
    children = p.children[head]
    is_predicate = any(p.base[child] in ("cop", "nsubj") for child in children)
    is_name = p.pos[head] == "PROPN" and not any(p.base[child] in ("det", "cop") for child in children)
    first = last = head
    ended = False
    for child in children:
        base = p.base[child]
        is_outside = base in OUTSIDE or (litbank and base == "appos") or (is_predicate and base in CLAUSAL)
        if child < head:
            if is_outside or base in BEFORE:
                first = head
            elif base != "punct" and first == head:
                first = p.left[child]
        elif base == "case" and p.words[child] in MARKS and child == last + 1:
            last = last if litbank else child
        elif is_outside or (base in ("advcl", "advmod") and child > head + 1) or (is_name and _is_loose(p, child)):
            ended = ended or base != "punct"
        elif base != "punct" and not ended:
            last = p.right[child]
    first, last = _repaired(p, head, first, last)
    while first < head and p.pos[first] in WEAK_STARTS and p.dep[first] != "amod":
        first += 1
    closing = CLOSING if litbank else CLOSING | MARKS
    while last > head and p.pos[last] in WEAK_ENDS and p.words[last] not in closing:
        last -= 1
    return first, last + 1


WEAK_STARTS = frozenset("ADP PUNCT CCONJ SCONJ INTJ VERB AUX".split())
WEAK_ENDS = frozenset("PUNCT CCONJ ADP SCONJ".split())


def _is_loose(p: Parse, child: int) -> bool:
    """Whether a dependent after a name is more likely a part of its clause."""
    if p.base[child] == "acl":
        first = p.left[child]
        return COMMAS.isdisjoint((p.words[first], p.words[first - 1]))
    if p.base[child] == "nmod":
        return any(p.base[c] == "case" and p.words[c] != "of" for c in p.children[child])
    return p.base[child] in LOOSE


COMMAS = frozenset(", ( - – — --".split())
LOOSE = frozenset("advmod advcl obl nsubj obj ccomp xcomp csubj dep".split())


def _repaired(p: Parse, head: int, first: int, last: int) -> Span:
    """First and last token with all of a name, and with a determiner that the parser has put elsewhere."""
    if p.base[head] == "compound":
        return first, last
    size, entity = len(p.words), p.entity[head]
    if p.pos[head] == "PROPN":
        while (
            last + 1 < size and p.pos[last] == p.pos[last + 1] == "PROPN" and p.sentence[last + 1] == p.sentence[head]
        ):
            last += 1
    while first and entity and p.continues[first] and p.entity[first - 1] == entity and first > p.left[head] - 3:
        first -= 1
    while last + 1 < size and entity and p.entity[last] == entity and p.continues[last + 1]:
        last += 1
    if first and p.dep[first - 1] == "det" and p.pos[first] not in ("DET", "PRON"):
        first -= 1
    return first, last


def coordination(p: Parse, head: int, litbank: bool) -> Span | None:
    """The noun phrase from a head to the last one that is coordinated with it, if there is one."""
    others = [child for child in p.children[head] if p.base[child] == "conj" and p.pos[child] in (*NOUNS, "NUM")]
    if not others:
        return None
    return noun_phrase(p, head, litbank)[0], noun_phrase(p, others[-1], litbank)[1]


def find_spans(p: Parse, litbank: bool) -> list[tuple[int, int, int, bool]]:
    """Start, end and head of each noun phrase in order, and whether it is a whole coordination."""
    spans: dict[Span, tuple[int, bool]] = {}
    for head in range(len(p.words)):
        if is_mention(p, head):
            spans.setdefault(noun_phrase(p, head, litbank), (head, False))
            whole = coordination(p, head, litbank)
            if whole:
                spans.setdefault(whole, (head, True))
    return sorted((*span, *rest) for span, rest in spans.items())
