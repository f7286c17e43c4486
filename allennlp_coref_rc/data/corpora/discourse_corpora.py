"""Reads corpora of discourse relations in the format of the DISRPT shared tasks, `.rels`."""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple, Optional

from allennlp_coref_rc.annotations.annotated_text import (
    RELATION_TYPES,
    AnnotatedText,
    DiscourseRelation,
    Span,
)
from allennlp_coref_rc.annotations.annotators.connectives import (
    CONNECTIVES,
    HARD,
    RARE,
    SUBORDINATING,
    find_connectives,
)
from allennlp_coref_rc.annotations.annotators.senses import conll_sense
from allennlp_coref_rc.annotations.tokenization import sentence_spans, spans_of
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text

GAP = "<*>"
"""Marks a gap within a unit of a `.rels` file."""

MASKED = re.compile(r"(_|<\*>| )+")
"""A text whose letters are masked, since it may not be published."""

TEXTS = (
    ("unit1_txt", "unit1_toks"),
    ("unit2_txt", "unit2_toks"),
    ("unit1_sent", "s1_toks"),
    ("unit2_sent", "s2_toks"),
)
"""
The columns of `.rels` files with texts, and those with the positions (from 1) of their tokens in the
document.
"""

ALL = CONNECTIVES.keys() | HARD | RARE
COORDINATING = frozenset(("and", "but", "or"))
NOT_INSIDE = (SUBORDINATING - {"though"}) | HARD | RARE | COORDINATING | {"for"}
"""Connectives that stand at the beginning of a unit."""

INTERJECTIONS = frozenset(
    "ah,exactly,guess,hey,hm,hmm,i guess,i mean,mhm,no,now,oh,ok,okay,right,uh,um,well,yeah,yep,yes,you know".split(
        ","
    )
)
"""Words that may stand before a connective at the beginning of a unit."""

# Python refuses to convert more than some thousand digits.
SHORT_NUMBER = re.compile(r"[0-9]{1,9}")

TYPES = {**{kind.lower(): kind for kind in RELATION_TYPES}, "altlexc": "AltLex"}


FOLDS = ("train", "valid")


def in_fold(document: str, fold: str) -> bool:
    """
    Whether a document is in one of `FOLDS`, for corpora without an official split; a fifth of all is in
    "valid".
    """
    return (random.Random(f"13370 {document}").random() < 0.2) == (fold == "valid")


def read_rels_texts(path: str) -> Iterator[AnnotatedText]:
    """
    The documents of a `.rels` file of the DISRPT shared tasks with their relations, which keep the corpus's
    labels. The columns are divided by tabs, and the first line names them. The documents are rebuilt from the
    sentences that the file gives for each relation. Relations that are masked, or whose type is not one of
    PDTB's, are left out. If a relation has several senses ("A;B"), the first counts. A malformed line raises
    a `ConfigurationError` with the file and the line.

    The file says where some sentences begin. The others are found as in any text without annotated sentences.

    The format does not mark connectives: `choose_connectives` looks for them. The unit with the connective
    becomes Arg2, and the connective is taken out of it. If a file has no column `rel_type` (TED-MDB),
    relations with a connective at the beginning of a unit count as explicit, and all others as implicit.
    """
    for document, group in groupby(_rels_rows(path), key=lambda row: row.document):
        rows = list(group)
        words = {i: token for row in rows for i, token in row.tokens.items()}
        place = {position: i for i, position in enumerate(sorted(words))}
        tokens = [words[position] for position in sorted(words)]
        starts = {0, *(start for start, _ in sentence_spans(tokens))}
        starts.update(place[i] for row in rows for i in row.sentence_starts)
        bounds = [*sorted(starts), len(tokens)]
        relations = []
        for row, chosen in zip(rows, choose_connectives(rows)):
            if row.type in RELATION_TYPES:
                arg1, arg2 = ([place[i] for i in unit] for unit in (row.unit1, row.unit2))
                connective: list[int] = []
                if chosen:
                    arg1, arg2 = (arg2, arg1) if chosen.unit == 1 else (arg1, arg2)
                    connective = arg2[slice(*chosen.span)]
                    arg2 = [i for i in arg2 if i not in connective]
                relations.append(
                    DiscourseRelation(row.type, row.label, *map(spans_of, (arg1, arg2, connective)))
                )
        yield AnnotatedText(tokens, list(zip(bounds, bounds[1:])), relations=relations, id=document)


class _RelsRow(NamedTuple):
    document: str
    type: str
    label: str
    tokens: dict[int, str]  # by their positions in the document
    unit1: list[int]
    unit2: list[int]
    sentence_starts: list[int]


def _rels_rows(path: str) -> Iterator[_RelsRow]:
    columns: list[str] = []
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            values = line.rstrip("\r\n").split("\t")
            place = f"{path}, line {number}"
            if not columns:
                columns = values
                missing = [name for name in ("doc", "label", *chain(*TEXTS)) if name not in columns]
                if missing:
                    raise ConfigurationError(
                        f"{place}: found {line[:80]!r}, expected a column {missing[0]!r}"
                    )
                continue
            if not line.strip():
                continue
            # The lines of GUM's Reddit texts, which are masked, have more columns than the header.
            if len(values) > 3 and MASKED.fullmatch(values[3]):
                continue
            if len(values) != len(columns):
                raise ConfigurationError(f"{place}: found {len(values)} columns, expected {len(columns)}")
            row = dict(zip(columns, values))
            parts = [_text_at(place, row, text, toks) for text, toks in TEXTS]
            (unit1, words1), (unit2, words2), (sentence1, _), (sentence2, _) = (
                (list(part), list(part.values())) for part in parts
            )
            if "rel_type" in row:
                type = row["rel_type"].strip().lower()
            else:
                begins = any(possible.begins for possible in possible_connectives(words1, words2))
                type = "explicit" if begins else "implicit"
            yield _RelsRow(
                document=row["doc"],
                type=TYPES.get(type, type),
                label=(row.get("orig_label") or row["label"]).split(";")[0],
                tokens={i: token for part in parts for i, token in part.items()},
                unit1=unit1,
                unit2=unit2,
                sentence_starts=[sentence1[0], sentence2[0]],
            )
    if not columns:
        raise ConfigurationError(f"{path}, line 1: found an empty file, expected the names of columns")


def _text_at(place: str, row: dict[str, str], text: str, toks: str) -> dict[int, str]:
    tokens = [token for token in row[text].split() if token != GAP]
    positions: list[int] = []
    for part in row[toks].split(","):
        numbers = part.split("-")
        if not (len(numbers) <= 2 and all(SHORT_NUMBER.fullmatch(number) for number in numbers)):
            raise ConfigurationError(
                f"{place}: found {toks} {row[toks][:80]!r}, expected positions such as 3-6,9"
            )
        positions.extend(range(int(numbers[0]), min(int(numbers[-1]), int(numbers[0]) + len(tokens)) + 1))
    if not tokens or len(positions) != len(tokens):
        raise ConfigurationError(
            f"{place}: found {len(tokens)} tokens in {text}, expected as many as {toks} {row[toks][:80]!r} says"
        )
    # Some sentences of TED-MDB list a token twice.
    return dict(zip(positions, tokens))


class PossibleConnective(NamedTuple):
    """
    A connective in a unit: the unit (1 or 2), its span there, its words, and whether the unit begins with it.
    """

    unit: int
    span: Span
    words: str
    begins: bool


def possible_connectives(unit1: Sequence[str], unit2: Sequence[str]) -> Iterator[PossibleConnective]:
    """
    The connectives that an explicit relation of two units may have: those at the beginning of the second one,
    or of the first one if they are subordinating ("Because X, Y"), and adverbs inside of the second one.
    Interjections and other connectives may stand before a connective at the beginning ("um, and then"), and
    one word before a subordinating one ("even when", "just because"). Up to four words may stand before
    "and", "but" and "or" inside of a unit.
    """
    for number, unit in ((2, unit2), (1, unit1)):
        tokens = [token.lower() for token in unit]
        connectives = find_connectives(tokens, ALL)
        skippable = connectives + find_connectives(tokens, INTERJECTIONS)
        skipped = {i for span, _ in skippable for i in range(*span)}
        skipped |= {i for i, token in enumerate(tokens) if not any(map(str.isalnum, token))}
        for (start, stop), words in connectives:
            before = sum(i not in skipped for i in range(start))
            begins = before <= (words in SUBORDINATING) and (
                number == 2 or words in SUBORDINATING | HARD | RARE
            )
            inside = number == 2 and (words not in NOT_INSIDE or (words in COORDINATING and before <= 4))
            if (begins or inside) and len(unit) > stop - start:
                yield PossibleConnective(number, (start, stop), words, begins)


def choose_connectives(rows: Sequence["_RelsRow"]) -> list[Optional[PossibleConnective]]:
    """
    The connective of each explicit relation of a document. Two relations have two connectives if there are so
    many ("and then"). Those at the beginning of a unit are preferred, and those whose most frequent sense the
    relation has.
    """
    pairs = []
    for i, row in enumerate(rows):
        if row.type != "Explicit":
            continue
        words = [[row.tokens[token] for token in unit] for unit in (row.unit1, row.unit2)]
        for possible in possible_connectives(*words):
            start, stop = possible.span
            tokens = set((row.unit1 if possible.unit == 1 else row.unit2)[start:stop])
            fits = CONNECTIVES.get(possible.words) == conll_sense(row.label)
            pairs.append(((possible.begins, fits, possible.unit, -start), i, possible, tokens))
    chosen: list[Optional[PossibleConnective]] = [None] * len(rows)
    taken: set[int] = set()
    pairs.sort(key=lambda pair: pair[0], reverse=True)
    for only_free in (True, False):
        for (begins, fits, *_), i, possible, tokens in pairs:
            if chosen[i] is None and (not only_free or ((begins or fits) and taken.isdisjoint(tokens))):
                chosen[i] = possible
                taken |= tokens
    return chosen
