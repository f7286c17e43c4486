import hashlib
import json
import logging
import os
import sys
from collections import Counter
from importlib.metadata import version
from typing import Any, Dict, List, Optional, Sequence

from allennlp.common.tqdm import Tqdm

from allennlp_coref_rc.annotation_runs.document_sources import document_source
from allennlp_coref_rc.annotation_runs.job import ChunkResult, Job, failed
from allennlp_coref_rc.annotation_runs.unfinished_output import UnfinishedOutput
from allennlp_coref_rc.annotations.file_report import COUNTED
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.workers import Workers, chunks, num_cpus
from allennlp_coref_rc.version import VERSION

logger = logging.getLogger(__name__)

MAX_CHUNK = 100
"""A chunk is a hundredth of the documents, but of no more than this many."""

EXPECTED_BY = 100
"""So many documents without any annotation are a reason for a warning."""


def annotate(
    input: str,
    output: str,
    annotator: Dict[str, Any],
    reader: Optional[Dict[str, Any]] = None,
    workers: Optional[int] = None,
    scheduler: Optional[str] = None,
    batch_size: int = 8,
    chunk_size: Optional[int] = None,
    packages: Sequence[str] = (),
    force: bool = False,
) -> Counter:
    """
    What `allennlp annotate` does, with its arguments; `annotator` and `reader` are configs. Returns what was counted:
    "documents", "failed", "tokens", "clusters", …
    """
    if os.path.exists(input) and os.path.exists(output) and os.path.samefile(input, output):
        raise ConfigurationError(f"{output}: found the same file as INPUT and OUTPUT, expected two")
    reader = reader and {key: value for key, value in reader.items() if key != "annotator"}
    source = document_source(input, reader)
    job = Job(source, json.dumps(annotator), batch_size, tuple(packages))
    documents = sum(1 for _ in source.items())
    if not documents:
        raise ConfigurationError(f"{input}: found no document, expected some")
    chunk_size = chunk_size or min(MAX_CHUNK, -(-documents // 100))
    num_chunks = -(-documents // chunk_size)
    if workers is None:
        workers = min(num_cpus(), num_chunks)
        workers = workers if workers > 1 else 0
    plan = {
        "annotator": annotator,
        "reader": reader,
        "annotate_together": source.together,
        "batch_size": batch_size,
        "chunk_size": chunk_size,
        "packages": list(packages),
        "versions": {"allennlp_coref_rc": VERSION, **{name: version(name) for name in ("allennlp", "spacy", "torch")}},
    }
    with UnfinishedOutput(output, force) as unfinished:
        unfinished.check(plan)
        with Workers(min(workers, num_chunks), scheduler) as processes:
            processes.call(job.prepare)
            plan["input"] = {"documents": documents, "sha256": _digest(job, processes, documents, chunk_size)}
            unfinished.begin(plan)
            _annotate_chunks(job, processes, unfinished, documents, chunk_size)
        counts: Counter = Counter()
        for summary in unfinished.finished().values():
            counts.update(summary["counts"])
            counts["failed"] += summary["failed"]
        if counts["documents"] + counts["failed"] != documents:
            raise RuntimeError(
                f"{unfinished.folder}: found {counts['documents']} documents and {counts['failed']} failed ones, "
                f"expected {documents}"
            )
        header = source.header()
        run = {"config": annotator, "together": source.together, "versions": plan["versions"]}
        unfinished.join(
            {
                **header,
                "failed": header["failed"] + counts["failed"],
                "annotators": header["annotators"] + [run],
                "counts": {name: counts[name] for name in COUNTED},
            },
            header,
        )
    return counts


def _digest(job: Job, processes: Workers, documents: int, chunk_size: int) -> str:
    """A hash of all documents before they are annotated. Once there is one, none of them is malformed."""
    digests: List[bytes] = [b""] * documents
    with Tqdm.tqdm(total=documents, unit=" documents", desc="reading") as bar:
        for chunk, found in processes.map(job.digests, chunks(job.source.items(), chunk_size)):
            if found is None:
                raise RuntimeError(f"{chunk.items[0][0]} and after: the process that read the documents died")
            start = chunk.number * chunk_size
            digests[start : start + len(found)] = found
            bar.update(len(found))
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _annotate_chunks(
    job: Job, processes: Workers, unfinished: UnfinishedOutput, documents: int, chunk_size: int
) -> None:
    finished = unfinished.finished()
    done = sum(summary["documents"] + summary["failed"] for summary in finished.values())
    todo = (chunk for chunk in chunks(job.source.items(), chunk_size) if chunk.number not in finished)
    crashed = []
    counts: Counter = Counter()
    warned = False
    with Tqdm.tqdm(total=documents, initial=done, unit=" documents", desc="annotating") as bar:
        for chunk, result in processes.map(job.annotate, todo):
            if result is None:
                crashed.append(chunk)
                continue
            unfinished.write(chunk.number, result)
            bar.update(len(chunk.items))
            counts.update(result.counts)
            if not warned and counts["no annotations"] == counts["documents"] >= EXPECTED_BY:
                logger.warning("None of %d documents so far got any annotation", counts["documents"])
                warned = True
        # A process died over one of these documents: each is tried alone, now that there is no other to blame.
        for chunk in crashed:
            whole = ChunkResult()
            for _number, (place, item) in enumerate(chunk.items):
                for _, result in processes.map(job.annotate, chunks([(place, item)], 1)):
                    whole.add(result or failed(place, job.document(place, item), "the process that annotated it died"))
            unfinished.write(chunk.number, whole)
            bar.update(len(chunk.items))


def summarise(output: str, counts: Counter) -> None:
    """Prints what was counted, and warns of what users should know."""
    print(f"{output}: {counts['documents']:,} documents, " + ", ".join(f"{counts[n]:,} {n}" for n in COUNTED))
    if counts["failed"]:
        print(
            f"WARNING: {counts['failed']:,} documents failed; they and their errors are in {output}.failed.jsonl",
            file=sys.stderr,
        )
    if counts["documents"] and counts["no annotations"] == counts["documents"]:
        print("WARNING: NOTHING IS ANNOTATED: no document has any cluster, frame or relation", file=sys.stderr)
