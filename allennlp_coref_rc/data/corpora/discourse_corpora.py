"""Reads corpora of discourse relations: DISRPT's `.rels` files and the CoNLL-2016 shared task's `relations.json`."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple, Optional

from allennlp_coref_rc.annotations.annotated_text import RELATION_TYPES, AnnotatedText, DiscourseRelation, Span
from allennlp_coref_rc.annotations.annotators.connectives import SUBORDINATING, find_connectives
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
    for row in _rels_rows(path):
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
    for document, group in groupby(_rels_rows(path), key=lambda row: row.document):
        rows = [row for row in group if row.tokens]
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
            located = locate_connective(words1, words2)
            type = row["rel_type"].strip().lower() if "rel_type" in row else None
            if type is None:
                type = "explicit" if located and located[2] else "implicit"
            arg1, arg2, connective = unit1, unit2, []
            if type == "explicit" and located:
                unit, (start, stop), _ = located
                arg1, arg2 = (unit1, unit2) if unit == 2 else (unit2, unit1)
                connective, arg2 = arg2[start:stop], arg2[:start] + arg2[stop:]
            yield _RelsRow(
                document=row["doc"],
                place=place,
                type=TYPES.get(type, type),
                label=(row.get("orig_label") or row["label"]).split(";")[0],
                tokens={i: token for part in parts for i, token in part.items()},
                arg1=arg1,
                arg2=arg2,
                connective=connective,
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


def locate_connective(unit1: Sequence[str], unit2: Sequence[str]) -> Optional[tuple[int, Span, bool]]:
    """
    Looks for the connective of an explicit relation. Returns the unit that has it (1 or 2), its span there, and whether
    the unit begins with it; or `None` if there is none. One word may stand before a subordinating connective ("even
    when", "just because").
    """
    second, first = find_connectives(unit2), find_connectives(unit1)
    for number, unit, connectives in ((2, unit2, second), (1, unit1, first)):
        if connectives:
            (start, stop), words = connectives[0]
            before = sum(any(character.isalnum() for character in token) for token in unit[:start])
            begins = before <= 1 if words in SUBORDINATING else before == 0 and number == 2
            if begins and len(unit) > stop - start:
                return number, (start, stop), True
    for span, words in second:
        if words not in SUBORDINATING and words not in ("and", "or", "but", "for"):
            return 2, span, False
    return None


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
