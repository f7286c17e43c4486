"""Shows annotated documents: a page for each, and an index."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from allennlp_coref_rc.annotations.annotated_text import DiscourseRelation, Edge, Frame
from allennlp_coref_rc.annotations.document import Document, read_documents
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import write_text
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.pages.annotated_text import entities, mentions
from allennlp_coref_rc.pages.marked_text import (
    blanks_of,
    in_lanes,
    joined,
    lanes,
    lines_or_paragraphs,
    marked_paragraphs,
)
from allennlp_coref_rc.pages.templates import render

LONG = 3000
"""
If a document has more tokens than this, the browser lays out only the paragraphs that are on the screen.
"""

FIRST_WORDS = 12
"""The number of a document's tokens that the index shows."""


Row = dict[str, Any]
"""A document's entry in the index."""

Structure = tuple[str, list[tuple[str, int, int]]]
"""
A frame, a relation or an edge for the page's script: its name, and for each span its role and its [start,
stop).
"""


def write_pages(path: str, folder: str, form: str = "annotated", limit: int = 100) -> int:
    """
    Writes pages of the first documents of a file, and index.html. Returns their number.
    """
    if not Path(path).exists():
        raise ConfigurationError(f"{path}: no such file")
    documents = list(islice(_documents(path, form), limit))
    if not documents:
        raise ConfigurationError(f"{path}: found no documents, expected some in the format {form}")
    Path(folder).mkdir(parents=True, exist_ok=True)
    rows = [_row(number, document) for number, document in enumerate(documents, start=1)]
    for i, document in enumerate(progress_bar(documents, desc="drawing")):
        write_text(Path(folder) / rows[i]["file"], page(document, rows, i))
    # Also of a single one: a folder may have the index of another file.
    index = render("documents.html.jinja", name=Path(path).name, rows=rows)
    write_text(Path(folder) / "index.html", index)
    return len(rows)


def page(document: Document, rows: list[Row], number: int) -> str:
    """The page of a document, whose place in the index is `rows[number]`."""
    text, row = document.text, rows[number]
    marks = in_lanes(mentions(text), len(text))
    ends = [document.part(i) for i in range(len(document.parts))]
    parts, after = [], blanks_of(text)
    for i, (start, stop) in enumerate(ends):
        sentences = [(max(a, start), min(b, stop)) for a, b in text.sentences if a < stop and b > start]
        if sentences:
            heading = "" if len(ends) == 1 else "Passage" if i == 0 else f"Question {i}"
            lines = lines_or_paragraphs(text, sentences)
            parts.append((heading, list(marked_paragraphs(text.tokens, marks, lines, after))))
    return render(
        "document.html.jinja",
        row=row,
        parts=parts,
        lanes=lanes(marks),
        long=len(text) > LONG,
        entities=sorted(entities(text), key=lambda entity: -entity.mentions),
        data={
            "frames": list(map(_frame, text.frames)),
            "relations": list(map(_relation, text.relations)),
            "edges": list(map(_edge, text.edges)),
        },
        before=rows[number - 1]["file"] if number else None,
        after=rows[number + 1]["file"] if number + 1 < len(rows) else None,
        several=len(rows) > 1,
    )


def _documents(path: str, form: str) -> Iterator[Document]:
    if form == "annotated" and Path(path).is_file():
        yield from (document for _, document in read_documents(path))
    else:
        yield from map(Document, FORMATS[form].read_all(path))


def _row(number: int, document: Document) -> Row:
    text = document.text
    (words,) = joined(text.tokens, (0, FIRST_WORDS))
    counts = {name: len(getattr(text, name)) for name in ("tokens", "frames", "relations", "edges")}
    return {
        "file": f"{number:03d}.html",
        "title": text.id or f"Document {number}",
        "words": words + " …" * (len(text) > FIRST_WORDS),
        "questions": len(document.parts) - 1,
        "entities": len(text.clusters),
        "mentions": sum(map(len, text.clusters)),
        **counts,
    }


def _frame(frame: Frame) -> Structure:
    return "", [("predicate", *frame.predicate), *((role, *span) for role, span in frame.arguments)]


def _relation(relation: DiscourseRelation) -> Structure:
    parts = {"connective": relation.connective, "first": relation.arg1, "second": relation.arg2}
    name = f"{relation.sense} ({relation.type})" if relation.sense else relation.type
    return name, [(part, *span) for part, spans in parts.items() for span in spans]


def _edge(edge: Edge) -> Structure:
    return edge.type, [("from", *edge.source), ("to", *edge.target)]
