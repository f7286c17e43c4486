"""
bAbI-Mix (Dhingra et al., 2017, arXiv 1703.02620, section 4.2): stories that tell of two worlds at once. Two
independent bAbI stories are mixed. In one of them, alternates replace the entities ("David" replaces
"Daniel", and "juice" replaces "milk"). The statements of the two come in a random mix, but in each story's
own order. All questions are about one of the two.

The paper gives the idea and two examples. We decided the rest. Each story of a file asks its own questions
once, with the statements of another story mixed in: the next one in a random ring of all stories. So there
are as many stories and questions as before. For each story we draw which of the two gets the alternates. All
ways to interleave the two are equally likely. A question stays at its place in its own story. The last
question ends the mixed story, and later statements are left out. A statement with a pronoun ("After that she
went to the office.", tasks 11 and 13) stays right behind the one before it, since with others between them
nobody could tell who "she" is.
"""

import random
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Union

import yaml

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.babi.babi_files import BabiQuestion, read_babi

WORD = re.compile("[A-Za-z]+")
PRONOUN = re.compile(r"\b(he|she|they)\b", re.IGNORECASE)

_lists = yaml.safe_load(Path(__file__).with_name("alternate_entities.yaml").read_text(encoding="utf-8"))
OTHER_WORDS = frozenset(_lists.pop("other_words").split())
ALTERNATES_OF_KIND = {kind: dict(pair.split(":") for pair in pairs.split()) for kind, pairs in _lists.items()}
ALTERNATES = {word: alternate for pairs in ALTERNATES_OF_KIND.values() for word, alternate in pairs.items()}
ALTERNATE_WORDS = frozenset(ALTERNATES.values())

Line = Union[str, BabiQuestion]


def read_stories(path: str) -> list[list[BabiQuestion]]:
    """
    The stories of a bAbI file, two or more, each as the list of its questions. Words other than entities with
    alternates and the tasks' other words raise a `ConfigurationError`.
    """
    stories = [
        list(questions) for _, questions in groupby(read_babi(path), key=lambda question: question.story)
    ]
    if len(stories) < 2:
        raise ConfigurationError(f"{path}: found one story, expected two or more to mix")
    for story in stories:
        for question in story:
            for word in WORD.findall(" ".join([*question.statements, question.question, question.answer])):
                if word.lower() not in ALTERNATES and word.lower() not in OTHER_WORDS:
                    known = "an alternate" if word.lower() in ALTERNATE_WORDS else "which has no alternate"
                    raise ConfigurationError(
                        f"{path}, line {question.line} or what is told before it: found {word!r}, {known}; expected "
                        "the words of the English bAbI tasks (allennlp_coref_rc/data/babi/alternate_entities.yaml)"
                    )
    return stories


def mix_stories(stories: Sequence[list[BabiQuestion]], seed: int) -> list[str]:
    """The lines of the mixed stories, without line ends. The same arguments always give the same lines."""
    rng = random.Random(seed)
    ring = rng.sample(range(len(stories)), len(stories))
    other = {story: ring[i - 1] for i, story in enumerate(ring)}
    lines: list[str] = []
    for i, story in enumerate(stories):
        lines.extend(_mix(story, stories[other[i]][-1].statements, rng))
    return lines


def rename(text: str) -> str:
    """The text, in which alternates replace the entities. Words keep their capitals."""

    def alternate(match: re.Match) -> str:
        word = ALTERNATES.get(match[0].lower(), match[0])
        return word.capitalize() if match[0][0].isupper() else word

    return WORD.sub(alternate, text)


def _mix(story: list[BabiQuestion], others: Sequence[str], rng: random.Random) -> list[str]:
    own, foreign = _blocks(story[-1].statements, story), _blocks(others)
    renamed = rng.random() < 0.5
    turns = [True] * (len(own) - 1) + [False] * len(foreign)
    rng.shuffle(turns)
    own_blocks, foreign_blocks = iter(own), iter(foreign)

    lines: list[str] = []
    told: list[int] = []  # the numbers of the story's own statements
    for is_own in turns + [True]:
        for line in next(own_blocks if is_own else foreign_blocks):
            number = len(lines) + 1
            if isinstance(line, BabiQuestion):
                facts = " ".join(str(told[fact]) for fact in line.supporting_facts)
                text = f"{line.question} \t{line.answer}\t{facts}"
            else:
                text = line
                told.extend([number] if is_own else [])
            lines.append(f"{number} {rename(text) if is_own == renamed else text}")
    return lines


def _blocks(statements: Sequence[str], questions: Sequence[BabiQuestion] = ()) -> list[list[Line]]:
    """Groups statements and questions into blocks, in order. Nothing may be put inside a block."""
    blocks: list[list[Line]] = []
    newest = 0  # the block of the statement told last
    waiting = list(questions)
    for told, statement in enumerate(statements, start=1):
        if told > 1 and PRONOUN.search(statement):
            blocks[newest:] = [sum(blocks[newest:], []) + [statement]]
        else:
            newest = len(blocks)
            blocks.append([statement])
        while waiting and len(waiting[0].statements) == told:
            blocks.append([waiting.pop(0)])
    return blocks
