from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster, Span
from allennlp_coref_rc.annotations.annotators import lexicon

LONGEST = 6
"""The most tokens of a name, and of a noun phrase that one replaces."""

OWNERS = lexicon.POSSESSIVES | frozenset(["hers", "mine", "ours", "theirs", "yours"])

POSSESSIVE_MARKS = frozenset(["'s", "\u2019s", "'", "\u2019"])

AFTER_OBJECTS = frozenset(
    "again alone anyway apart away everywhere here instead now soon there today together tomorrow tonight too "
    "twice yesterday".split()
)
"""Adverbs that "her" stands before as an object, and seldom as an owner."""

COPULAS = frozenset(
    "am are as be became become becomes been being is remained remains was were 're 'm".split()
)
"""A noun phrase after one of these is a predicate."""

CLITICS = frozenset(["'m", "'re", "'ve", "\u2019m", "\u2019re", "\u2019ve"])
"""A pronoun before one of these stays, as no name can stand there."""

BETWEEN = frozenset([",", "(", "-", "\u2013", "\u2014"])
"""Marks between an apposition and what it stands beside."""

AFTER_NAMES = frozenset(", ( [ -LRB- -lrb- - \u2013 \u2014 that where which who whom whose".split())
"""Words and marks that begin what a mention has after its short name."""

SMALL = lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS | frozenset("the de la van von der bin al 's".split())
"""Words in lower case that names may have."""

_COMMON = lexicon.DETERMINERS | lexicon.ADVERBS


class ResolvedText(NamedTuple):
    """
    A text in which names stand for pronouns and noun phrases. `alignment` gives for each token the span of
    the given text that it stands for: the token itself, or the mention that its name replaces. Outside of
    replacements, `text` has the characters of the source text, or the tokens joined by blanks if it is not
    known.
    """

    tokens: list[str]
    alignment: list[Span]
    text: str


def resolve(text: AnnotatedText) -> ResolvedText:
    """
    Replaces the pronouns and the common noun phrases of each cluster by its best name: the most frequent one
    and, among equally frequent ones, the longest. These stay as they are: clusters without a name, the first
    mention of a cluster, appositions, predicates, pronouns after the name in a sentence, and mentions inside
    a mention that is replaced.
    """
    sentences = (text if len(text.sentences) > 1 else text.split_sentences()).sentences
    starts = [start for start, _ in sentences]
    replacements: dict[int, tuple[int, list[str]]] = {}
    for cluster in text.clusters:
        name = best_name(text.tokens, cluster)
        mentions = sorted(cluster)
        # The sentences in which the name already stands.
        named: set[int] = set()
        for i, (start, stop) in enumerate(mentions if name else ()):
            sentence = bisect_right(starts, start)
            is_pronoun = text.tokens[start].lower() in lexicon.PRONOUNS and stop == start + 1
            if _is_name(text.tokens, start, _short_stop(text.tokens, start, stop)):
                named.add(sentence)
            elif (
                i
                and not (is_pronoun and sentence in named)
                and _is_replaced(text.tokens, start, stop)
                and not _is_beside(text.tokens, mentions, i)
                and replacements.get(start, (0, []))[0] < stop
            ):
                new = _put(text.tokens, start, stop, name or [])
                if start in starts:
                    new[0] = new[0][:1].upper() + new[0][1:]
                elif new[0] == "The":
                    new[0] = "the"
                replacements[start] = stop, new
                named.add(sentence)
    tokens: list[str] = []
    alignment: list[Span] = []
    parts: list[str] = []
    source, end = text.text or "", 0
    position = 0
    while position < len(text):
        stop, new = replacements.get(position, (position + 1, [text.tokens[position]]))
        tokens += new
        alignment += [(position, stop)] * len(new)
        place = text.characters((position, stop))
        words = " ".join(new).replace(" 's", "'s") if position in replacements else new[0]
        if place is None:
            parts += [source[end:], " " * bool(tokens[len(new) :] or source), words]
            end = len(source)
        else:
            parts += [source[end : place[0]], words if position in replacements else source[slice(*place)]]
            end = place[1]
        position = stop
    return ResolvedText(tokens, alignment, "".join([*parts, source[end:]]))


def best_name(tokens: Sequence[str], cluster: Cluster) -> Optional[list[str]]:
    """The tokens of a cluster's best name, or nothing."""
    bare = [(start, _short_stop(tokens, start, stop)) for start, stop in sorted(cluster)]
    names = [
        tuple(tokens[start:stop]) for start, stop in bare if start < stop and _is_name(tokens, start, stop)
    ]
    counts = Counter(names)
    best = max(counts.items(), key=lambda item: (item[1], len(item[0])), default=None)
    return list(best[0]) if best else None


def _short_stop(tokens: Sequence[str], start: int, stop: int) -> int:
    """The end of a mention without possessive mark, apposition, brackets and relative clause."""
    stop -= tokens[stop - 1] in POSSESSIVE_MARKS
    return next((i for i in range(start + 1, stop) if tokens[i] in AFTER_NAMES), stop)


def _is_name(tokens: Sequence[str], start: int, stop: int) -> bool:
    words = [token.lower() for token in tokens[start:stop]]
    if stop - start > LONGEST or any(word in lexicon.PRONOUNS for word in words):
        return False
    if any(token[:1].islower() and token not in SMALL for token in tokens[start:stop]):
        return False
    capitals = list(_capitals(tokens, start, stop))
    return bool(capitals) and (capitals != [start] or words[0] not in _COMMON)


def _capitals(tokens: Sequence[str], start: int, stop: int) -> Iterator[int]:
    return (i for i in range(start, stop) if tokens[i][:1].isupper())


def _is_replaced(tokens: Sequence[str], start: int, stop: int) -> bool:
    word = tokens[start].lower()
    if stop == start + 1:
        is_pronoun = word in lexicon.PRONOUNS and word not in lexicon.REFLEXIVES
        return is_pronoun and tokens[stop : stop + 1] not in [[clitic] for clitic in CLITICS]
    is_common = word in lexicon.DETERMINERS | lexicon.POSSESSIVES
    return is_common and stop - start <= LONGEST and not any(_capitals(tokens, start + 1, stop))


def _is_beside(tokens: Sequence[str], mentions: Sequence[Span], number: int) -> bool:
    """Whether a mention is an apposition, a predicate, or in another mention of its cluster."""
    start, stop = mentions[number]
    for other_start, other_stop in (*mentions[:number], *mentions[number + 1 :]):
        between = tokens[other_stop:start] if other_stop <= start else tokens[stop:other_start]
        overlap = other_start < stop and start < other_stop
        is_apposition = stop - start > 1 and not set(between) - BETWEEN and len(between) < 2
        if overlap and other_stop - other_start > stop - start or is_apposition:
            return True
    before = start - 1
    while before > 0 and tokens[before].lower() in lexicon.ADVERBS | frozenset(["not", "n't"]):
        before -= 1
    return stop - start > 1 and before >= 0 and tokens[before].lower() in COPULAS


def _put(tokens: Sequence[str], start: int, stop: int, name: list[str]) -> list[str]:
    """The name in place of a mention: "his" and the like are owners, and so is "the girl's"."""
    is_pronoun = stop == start + 1 and tokens[start].lower() in OWNERS and not _is_object(tokens, start)
    return [*name, "'s"] if is_pronoun or tokens[stop - 1] in POSSESSIVE_MARKS else list(name)


def _is_object(tokens: Sequence[str], position: int) -> bool:
    """Whether "her" has no noun after it."""
    after = tokens[position + 1].lower() if position + 1 < len(tokens) else "."
    ends = lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS | lexicon.DETERMINERS | AFTER_OBJECTS
    return tokens[position].lower() == "her" and (not after[:1].isalpha() or after in ends)
