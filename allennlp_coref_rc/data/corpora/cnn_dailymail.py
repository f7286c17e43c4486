"""Reads the files of the CNN and Daily Mail questions (Hermann et al. 2015)."""

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Optional

from pydantic import ConfigDict

from allennlp_coref_rc.annotations.annotated_text import Cluster, Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write, open_text
from allennlp_coref_rc.common.json_objects import parse_json
from allennlp_coref_rc.common.schema import validated

SUFFIX = ".question"

BLOCKS = ("URL", "passage", "question", "answer", "entities", "clusters")
"""The blocks of a `.question` file, which blank lines divide. Only some conversions have clusters."""


@dataclass(frozen=True)
class EntityQuestion:
    """A question of CNN or Daily Mail."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    id: Optional[str]
    passage: str
    question: str
    answer: Optional[str]
    """One of the markers, if there are any."""
    entities: dict[str, str]
    """The markers of the question's entities, which are the candidates, and their names."""
    url: Optional[str] = None
    clusters: list[Cluster] = field(default_factory=list)
    """
    Coreference clusters, which the official files do not have. Mentions are [start, end) spans of the tokens
    of the passage followed by the question. Blanks divide tokens.
    """


def read_question(path: str) -> EntityQuestion:
    """
    The question of a `.question` file (Hermann et al. 2015). Blank lines divide the file into blocks: the
    URL, the passage, the question and the answer, each on one line, and `marker:surface form` lines, one for
    each entity.

    The authors of the GA Reader and of MAGE have converted other data sets to this layout. There, the lines
    of entities may be candidates without a surface form. A sixth block may have coreference clusters, one a
    line. Their mentions, such as `the:4|football:5`, are tokens with their positions in the passage followed
    by the question, from 1.

    A malformed file raises a `ConfigurationError` with the file and the line.
    """
    blocks: list[list[tuple[int, str]]] = [[]]
    line = 0
    with open_text(path) as lines:
        for line, content in enumerate(map(str.strip, lines), start=1):
            if content:
                blocks[-1].append((line, content))
            elif blocks[-1]:
                blocks.append([])
    if not blocks[-1]:
        blocks.pop()
    if not 5 <= len(blocks) <= len(BLOCKS):
        raise ConfigurationError(
            f"{path}, line {max(line, 1)}: found {len(blocks)} blocks divided by blank lines, expected 5 or 6: "
            + ", ".join(BLOCKS)
        )
    for name, block in zip(BLOCKS[:4], blocks):
        if len(block) > 1:
            raise ConfigurationError(
                f"{path}, line {block[1][0]}: found {len(block)} lines of the {name}, expected one, and a blank line"
            )
    (_, url), (_, passage), (_, question), (answer_line, answer) = (block[0] for block in blocks[:4])
    entities: dict[str, str] = {}
    for line, content in blocks[4]:
        marker, _, surface = (part.strip() for part in content.partition(":"))
        if not marker or marker in entities:
            raise ConfigurationError(
                f"{path}, line {line}: found {content[:60]!r}, expected marker:form, each marker once"
            )
        entities[marker] = surface
    if answer not in entities:
        raise ConfigurationError(
            f"{path}, line {answer_line}: found the answer {answer[:60]!r}, expected one of the {len(entities)} "
            f"entities from line {blocks[4][0][0]}"
        )
    clusters: list[Cluster] = []
    tokens = f"{passage} {question}".split()
    for line, content in blocks[5] if len(blocks) > 5 else ():
        try:
            clusters.append([_mention(item, tokens) for item in content.split()])
        except ValueError as error:
            raise ConfigurationError(
                f"{path}, line {line}: {error}, expected mentions as in 'the:4|football:5': tokens that follow one "
                f"another, with their positions among the {len(tokens)} tokens of passage and question, from 1"
            ) from error
    id = os.path.basename(path).removesuffix(SUFFIX)
    return EntityQuestion(id, passage, question, answer, entities, url, clusters)


def _mention(item: str, tokens: Sequence[str]) -> Span:
    positions = []
    for part in item.split("|"):
        token, _, number = part.rpartition(":")
        if not re.fullmatch(r"[0-9]{1,9}", number) or not 1 <= int(number) <= len(tokens):
            raise ValueError(f"found {part[:60]!r}")
        if tokens[int(number) - 1] != token:
            raise ValueError(f"found {part[:60]!r} where the token is {tokens[int(number) - 1][:60]!r}")
        positions.append(int(number) - 1)
    if positions != list(range(positions[0], positions[0] + len(positions))):
        raise ValueError(f"found {item[:60]!r}")
    return positions[0], positions[-1] + 1


def question_from_json(line: str) -> EntityQuestion:
    """
    The question of a JSON object, whose keys are the fields of `EntityQuestion`. Only `passage` and
    `question` are required. Anything else raises a `ConfigurationError`.
    """
    values = parse_json(line)
    if isinstance(values, dict):
        values = {"id": None, "answer": None, "entities": {}, **values}
    question = validated(EntityQuestion, values)
    if question.entities and question.answer is not None and question.answer not in question.entities:
        raise ConfigurationError(f"answer: found {question.answer[:60]!r}, expected one of the entities")
    return question


def find_questions(path: str) -> str:
    """
    The local file or folder of a path or a URL, which is downloaded and unpacked if need be. `ARCHIVE!FOLDER`
    is a folder of an archive. A `ConfigurationError` is raised if there is none.
    """
    # A local file or folder needs no cache; see `local_path`.
    if os.path.isdir(path) or (os.path.isfile(path) and re.search(r"\.jsonl?(\.(gz|bz2|xz))?$", path)):
        return path
    from allennlp.common.file_utils import cached_path

    try:
        return str(cached_path(path, extract_archive=True))
    except FileNotFoundError as error:
        raise ConfigurationError(f"{path}: no such file or folder") from error
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"{path}: found {error}, expected a file, a folder, or ARCHIVE!FOLDER"
        ) from error


def question_files(folder: str) -> list[str]:
    """The `.question` files of a folder, in the order of their names. Hidden files are not read."""
    files = sorted(file for file in os.listdir(folder) if file.endswith(SUFFIX) and not file.startswith("."))
    if not files:
        raise ConfigurationError(
            f"{folder}: found no {SUFFIX} files, expected some, as in questions/training"
        )
    return [os.path.join(folder, file) for file in files]


def write_json_lines(path: str, files: Iterable[str]) -> None:
    """Writes the questions of `.question` files as JSON lines, which `question_from_json` reads."""
    with atomic_write(path) as output:
        for file in files:
            output.write(json.dumps(asdict(read_question(file)), ensure_ascii=False) + "\n")
