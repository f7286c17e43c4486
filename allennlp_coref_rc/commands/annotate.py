import argparse
import hashlib
import json
import logging
import os
import sys
from collections import Counter
from importlib.metadata import version
from typing import Any, Dict, List, Optional, Sequence

from allennlp.commands.subcommand import Subcommand
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import _environment_variables, evaluate_snippet
from allennlp.common.tqdm import Tqdm
from allennlp.data import DatasetReader

from allennlp_coref_rc.annotations import Annotator, check_file
from allennlp_coref_rc.annotations.checks import COUNTED
from allennlp_coref_rc.commands.chunks import Job, Part, chunks, failed
from allennlp_coref_rc.commands.document_sources import document_source
from allennlp_coref_rc.commands.parts import Parts
from allennlp_coref_rc.commands.workers import Workers, num_cpus
from allennlp_coref_rc.version import VERSION

logger = logging.getLogger(__name__)

MAX_CHUNK = 100
"""A chunk is a hundredth of the documents, but of no more than this many."""

EXPECTED_BY = 100
"""So many documents without any annotation are a reason for a warning."""


@Subcommand.register("annotate")
class Annotate(Subcommand):
    """
    Annotates documents: `allennlp annotate INPUT OUTPUT --annotator CONFIG`, or checks files that hold annotated ones:
    `allennlp annotate --check FILE ...`. See docs/annotate.md.

    Registered as a `Subcommand` with name "annotate".
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Annotate documents with coreference, SRL and discourse structure, or check annotated ones. A "
            "run that was stopped goes on where it was when the same command is given again.",
            help="Annotate documents, or check annotated ones.",
        )
        add = subparser.add_argument
        add("input", nargs="?", metavar="INPUT", help="plain text (a document a line), a folder or a quoted pattern of "
            ".txt files (a document each), JSONL, annotated documents, or, with --reader, a data set")  # fmt: skip
        add("output", nargs="?", metavar="OUTPUT", help="the file of annotated documents: JSONL, compressed if it ends "
            "in .gz, .bz2 or .xz")  # fmt: skip
        add("--annotator", metavar="CONFIG", help="a name, JSON or Jsonnet, a file of it, or the config of an "
            "experiment, whose dataset_reader.annotator is taken")  # fmt: skip
        add("--reader", metavar="CONFIG", help="the reader of a data set, given likewise; --annotator takes the place "
            "of its annotator")  # fmt: skip
        add("--workers", type=_number(0), metavar="N", help="processes on this machine; 0 is none but this one (by "
            "default one for each processor)")  # fmt: skip
        add("--scheduler", metavar="ADDRESS", help="a Dask scheduler, such as tcp://host:8786, whose workers do it")
        add("--batch-size", type=_number(1), default=8, metavar="N", help="documents that an annotator gets at once")
        add("--chunk-size", type=_number(1), metavar="N", help="documents after which a process hands over what it has "
            f"(by default a hundredth of all, at most {MAX_CHUNK})")  # fmt: skip
        add("--force", action="store_true", help="replace OUTPUT, and start over")
        add("--check", nargs="+", metavar="FILE", help="check files of annotated documents, and count what they hold")
        subparser.set_defaults(func=self.run)
        return subparser

    @staticmethod
    def run(args: argparse.Namespace) -> None:
        """Does what the command line asks for. The exit status is 1 if a file has errors, or if all documents fail."""
        if args.check:
            if args.input or args.annotator:
                raise ConfigurationError("--check: found an INPUT or --annotator too, expected files alone")
            reports = [check_file(path) for path in args.check]
            for report in reports:
                print("\n".join(report.lines()))
            sys.exit(any(report.num_errors for report in reports))
        if not args.output:
            raise ConfigurationError("expected INPUT and OUTPUT, or --check and files")
        reader = load_config("--reader", args.reader, DatasetReader) if args.reader else None
        if args.annotator:
            annotator = load_config("--annotator", args.annotator, Annotator)
        elif reader and "annotator" in reader:
            annotator = reader["annotator"]
        else:
            raise ConfigurationError('expected --annotator, for instance --annotator \'{"type": "exact_match_coref"}\'')
        counts = annotate(
            args.input,
            args.output,
            annotator,
            reader,
            workers=args.workers,
            scheduler=args.scheduler,
            batch_size=args.batch_size,
            chunk_size=args.chunk_size,
            packages=args.include_package,
            force=args.force,
        )
        summarise(args.output, counts)
        sys.exit(not counts["documents"])


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
    with Parts(output, force) as parts:
        parts.check(plan)
        with Workers(min(workers, num_chunks), scheduler) as processes:
            processes.call(job.prepare)
            plan["input"] = {"documents": documents, "sha256": _digest(job, processes, documents, chunk_size)}
            parts.begin(plan)
            _annotate_chunks(job, processes, parts, documents, chunk_size)
        counts: Counter = Counter()
        for summary in parts.finished().values():
            counts.update(summary["counts"])
            counts["failed"] += summary["failed"]
        if counts["documents"] + counts["failed"] != documents:
            raise RuntimeError(
                f"{parts.folder}: found {counts['documents']} documents and {counts['failed']} failed ones, "
                f"expected {documents}"
            )
        header = source.header()
        run = {"config": annotator, "together": source.together, "versions": plan["versions"]}
        parts.join(
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


def _annotate_chunks(job: Job, processes: Workers, parts: Parts, documents: int, chunk_size: int) -> None:
    finished = parts.finished()
    done = sum(summary["documents"] + summary["failed"] for summary in finished.values())
    todo = (chunk for chunk in chunks(job.source.items(), chunk_size) if chunk.number not in finished)
    crashed = []
    counts: Counter = Counter()
    warned = False
    with Tqdm.tqdm(total=documents, initial=done, unit=" documents", desc="annotating") as bar:
        for chunk, part in processes.map(job.annotate, todo):
            if part is None:
                crashed.append(chunk)
                continue
            parts.write(chunk.number, part)
            bar.update(len(chunk.items))
            counts.update(part.counts)
            if not warned and counts["no annotations"] == counts["documents"] >= EXPECTED_BY:
                logger.warning("None of %d documents so far got any annotation", counts["documents"])
                warned = True
        # A process died over one of these documents: each is tried alone, now that there is no other to blame.
        for chunk in crashed:
            whole = Part()
            for number, (place, item) in enumerate(chunk.items):
                for _, part in processes.map(job.annotate, chunks([(place, item)], 1)):
                    whole.add(part or failed(place, job.document(place, item), "the process that annotated it died"))
            parts.write(chunk.number, whole)
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


def load_config(option: str, value: str, base: type) -> Dict[str, Any]:
    """The config that an option gives: a name, JSON or Jsonnet, a file of it, or an experiment's config."""
    try:
        if value.lstrip().startswith("{"):
            config = json.loads(evaluate_snippet(option, value, ext_vars=_environment_variables()))
        elif os.path.isfile(value) or value.endswith((".json", ".jsonnet")):
            config = Params.from_file(value).as_dict(quiet=True)
        else:
            config = {"type": value}
    except (RuntimeError, ValueError, OSError) as error:
        raise ConfigurationError(f"{option} {value}: {error}") from error
    if "dataset_reader" in config:
        config = config["dataset_reader"]
        if base is Annotator and isinstance(config, dict):
            config = config.get("annotator")
    if not isinstance(config, dict) or not isinstance(config.get("type"), str):
        raise ConfigurationError(f"{option}: found {json.dumps(config)[:80]}, expected an object with a 'type'")
    base.by_name(config["type"])
    return config


def _number(least: int):
    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise ValueError
        return value

    return number
