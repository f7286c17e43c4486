import glob
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import dropwhile, islice
from typing import Any, Optional, Union, cast

from allennlp.common import Params
from allennlp.data import DatasetReader

from allennlp_coref_rc.annotations import AnnotatedText, Document, read_header
from allennlp_coref_rc.annotations.alignment import UNKNOWN
from allennlp_coref_rc.annotations.annotators import Annotator, annotate_documents
from allennlp_coref_rc.annotations.document import LOST_QUESTIONS, read_lines
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.annotations.layers import ANNOTATIONS
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import COMPRESSED, bare, local_path, open_text
from allennlp_coref_rc.common.hub_addresses import is_hub_address
from allennlp_coref_rc.common.json_objects import parse_json
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.common.messages import excerpt
from allennlp_coref_rc.data.dataset_readers import ReadingComprehensionReader
from allennlp_coref_rc.data.dataset_readers.reading_report import MOST_MALFORMED, malformed_of

FAILURE = "failure"
"""The key in a document's data that says why it could not be annotated."""

JSON = re.compile(r'\s*(\{\s*["}]|\[\s*[{\]])')
XML = re.compile(r"\s*<[?!]")
XML_OR_TAG = re.compile(r"\s*<[?!a-zA-Z]")
"""
How files begin that are no plain text. Words such as "<unk>" may be tags if the file's name is not one of
text.
"""

OTHER_FILES = (".ann", "conll", ".conllu", ".csv", ".tsv")
"""How names end of files that are no plain text, by whatever option or pattern they come."""

BEGINNING = 1000
"""The most characters of a line that are looked at."""

TextItem = tuple[str, str, dict[str, Any]]
"""The id, the text and the data of a document that is not tokenised yet."""


@dataclass(frozen=True)
class DocumentSource:
    """
    Where documents come from. One process reads items; any process, with a copy of this, makes documents of
    them.
    """

    path: str
    """A file, a folder, a pattern or an address, as each class says."""
    together: bool = True
    """Whether a document's passage and questions are annotated as one text."""
    encoding: str = "utf-8-sig"
    """The encoding of plain text and JSONL."""

    def items(self) -> Iterator[tuple[str, Any]]:
        """
        The items of the input in order, each after its place, which messages name. Items can be pickled.
        """
        raise NotImplementedError

    def to_document(self, item: Any) -> Document:
        """
        Turns an item into a document. Here it is one already, a `TextItem`, or the error of a malformed one.
        """
        if isinstance(item, ConfigurationError):
            raise item
        if isinstance(item, Document):
            return item
        id, text, data = item
        return Document.of(AnnotatedText.of_text(text), id=id, data=data)

    def lost(self, document: Document) -> list[str]:
        """The errors of the malformed questions that a document lacks."""
        return []

    def num_questions(self, item: Any) -> int:
        """How many questions are lost with a malformed item, or with a document."""
        return len(item.parts) - 1 + len(self.lost(item)) if isinstance(item, Document) else 1

    def annotate(self, documents: Sequence[Document], annotator: Annotator) -> list[Document]:
        return annotate_documents(documents, annotator, self.together)

    def header(self) -> dict[str, Any]:
        """The header of the file of these documents, as it was before they are annotated."""
        return {"reader": None, "failed": 0, LOST_QUESTIONS: 0, "annotators": []}


class TextLines(DocumentSource):
    """Plain text, one document a line. Blank lines are skipped."""

    def items(self) -> Iterator[tuple[str, TextItem]]:
        with open_text(local_path(self.path), encoding=self.encoding) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield f"{self.path}, line {number}", (_line_id(self.path, number), line.strip(), {})


class TextFiles(DocumentSource):
    """The `.txt` files (also compressed) below a folder, or all files of a pattern. Each is a document."""

    def items(self) -> Iterator[tuple[str, TextItem]]:
        if os.path.isdir(self.path):
            anywhere = os.path.join(glob.escape(self.path), "**", "*.txt")
            paths = [
                path for suffix in ("", *COMPRESSED) for path in glob.glob(anywhere + suffix, recursive=True)
            ]
        else:
            paths = glob.glob(self.path, recursive=True)
        for path in sorted(path for path in paths if os.path.isfile(path)):
            if _is_json(path, self.encoding):
                raise ConfigurationError(
                    f"{path}: found JSON, expected plain text; give JSON one file at a time"
                )
            with open_text(path, encoding=self.encoding) as lines:
                text = "".join(lines)
            yield path, (os.path.relpath(path, self.path) if os.path.isdir(self.path) else path, text, {})


class JsonLines(DocumentSource):
    """
    A JSONL file of objects with a `text`, or with `tokens` and the other keys of a document. Malformed lines
    are errors; a file without a good one, or with many before it, is refused.
    """

    def items(self) -> Iterator[tuple[str, Any]]:
        first: Optional[ConfigurationError] = None
        any_good = False
        with open_text(local_path(self.path), encoding=self.encoding) as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                place = f"{self.path}, line {number}"
                if first is None and not any_good and line.lstrip().startswith("["):
                    raise ConfigurationError(f"{place}: found a list, expected an object on each line")
                try:
                    item = self._item(parse_json(line), _line_id(self.path, number))
                    any_good = True
                except ConfigurationError as error:
                    item = ConfigurationError(f"{place}: {error}")
                    first = first or item
                    if number >= MOST_MALFORMED and not any_good:
                        break
                yield place, item
        if first is not None and not any_good:
            raise first

    def _item(self, values: Any, default_id: str) -> Any:
        if not isinstance(values, dict) or not {"text", "tokens"}.intersection(values):
            other = ", or also --format" if isinstance(values, dict) and "sentences" in values else ""
            raise ConfigurationError(
                f"found {excerpt(values)}, expected an object with 'text' or 'tokens'{other}"
            )
        layer = next(filter(values.__contains__, ANNOTATIONS), None)
        if "tokens" not in values and layer:
            other = ", or --format e2e_coref" if layer == "clusters" else ""
            raise ConfigurationError(f"found {layer} of a text without tokens, expected none{other}")
        values = {**values, "id": default_id if values.get("id") is None else values["id"]}
        if isinstance(values["id"], int):
            values["id"] = str(values["id"])
        if "tokens" in values:
            document = Document.from_json(values)
            if values.get("sentences") is None:
                document = replace(document, text=document.text.split_sentences())
            return document
        id, text = values.pop("id"), values.pop("text")
        if not isinstance(id, str) or not isinstance(text, str):
            raise ConfigurationError(f"found the id {id!r:.80} and the text {text!r:.80}, expected strings")
        return id, text, values


class AnnotatedDocuments(DocumentSource):
    """A file of annotated documents that get more annotations. Those that failed before are tried again."""

    def items(self) -> Iterator[tuple[str, Union[Document, ConfigurationError]]]:
        for place, document in read_lines(local_path(self.path)):
            if isinstance(document, ConfigurationError):
                yield place, document
            elif FAILURE not in document.data or document.text.tokens:
                data = {key: value for key, value in document.data.items() if key != FAILURE}
                yield place, replace(document, data=data)

    def header(self) -> dict[str, Any]:
        given = read_header(local_path(self.path)) or {}
        header = {key: given.get(key, default) for key, default in super().header().items()}
        values = JsonValue(header, f"{self.path}, line 1")
        values["annotators"].list()
        for key in ("failed", LOST_QUESTIONS):
            values[key].integer()
        return header


@dataclass(frozen=True)
class OtherFormat(DocumentSource):
    """Texts that another tool has annotated: a file, or a folder of files, in one of `FORMATS`."""

    format: str = ""

    def items(self) -> Iterator[tuple[str, Union[Document, ConfigurationError]]]:
        number = 0
        for item in FORMATS[self.format].items(self.path):
            if isinstance(item, ConfigurationError):
                yield self.path, item
                continue
            number += 1
            place = f"{self.path}, document {number}"
            if UNKNOWN in item.tokens:
                raise ConfigurationError(
                    f"{place}: found no tokens, expected a file parses.json beside the relations"
                )
            yield place, Document(item)


@dataclass(frozen=True)
class DataSet(DocumentSource):
    """A data set in its official format. `reader` is the config of its reader, as JSON."""

    reader: str = ""

    def items(self) -> Iterator[tuple[str, Any]]:
        reader = build_reader(self.reader)
        return reader.items(reader.find(self.path), self.path)

    def to_document(self, item: Any) -> Document:
        return build_reader(self.reader).checked_document(item)

    def lost(self, document: Document) -> list[str]:
        return list(map(str, malformed_of(document)))

    def num_questions(self, item: Any) -> int:
        if isinstance(item, Document):
            return super().num_questions(item)
        return len(build_reader(self.reader).lost_with(item))

    def annotate(self, documents: Sequence[Document], annotator: Annotator) -> list[Document]:
        return build_reader(self.reader).annotate_documents(documents, annotator)

    def header(self) -> dict[str, Any]:
        return {**super().header(), "reader": build_reader(self.reader).registered_name()}


def document_source(
    path: str,
    reader: Optional[dict[str, Any]] = None,
    format: Optional[str] = None,
    encoding: Optional[str] = None,
) -> DocumentSource:
    """
    The documents at a path: texts of another tool's `format`, annotated documents if the file has their
    header, a data set if there is the config of its `reader`, and else plain text or JSONL, as the path's
    name tells.
    """
    several = os.path.isdir(path) or (glob.has_magic(path) and not os.path.exists(path))
    if encoding is not None:
        if reader is not None or format is not None:
            raise ConfigurationError(
                "found --encoding and --reader or --format, expected plain text or JSONL"
            )
        texts = TextFiles if several else JsonLines if _is_json(path, encoding) else TextLines
        return texts(path, encoding=encoding)
    if format is not None:
        if reader is not None:
            raise ConfigurationError("found --reader and --format, expected one of them")
        return OtherFormat(path, format=format)
    if reader is not None:
        config = json.dumps(reader)
        built = build_reader(config)
        local, together = built.find(path), built.annotate_together
        header = read_header(local) if os.path.isfile(local) else None
        if header is None:
            return DataSet(path, together, reader=config)
        built.check_header(local, header)
        return AnnotatedDocuments(local, together)
    if is_hub_address(path):
        raise ConfigurationError(f"{path}: found a data set of the Hugging Face hub, expected also --reader")
    if several:
        return TextFiles(path)
    header = read_header(local_path(path))
    if header is not None:
        source = AnnotatedDocuments(path)
        annotators = source.header()["annotators"]
        last = header if "together" in header or not annotators else annotators[-1]
        return replace(source, together=not isinstance(last, dict) or last.get("together") is not False)
    return JsonLines(path) if _is_json(path) else TextLines(path)


@lru_cache(maxsize=1)
def build_reader(config: str) -> ReadingComprehensionReader:
    """The reader of a config in JSON, built once in each process."""
    name = json.loads(config)["type"]
    if not issubclass(DatasetReader.resolve_class_name(name)[0], ReadingComprehensionReader):
        raise ConfigurationError(
            f"reader.type: found {name!r}, expected a reader of this package (annotated_…)"
        )
    return cast(ReadingComprehensionReader, DatasetReader.from_params(Params(json.loads(config), "reader.")))


def _is_json(path: str, encoding: str = DocumentSource.encoding) -> bool:
    """Whether a file is JSON by its name, or else by its beginning. Annotations, tables and XML are refused."""
    if bare(path).endswith(OTHER_FILES):
        raise ConfigurationError(
            f"{path}: found a name of annotations or a table, expected plain text, or also --format or --reader"
        )
    if bare(path).endswith((".jsonl", ".json", ".jsonlines", ".ndjson")):
        return True
    with open_text(local_path(path), BEGINNING, encoding=encoding) as lines:
        beginning = "".join(islice(dropwhile(lambda line: not line.strip(), lines), 3))
    if (XML if bare(path).endswith(".txt") else XML_OR_TAG).match(beginning):
        raise ConfigurationError(
            f"{path}, line 1: found XML, expected plain text (in a file that ends in .txt) or JSONL"
        )
    return bool(JSON.match(beginning))


def _line_id(path: str, number: int) -> str:
    return f"{os.path.basename(path)}:{number}"
