"""
Scores readers by type of question and by length of the passage, beside each other: Figures 4 and 5 of DASSA (Mihaylov
and Frank, EMNLP 2019).

    allennlp predict qanet.tar.gz data/narrativeqa/test --predictor span_reader --use-dataset-reader --silent \\
        --output-file qanet.jsonl
    python scripts/evaluate_by_question.py output/figures QANet=qanet.jsonl DASSA=dassa.jsonl

writes into the folder `scores.md` and `scores.csv`, and for each measure a picture by type
(`question_type_rouge_l.png`, …) and by length (`passage_length_rouge_l.png`, …). All figures are in points, of 100.
Other readers are compared with the first on the same questions; the interval beside a difference has 95 % of the
differences of resampled questions.

A question is of the first of these types whose words are anywhere in it, in lower case, as in the authors' code
("show" is a how, "whole" a who): what, when, where, which, who, why, how far, how long, how many, how much, how old,
how; else it is an other. Lengths are in tokens. Rouge-L, exact match and F1 are means over questions, Bleu-1 is of the
group's answers together. What cannot be used ends the program with status 2 and one line that says why; nothing is
written then.
"""

import argparse

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import named_paths
from allennlp_coref_rc.reproduction.figures.question_groups import BOUNDS, GROUPINGS
from allennlp_coref_rc.reproduction.figures.question_scores import MEASURES, Comparison


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where tables and pictures go")
    parser.add_argument("predictions", nargs="+", metavar="NAME=FILE", help="of `span_reader`, with answer_texts")
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=list(MEASURES), help="by default all")
    parser.add_argument("--bounds", nargs="+", type=int, default=BOUNDS, help="of lengths (default: 200 400 … 1200)")
    parser.add_argument("--samples", type=int, default=1000, help="of questions, for intervals (default: 1000)")
    arguments = parser.parse_args()
    try:
        comparison = Comparison(GROUPINGS, arguments.measures, arguments.bounds, arguments.samples)
        comparison.write(arguments.folder, named_paths(arguments.predictions))
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
