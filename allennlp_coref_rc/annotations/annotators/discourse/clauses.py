"""The arguments of connectives, which are clauses or sentences."""

from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.annotators.parse import Parse
from allennlp_coref_rc.annotations.tokenization import spans_of

CLAUSAL = frozenset(("ROOT", "conj", "parataxis", "advcl", "ccomp", "xcomp", "acl", "acl:relcl", "csubj"))
INTRODUCING = frozenset(("mark", "cc", "case"))
"""
How a connective depends on the head of the clause that it introduces. Others are modifiers, as adverbs are.
"""


def arguments_of(parse: Parse, sentence: int, span: Span) -> Optional[tuple[list[Span], list[Span]]]:
    """
    Arg1 and Arg2 of the connective at a span, in the sentence of that number; `None` if one of them has no
    words.

    Arg2 is the clause that the connective introduces or modifies; an adverbial clause ends at the first
    comma. Arg1 is the clause that this clause depends on, as far as it stands before the connective, or all
    of it if Arg2 is in front. If Arg2 is the main clause, Arg1 is the sentence before. If the connective
    belongs to no clause, or this leaves an argument without words, the arguments are what is before and after
    the connective in its sentence.
    """
    start, stop = parse.sentences[sentence]
    before, after = set(range(start, span[0])), set(range(span[1], stop))
    head = parse.head_of(span)
    label, clause = parse.labels[head], parse.heads[head]
    if label not in INTRODUCING:
        clause = head if label in CLAUSAL and parse.kind(head)[2] == "v" else clause
        while parse.labels[clause] not in CLAUSAL and parse.heads[clause] != clause:
            clause = parse.heads[clause]
    link, upper = parse.labels[clause], parse.heads[clause]
    previous = set(range(*parse.sentences[sentence - 1])) if sentence else set()
    arg1, arg2 = set(previous), before | after
    if upper == clause:
        if label == "cc":
            arg2 = after
    elif link not in CLAUSAL or link == "parataxis":
        if parse.has_words(before):
            arg1, arg2 = before, after
        elif label in INTRODUCING:
            arg2 = after
    else:
        whole = parse.subtree(clause)
        while parse.labels[upper] == "xcomp":
            upper = parse.heads[upper]
        if link in ("conj", "advcl") or label in INTRODUCING:
            arg1 = parse.subtree(upper) - whole
            if upper < clause:
                arg1 &= before
        if label == "cc":
            arg2 = after
        elif link == "advcl":
            comma = next(
                (i for i in sorted(after) if parse.words[i] == "," and parse.has_words(range(span[1], i))),
                stop,
            )
            arg2 = set(range(span[1], comma))
        else:
            arg2 = parse.subtree(clause, loose=False)
    arg2 -= set(range(*span))
    arg1 -= arg2 | set(range(*span))
    if upper != clause and not (parse.has_words(arg1) and parse.has_words(arg2)):
        arg1, arg2 = before if parse.has_words(before) else previous, after
    return (spans_of(arg1), spans_of(arg2)) if parse.has_words(arg1) and parse.has_words(arg2) else None
