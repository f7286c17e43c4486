"""
Tests whether two readers differ on the same questions: coref-rc compare FIRST SECOND. The files are
predictions of coref-rc predict or coref-rc evaluate, or the predictions.jsonl of a run of coref-rc reproduce.
Questions are matched by their ids, or by their order if they have none. McNemar's test, both exact and with
continuity correction, compares which answers are right; on Quoref an answer is right if it is an exact match.
With --score, a paired bootstrap compares a score of each question, such as f1. It draws whole articles if all
predictions name theirs (Quoref, SQuAD).

With --ensemble OUTPUT the readers answer together: the answer is the candidate with the highest mean
probability. The files are predictions of readers with candidates, for the same questions in the same order.
If a reader does not know a candidate, its probability for this candidate is 0. OUTPUT has the same format as
the files.
"""

import argparse
import json
from typing import NamedTuple

from allennlp_coref_rc.commands.arguments import whole_number
from allennlp_coref_rc.common.errors import ConfigurationError

HELP = "test whether two readers differ, or let several answer together"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("predictions", nargs="+", metavar="FILE", help="the predictions of a reader; two without --ensemble")
    add("--ensemble", metavar="OUTPUT", help="write the predictions of all readers together to OUTPUT")
    add("--score", metavar="KEY", help="compare this number of each prediction")
    add("--samples", type=whole_number(1), default=10000, help="bootstrap samples (default: %(default)s)")
    add("--seed", type=whole_number(0), default=1, help="the bootstrap's seed (default: %(default)s)")


def run(args: argparse.Namespace) -> None:
    if args.ensemble:
        _ensemble(args)
    else:
        _compare(args)


def _compare(args: argparse.Namespace) -> None:
    from allennlp_coref_rc.reproduction.significance import mcnemar, pair, paired_bootstrap, read_scores

    if len(args.predictions) != 2:
        raise ConfigurationError(f"found {len(args.predictions)} files of predictions, expected two")
    one, other = args.predictions
    first, second, articles = pair(read_scores(one, args.score), read_scores(other, args.score), (one, other))
    result: NamedTuple
    if args.score is None:
        result = mcnemar(first, second)
    else:
        result = paired_bootstrap(first, second, args.samples, args.seed, articles)
    print(json.dumps(result._asdict(), indent=2))


def _ensemble(args: argparse.Namespace) -> None:
    from allennlp_coref_rc.common.files import atomic_write, is_among
    from allennlp_coref_rc.reproduction.ensemble import ensemble

    if args.score:
        raise ConfigurationError("found --ensemble and --score, expected one of them")
    if is_among(args.ensemble, args.predictions):
        raise ConfigurationError(f"--ensemble {args.ensemble}: found one of the FILEs, expected another file")
    correct = []
    with atomic_write(args.ensemble) as file:
        for prediction in ensemble(args.predictions):
            file.write(json.dumps(prediction) + "\n")
            correct.append(prediction["correct"])
    print(f"accuracy {sum(correct) / len(correct):.3f} ({sum(correct):,} of {len(correct):,} questions)")
    print(f"{args.ensemble}: the predictions of {len(args.predictions)} readers together")
