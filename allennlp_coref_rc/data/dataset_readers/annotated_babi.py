import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Optional

from allennlp.data import DatasetReader, Instance
from allennlp.data.tokenizers import LettersDigitsTokenizer, Tokenizer

from allennlp_coref_rc.annotations import Document
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.malformed import with_errors
from allennlp_coref_rc.data.babi.babi_files import NUM_TASKS, BabiQuestion, find_split, read_babi
from allennlp_coref_rc.data.dataset_readers.answers import add_candidates, mark_skipped
from allennlp_coref_rc.data.dataset_readers.document_reader import GivenPassage, Text, candidate_names
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import (
    CUT_OFF,
    ReadingComprehensionReader,
)
from allennlp_coref_rc.data.fields import (
    CANDIDATE_LABELS,
    CLASS_LABELS,
    AnswerField,
    CandidatesField,
    metadata_of,
)

EXTRACTIVE_TASKS = frozenset({1, 2, 3, 4, 5, 11, 12, 13, 14, 16})
"""The tasks whose answers are always words of the passage. In the other tasks, answers are classes."""

ANSWER_TYPES = ("extractive", "classification")

BUNDLED = "bundled://simulated"
"""
In place of a folder, this names the stories of task 2 that come with this package. `simulated_world` made
them.
"""

BUNDLED_FOLDER = Path(__file__).resolve().parents[1] / "babi" / "simulated"


@DatasetReader.register("annotated_babi")
class AnnotatedBabiReader(ReadingComprehensionReader):
    """
    Reads all twenty bAbI tasks (Weston et al. 2015) in the official format. Each question is an instance. Its
    passage is the story up to the question.

    In half of the tasks the answer is a word of the passage, and the candidates are all answers of the
    training data. In the other half the answer is one of the classes in the training data. An answer of
    several words ("milk,apple", "n,s") is one candidate or class. A question whose answer lies beyond
    `max_passage_length` is skipped. (AllenNLP's own `babi` reader is not a replacement: it begins a new story
    at every line whose number begins with 1.)

    In `text_to_instance` a passage may be a list of statements, and an extractive answer has to occur in it.
    By default candidates are the answers of the training data, and `task` is the reader's. `supporting_facts`
    are the positions of statements.

    Registered as a `DatasetReader` with name "annotated_babi". It also takes the parameters of
    `ReadingComprehensionReader`. The default tokenizer is AllenNLP's `letters_digits`.

    # Parameters

    folder : `str`, optional (default = `None`)
        The folder of the files. With it and `task`, a data path may be the name of a split, "train", "valid"
        or "test", which stands for `folder/qa{task}_{split}.txt` or `folder/qa{task}_*_{split}.txt`.
        "bundled://simulated" means the simulated stories that come with this package, which has only task 2.
    task : `int`, optional (default = `None`)
        The number of the task, 1 to 20. By default the number in the file's name, `qa{task}_...`.
    answer_type : `str`, optional (default = `None`)
        `"extractive"` or `"classification"`. By default the type of the task, and extractive if its number is
        unknown.
    """

    default_tokenizer = LettersDigitsTokenizer()

    def __init__(
        self,
        folder: Optional[str] = None,
        task: Optional[int] = None,
        answer_type: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if task is not None and not 1 <= task <= NUM_TASKS:
            raise ConfigurationError(f"annotated_babi: task is {task}, expected 1 to {NUM_TASKS}")
        if answer_type is not None:
            check_choice("annotated_babi", "answer_type", answer_type, ANSWER_TYPES)
        if folder is not None and folder.startswith("bundled://") and folder != BUNDLED:
            raise ConfigurationError(
                f"annotated_babi: folder is {folder!r}, expected {BUNDLED!r}, the stories that come with this package, "
                "or a folder of bAbI files"
            )
        self._folder = str(BUNDLED_FOLDER) if folder == BUNDLED else folder
        self._task = task
        self._answer_type = answer_type

    def read_items(self, path: str, name: str) -> Iterator[tuple[str, Any]]:
        file = os.path.basename(path if self._is_split(name) else name)
        task = self._task
        named = re.match(r"qa([1-9]|1\d|20)_", file)
        if named:
            if task not in (None, int(named.group(1))):
                raise ConfigurationError(
                    f"{name}: found task {named.group(1)} in the file's name, expected task {task}, which "
                    "dataset_reader.task says"
                )
            task = int(named.group(1))
        for item in with_errors(partial(read_babi, path)):
            if isinstance(item, ConfigurationError):
                yield path, item
            else:
                yield f"{path}, line {item.line}", (f"{file}:{item.line}", task, item)

    def to_document(self, item: tuple[str, Optional[int], BabiQuestion]) -> Document:
        id, task, question = item
        data = {"answer": question.answer, "supporting_facts": question.supporting_facts, "task": task}
        passage = self.split(question.statements).located(" ".join(question.statements))
        return self.document(passage, [question.question], [data], id)

    def to_instance(self, document: Document, question: int = 0) -> Optional[Instance]:
        text, boundary = self.select(document)
        (data,) = document.questions
        task, answer, candidates = data.get("task"), data.get("answer"), data.get("candidates")
        answer_type = self._answer_type or (
            "classification" if task and task not in EXTRACTIVE_TASKS else "extractive"
        )
        is_word = answer_type == "extractive" and candidates is None
        known = {"answer": answer, "task": task, "supporting_facts": data.get("supporting_facts")}
        instance = self.make_instance(text, boundary, known)
        if answer is not None and is_word and not _has(text.tokens[:boundary], answer):
            if not _has(document.tokens_of(0), answer):
                raise ConfigurationError(
                    f"found the answer {answer[:80]!r}, expected a word of the passage; where answers are classes, set "
                    'dataset_reader.task, or dataset_reader.answer_type to "classification"'
                )
            if self.skip(CUT_OFF):
                return None
            _add_seen_candidates(instance, None)
            mark_skipped(instance)
        elif answer_type == "classification":
            # One of the classes in the vocabulary, and not a word of the passage.
            if answer is not None:
                instance.add_field("answer", AnswerField(answer.lower(), CLASS_LABELS))
        elif candidates is None:
            _add_seen_candidates(instance, answer)
        else:
            words = list(map(self.tokenize, candidates))
            target = None if answer is None else self.answer_tokens(answer, candidates)
            add_candidates(instance, candidate_names(candidates), words, target)
        return instance

    def sentences(self, text: Text) -> list[list[str]]:
        """
        In a text, sentences end with ".", "!" or "?". In a list of statements, each statement is a sentence.
        """
        statements = re.split(r"(?<=[.!?])\s+", text) if isinstance(text, str) else text
        words = (
            _words(self._tokenizer, each) if isinstance(each, str) else self.tokenize(each)
            for each in statements
        )
        return list(filter(None, words))

    def _is_split(self, name: str) -> bool:
        given = self._folder is not None and self._task is not None
        return given and os.path.basename(name) == name and not os.path.isfile(name)

    def find(self, file_path: str) -> str:
        """
        The file of a split's name, or the file itself. If there is none, a `ConfigurationError` is raised.
        """
        if self._folder is None or self._task is None or not self._is_split(file_path):
            try:
                return super().find(file_path)
            except ConfigurationError as error:
                raise ConfigurationError(
                    f"{file_path}: no such file; give a file, or the name of a split with dataset_reader.folder and "
                    "dataset_reader.task"
                ) from error
        try:
            return find_split(self._folder, self._task, file_path)
        except ConfigurationError as error:
            raise ConfigurationError(
                f"{error}, which dataset_reader.folder names; {BUNDLED!r} is one that comes with the package, of task 2"
            ) from error

    def document(
        self, passage: GivenPassage, questions: Sequence[Text], data: Sequence[dict], id: Optional[str] = None
    ) -> Document:
        """As in other readers. By default the task of a question is the reader's."""
        return super().document(passage, questions, [{"task": self._task, **known} for known in data], id)


@lru_cache(maxsize=2**14)
def _words(tokenizer: Tokenizer, statement: str) -> list[str]:
    # Each question of a story has the statements of the questions before it, and stories share many
    # statements.
    return [str(token) for token in tokenizer.tokenize(statement)]


def _has(tokens: Sequence[str], answer: str) -> bool:
    return answer.lower() in map(str.lower, tokens)


def _add_seen_candidates(instance: Instance, answer: Optional[str]) -> None:
    """Adds candidates, which are the answers seen in training, and the answer if it is known."""
    instance.add_field("candidates", CandidatesField(metadata_of(instance)["passage_tokens"]))
    if answer is not None:
        instance.add_field("answer", AnswerField(answer.lower(), CANDIDATE_LABELS))
