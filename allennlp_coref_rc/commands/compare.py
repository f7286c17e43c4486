"""
Compares readers on the same questions: coref-rc compare GRU=gru_*.jsonl C-GRU=cgru_*.jsonl. The files are
predictions of coref-rc predict or coref-rc evaluate, or the predictions.jsonl of runs of coref-rc reproduce.
Files with the same NAME are seeds of a reader; in place of a file, a pattern names several. Each reader is
compared with the first. Questions are matched by their ids, or by their order if they have none.

The output has each reader's mean score and its deviation over seeds, the difference from the first reader
with its 95 % interval, by a bootstrap that draws whole passages, a test, and a sentence for a paper. The test
is McNemar's if there is one seed of each reader and a question for each passage, and otherwise the bootstrap.
Only the questions are drawn, so it says nothing about other seeds. p is not corrected for several readers.

With --ensemble OUTPUT the readers answer together: the answer is the candidate with the highest mean
probability. The files are predictions of readers with candidates, for the same questions in the same order.
If a reader does not know a candidate, its probability for this candidate is 0. OUTPUT has the same format as
the files.
"""

import argparse
import json
import sys

from allennlp_coref_rc.common.errors import ConfigurationError

HELP = "compare readers, and test whether they differ, or let several answer together"

FORMATS = ("markdown", "latex", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("predictions", nargs="+", metavar="[NAME=]FILE", help="the predictions of a seed of a reader")
    add("--ensemble", metavar="OUTPUT", help="write the predictions of all readers together to OUTPUT")
    score = "compare this number of each prediction, such as f1 (default: whether an answer is right)"
    add("--score", metavar="KEY", help=score)
    add("--format", choices=FORMATS, default=FORMATS[0], help="of the output (default: %(default)s)")


def run(args: argparse.Namespace) -> None:
    if args.ensemble:
        _ensemble(args)
    else:
        _compare(args)


def _compare(args: argparse.Namespace) -> None:
    from allennlp_coref_rc.common.files import named_lists
    from allennlp_coref_rc.common.tables import latex, latex_text, markdown
    from allennlp_coref_rc.reproduction.comparison import Comparison

    readers = named_lists(args.predictions)
    if len(readers) < 2:
        raise ConfigurationError(
            f"found predictions of one reader, {next(iter(readers))}, expected two or more"
        )
    comparison = Comparison(readers, args.score)
    if args.format == "json":
        print(json.dumps(comparison.to_json(), indent=2))
    elif args.format == "latex":
        print("\n".join([*latex(*comparison.table()), "", *map(latex_text, comparison.sentences())]))
    else:
        print("\n".join([*markdown(*comparison.table()), "", *comparison.sentences()]))
    for remark in comparison.remarks:
        print(f"coref-rc: {remark}", file=sys.stderr)


def _ensemble(args: argparse.Namespace) -> None:
    from allennlp_coref_rc.common.files import atomic_write, is_among, named_lists
    from allennlp_coref_rc.reproduction.ensemble import ensemble

    others = {"--score": args.score, "--format": args.format != FORMATS[0]}
    for option, is_given in others.items():
        if is_given:
            raise ConfigurationError(f"found --ensemble and {option}, expected one of them")
    paths: list[str] = []
    for path in (path for files in named_lists(args.predictions).values() for path in files):
        if is_among(path, paths):
            raise ConfigurationError(f"{path}: found it twice, expected every reader once")
        paths.append(path)
    if is_among(args.ensemble, paths):
        raise ConfigurationError(f"--ensemble {args.ensemble}: found one of the FILEs, expected another file")
    correct = []
    with atomic_write(args.ensemble) as file:
        for prediction in ensemble(paths):
            file.write(json.dumps(prediction) + "\n")
            correct.append(prediction["correct"])
    print(f"accuracy {sum(correct) / len(correct):.3f} ({sum(correct):,} of {len(correct):,} questions)")
    print(f"{args.ensemble}: the predictions of {len(paths)} readers together")
