"""
Tests whether two readers differ on the same questions.

    python scripts/compare_predictions.py FIRST.jsonl SECOND.jsonl
    python scripts/compare_predictions.py FIRST.jsonl SECOND.jsonl --score rouge_l

The files are what `allennlp predict` writes, the predictions of `allennlp evaluate`, or a run's predictions.jsonl of
scripts/reproduce.py; questions go together by id, or, where they have none, by order. Right and wrong answers are
compared by McNemar's test, exact and with the correction for continuity; with --score a number of each question by a
paired bootstrap. Printed is JSON.
"""

import argparse
import json
import sys

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.significance import mcnemar, pair, paired_bootstrap, read_scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--score", metavar="KEY", help="the number to compare, of each prediction")
    parser.add_argument("--samples", type=int, default=10000, help="of the bootstrap (by default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the bootstrap (by default %(default)s)")
    args = parser.parse_args()
    try:
        if args.samples < 1 or args.seed < 0:
            raise ConfigurationError(f"found --samples {args.samples} --seed {args.seed}, expected 1 and 0 or more")
        scores = [read_scores(path, args.score) for path in (args.first, args.second)]
        first, second = pair(*scores, (args.first, args.second))
    except ConfigurationError as error:
        sys.exit(str(error))
    if args.score is None:
        result = mcnemar([bool(score) for score in first], [bool(score) for score in second])
    else:
        result = paired_bootstrap(first, second, args.samples, args.seed)
    print(json.dumps(result._asdict(), indent=2))


if __name__ == "__main__":
    main()
