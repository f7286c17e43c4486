"""
Writes bAbI-Mix (see `allennlp_coref_rc.data.babi.mixed_stories`): from a folder of bAbI files, published or simulated, one of
stories that tell of two worlds at once, in files of the same format, with as many questions.

    python scripts/mix_babi.py data/babi/en-valid data/babi/mix --seed 1

Every file has its own seed: 1000 * seed + 10 * task + split, where split is 0 for train, 1 for valid and 2 for test.
Equal files and arguments give equal files. Arguments and files that cannot be used end the program with status 2 and
one line that says why.
"""

import argparse
import os

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.babi.babi_files import NUM_TASKS, find_split
from allennlp_coref_rc.data.babi.mixed_stories import read_stories, write_mixed_stories

SPLITS = ("train", "valid", "test")


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Mixes stories of the bAbI tasks two by two.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("source", help="the folder of the bAbI files")
    parser.add_argument("output_folder", help="where the files are written; made if it does not exist")
    tasks = range(1, NUM_TASKS + 1)
    parser.add_argument(
        "--tasks", type=int, nargs="+", default=list(tasks), choices=tasks, metavar="TASK", help="numbers of tasks"
    )
    parser.add_argument("--splits", nargs="+", default=SPLITS, choices=SPLITS, help="which files of a task")
    parser.add_argument("--seed", type=int, default=1, help="at least 0; from it each file's own seed is derived")
    arguments = parser.parse_args()
    if arguments.seed < 0:
        parser.error(f"argument --seed: found {arguments.seed}, expected at least 0")
    if os.path.realpath(arguments.source) == os.path.realpath(arguments.output_folder):
        parser.error(f"found {arguments.source} twice, expected another folder for what is written")

    try:
        os.makedirs(arguments.output_folder, exist_ok=True)
        for task in arguments.tasks:
            for split in arguments.splits:
                stories = read_stories(find_split(arguments.source, task, split))
                path = os.path.join(arguments.output_folder, f"qa{task}_{split}.txt")
                write_mixed_stories(path, stories, seed=1000 * arguments.seed + 10 * task + SPLITS.index(split))
                print(f"{path}: {sum(map(len, stories))} questions in {len(stories)} stories")
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
