import hashlib
import json
import re
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import Lock
from typing import Any, Union

from allennlp.common import Params

from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_packages, import_plugins
from allennlp_coref_rc.annotation_runs.document_sources import FAILURE, DocumentSource
from allennlp_coref_rc.annotations import AnnotatedText, Document
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.annotations.document import LOST_QUESTIONS, json_line
from allennlp_coref_rc.annotations.file_report import count
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.workers import Item
from allennlp_coref_rc.safe_archives.archives import trusting

QUESTIONS = "malformed questions"
"""Counts those that failed and are only parts of documents."""

# The workers of a cluster may have several threads, but annotators need not be thread-safe.
_one_at_a_time = Lock()


@dataclass(frozen=True)
class Job:
    """Everything that a process needs to annotate documents."""

    source: DocumentSource
    annotator: str
    batch_size: int = 8
    """The number of documents that are annotated together."""
    packages: tuple[str, ...] = ()
    trust: bool = False
    """Whether the archives that the annotator uses are trusted."""
    files: tuple[tuple[str, str], ...] = ()
    """The content of the files that its config names. If it changes, the annotator is built again."""

    def prepare(self) -> None:
        """Builds the annotator and loads what it needs, so that an error comes before the first document."""
        with trusting(self.trust):
            _build_annotator(self).prepare()

    def digests(self, items: Sequence[Item]) -> list[bytes]:
        """The SHA-256 hash of each document before it is annotated, or of why there is none."""
        with _one_at_a_time:
            _import(self.packages)
            documents = (self.document(*item) for item in items)
            lines = (doc if isinstance(doc, str) else json_line(doc.to_json()) for doc in documents)
            return [hashlib.sha256(line.encode()).digest() for line in lines]

    def annotate(self, items: Sequence[Item]) -> "ChunkResult":
        """
        Annotates documents. Malformed items and questions, and documents that the annotator fails on, go
        aside.
        """
        with _one_at_a_time, trusting(self.trust):
            result = ChunkResult()
            for start in range(0, len(items), self.batch_size):
                batch = []
                for place, item in items[start : start + self.batch_size]:
                    document = self.document(place, item)
                    if isinstance(document, str):
                        result.add(failed(place, document, document, self.source.num_questions(item)))
                    else:
                        batch.append((place, document))
                        for message in self.source.lost(document):
                            result.add(failed(place, message, message))
                            result.counts[QUESTIONS] += 1
                result.add(self._annotate(batch))
            return result

    def document(self, place: str, item: Any) -> Union[Document, str]:
        """The document of an item. If the item is malformed, it is the message that says why."""
        try:
            return self.source.to_document(item)
        except ConfigurationError as error:
            return str(error)
        except Exception as error:
            raise ConfigurationError(f"{place}: {_name(error)}") from error

    def _annotate(self, batch: Sequence[tuple[str, Document]]) -> "ChunkResult":
        annotator = _build_annotator(self)
        try:
            documents = self.source.annotate([document for _, document in batch], annotator)
            lines = [json_line(document.to_json()) for document in documents]
            return ChunkResult(lines, counts=sum(map(count, documents), Counter()))
        except Exception as error:
            if len(batch) == 1:
                trace = traceback.format_exception(error, limit=-5)
                return failed(*batch[0], _name(error), self.source.num_questions(batch[0][1]), trace)
        # This stands outside the handler, so that a document's error does not mention that of its batch.
        result = ChunkResult()
        for single in batch:
            result.add(self._annotate([single]))
        return result


@dataclass
class ChunkResult:
    """Annotated and failed documents as lines of files, and the counts over the annotated ones."""

    documents: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)

    def add(self, other: "ChunkResult") -> None:
        self.documents.extend(other.documents)
        self.failed.extend(other.failed)
        self.counts.update(other.counts)


def failed(
    place: str, document: Union[Document, str], error: str, questions: int = 0, trace: Sequence[str] = ()
) -> ChunkResult:
    """
    A document that could not be annotated, or an item that is none, with the reason in its data, and the number
    of `questions` that are lost with it.
    """
    if isinstance(document, str):
        document = Document(AnnotatedText([]))
    tail = _without_addresses("".join(trace)).splitlines()
    data = {**document.data, FAILURE: {"place": place, "error": _without_addresses(error), "traceback": tail}}
    return ChunkResult(
        failed=[json_line(replace(document, data=data).to_json())],
        counts=Counter({LOST_QUESTIONS: questions}),
    )


@lru_cache(maxsize=1)
def _build_annotator(job: Job) -> Annotator:
    _import(job.packages)
    return Annotator.from_params(Params(json.loads(job.annotator), "annotator."))


@lru_cache(maxsize=None)
def _import(packages: tuple[str, ...]) -> None:
    import_plugins()
    import_packages(packages)


def _name(error: Exception) -> str:
    """An error in a line, without the name of its class if the user can fix it."""
    if isinstance(error, ConfigurationError):
        return str(error)
    return "".join(traceback.format_exception_only(error)).strip()


def _without_addresses(text: str) -> str:
    """Hides the addresses of objects, which differ from run to run."""
    return re.sub(r"\b0x[0-9a-f]{6,}", "0x…", text)
