from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster, Span
from allennlp_coref_rc.annotations.annotators import lexicon

LONGEST = 6
"""The most tokens of a name, and of a noun phrase that one replaces."""

OWNERS = lexicon.POSSESSIVES | frozenset(["hers", "mine", "ours", "theirs", "yours"])


_COMMON = lexicon.DETERMINERS | lexicon.ADVERBS


class ResolvedText(NamedTuple):
    """
    A text in which names stand for pronouns and noun phrases. `alignment` gives for each token the span of the given
    text that it stands for: the token itself, or the mention that its name replaces.
    """

    tokens: list[str]
    alignment: list[Span]


def resolve(text: AnnotatedText) -> ResolvedText:
    """
    Replaces the pronouns and the common noun phrases of each cluster by its best name: the most frequent one and, among
    equally frequent ones, the longest. Clusters without a name stay as they are, and so do mentions inside a mention
    that is replaced.
    """
    replacements: dict[int, tuple[int, list[str]]] = {}
    for cluster in text.clusters:
        name = best_name(text.tokens, cluster)
        for start, stop in cluster if name else ():
            if _is_replaced(text.tokens, start, stop) and replacements.get(start, (0, []))[0] < stop:
                replacements[start] = stop, _put(text.tokens, start, stop, name or [])
    tokens: list[str] = []
    alignment: list[Span] = []
    position = 0
    while position < len(text):
        stop, new = replacements.get(position, (position + 1, [text.tokens[position]]))
        tokens += new
        alignment += [(position, stop)] * len(new)
        position = stop
    return ResolvedText(tokens, alignment)


def best_name(tokens: Sequence[str], cluster: Cluster) -> Optional[list[str]]:
    """The tokens of a cluster's best name, or nothing."""
    names = [tuple(tokens[start:stop]) for start, stop in sorted(cluster) if _is_name(tokens, start, stop)]
    counts = Counter(names)
    best = max(counts.items(), key=lambda item: (item[1], len(item[0])), default=None)
    return list(best[0]) if best else None


def _is_name(tokens: Sequence[str], start: int, stop: int) -> bool:
    words = [token.lower() for token in tokens[start:stop]]
    if stop - start > LONGEST or any(word in lexicon.PRONOUNS for word in words):
        return False
    capitals = list(_capitals(tokens, start, stop))
    return bool(capitals) and (capitals != [start] or words[0] not in _COMMON)


def _capitals(tokens: Sequence[str], start: int, stop: int) -> Iterator[int]:
    return (i for i in range(start, stop) if tokens[i][:1].isupper())


def _is_replaced(tokens: Sequence[str], start: int, stop: int) -> bool:
    word = tokens[start].lower()
    if stop == start + 1:
        return word in lexicon.PRONOUNS and word not in lexicon.REFLEXIVES
    is_common = word in lexicon.DETERMINERS | lexicon.POSSESSIVES
    return is_common and stop - start <= LONGEST and not any(_capitals(tokens, start + 1, stop))


def _put(tokens: Sequence[str], start: int, stop: int, name: list[str]) -> list[str]:
    """The name in place of a mention: "his" and the like are owners."""
    owns = stop == start + 1 and tokens[start].lower() in OWNERS and not _is_object(tokens, start)
    return [*name, "'s"] if owns else list(name)


def _is_object(tokens: Sequence[str], position: int) -> bool:
    """Whether "her" has no noun after it."""
    after = tokens[position + 1].lower() if position + 1 < len(tokens) else "."
    is_end = not after[:1].isalpha() or after in lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS
    return tokens[position].lower() == "her" and (is_end or after in lexicon.DETERMINERS)
