from collections.abc import Iterator

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.tokenization import token_span
from allennlp_coref_rc.common.csv_rows import read_csv_rows
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.malformed import LeaveOut, kept, refuse

MENTIONS = ("Pronoun", "A", "B")
"""
The columns with a mention. Each has a column with its position in the text; those of names, with the answer.
"""

COLUMNS = ("ID", "Text", *MENTIONS, *(f"{name}-offset" for name in MENTIONS), "A-coref", "B-coref")

ANSWERS = {"TRUE": True, "FALSE": False}


def read_gap(path: str, leave_out: LeaveOut = refuse) -> Iterator[AnnotatedText]:
    """
    The passages of a TSV file of GAP (Webster et al., TACL 2018), tokenised by spaCy's rules. The pronoun is
    the first mention of the first cluster, where names that refer to the same person follow it; any other
    name is a cluster of its own. A name's tokens are those that have any of its characters.
    """
    rows = read_csv_rows(path, COLUMNS, tabs=True, leave_out=leave_out)
    return kept(lambda numbered: _passage(f"{path}, line {numbered[0]}", numbered[1]), rows, leave_out)


def _passage(place: str, row: dict[str, str]) -> AnnotatedText:
    text = AnnotatedText.of_text(row["Text"])
    pronoun, *names = (_mention(place, text, row[name], row[f"{name}-offset"]) for name in MENTIONS)
    text.clusters, text.id = [[pronoun]], row["ID"]
    for name, span in zip(("A", "B"), names):
        answer = ANSWERS.get(row[f"{name}-coref"].upper())
        if answer is None:
            given = row[f"{name}-coref"]
            raise ConfigurationError(f"{place}: found {name}-coref {given!r}, expected TRUE or FALSE")
        if answer:
            text.clusters[0].append(span)
        else:
            text.clusters.append([span])
    return text


def _mention(place: str, text: AnnotatedText, mention: str, position: str) -> Span:
    start = int(position) if position.isdecimal() and len(position) < 10 else -1
    span = token_span(text.offsets or [], start, start + len(mention))
    if not mention or not (text.text or "").startswith(mention, start) or start < 0 or span is None:
        raise ConfigurationError(
            f"{place}: found {mention!r:.80}, expected a mention at character {position!r:.20}"
        )
    return span
