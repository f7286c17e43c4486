from collections.abc import Iterator

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.data.babi.babi_files import find_split, read_babi
from allennlp_coref_rc.data.babi.simulated_world import SIMULATED_TASKS, simulate_task

SHARE = 5
"""One of so many training questions is kept aside for the test if a task cannot be simulated."""


def with_fresh_test(folder: str, task: int, questions: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """
    The lines of each split of a bAbI task: published questions for training and validation, from files in
    `folder`, and a test that is not published. Its questions are simulated or, if the task cannot be, those
    of the last stories of the training file, a fifth of its questions, which are left out of training.
    """
    path = find_split(folder, task, "train")
    train = _lines(path)
    if task in SIMULATED_TASKS:
        test = simulate_task(task, questions, seed)
    else:
        read = list(read_babi(path))
        kept = read[len(read) - len(read) // SHARE - 1].story
        starts = [number for number, line in enumerate(train) if line.partition(" ")[0] == "1"]
        if kept == len(starts):
            raise ConfigurationError(f"{path}: found {len(starts)} stories, expected some for a test")
        train, test = train[: starts[kept]], train[starts[kept] :]
    yield "train", train
    yield "valid", _lines(find_split(folder, task, "valid"))
    yield "test", test


def _lines(path: str) -> list[str]:
    with open_text(path) as lines:
        return [line.rstrip("\n") for line in lines]
