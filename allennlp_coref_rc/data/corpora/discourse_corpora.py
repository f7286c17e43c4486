"""Reads corpora of discourse relations: DISRPT's `.rels` files and the CoNLL-2016 shared task's `relations.json`."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple, Optional

from allennlp_coref_rc.annotations.annotated_text import RELATION_TYPES, AnnotatedText, DiscourseRelation, Span
from allennlp_coref_rc.annotations.annotators.connectives import CONNECTIVES, HARD, RARE, SUBORDINATING, find_connectives
from allennlp_coref_rc.annotations.annotators.senses import conll_sense
from allennlp_coref_rc.annotations.formats.conll_2016 import read_relations
from allennlp_coref_rc.annotations.tokenization import sentence_spans
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.data.tokenizers import BlankSpacyTokenizer

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
The columns of `.rels` files with texts, and the columns with the positions (from 1) of their tokens in the document.
"""

ALL = CONNECTIVES.keys() | HARD | RARE
NOT_INSIDE = (SUBORDINATING - {"though"}) | HARD | RARE | {"and", "or", "but", "for"}
"""Connectives that stand at the beginning of a unit."""

INTERJECTIONS = frozenset("ah also exactly guess hey hm hmm i know mean mhm right so uh no now oh ok okay so uh um well yeah yep yes you".split())
"""Words that may stand before a connective at the beginning of a unit."""

# Python refuses to convert more than some thousand digits.
SHORT_NUMBER = re.compile(r"[0-9]{1,9}")

TYPES = {
    "explicit": "Explicit",
    "implicit": "Implicit",
    "entrel": "EntRel",
    "altlex": "AltLex",
    "altlexc": "AltLex",
}


class CorpusRelation(NamedTuple):
    """
    A discourse relation of a corpus: its document, its place for messages ("FILE, line 2"), its type (Explicit,
    Implicit, EntRel, AltLex or another one), the corpus's name of its sense, the tokens of its parts, and whether it is
    `masked`, since the corpus does not publish its text.
    """

    document: str
    place: str
    type: str
    label: str
    arg1: list[str] = []
    arg2: list[str] = []
    connective: list[str] = []
    masked: bool = False


def is_conll2016(path: str) -> bool:
    """Whether a file is a `relations.json`, whose first line is an object, and not a `.rels` file."""
    with open_text(path) as lines:
        return next(lines, "").lstrip().startswith("{")


def read_discourse_corpus(path: str) -> Iterator[CorpusRelation]:
    """
    The relations of a `.rels` or a `relations.json` file. A malformed line raises a `ConfigurationError` with the file
    and the line.
    """
    yield from (read_conll2016 if is_conll2016(path) else read_rels)(path)


def read_rels(path: str) -> Iterator[CorpusRelation]:
    """
    The relations of a `.rels` file of the DISRPT shared tasks. Its columns are divided by tabs, and its first line
    names them.

    The format does not mark connectives. We look for them where GDTB has them: at the beginning of the second unit,
    then at the beginning of the first if the connective is subordinating ("Because X, Y"), and then inside the second.
    The unit with the connective becomes Arg2, and the connective is taken out of it. If a file has no column `rel_type`
    (TED-MDB), relations with a connective at the beginning of a unit count as explicit, and all others as implicit. If
    a relation has several senses ("A;B"), the first counts.
    """
    for row in (row for _, rows in _rels_documents(path) for row in rows):
        arg1, arg2, connective = ([row.tokens[i] for i in part] for part in (row.arg1, row.arg2, row.connective))
        masked = not row.tokens
        yield CorpusRelation(row.document, row.place, row.type, row.label, arg1, arg2, connective, masked)


def read_rels_texts(path: str) -> Iterator[AnnotatedText]:
    """
    The documents of a `.rels` file with their relations, which keep the corpus's labels. The documents are rebuilt from
    the sentences that the file gives for each relation. Relations that are masked, or whose type is not one of PDTB's,
    are left out.

    The file says where some sentences begin. The others are found as in any text without annotated sentences.
    """
    for document, rows in _rels_documents(path):
        rows = [row for row in rows if row.tokens]
        words = {i: token for row in rows for i, token in row.tokens.items()}
        place = {position: i for i, position in enumerate(sorted(words))}
        tokens = [words[position] for position in sorted(words)]
        starts = {0, *(start for start, _ in sentence_spans(tokens))}
        starts.update(place[i] for row in rows for i in row.sentence_starts)
        bounds = [*sorted(starts), len(tokens)]
        relations = []
        for row in rows:
            if row.type in RELATION_TYPES:
                parts = ([place[i] for i in part] for part in (row.arg1, row.arg2, row.connective))
                relations.append(DiscourseRelation(row.type, row.label, *map(_spans, parts)))
        if tokens:
            yield AnnotatedText(tokens, list(zip(bounds, bounds[1:])), relations=relations, id=document)


def _spans(positions: Sequence[int]) -> list[Span]:
    first = [i for i in sorted(positions) if i - 1 not in positions]
    return list(zip(first, [i + 1 for i in sorted(positions) if i + 1 not in positions]))


class _RelsRow(NamedTuple):
    document: str
    place: str
    type: str
    label: str
    tokens: dict[int, str]  # by their positions in the document; empty if they are masked
    arg1: list[int]
    arg2: list[int]
    connective: list[int]
    sentence_starts: list[int]


def _rels_documents(path: str) -> Iterator[tuple[str, list[_RelsRow]]]:
    """The rows of each document. The unit with the connective becomes Arg2, without the connective."""
    for document, group in groupby(_rels_rows(path), key=lambda row: row.document):
        rows = list(group)
        for i, possible in enumerate(choose_connectives(rows)):
            if possible:
                arg1, arg2 = rows[i].arg1, rows[i].arg2
                if possible.unit == 1:
                    arg1, arg2 = arg2, arg1
                start, stop = possible.span
                rest = arg2[:start] + arg2[stop:]
                rows[i] = rows[i]._replace(arg1=arg1, arg2=rest, connective=arg2[start:stop])
        yield document, rows


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
                    raise ConfigurationError(f"{place}: found {line[:80]!r}, expected a column {missing[0]!r}")
                continue
            if not line.strip():
                continue
            # The lines of GUM's Reddit texts, which are masked, have more columns than the header.
            if len(values) > 3 and MASKED.fullmatch(values[3]):
                yield _RelsRow(values[0], place, "masked", "", {}, [], [], [], [])
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
                place=place,
                type=TYPES.get(type, type),
                label=(row.get("orig_label") or row["label"]).split(";")[0],
                tokens={i: token for part in parts for i, token in part.items()},
                arg1=unit1,
                arg2=unit2,
                connective=[],
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
            raise ConfigurationError(f"{place}: found {toks} {row[toks][:80]!r}, expected positions such as 3-6,9")
        positions.extend(range(int(numbers[0]), min(int(numbers[-1]), int(numbers[0]) + len(tokens)) + 1))
    if not tokens or len(positions) != len(tokens):
        raise ConfigurationError(
            f"{place}: found {len(tokens)} tokens in {text}, expected as many as {toks} {row[toks][:80]!r} says"
        )
    # Some sentences of TED-MDB list a token twice.
    return dict(zip(positions, tokens))


class PossibleConnective(NamedTuple):
    """A connective in a unit: the unit (1 or 2), its span there, its words, and whether the unit begins with it."""

    unit: int
    span: Span
    words: str
    begins: bool


def possible_connectives(unit1: Sequence[str], unit2: Sequence[str]) -> Iterator[PossibleConnective]:
    """
    The connectives that an explicit relation of two units may have: those at the beginning of the second one, or of the
    first one if they are subordinating ("Because X, Y"), and those inside of the second one that are mostly adverbs.
    Interjections and other connectives may stand before a connective at the beginning ("um, and then"), and one word
    before a subordinating one ("even when", "just because").
    """
    for number, unit in ((2, unit2), (1, unit1)):
        words_of_unit = [token.lower() for token in unit]
        connectives = find_connectives(words_of_unit, ALL)
        inside = {i for span, _ in connectives for i in range(*span)}
        for (start, stop), words in connectives:
            before = sum(
                any(map(str.isalnum, token)) and token not in INTERJECTIONS and i not in inside
                for i, token in enumerate(words_of_unit[:start])
            )
            begins = before <= 1 if words in SUBORDINATING else before == 0 and number == 2
            begins = (before == 0 if words in HARD | RARE else begins) and len(unit) > stop - start
            coordinates = words in ("and", "but", "or", "so") and before < 5
            if begins or (number == 2 and (coordinates or words not in NOT_INSIDE)):
                yield PossibleConnective(number, (start, stop), words, begins)


def choose_connectives(rows: Sequence["_RelsRow"]) -> list[Optional[PossibleConnective]]:
    """
    The connective of each explicit relation of a document. Two relations have two connectives if there are so many
    ("and then"). Those at the beginning of a unit are preferred, and those whose most frequent sense the relation has.
    """
    pairs = []
    for i, row in enumerate(rows):
        if row.type != "Explicit":
            continue
        words = [[row.tokens[token] for token in unit] for unit in (row.arg1, row.arg2)]
        for possible in possible_connectives(*words):
            start, stop = possible.span
            tokens = set((row.arg1 if possible.unit == 1 else row.arg2)[start:stop])
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


def read_conll2016(path: str) -> Iterator[CorpusRelation]:
    """
    The relations of a `relations.json` file of the CoNLL-2016 shared task. Texts are tokenised by spaCy's rules. If a
    relation has several senses, the first counts.
    """
    tokenizer = BlankSpacyTokenizer()
    for relation in read_relations(path):
        arg1, arg2, connective = (
            [str(token) for token in tokenizer.tokenize(part["RawText"].string())] if part else []
            for part in (relation.arg1, relation.arg2, relation.connective)
        )
        document, type = relation.document.string(), relation.type.string()
        yield CorpusRelation(document, relation.document.place, type, relation.senses[0], arg1, arg2, connective)
