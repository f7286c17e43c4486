import json
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotator import Annotator
from allennlp_coref_rc.common.files import atomic_write, open_text

FORMAT = "annotated_documents"
"""The key of a header, whose value is the version of the format."""

VERSION = 1

MAX_HEADER = 2**20
"""In characters. A file in another format may be one line, too long to be held in memory."""


@dataclass
class Document:
    """
    What is annotated and kept as one: a passage and the questions about it, in a row as a single text, so that a
    cluster may have mentions in all of them; or any other text.

    # Parameters

    text : `AnnotatedText`
        Its `id` is the document's.
    parts : `List[int]`, optional (default = `[len(text)]`)
        How many tokens the passage has and each question after it.
    data : `Dict[str, Any]`, optional (default = `{}`)
        What else the data set says (answers, candidates, …), as JSON has it: its reader knows.

    A `ConfigurationError` says where the parts do not make up the text.
    """

    text: AnnotatedText
    parts: Optional[List[int]] = None
    data: Dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.parts is None:
            self.parts = [len(self.text)]
        good = isinstance(self.parts, list) and all(isinstance(n, int) and n >= 0 for n in self.parts)
        if not good or sum(self.parts) != len(self.text):
            raise ConfigurationError(
                f"parts: found {json.dumps(self.parts)[:80]}, expected numbers of tokens that add up to {len(self.text)}"
            )
        if not isinstance(self.data, dict):
            raise ConfigurationError(f"data: found {json.dumps(self.data)[:80]}, expected an object")

    def part(self, index: int) -> Span:
        """Where a part stands in the text: 0 is the passage, 1 the first question."""
        start = sum(self.parts[:index])
        return start, start + self.parts[index]

    @classmethod
    def of(cls, *parts: AnnotatedText, id: Optional[str] = None, data: Optional[Dict[str, Any]] = None) -> "Document":
        """A document of a passage and its questions; annotations that they have stay with them."""
        text = replace(AnnotatedText.concatenate(*parts), id=id)
        return cls(text, [len(part) for part in parts], {} if data is None else data)

    def annotated(self, annotator: Annotator, together: bool = True) -> "Document":
        """
        The document with the annotator's annotations added: its parts as one text, or, if not `together`, each by
        itself, so that nothing crosses from a passage to a question.
        """
        if together:
            return replace(self, text=annotator.annotate(self.text))
        parts = [self.text.select(self.part(i)) for i in range(len(self.parts))]
        return Document.of(*map(annotator.annotate, parts), id=self.text.id, data=self.data)

    def to_json(self) -> Dict[str, Any]:
        """An object with the names of `AnnotatedText`, and `parts` and `data`."""
        return {**self.text.to_json(), "parts": self.parts, "data": self.data}

    @classmethod
    def from_json(cls, values: Dict[str, Any]) -> "Document":
        """The inverse of `to_json`. What is malformed raises a `ConfigurationError`."""
        if not isinstance(values, dict):
            raise ConfigurationError(f"expected an object, found {json.dumps(values)[:80]}")
        text = {key: value for key, value in values.items() if key not in ("parts", "data")}
        return cls(AnnotatedText.from_json(text), values.get("parts"), values.get("data", {}))


def read_header(path: str) -> Optional[Dict[str, Any]]:
    """
    The header of a file of documents, the object on its first line that has the key "annotated_documents"; `None` if
    the file does not begin with one, and so is something else.
    """
    with open_text(path, MAX_HEADER) as lines:
        first = next(lines, "")
    if f'"{FORMAT}"' not in first[:200]:
        return None
    try:
        header = json.loads(first)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path}, line 1: found a damaged header: {error}") from error
    if not isinstance(header, dict) or header.get(FORMAT) != VERSION:
        raise ConfigurationError(
            f"{path}, line 1: found a header of the version {json.dumps(header.get(FORMAT))[:80]}, expected {VERSION}"
            if isinstance(header, dict)
            else f"{path}, line 1: found {first[:80]!r}, expected a header"
        )
    return header


def read_documents(path: str) -> Iterator[Tuple[str, Document]]:
    """
    The documents of a file written by `write_documents` or `allennlp annotate`, each with its place ("FILE, line 2").
    A line that is no document, or fewer or more documents than the header says, raises a `ConfigurationError`.
    """
    header = read_header(path)
    if header is None:
        raise ConfigurationError(f'{path}, line 1: found no header, expected an object with the key "{FORMAT}"')
    found = 0
    with open_text(path) as lines:
        next(lines)
        for number, line in enumerate(lines, start=2):
            try:
                document = Document.from_json(json.loads(line))
            except (ConfigurationError, ValueError, RecursionError) as error:
                raise ConfigurationError(f"{path}, line {number}: {error}") from error
            found += 1
            yield f"{path}, line {number}", document
    if found != header.get("documents", found):
        raise ConfigurationError(f"{path}: found {found} documents, the header says {header['documents']}")


def write_documents(path: str, documents: Iterable[Document], header: Optional[Dict[str, Any]] = None) -> None:
    """
    Writes documents, one a line, after a header with their number and what else is given. The file appears whole or
    not at all.
    """
    lines = [json.dumps(document.to_json(), ensure_ascii=False) for document in documents]
    with atomic_write(path) as file:
        file.write(json.dumps({FORMAT: VERSION, "documents": len(lines), **(header or {})}, ensure_ascii=False) + "\n")
        for line in lines:
            file.write(line + "\n")
