import glob
import hashlib
import json
import logging
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any, Optional, cast

from allennlp_coref_rc.annotation_runs.document_sources import FAILURE, DocumentSource, document_source
from allennlp_coref_rc.annotation_runs.job import QUESTIONS, ChunkResult, Job, failed
from allennlp_coref_rc.annotation_runs.unfinished_output import UnfinishedOutput
from allennlp_coref_rc.annotations.document import LOST_QUESTIONS, Document, read_documents
from allennlp_coref_rc.annotations.file_report import COUNTED
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.named_files import named_content
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.common.version import VERSION
from allennlp_coref_rc.common.workers import Chunk, Workers, chunks

logger = logging.getLogger(__name__)

PRELOADED = "allennlp_coref_rc.allennlp_runtime.preloaded"

MAX_CHUNK = 100
"""The most documents in a chunk. By default a chunk has a hundredth of all documents, if that is less."""

EXPECTED_BY = 100
"""If none of this many documents has any annotation, there is a warning."""


_version = lru_cache(version)
"""The version of a package. It is remembered, as looking it up takes milliseconds."""


@dataclass(frozen=True)
class AnnotationRun:
    input: str
    """The path of the documents, as `document_source` takes it."""
    output: str
    """The file of annotated documents that is written."""
    annotator: dict[str, Any]
    reader: Optional[dict[str, Any]] = None
    """The config of a data set's reader. By default the input is plain text, JSONL or annotated documents."""
    format: Optional[str] = None
    """The format of the input, one of `annotations.formats.FORMATS`, if another tool has annotated it."""
    workers: Optional[int] = None
    """
    As `Workers` takes it. By default this process begins alone, and workers take over if they finish earlier.
    """
    scheduler: Optional[str] = None
    """The address of a Dask scheduler, to use its workers in place of processes on this machine."""
    batch_size: int = 8
    """The number of documents that are annotated together."""
    chunk_size: Optional[int] = None
    """
    The number of documents in a chunk for a process. By default a hundredth of them, and at most `MAX_CHUNK`.
    """
    packages: Sequence[str] = ()
    """Packages that each process has to import."""
    force: bool = False
    """Whether to start over and to replace an output that exists, finished or not."""
    trust: bool = False
    """
    Whether the archives of models that the annotator uses are trusted (see `safe_archives/archives.py`).
    """
    encoding: Optional[str] = None
    """The encoding of plain text and JSONL, UTF-8 by default."""

    def run(self) -> Counter:
        """
        Annotates the input. Returns the counts: "documents", "failed", and those of
        `annotations/file_report.py`.
        """
        if (
            os.path.exists(self.input)
            and os.path.exists(self.output)
            and os.path.samefile(self.input, self.output)
        ):
            raise ConfigurationError(f"{self.output}: found the same file as INPUT and OUTPUT, expected two")
        unfinished_output = UnfinishedOutput(self.output, self.force)
        source = document_source(self.input, self._bare_reader(), self.format, self.encoding)
        state = self._state()
        files = named_content([self.annotator, self._bare_reader()])
        config, packages = json.dumps(self.annotator), tuple(self.packages)
        job = Job(source, config, self.batch_size, packages, self.trust, tuple(files.items()))
        documents = sum(1 for _ in source.items())
        if not documents:
            raise ConfigurationError(f"{self.input}: found no document, expected some")
        chunk_size = self.chunk_size or min(MAX_CHUNK, -(-documents // 100))
        plan = {**self._plan(source, chunk_size), "files": files}
        with unfinished_output as unfinished:
            unfinished.check(plan)
            workers = None if self.workers is None else min(self.workers, -(-documents // chunk_size))
            with Workers(workers, self.scheduler, PRELOADED) as processes:
                processes.call(job.prepare)
                plan["input"] = {
                    "documents": documents,
                    "sha256": _digest(job, processes, documents, chunk_size),
                }
                unfinished.begin(plan)
                _annotate_chunks(job, processes, unfinished, documents, chunk_size)
            if self._state() != state:
                raise ConfigurationError(
                    f"{self.input}: it changed while it was read; start over with --force"
                )
            counts = _counts(unfinished, documents)
            unfinished.join(
                self._header(source, counts, plan), {**source.header(), "together": source.together}
            )
        return counts

    def _state(self) -> dict[str, tuple[int, int]]:
        """The time and the size of each file of the input, without those that the run itself writes."""
        anywhere = os.path.join(glob.escape(self.input), "**") if os.path.isdir(self.input) else self.input
        paths = [self.input] if os.path.isfile(self.input) else glob.glob(anywhere, recursive=True)
        files = [path for path in paths if os.path.isfile(path) and not path.startswith(self.output)]
        return {path: (status.st_mtime_ns, status.st_size) for path in files for status in [os.stat(path)]}

    def _bare_reader(self) -> Optional[dict[str, Any]]:
        return self.reader and {key: value for key, value in self.reader.items() if key != "annotator"}

    def _plan(self, source: DocumentSource, chunk_size: int) -> dict[str, Any]:
        """The values that must be the same as before if an unfinished run is to be resumed."""
        versions = {name: _version(name) for name in ("allennlp", "spacy", "torch")}
        return {
            "annotator": self.annotator,
            "reader": self._bare_reader(),
            "annotate_together": source.together,
            "batch_size": self.batch_size,
            "chunk_size": chunk_size,
            "packages": list(self.packages),
            "versions": {"allennlp_coref_rc": VERSION, **versions},
        }

    def _header(self, source: DocumentSource, counts: Counter, plan: dict[str, Any]) -> dict[str, Any]:
        header = source.header()
        run = {"config": self.annotator, "together": source.together, "versions": plan["versions"]}
        return {
            **header,
            "failed": header["failed"] + counts["failed"],
            LOST_QUESTIONS: header[LOST_QUESTIONS] + counts[LOST_QUESTIONS],
            "annotators": header["annotators"] + [run],
            "counts": {name: counts[name] for name in COUNTED},
        }


def _counts(unfinished: UnfinishedOutput, documents: int) -> Counter:
    """The sums of the chunks' counts. An error is raised if a document is missing from them."""
    counts: Counter = Counter()
    for summary in unfinished.finished().values():
        counts.update(summary["counts"])
        counts["failed"] += summary["failed"]
    if counts["documents"] + counts["failed"] - counts[QUESTIONS] != documents:
        raise RuntimeError(
            f"{unfinished.folder}: found {counts['documents']} documents and {counts['failed']} failed ones, "
            f"expected {documents}"
        )
    return counts


def _digest(job: Job, processes: Workers, documents: int, chunk_size: int) -> str:
    digests: list[bytes] = [b""] * documents
    with progress_bar(total=documents, unit=" documents", desc="reading") as bar:
        todo = chunks(job.source.items(), chunk_size)
        for chunk, hashes in processes.map(job.digests, todo, -(-documents // chunk_size)):
            if hashes is None:
                raise ConfigurationError(
                    f"{chunk.items[0][0]} and after: the process that read the documents died"
                )
            start = chunk.number * chunk_size
            digests[start : start + len(hashes)] = hashes
            bar.update(len(hashes))
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _annotate_chunks(
    job: Job, processes: Workers, unfinished: UnfinishedOutput, documents: int, chunk_size: int
) -> None:
    finished = unfinished.finished()
    parts = sum(summary["counts"].get(QUESTIONS, 0) for summary in finished.values())
    done = sum(summary["documents"] + summary["failed"] for summary in finished.values()) - parts
    todo = (chunk for chunk in chunks(job.source.items(), chunk_size) if chunk.number not in finished)
    crashed = []
    counts: Counter = Counter()
    warned = False
    with progress_bar(total=documents, initial=done, unit=" documents", desc="annotating") as bar:
        for chunk, result in processes.map(job.annotate, todo, -(-documents // chunk_size) - len(finished)):
            if result is None:
                crashed.append(chunk)
                continue
            unfinished.write(chunk.number, result)
            bar.update(len(chunk.items))
            counts.update(result.counts)
            if not warned and counts["no annotations"] == counts["documents"] >= EXPECTED_BY:
                logger.warning("None of %d documents so far got any annotation", counts["documents"])
                warned = True
        # When a process dies, all of them end. Chunks are tried again one by one, to find out whose process
        # died.
        for chunk in crashed:
            for _, result in processes.map(job.annotate, [chunk]):
                unfinished.write(chunk.number, result or _one_by_one(job, processes, chunk))
                bar.update(len(chunk.items))


def _one_by_one(job: Job, processes: Workers, chunk: Chunk) -> ChunkResult:
    """The result of a chunk on which a process died. Each document is tried alone, to find out on which."""
    whole = ChunkResult()
    for place, item in chunk.items:
        for _, result in processes.map(job.annotate, chunks([(place, item)], 1)):
            # No process annotates a malformed item.
            document = cast(Document, job.document(place, item))
            error = "the process that annotated it died"
            whole.add(result or failed(place, document, error, job.source.num_questions(document)))
    return whole


def summarise(output: str, counts: Counter, name: Optional[str] = None) -> None:
    """
    Prints counts and warnings. `name` is the pipe that gets the output; failed documents are then not kept.
    """
    if counts["documents"]:
        print(f"{name or output}: " + ", ".join(f"{counts[n]:,} {n}" for n in ("documents", *COUNTED)))
    if counts["failed"]:
        aside = f"{output}.failed.jsonl"
        _, first = next(read_documents(aside))
        failed = f"{counts['failed']:,} documents or parts of documents failed"
        failed += "" if name else f"; they and their errors are in {aside}"
        reason = first.data[FAILURE]["error"].partition("\n")[0]
        print(f"WARNING: {failed}; the first error: {reason}", file=sys.stderr)
    if counts["documents"] and counts["no annotations"] == counts["documents"]:
        nothing = "no document has any cluster, frame, relation or edge"
        print(f"WARNING: NOTHING IS ANNOTATED: {nothing}", file=sys.stderr)
