"""
The examples of the playground: simulated stories that come with the package, texts written for it, and a
novel.
"""

from functools import lru_cache
from pathlib import Path

import yaml

from allennlp_coref_rc.data.babi.babi_files import read_babi
from allennlp_coref_rc.data.dataset_readers.annotated_babi import BUNDLED_FOLDER
from allennlp_coref_rc.playground.reader_session import Question

STORIES = (73, 1, 111, 117)
"""The numbers of questions about the bundled test stories. Their stories have eight or ten statements."""

TEXTS = Path(__file__).with_suffix(".yaml")


@lru_cache(maxsize=None)
def examples() -> dict[str, Question]:
    questions = list(read_babi(str(BUNDLED_FOLDER / "qa2_test.txt")))
    stories = {
        f"Simulated story {i}": Question(" ".join(told.statements), told.question)
        for i, told in enumerate((questions[number - 1] for number in STORIES), start=1)
    }
    texts = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    written = {
        name: Question(text["passage"], text["question"], tuple(text.get("candidates", ())))
        for name, text in texts.items()
    }
    # The first text shows what coreference is good for, and the page opens with it.
    first, *others = written.items()
    return dict([first, *stories.items(), *others])
