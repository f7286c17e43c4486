"""Clauses of a parsed text, and the arguments of connectives, which are clauses or sentences."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Optional

from allennlp_coref_rc.annotations.annotated_text import Span

if TYPE_CHECKING:
    from spacy.tokens import Doc

FINITE = frozenset(("VBD", "VBP", "VBZ", "MD"))
SUBJECTS = frozenset(("nsubj", "nsubj:pass", "nsubj:outer", "csubj", "csubj:pass", "expl"))
CLAUSAL = frozenset(("ROOT", "root", "conj", "parataxis", "advcl", "ccomp", "xcomp", "acl", "acl:relcl", "csubj"))
INTRODUCING = frozenset(("mark", "cc", "case"))
"""How a connective depends on the head of the clause that it introduces. Others are modifiers, as adverbs are."""

LOOSE = frozenset(("conj", "parataxis"))
"""Dependents that make a clause of their own, and no part of the clause of their head."""


class Parse:
    """The words (in lower case), tags and dependencies of a doc of spaCy as lists, and its clauses."""

    def __init__(self, doc: "Doc", sentences: Sequence[Span]) -> None:
        names: dict[int, str] = {}

        def strings(attribute: str) -> list[str]:
            column = [int(key) for key in doc.to_array(attribute)]
            for key in set(column) - names.keys():
                names[key] = doc.vocab.strings[key] if key else ""
            return [names[key] for key in column]

        self.words, self.tags, self.pos, self.labels = map(strings, ("LOWER", "TAG", "POS", "DEP"))
        self.heads = [i + int(offset) for i, offset in enumerate(doc.to_array("HEAD").astype("int64"))]
        self.sentences = sentences
        self.children: list[list[int]] = [[] for _ in self.heads]
        for i, head in enumerate(self.heads):
            if head != i:
                self.children[head].append(i)
        self._kinds: dict[int, str] = {}

    def kind(self, i: int) -> str:
        """Three letters: whether a token has a subject (s), is or has a finite verb (f), and is a predicate (v)."""
        if i not in self._kinds:
            labels = {self.labels[child] for child in self.children[i]}
            verbs = [child for child in self.children[i] if self.labels[child] in ("aux", "aux:pass", "cop")]
            finite = any(self.tags[verb] in FINITE for verb in (i, *verbs))
            predicate = self.pos[i] in ("VERB", "AUX") or "cop" in labels
            facts = (("s", not SUBJECTS.isdisjoint(labels)), ("f", finite), ("v", predicate))
            self._kinds[i] = "".join(letter if fact else "-" for letter, fact in facts)
        return self._kinds[i]

    def subtree(self, i: int, loose: bool = True) -> set[int]:
        """A token and what depends on it; if not `loose`, without coordinated and paratactic clauses."""
        tokens, left = set(), [i]
        while left:
            token = left.pop()
            tokens.add(token)
            left += [child for child in self.children[token] if loose or self.labels[child] not in LOOSE or token != i]
        return tokens

    def has_words(self, tokens: Iterable[int]) -> bool:
        return any(character.isalnum() for token in tokens for character in self.words[token])

    def head_of(self, span: Span) -> int:
        """The first token of a span whose head is outside of the span, or the root."""
        start, stop = span
        outside = (i for i in range(start, stop) if not start <= self.heads[i] < stop or self.heads[i] == i)
        return next(outside, start)

    def ancestors(self, i: int) -> Iterator[int]:
        while self.heads[i] != i:
            i = self.heads[i]
            yield i


def spans_of(tokens: Iterable[int]) -> list[Span]:
    """Tokens as spans, in order."""
    spans: list[Span] = []
    for token in sorted(tokens):
        if spans and spans[-1][1] == token:
            spans[-1] = (spans[-1][0], token + 1)
        else:
            spans.append((token, token + 1))
    return spans


def arguments_of(parse: Parse, sentence: int, span: Span) -> Optional[tuple[list[Span], list[Span]]]:
    """
    Arg1 and Arg2 of the connective at a span, in the sentence of that number; `None` if one of them has no words.

    Arg2 is the clause that the connective introduces or modifies; an adverbial clause ends at the first comma. Arg1 is
    the clause that this clause depends on, as far as it stands before the connective, or all of it if Arg2 is in front.
    If Arg2 is the main clause, Arg1 is the sentence before. If the connective belongs to no clause, or this leaves an
    argument without words, the arguments are what is before and after the connective in its sentence.
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
                (i for i in sorted(after) if parse.words[i] == "," and parse.has_words(range(span[1], i))), stop
            )
            arg2 = set(range(span[1], comma))
        else:
            arg2 = parse.subtree(clause, loose=False)
    arg2 -= set(range(*span))
    arg1 -= arg2 | set(range(*span))
    if upper != clause and not (parse.has_words(arg1) and parse.has_words(arg2)):
        arg1, arg2 = before if parse.has_words(before) else previous, after
    return (spans_of(arg1), spans_of(arg2)) if parse.has_words(arg1) and parse.has_words(arg2) else None
