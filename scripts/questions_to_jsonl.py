"""
Writes a folder of `.question` files (CNN, Daily Mail) to one file of JSON lines, which the reader
`annotated_cnn_dailymail` reads as well; compressed if its name ends so (`.gz`, `.bz2`, `.xz`).

    python scripts/questions_to_jsonl.py data/cnn/questions/training data/cnn/training.jsonl.gz

The questions are in the order of the files' names. A malformed file ends the program with status 2 and one line that
says why; nothing is written then.
"""

import argparse
import json

from tqdm import tqdm

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write
from allennlp_coref_rc.data.dataset_readers import AnnotatedCnnDailyMailReader
from allennlp_coref_rc.data.dataset_readers.annotated_cnn_dailymail import read_question


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="of .question files")
    parser.add_argument("output", help="the file to write")
    arguments = parser.parse_args()
    reader = AnnotatedCnnDailyMailReader()
    try:
        files = [path for path, _ in reader.read_items(reader.find(arguments.folder), arguments.folder)]
        with atomic_write(arguments.output) as output:
            for path in tqdm(files, unit="questions"):
                output.write(json.dumps(read_question(path)._asdict(), ensure_ascii=False) + "\n")
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
