"""What corpora of discourse relations hold: DISRPT's `.rels` files and the CoNLL-2016 shared task's `relations.json`."""

import json
import re
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations.connectives import SUBORDINATING, find_connectives
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.data.tokenizers import BlankSpacyTokenizer

GAP = "<*>"
"""What stands in a unit of a `.rels` file where it is interrupted."""

MASKED = re.compile(r"(_|<\*>| )+")
"""Text whose letters are not published."""

TYPES = {
    "explicit": "Explicit",
    "implicit": "Implicit",
    "entrel": "EntRel",
    "altlex": "AltLex",
    "altlexc": "AltLex",
}


class CorpusRelation(NamedTuple):
    """
    A relation of a corpus, its parts as tokens. `type` is Explicit, Implicit, EntRel, AltLex or what else the corpus
    says; `label` is the corpus's sense; `connective` is empty if there is none, or none was found. `masked` are
    relations without their text.
    """

    document: str
    place: str
    type: str
    label: str
    arg1: List[str] = []
    arg2: List[str] = []
    connective: List[str] = []
    masked: bool = False


def read_discourse_corpus(path: str) -> Iterator[CorpusRelation]:
    """
    The relations of a `.rels` or a `relations.json` file; what it is shows on its first line. Malformed lines raise a
    `ConfigurationError` with file and line.
    """
    with open_text(path) as lines:
        first = next(lines, "")
    yield from (read_conll2016 if first.lstrip().startswith("{") else read_rels)(path)


def read_rels(path: str) -> Iterator[CorpusRelation]:
    """
    The relations of a file of the DISRPT shared tasks: tab-separated columns, named on the first line.

    The format has no connective. It is looked for where GDTB's stand: at the beginning of the second unit, or of the
    first if that is subordinating ("Because X, Y"), or else inside the second. The unit that it begins is Arg2, without
    it. Where a file has no column `rel_type` (TED-MDB), a relation with a connective at the beginning of a unit is taken
    for explicit, and any other for implicit. Of several senses ("A;B") the first counts.
    """
    columns: List[str] = []
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            values = line.rstrip("\r\n").split("\t")
            place = f"{path}, line {number}"
            if not columns:
                columns = values
                missing = {"doc", "unit1_txt", "unit2_txt", "label"} - set(columns)
                if missing:
                    found = f"the columns {', '.join(columns)}"[:80]
                    raise ConfigurationError(f"{place}: found {found}, expected {', '.join(sorted(missing))} too")
                continue
            if not line.strip():
                continue
            # Of GUM's Reddit texts, the lines have more columns than the first one says.
            if len(values) > 3 and MASKED.fullmatch(values[3]):
                yield CorpusRelation(values[0], place, "masked", "", masked=True)
                continue
            if len(values) != len(columns):
                raise ConfigurationError(f"{place}: found {len(values)} columns, expected {len(columns)}")
            row = dict(zip(columns, values))
            units = [[token for token in row[unit].split() if token != GAP] for unit in ("unit1_txt", "unit2_txt")]
            for unit, tokens in zip(("unit1_txt", "unit2_txt"), units):
                if not tokens:
                    raise ConfigurationError(f"{place}: found an empty {unit}, expected a text")
            type = row.get("rel_type", "").strip().lower()
            label = (row.get("orig_label") or row["label"]).split(";")[0]
            arg1, arg2, connective, begins = split_connective(*units)
            if "rel_type" not in row:
                type = "explicit" if begins else "implicit"
            if type != "explicit":
                (arg1, arg2), connective = units, []
            yield CorpusRelation(row["doc"], place, TYPES.get(type, type), label, arg1, arg2, connective)
    if not columns:
        raise ConfigurationError(f"{path}, line 1: found an empty file, expected the names of columns")


def split_connective(unit1: List[str], unit2: List[str]) -> Tuple[List[str], List[str], List[str], bool]:
    """
    Two units as Arg1, Arg2 and the connective found in one of them, which is empty if there is none; and whether it
    begins its unit. A word may stand before subordinating ones ("even when", "just because").
    """
    second, first = find_connectives(unit2), find_connectives(unit1)
    for found, unit, other in ((second, unit2, unit1), (first, unit1, unit2)):
        if found:
            (start, stop), words = found[0]
            before = sum(any(character.isalnum() for character in token) for token in unit[:start])
            if words in SUBORDINATING:
                begins = before <= 1
            else:
                begins = before == 0 and unit is unit2
            if begins and len(unit) > stop - start:
                return other, unit[:start] + unit[stop:], unit[start:stop], True
    for (start, stop), words in second:
        if words not in SUBORDINATING and words not in ("and", "or", "but", "for"):
            return unit1, unit2[:start] + unit2[stop:], unit2[start:stop], False
    return unit1, unit2, [], False


def read_conll2016(path: str) -> Iterator[CorpusRelation]:
    """
    The relations of a file in the format of the CoNLL-2016 shared task, an object a line. Texts are tokenised by spaCy's
    rules. Of several senses the first counts.
    """
    tokenizer = BlankSpacyTokenizer()
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            place = f"{path}, line {number}"
            try:
                values = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ConfigurationError(f"{place}: found no JSON: {error}") from error
            parts = [
                [token.text for token in tokenizer.tokenize(_text(values, place, part, "RawText"))]
                for part in ("Arg1", "Arg2", "Connective")
            ]
            senses = _get(values, place, "Sense")
            if not isinstance(senses, list) or not senses or not isinstance(senses[0], str):
                raise ConfigurationError(
                    f"{place}: found the Sense {json.dumps(senses)[:80]}, expected a list of names"
                )
            yield CorpusRelation(_text(values, place, "DocID"), place, _text(values, place, "Type"), senses[0], *parts)


def _get(values: Any, place: str, *keys: str) -> Optional[Any]:
    for depth, key in enumerate(keys):
        if not isinstance(values, dict) or key not in values:
            found = json.dumps(values)[:80]
            raise ConfigurationError(f"{place}: found {found}, expected an object with {'.'.join(keys[: depth + 1])}")
        values = values[key]
    return values


def _text(values: Any, place: str, *keys: str) -> str:
    text = _get(values, place, *keys)
    if not isinstance(text, str):
        raise ConfigurationError(f"{place}: found {'.'.join(keys)} {json.dumps(text)[:80]}, expected a text")
    return text
