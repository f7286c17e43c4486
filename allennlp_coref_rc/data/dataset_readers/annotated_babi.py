import glob
import logging
import os
import re
from typing import Iterable, Iterator, List, NamedTuple, Optional, Sequence, Union

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.data import DatasetReader, Instance

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import ReadingComprehensionReader

logger = logging.getLogger(__name__)

NUM_TASKS = 20

EXTRACTIVE_TASKS = frozenset({1, 2, 3, 4, 5, 11, 12, 13, 14, 16})
"""The tasks whose answers are all words of their passages; in the others they are classes."""

ANSWER_TYPES = ("extractive", "classification")

# Python refuses to convert more than some thousand digits.
NUMBER = re.compile(r"[0-9]{1,9}")


class BabiQuestion(NamedTuple):
    """
    A question of a bAbI file: the statements before it, the question, its answer, the statements that support it (their
    positions in `statements`, from 0), and the line of the file it stands on.
    """

    statements: List[str]
    question: str
    answer: str
    supporting_facts: List[int]
    line: int


def read_babi(path: str) -> Iterator[BabiQuestion]:
    """
    The questions of a file in the format of the bAbI tasks (Weston et al. 2015, v1.2): `ID statement`, or `ID
    question<TAB>answer<TAB>supporting ids`; a story begins where the ID is 1, and IDs count questions too. Anything
    else raises a `ConfigurationError` with the file and the line.
    """
    ids: List[int] = []
    statements: List[str] = []
    last_id, line, found_question = 0, 0, False

    with open_text(path) as lines:
        for line, content in enumerate(lines, start=1):

            def fail(found: str, expected: str) -> ConfigurationError:
                return ConfigurationError(f"{path}, line {line}: found {found}, expected {expected}")

            content = content.rstrip("\r\n")
            number, _, text = content.partition(" ")
            if not NUMBER.fullmatch(number):
                raise fail(repr(content[:60]), "a line that begins with a number and a blank")
            if int(number) == 1:
                ids, statements = [], []
            elif int(number) != last_id + 1:
                raise fail(f"the number {number}", f"{last_id + 1} or, at the start of a story, 1")
            last_id = int(number)

            question, *rest = (part.strip() for part in text.split("\t"))
            if not question:
                raise fail("nothing after the number", "a statement or a question")
            if not rest:
                if question.endswith("?"):
                    raise fail("a question without a tab", "question<TAB>answer<TAB>supporting ids")
                ids.append(last_id)
                statements.append(question)
                continue
            if len(rest) > 2 or not rest[0]:
                raise fail(repr(text[:60]), "question<TAB>answer<TAB>supporting ids")
            supports = rest[1].split() if len(rest) == 2 else []
            for support in supports:
                if not NUMBER.fullmatch(support) or int(support) not in ids:
                    raise fail(f"the supporting id {support[:60]!r}", "the number of a statement before the question")
            if not statements:
                raise fail("a question with no statement before it", "a story")
            found_question = True
            facts = [ids.index(int(support)) for support in supports]
            yield BabiQuestion(list(statements), question, rest[0], facts, line)
    if not found_question:
        raise ConfigurationError(f"{path}, line {max(line, 1)}: found no question in the file, expected some")


@DatasetReader.register("annotated_babi")
class AnnotatedBabiReader(ReadingComprehensionReader):
    """
    Reads the bAbI tasks (Weston et al. 2015), all twenty, in the official format. Each question is an instance whose
    passage is what its story has said before.

    In half of the tasks the answer is a word of the passage and each answer of the training data is a candidate; in the
    other half it is one of the classes that the training data has. Answers of several words ("milk,apple", "n,s") are
    one candidate or class. (AllenNLP's own `babi` reader begins a new story at every line whose number begins with 1.)

    Registered as a `DatasetReader` with name "annotated_babi".

    # Parameters

    folder : `str`, optional (default = `None`)
        Where the files are: with it and `task`, a data path may be the name of a split, "train", "valid" or "test",
        which stands for `folder/qa{task}_{split}.txt` or `folder/qa{task}_*_{split}.txt`.
    task : `int`, optional (default = `None`)
        1 to 20. By default the number in the file's name, `qa{task}_...`.
    answer_type : `str`, optional (default = `None`)
        `"extractive"` or `"classification"`. By default what the task is, and extractive where its number is unknown.
    """

    def __init__(
        self, folder: Optional[str] = None, task: Optional[int] = None, answer_type: Optional[str] = None, **kwargs
    ) -> None:
        super().__init__(**kwargs)
        if task is not None and not 1 <= task <= NUM_TASKS:
            raise ConfigurationError(f"annotated_babi: task is {task}, expected 1 to {NUM_TASKS}")
        if answer_type is not None and answer_type not in ANSWER_TYPES:
            raise ConfigurationError(f"annotated_babi: answer_type is {answer_type!r}, expected one of {ANSWER_TYPES}")
        self._folder = folder
        self._task = task
        self._answer_type = answer_type

    def _read(self, file_path: str) -> Iterable[Instance]:
        path = self._find(str(file_path))
        task = self._task
        if task is None:
            name = re.match(r"qa([1-9]|1\d|20)_", os.path.basename(str(file_path)))
            task = int(name.group(1)) if name else None
        logger.info("Reading bAbI questions from %s", path)
        for item in self.shard_iterable(read_babi(path)):
            try:
                instance = self.text_to_instance(
                    item.statements,
                    item.question,
                    answer=item.answer,
                    supporting_facts=item.supporting_facts,
                    task=task,
                )
            except ConfigurationError as error:
                raise ConfigurationError(f"{path}, line {item.line}: {error}") from error
            instance["metadata"].metadata["id"] = f"{os.path.basename(path)}:{item.line}"
            yield instance

    def _find(self, file_path: str) -> str:
        """The file of a split's name, or the file itself."""
        if (
            os.path.isfile(file_path)
            or self._folder is None
            or self._task is None
            or os.path.basename(file_path) != file_path
        ):
            try:
                return str(cached_path(file_path))
            except (FileNotFoundError, ValueError) as error:
                raise ConfigurationError(
                    f"{file_path}: no such file; give a file, or the name of a split with dataset_reader.folder and "
                    "dataset_reader.task"
                ) from error
        found = [
            path
            for pattern in (f"qa{self._task}_{file_path}.txt", f"qa{self._task}_*_{file_path}.txt")
            for path in sorted(glob.glob(os.path.join(glob.escape(self._folder), pattern)))
        ]
        if not found:
            raise ConfigurationError(
                f"{os.path.join(self._folder, f'qa{self._task}_{file_path}.txt')}: no such file; "
                "set dataset_reader.folder to the folder of the bAbI tasks"
            )
        return found[0]

    def text_to_instance(  # type: ignore
        self,
        passage: Union[str, Sequence[str]],
        question: str,
        candidates: Optional[Sequence[str]] = None,
        answer: Optional[str] = None,
        clusters: Optional[Sequence] = None,
        supporting_facts: Optional[Sequence[int]] = None,
        task: Optional[int] = None,
    ) -> Instance:
        """
        # Parameters

        passage : `Union[str, Sequence[str]]`
            The story: its statements, or a text, whose statements end with ".", "!" or "?".
        question : `str`
        candidates : `Sequence[str]`, optional (default = `None`)
            By default the answers of the training data. Ignored where answers are classes.
        answer : `str`, optional (default = `None`)
            In extractive tasks it has to occur in the passage.
        clusters : `Sequence`, optional (default = `None`)
            Known clusters, in place of the annotator's: lists of [start, end) spans of the tokens of the passage and
            the wrapped question in a row.
        supporting_facts : `Sequence[int]`, optional (default = `None`)
            Positions of statements in the passage.
        task : `int`, optional (default = `None`)
            By default the reader's.
        """
        statements = _statements(passage) if isinstance(passage, str) else passage
        tokens, sentences = [], []
        for statement in statements:
            words = self.tokenize(statement)
            if words:
                sentences.append((len(tokens), len(tokens) + len(words)))
                tokens.extend(words)
        task = self._task if task is None else task
        answer_type = self._answer_type or ("classification" if task and task not in EXTRACTIVE_TASKS else "extractive")
        if answer is not None and answer_type == "extractive" and candidates is None:
            if answer.lower() not in map(str.lower, tokens):
                raise ConfigurationError(
                    f"found the answer {answer!r}, expected a word of the passage; where answers are classes, set "
                    'dataset_reader.task, or dataset_reader.answer_type to "classification"'
                )
        return self._make_instance(
            AnnotatedText(tokens, sentences),
            self.tokenize(question),
            clusters=clusters,
            candidates=None if answer_type == "classification" else candidates,
            answer=answer,
            answers_are_classes=answer_type == "classification",
            metadata={"task": task, "supporting_facts": supporting_facts},
        )


def _statements(text: str) -> List[str]:
    return [statement for statement in re.split(r"(?<=[.!?])\s+", text.strip()) if statement]
