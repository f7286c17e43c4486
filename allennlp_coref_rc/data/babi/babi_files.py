import glob
import os
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.common.malformed import LeaveOut, Malformed, lost_question, refuse

NUM_TASKS = 20

# Python refuses to convert more than some thousand digits.
NUMBER = re.compile(r"[0-9]{1,9}")


class BabiQuestion(NamedTuple):
    """
    A question of a bAbI file, with the statements of its story before it. `supporting_facts` are the
    positions in `statements`, from 0, of those that support the answer. The `line` and the number of the
    `story` in the file count from 1.
    """

    statements: list[str]
    question: str
    answer: str
    supporting_facts: list[int]
    line: int
    story: int


def read_babi(path: str, leave_out: LeaveOut = refuse) -> Iterator[BabiQuestion]:
    """
    The questions of a file in the format of the bAbI tasks (Weston et al. 2015, v1.2). Its lines are `ID
    statement` or `ID question<TAB>answer<TAB>supporting ids`. A story begins where the ID is 1, and questions
    have IDs too. `leave_out` gets the errors of malformed lines, each as a `Malformed`, and of the questions
    of a story after one that is no question.
    """
    ids: list[int] = []
    statements: list[str] = []
    last_id: Optional[int] = 0
    line, story, found_question = 0, 0, False
    broken = 0
    """A malformed line, other than a question, of this story."""

    def fail(found: str, expected: str) -> ConfigurationError:
        return ConfigurationError(f"{path}, line {line}: found {found}, expected {expected}")

    def read_line(content: str) -> Optional[BabiQuestion]:
        nonlocal last_id, story, broken
        before, last_id = last_id, None
        number, _, text = content.partition(" ")
        if not NUMBER.fullmatch(number):
            raise fail(repr(content[:60]), "a line that begins with a number and a blank")
        if int(number) == 1:
            ids.clear()
            statements.clear()
            story, broken = story + 1, 0
        elif broken:
            if "\t" in text:
                raise fail("a question after a malformed line of its story", f"line {broken} to be whole")
            return None
        elif before is not None and int(number) != before + 1:
            broken = line
            raise fail(f"the number {number}", f"{before + 1} or, at the start of a story, 1")
        last_id = int(number)

        question, *rest = (part.strip() for part in text.split("\t"))
        if not question:
            raise fail("nothing after the number", "a statement or a question")
        if not rest:
            if "?" in question:
                raise fail("a question without a tab", "question<TAB>answer<TAB>supporting ids")
            ids.append(last_id)
            statements.append(question)
            return None
        if len(rest) > 2 or not rest[0]:
            raise fail(repr(text[:60]), "question<TAB>answer<TAB>supporting ids")
        supports = rest[1].split() if len(rest) == 2 else []
        for support in supports:
            if not NUMBER.fullmatch(support) or int(support) not in ids:
                raise fail(
                    f"the supporting id {support[:60]!r}", "the number of a statement before the question"
                )
        if not statements:
            raise fail("a question with no statement before it", "a story")
        facts = [ids.index(int(support)) for support in supports]
        return BabiQuestion(list(statements), question, rest[0], facts, line, story)

    with open_text(path) as lines:
        for line, content in enumerate(lines, start=1):
            try:
                question = read_line(content.rstrip("\r\n"))
                found_question = found_question or question is not None
                if question is not None:
                    yield question
            except ConfigurationError as error:
                found_question = True
                is_question = "\t" in content or "?" in content
                leave_out(Malformed(str(error), [lost_question(content.rstrip("\r\n"))] * is_question))
                # Without a statement, the answers to the questions after it are not known.
                if not is_question:
                    broken = broken or line
    if not found_question:
        raise ConfigurationError(f"{path}, line {max(line, 1)}: found no question in the file, expected some")


def find_split(folder: str, task: int, split: str) -> str:
    """
    The file of "train", "valid" or "test" of a task: `qa{task}_{split}.txt` or `qa{task}_*_{split}.txt`.
    """
    names = (f"qa{task}_{split}.txt", f"qa{task}_*_{split}.txt")
    for name in names:
        files = sorted(glob.glob(os.path.join(glob.escape(folder), name)))
        if files:
            return files[0]
    raise ConfigurationError(
        f"{os.path.join(folder, names[0])}: no such file, expected the folder of the bAbI tasks"
    )
