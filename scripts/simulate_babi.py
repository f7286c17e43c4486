"""
Writes simulated bAbI stories (see `allennlp_coref_rc.data.babi.simulated_world`) into a folder, as files that have the names
and the format of the bAbI tasks, version 1.2: `qa1_train.txt`, `qa1_valid.txt`, `qa1_test.txt`, and so on.

    python scripts/simulate_babi.py simulated --tasks 1 2 3 --train 900 --valid 100 --test 1000 --seed 1

Every file has its own seed: 1000 * seed + 10 * task + split, where split is 0 for train, 1 for valid and 2 for test.
Equal arguments give equal files. By default all simulated tasks are written, with as many questions as the published
files have (900, 100 and 1000). Arguments that cannot be used end the program with status 2 and one line that says why.
"""

import argparse
import os

from allennlp_coref_rc.data.babi.simulated_world import SIMULATED_TASKS, write_task

SPLITS = ("train", "valid", "test")


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Writes simulated stories in the format of the bAbI tasks.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("output_folder", help="where the files are written; made if it does not exist")
    parser.add_argument(
        "--tasks",
        type=int,
        nargs="+",
        default=SIMULATED_TASKS,
        choices=SIMULATED_TASKS,
        metavar="TASK",
        help="the numbers of the tasks",
    )
    parser.add_argument("--train", type=int, default=900, help="questions in each training file")
    parser.add_argument("--valid", type=int, default=100, help="questions in each validation file")
    parser.add_argument("--test", type=int, default=1000, help="questions in each test file")
    parser.add_argument("--seed", type=int, default=1, help="at least 0; from it each file's own seed is derived")
    arguments = parser.parse_args()
    for name in SPLITS:
        if getattr(arguments, name) < 1:
            parser.error(f"argument --{name}: found {getattr(arguments, name)}, expected at least 1")
    if arguments.seed < 0:
        parser.error(f"argument --seed: found {arguments.seed}, expected at least 0")

    try:
        os.makedirs(arguments.output_folder, exist_ok=True)
        for task in arguments.tasks:
            for index, split in enumerate(SPLITS):
                path = os.path.join(arguments.output_folder, f"qa{task}_{split}.txt")
                questions = getattr(arguments, split)
                write_task(path, task, questions, seed=1000 * arguments.seed + 10 * task + index)
                print(f"{path}: {questions} questions")
    except OSError as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
