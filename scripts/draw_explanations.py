"""
Draws what a reader has looked at, from predictions of `cloze_reader` or `span_reader`: the passage coloured by score
(Figure 3 of CG+SBA, NAACL-SRW 2018), the self-belief of the question as bars (its Figure 4), the attention of every
layer, and the annotated heads of DASSA (EMNLP 2019).

    allennlp predict model.tar.gz questions.jsonl --predictor-args '{"explain": true}' --output-file answers.jsonl
    python scripts/draw_explanations.py answers.jsonl output/explanations

writes for each prediction one standalone HTML page with everything on it, and PNG files of the bars, of the attention
and of the annotated heads, a picture a head with every block and application of the encoder beside each other. On the
page a click on a token shows what it attends to; what is outside its scope is grey. Of passages of more than 60 tokens
a head's picture shows those around the answer. What cannot be read ends the program with status 2 and one line that says
why; nothing is written then.
"""

import argparse

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.pages.explanations import write_explanations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions", help="JSON lines, as `allennlp predict` writes them")
    parser.add_argument("folder", help="where the pages and pictures go")
    parser.add_argument("--limit", type=int, default=20, help="how many predictions (default: 20)")
    arguments = parser.parse_args()
    try:
        write_explanations(arguments.predictions, arguments.folder, arguments.limit)
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
