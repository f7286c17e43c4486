import json
import logging
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional, Union

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span, question_id
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write, open_text
from allennlp_coref_rc.common.json_objects import parse_json
from allennlp_coref_rc.common.messages import excerpt

logger = logging.getLogger(__name__)

FORMAT = "annotated_documents"
"""The key that makes a line a header; its value is the version of the format."""

VERSION = 1

LOST_QUESTIONS = "lost_questions"
"""
The header's key with the number of questions of the documents that are missing, as they could not be annotated.
"""

MAX_HEADER = 2**20
"""
Characters of the first line that are read. A file in another format may be one line, too long for memory.
"""


@dataclass
class Document:
    """
    A passage and the questions about it, as a single text. So a cluster may have mentions in the passage and
    in the questions. Any other text is a document without questions.
    """

    text: AnnotatedText
    """Its `id` is the document's."""
    parts: list[int] = None  # type: ignore[assignment]  # made by __post_init__ where it is not given
    """The number of tokens of the passage and of each question after it. By default there is no question."""
    data: dict[str, Any] = field(default_factory=dict)
    """
    Everything else that the data set has (answers, candidates, …), as JSON values that its reader
    understands.
    """

    def __post_init__(self) -> None:
        if self.parts is None:
            self.parts = [len(self.text)]

    @property
    def questions(self) -> list[dict[str, Any]]:
        return self.data["questions"]

    def checked(self) -> "Document":
        """The document itself. Raises a `ConfigurationError` if the parts do not add up to the text."""
        good = isinstance(self.parts, list) and all(type(n) is int and n >= 0 for n in self.parts)
        if not good or sum(self.parts) != len(self.text):
            raise ConfigurationError(
                f"parts: found {excerpt(self.parts)}, expected numbers of tokens that add up to {len(self.text)}"
            )
        if not isinstance(self.data, dict):
            raise ConfigurationError(f"data: found {excerpt(self.data)}, expected an object")
        return self

    def part(self, index: int) -> Span:
        """The span of a part in the text: 0 is the passage, 1 the first question."""
        start = sum(self.parts[:index])
        return start, start + self.parts[index]

    def tokens_of(self, index: int) -> list[str]:
        """The tokens of a part."""
        return self.text.tokens[slice(*self.part(index))]

    @classmethod
    def of(
        cls, *parts: AnnotatedText, id: Optional[str] = None, data: Optional[dict[str, Any]] = None
    ) -> "Document":
        """A document of a passage and its questions, which keep their annotations."""
        text = replace(AnnotatedText.concatenate(*parts), id=id)
        return cls(text, [len(part) for part in parts], {} if data is None else data)

    def apart(self) -> tuple[list[AnnotatedText], AnnotatedText]:
        """
        The parts as separate texts, with ids as in DASSA's files, and the whole text with what crosses
        bounds.
        """
        part_of = [i for i, length in enumerate(self.parts) for _ in range(length)]

        def within(*groups: Sequence[Span]) -> bool:
            ends = {part_of[end] for spans in groups for start, stop in spans for end in (start, stop - 1)}
            return len(ends) == 1

        def choose(inside: bool) -> AnnotatedText:
            return replace(
                self.text,
                clusters=[cluster for cluster in self.text.clusters if within(cluster) == inside],
                frames=[
                    frame
                    for frame in self.text.frames
                    if within([frame.predicate], [span for _, span in frame.arguments]) == inside
                ],
                relations=[
                    rel
                    for rel in self.text.relations
                    if bool(rel.arg1 and rel.arg2 and within(rel.arg1, rel.arg2, rel.connective)) == inside
                ],
                edges=[edge for edge in self.text.edges if within([edge.source, edge.target]) == inside],
                links=[link for link in self.text.links if within([link.mention, link.antecedent]) == inside],
            )

        inside, id = choose(True), self.text.id
        parts = [inside.select(self.part(i)) for i in range(len(self.parts))]
        if id is not None:
            parts[1:] = [replace(part, id=question_id(id, i)) for i, part in enumerate(parts[1:])]
        return parts, choose(False)

    def to_json(self) -> dict[str, Any]:
        """A JSON object with the fields of `AnnotatedText`, `parts` and `data`."""
        return {**self.text.to_json(), "parts": self.parts, "data": self.data}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Document":
        """The inverse of `to_json`. Malformed values raise a `ConfigurationError`."""
        if not isinstance(values, dict):
            raise ConfigurationError(f"expected an object, found {excerpt(values)}")
        text = {key: value for key, value in values.items() if key not in ("parts", "data")}
        rest = {key: values[key] for key in ("parts", "data") if key in values}
        return cls(AnnotatedText.from_json(text), **rest).checked()


def keep_passage(given: AnnotatedText, annotated: AnnotatedText, boundary: int) -> AnnotatedText:
    """
    Joins two sets of annotations of a passage and its questions: those of the passage, the first `boundary`
    tokens, from `given`, and those of the questions from `annotated`. `annotated` is the same text, given to
    an annotator without annotations.

    In `annotated`, a cluster may have mentions in both. Its mentions in questions join a cluster of `given`
    that has a mention with the same last token as one of its mentions in the passage. No two mentions of the
    passage are newly linked.
    """
    clusters = [list(cluster) for cluster in given.clusters]
    home = {stop: cluster for cluster in reversed(clusters) for _, stop in cluster if stop <= boundary}
    for cluster in annotated.clusters:
        asked = [mention for mention in cluster if mention[0] >= boundary]
        told = [mention for mention in cluster if mention[1] <= boundary]
        joined = next((home[stop] for _, stop in told if stop in home), None)
        if asked and joined is not None:
            joined.extend(mention for mention in asked if mention not in joined)
        elif asked:
            clusters.append((told if len(told) == 1 else []) + asked)
    frames = [frame for frame in annotated.frames if frame.predicate[0] >= boundary]
    relations = [rel for rel in annotated.relations if min(rel.arg1 + rel.arg2)[0] >= boundary]
    edges = [edge for edge in annotated.edges if max(edge.source, edge.target)[0] >= boundary]
    # The mention of the passage that an antecedent is known as.
    told_as = {m[1]: m for cluster in reversed(given.clusters) for m in cluster if m[1] <= boundary}
    links = [
        replace(link, antecedent=told_as.get(link.antecedent[1], link.antecedent))
        for link in annotated.links
        if link.mention[0] >= boundary
    ]
    return replace(
        given,
        clusters=clusters,
        frames=given.frames + frames,
        relations=given.relations + relations,
        edges=given.edges + edges,
        links=given.links + links,
    )


def json_line(values: dict[str, Any]) -> str:
    line = json.dumps(values, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has to be escaped.
        line = json.dumps(values)
    return line + "\n"


def read_header(path: str) -> Optional[dict[str, Any]]:
    """The header of a file of documents, which is its first line; `None` if the file is in another format."""
    with open_text(path, MAX_HEADER) as lines:
        first = next(lines, "")
    if f'"{FORMAT}"' not in first[:200]:
        return None
    try:
        header = parse_json(first)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}, line 1: found a damaged header: {error}") from error
    version = header.get(FORMAT) if isinstance(header, dict) else header
    if version != VERSION:
        raise ConfigurationError(
            f"{path}, line 1: found a header of version {excerpt(version)}, expected {VERSION}"
        )
    return header


def warn_if_incomplete(path: str, header: dict[str, Any]) -> None:
    """Warns of what a file lacks, according to its header, as it could not be annotated."""
    if header.get("failed"):
        logger.warning(
            "%s: %s documents or parts of documents are missing, as they failed", path, header["failed"]
        )


def read_documents(path: str) -> Iterator[tuple[str, Document]]:
    """
    The documents of a file of `write_documents` or `coref-rc annotate`, each with its place ("FILE, line 2").
    """
    for place, document in read_lines(path):
        if isinstance(document, ConfigurationError):
            raise document
        yield place, document


def read_lines(path: str) -> Iterator[tuple[str, Union[Document, ConfigurationError]]]:
    """As `read_documents`, but in place of a line that is not a document there is its error."""
    header = read_header(path)
    if header is None:
        raise ConfigurationError(
            f'{path}, line 1: found no header, expected an object with the key "{FORMAT}"; coref-rc annotate {path} '
            "OUTPUT --annotator sieve_coref annotates texts"
        )
    count = 0
    with open_text(path) as lines:
        next(lines)
        for count, line in enumerate(lines, start=1):
            place = f"{path}, line {count + 1}"
            try:
                yield place, Document.from_json(parse_json(line))
            except ConfigurationError as error:
                yield place, ConfigurationError(f"{place}: {error}")
    if count != header.get("documents", count):
        raise ConfigurationError(
            f"{path}, line {count + 1}: found {count} documents, the header says {excerpt(header['documents'], 40)}"
        )


def write_documents(
    path: str, documents: Iterable[Document], header: Optional[dict[str, Any]] = None
) -> None:
    """Writes a header with the number of documents and the given values, and the documents, one at a time."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", dir=os.path.dirname(os.path.abspath(path))) as body:
        number = 0
        for document in documents:
            body.write(json_line(document.to_json()))
            number += 1
        body.seek(0)
        with atomic_write(path) as file:
            file.write(header_line(number, header or {}))
            shutil.copyfileobj(body, file)


def header_line(documents: int, values: dict[str, Any]) -> str:
    """The first line of a file with this number of documents."""
    return json_line({FORMAT: VERSION, "documents": documents, **values})
