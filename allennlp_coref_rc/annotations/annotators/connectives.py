"""English discourse connectives, by which explicit discourse relations are found."""

from collections.abc import Collection, Sequence

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.annotators.lexicon import read_lines

_SENSES = (line.partition(": ") for line in read_lines("connectives"))
CONNECTIVES = {
    connective: sense for sense, _, connectives in _SENSES for connective in connectives.split(", ")
}
"""Connectives with their most frequent sense."""

SUBORDINATING = frozenset(", ".join(read_lines("subordinating_connectives")).split(", "))
AMBIGUOUS = frozenset(", ".join(read_lines("ambiguous_connectives")).split(", "))
HARD, RARE = (frozenset(line.split(", ")) for line in read_lines("hard_connectives"))
"""Further connectives, which rules do not look for."""


def find_connectives(
    tokens: Sequence[str], connectives: Collection[str] = CONNECTIVES.keys()
) -> list[tuple[Span, str]]:
    """
    The connectives among the tokens, in order. They match whole tokens, which may begin with a capital letter
    or have no others ("BECAUSE"). Of matches that overlap, the one with the most tokens counts, then with the
    most letters, then the first.
    """
    longest = max((connective.count(" ") + 1 for connective in connectives), default=0)
    tokens = [token.lower() if token.isupper() and token != "I" else token for token in tokens]
    matches = []
    for start, token in enumerate(tokens):
        words = token[:1].lower() + token[1:]
        for stop in range(start + 1, min(start + longest, len(tokens)) + 1):
            if stop > start + 1:
                words += " " + tokens[stop - 1]
            if words in connectives:
                matches.append(((start, stop), words))
    taken: set[int] = set()
    chosen = []
    for (start, stop), words in sorted(
        matches, key=lambda match: (match[0][0] - match[0][1], -len(match[1]), match[0])
    ):
        if taken.isdisjoint(range(start, stop)):
            taken.update(range(start, stop))
            chosen.append(((start, stop), words))
    return sorted(chosen)
