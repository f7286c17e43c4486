"""English discourse connectives, by which explicit discourse relations are found."""

from collections.abc import Collection, Sequence

from allennlp_coref_rc.annotations.annotated_text import Span


def _listed(text: str) -> list[str]:
    return [" ".join(words.split()) for words in text.split(",")]


CONNECTIVES = {
    connective: sense
    for sense, connectives in {
        "Comparison.Concession": (
            "although, despite, even if, even so, even though, in spite of, nevertheless, nonetheless, regardless, "
            "still, though"
        ),
        "Comparison.Contrast": (
            "but, by comparison, by contrast, conversely, however, in contrast, on the contrary, on the one hand, on "
            "the other hand, whereas, while, yet"
        ),
        "Contingency.Cause.Reason": "because, for, given that, insofar as, now that, since",
        "Contingency.Cause.Result": (
            "accordingly, as a consequence, as a result, consequently, hence, so, so that, thereby, therefore, thus"
        ),
        "Contingency.Condition": "as long as, if, if and when, in case, only if, provided that, so long as",
        "Expansion.Alternative": "alternatively, either, else, lest, or, otherwise, unless",
        "Expansion.Alternative.Chosen alternative": "instead, rather, rather than",
        "Expansion.Conjunction": (
            "additionally, also, and, as if, as though, as well, besides, finally, further, furthermore, in addition, "
            "in turn, indeed, likewise, moreover, neither, nor, plus, separately, similarly"
        ),
        "Expansion.Exception": "except, except that",
        "Expansion.Instantiation": "for example, for instance",
        "Expansion.Restatement": (
            "in fact, in other words, in particular, in short, in sum, overall, specifically, that is"
        ),
        "Temporal.Asynchronous.Precedence": (
            "afterward, afterwards, before, by then, in the end, later, next, subsequently, then, thereafter, till, "
            "ultimately, until"
        ),
        "Temporal.Asynchronous.Succession": "after, as soon as, earlier, once, previously",
        "Temporal.Synchrony": (
            "as, at the same time, in the meantime, meantime, meanwhile, simultaneously, when, whenever"
        ),
    }.items()
    for connective in _listed(connectives)
}
"""Connectives, most of them from PDTB 2, each with its most frequent sense in CoNLL-2016's terms."""

SUBORDINATING = frozenset(
    _listed(
        """
        after, although, as, as if, as long as, as soon as, as though, because, before, despite, even if, even though,
        except that, given that, if, if and when, in case, in spite of, insofar as, lest, now that, once, only if,
        provided that, rather than, since, so long as, so that, though, till, unless, until, when, whenever, whereas,
        while
        """
    )
)
"""Connectives of clauses that may come before their main clause: "Because X, Y"."""

AMBIGUOUS = frozenset(
    _listed(
        """
        as well, earlier, either, else, for, further, later, next, once, or, still, that is
        """
    )
)
"""Connectives that most often make no discourse relation; in GDTB by far."""


def find_connectives(
    tokens: Sequence[str], connectives: Collection[str] = CONNECTIVES.keys()
) -> list[tuple[Span, str]]:
    """
    The connectives among the tokens, in order. A connective matches whole tokens, and may begin with a capital letter.
    If matches overlap, the one with the most tokens counts; if equal, the one with the most letters; if still equal,
    the first.
    """
    longest = max((connective.count(" ") + 1 for connective in connectives), default=0)
    matches = []
    for start, token in enumerate(tokens):
        words = token[:1].lower() + token[1:]
        for stop in range(start + 1, min(start + longest, len(tokens)) + 1):
            if stop > start + 1:
                words += " " + tokens[stop - 1]
            if words in connectives:
                matches.append(((start, stop), words))
    taken: set[int] = set()
    found = []
    for (start, stop), words in sorted(
        matches, key=lambda match: (match[0][0] - match[0][1], -len(match[1]), match[0])
    ):
        if taken.isdisjoint(range(start, stop)):
            taken.update(range(start, stop))
            found.append(((start, stop), words))
    return sorted(found)
