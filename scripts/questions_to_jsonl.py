"""
Writes a folder of `.question` files (CNN, Daily Mail) to one file of JSON lines, which the reader
`annotated_cnn_dailymail` reads as well; compressed if its name ends so (`.gz`, `.bz2`, `.xz`).

    python scripts/questions_to_jsonl.py data/cnn/questions/training data/cnn/training.jsonl.gz

The questions are in the order of the files' names. A malformed file ends the program with status 2 and one line that
says why; nothing is written then.
"""

import argparse

from tqdm import tqdm

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.corpora.cnn_dailymail import find_questions, question_files, write_json_lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="of .question files")
    parser.add_argument("output", help="the file to write")
    arguments = parser.parse_args()
    try:
        files = question_files(find_questions(arguments.folder))
        write_json_lines(arguments.output, tqdm(files, unit="questions"))
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
