"""
Annotates documents with coreference, SRL and discourse structure, or checks annotated ones. To resume an
interrupted run, give the same command again. See docs/annotate.md.
"""

import argparse
import codecs
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Optional

from allennlp_coref_rc.commands.arguments import OTHER_FORMATS, add_packages, probability, whole_number
from allennlp_coref_rc.common.errors import ConfigurationError

HELP = "annotate documents with coreference, SRL and discourse structure, or check annotated ones"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    texts = (
        "plain text (each line a document), a folder or a quoted pattern of .txt files (each file a document), JSONL, "
        "annotated documents, or, with --reader, a data set; - is stdin"
    )
    add("input", nargs="?", metavar="INPUT", help=texts)
    output = "the file of annotated documents: JSONL, compressed if it ends in .gz, .bz2 or .xz; - is stdout"
    add("output", nargs="?", metavar="OUTPUT", help=output)
    config = "a registered name, a config in JSON or Jsonnet, a file with one, or an experiment's (for its annotator)"
    add("--annotator", metavar="CONFIG", help=config)
    reader = "the dataset reader, in the same forms; --annotator replaces its annotator"
    add("--reader", metavar="CONFIG", help=reader)
    form = "the format of INPUT, a file or a folder that another tool has annotated; it needs no --annotator"
    add("--format", choices=OTHER_FORMATS, help=form)
    sure = "leave out mentions, arguments of frames and relations that are less sure, 0 to 1; of what `coref`, `roles` "
    sure += "and `discourse` add"
    add("--min-confidence", type=probability, metavar="P", help=sure)
    encoding = "the encoding of plain text or JSONL, such as latin-1 (default: UTF-8)"
    add("--encoding", type=_encoding, help=encoding)
    workers = (
        "worker processes on this machine, 0 for none (default: one for each processor if that saves time)"
    )
    add("--workers", type=whole_number(0), metavar="N", help=workers)
    scheduler = "a Dask scheduler whose workers annotate, such as tcp://host:8786"
    add("--scheduler", metavar="ADDRESS", help=scheduler)
    batch_size = "documents that an annotator gets at once"
    add("--batch-size", type=whole_number(1), default=8, metavar="N", help=batch_size)
    chunk = "documents that a process takes at a time (default: a hundredth of all, at most 100)"
    add("--chunk-size", type=whole_number(1), metavar="N", help=chunk)
    add("--force", action="store_true", help="replace OUTPUT and start over")
    add_packages(parser, "annotators")
    trust = "trust the archives of annotators' models, which can then run any program"
    add("--trust", action="store_true", help=trust)
    check = "check files of annotated documents, and count what is in them"
    add("--check", nargs="+", metavar="FILE", help=check)
    resolve = (
        "print annotated documents with names in place of pronouns and noun phrases, each as a line of JSON"
    )
    add("--resolve", nargs="+", metavar="FILE", help=resolve)


def run(args: argparse.Namespace) -> None:
    """
    Does what the command line asks for. The exit status is 1 if a file has errors, or if all documents fail.
    """
    from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_packages, import_plugins
    from allennlp_coref_rc.annotations.file_report import report_on_file

    others = {"--format": args.format, "--encoding": args.encoding, "--reader": args.reader}
    more = {**others, "--resolve": args.resolve, "--min-confidence": args.min_confidence}
    for option, files, refused in (("--check", args.check, more), ("--resolve", args.resolve, others)):
        if not files:
            continue
        if args.input or args.annotator:
            raise ConfigurationError(f"{option}: found an INPUT or --annotator too, expected files alone")
        for other, value in refused.items():
            if value is not None:
                raise ConfigurationError(f"{option}: found {other} too, expected files alone")
    if args.resolve:
        _resolve(args.resolve, args.min_confidence)
        return
    if args.check:
        reports = [report_on_file(path) for path in args.check]
        for report in reports:
            print("\n".join(report.lines()))
        if any(report.num_errors for report in reports):
            sys.exit(1)
        return
    if not args.output:
        raise ConfigurationError("expected INPUT and OUTPUT, or --check or --resolve and files")
    import_plugins()
    from allennlp.data import DatasetReader

    from allennlp_coref_rc.annotation_runs.config_option import of_name, option_config
    from allennlp_coref_rc.annotation_runs.pipes import pipes
    from allennlp_coref_rc.annotation_runs.run import AnnotationRun, summarise
    from allennlp_coref_rc.annotations.annotators import Annotator

    import_packages(args.include_package)
    reader = option_config("--reader", args.reader, DatasetReader) if args.reader else None
    if args.annotator:
        annotators = [option_config("--annotator", args.annotator, Annotator)]
    elif reader and "annotator" in reader:
        annotators = [of_name(reader["annotator"])]
    elif args.format or args.min_confidence is not None:
        annotators = []
    else:
        raise ConfigurationError(
            'expected --annotator, for instance --annotator \'{"type": "exact_match_coref"}\''
        )
    annotator = {"type": "compose", "annotators": annotators}
    if args.min_confidence is not None:
        annotator["min_confidence"] = args.min_confidence
    elif annotators:
        (annotator,) = annotators
    names = ("format", "workers", "scheduler", "batch_size", "chunk_size", "force", "trust", "encoding")
    options = {name: getattr(args, name) for name in names}
    with pipes(args.input, args.output) as (input, output):
        counts = AnnotationRun(
            input, output, annotator, reader, packages=args.include_package, **options
        ).run()
        if output == args.output:
            summarise(output, counts)
        else:
            with redirect_stdout(sys.stderr):
                summarise(output, counts, args.output)
    if not counts["documents"]:
        sys.exit(1)


def _encoding(name: str) -> str:
    try:
        found = codecs.lookup(name).name
        return "utf-8-sig" if found == "utf-8" else found  # A byte order mark is no text.
    except LookupError as error:
        raise argparse.ArgumentTypeError(f"found {name!r}, expected an encoding such as latin-1") from error


def _resolve(paths: Sequence[str], min_confidence: Optional[float]) -> None:
    from allennlp_coref_rc.annotations.annotators.resolved_text import resolve
    from allennlp_coref_rc.annotations.document import json_line, read_documents

    for path in paths:
        for place, document in read_documents(path):
            text = document.text
            if min_confidence is not None:
                try:
                    # Names depend on clusters alone.
                    text = replace(text, frames=[], relations=[]).confident(min_confidence)
                except ConfigurationError as error:
                    raise ConfigurationError(f"{place}: {error}") from error
            values = {"id": text.id, **resolve(text)._asdict()}
            print(json_line(values).rstrip("\n"))


def resume_hint(args: argparse.Namespace) -> str:
    if args.check or args.resolve:
        return ""
    return f"the same command{' without --force' * args.force} resumes with the remaining documents"
