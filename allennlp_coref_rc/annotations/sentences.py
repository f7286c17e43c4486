from collections.abc import Sequence

END = frozenset({".", "!", "?", "…", "..."})
"""Tokens that end a sentence."""

CLOSING = frozenset({"'", '"', "''", "”", "’", ")", "]", "-rrb-", "-RRB-", "-rsb-", "-RSB-"})
"""Tokens after the end of a sentence that still belong to it."""


def sentence_spans(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """
    The sentences of a tokenised text. A sentence ends with a full stop, question mark or exclamation mark and any
    closing quotation marks, brackets and white space after it. This rule needs no downloaded model. spaCy's sentencizer
    needs no model either, but it puts opening quotation marks into the sentence before.
    """
    spans: list[tuple[int, int]] = []
    start, ended = 0, False
    for position, token in enumerate(tokens):
        if ended and token not in END and token not in CLOSING and not token.isspace():
            spans.append((start, position))
            start, ended = position, False
        ended = ended or token in END
    if start < len(tokens):
        spans.append((start, len(tokens)))
    return spans
