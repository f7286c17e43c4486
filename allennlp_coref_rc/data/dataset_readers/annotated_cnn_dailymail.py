import dataclasses
import json
import lzma
import os
import random
import re
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from allennlp.common.file_utils import cached_path
from allennlp.data import DatasetReader
from allennlp.data.tokenizers import WhitespaceTokenizer

from allennlp_coref_rc.annotations import Document, clusters_from_json
from allennlp_coref_rc.annotations.annotated_text import Cluster, Span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.data.dataset_readers.cloze_dataset_reader import ClozeDatasetReader

SUFFIX = ".question"

ENTITY = re.compile(r"@entity[0-9]+")

BLOCKS = ("URL", "passage", "question", "answer", "entities", "clusters")
"""What stands in a `.question` file, divided by blank lines; clusters in some conversions only."""


class EntityQuestion(NamedTuple):
    """
    A question of CNN or Daily Mail: `entities` maps the markers of its entities, which are the candidates, to what they
    stood for. `clusters`, which the official files do not have, are [start, end) spans of the tokens, divided by
    blanks, of passage and question in a row.
    """

    id: Optional[str]
    passage: str
    question: str
    answer: Optional[str]
    entities: Dict[str, str]
    url: Optional[str] = None
    clusters: Sequence[Cluster] = ()


def read_question(path: str) -> EntityQuestion:
    """
    The question of a `.question` file (Hermann et al. 2015), whose blocks are divided by blank lines: the URL, the
    passage, the question and the answer, one line each, and `marker:surface form` lines, one an entity.

    In conversions of other data sets to this layout (those of the GA Reader's and MAGE's authors) the lines of entities
    may be candidates without a surface form, and a sixth block may have coreference clusters, one a line: mentions
    `the:4|football:5`, tokens with their positions in passage and question, from 1.

    Anything else raises a `ConfigurationError` with the file and the line.
    """
    blocks: List[List[Tuple[int, str]]] = [[]]
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
    entities: Dict[str, str] = {}
    for line, content in blocks[4]:
        marker, _, surface = (part.strip() for part in content.partition(":"))
        if not marker or marker in entities:
            raise ConfigurationError(
                f"{path}, line {line}: found {content[:60]!r}, expected marker:surface form, each marker once"
            )
        entities[marker] = surface
    if answer not in entities:
        raise ConfigurationError(
            f"{path}, line {answer_line}: found the answer {answer[:60]!r}, expected one of the {len(entities)} "
            f"entities from line {blocks[4][0][0]}"
        )
    clusters: List[Cluster] = []
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
    """A question from a JSON object with the names of `EntityQuestion`; only passage and question have to be there."""
    try:
        values = {"id": None, "answer": None, "entities": {}, **json.loads(line)}
        # Half a surrogate pair passes as JSON, but is no text.
        json.dumps(values, ensure_ascii=False).encode()
        question = EntityQuestion(**values)
    except (ValueError, TypeError, RecursionError) as error:
        raise ConfigurationError(f"found {line[:60]!r}, expected a JSON object of a question: {error}") from error
    for name in ("id", "passage", "question", "answer", "url"):
        value = getattr(question, name)
        if not isinstance(value, str) and (value is not None or name in ("passage", "question")):
            raise ConfigurationError(f"{name}: found {json.dumps(value)[:60]}, expected a text")
    if not isinstance(question.entities, dict) or not all(isinstance(form, str) for form in question.entities.values()):
        raise ConfigurationError(
            f"entities: found {json.dumps(question.entities)[:60]}, expected an object of markers and what they stand for"
        )
    if question.entities and question.answer is not None and question.answer not in question.entities:
        raise ConfigurationError(f"answer: found {question.answer[:60]!r}, expected one of the entities")
    return question._replace(clusters=clusters_from_json(question.clusters))


@DatasetReader.register("annotated_cnn_dailymail")
class AnnotatedCnnDailyMailReader(ClozeDatasetReader):
    """
    Reads the questions on news of CNN and the Daily Mail (Hermann et al. 2015), whose entities are markers such as
    `@entity3`: a folder of `.question` files, in the order of their names, such as `cnn/questions/training`; the same
    in an archive, `cnn.tgz!cnn/questions/training`, which AllenNLP unpacks into its cache; one such file; or JSON lines
    with the names of `EntityQuestion` (`scripts/questions_to_jsonl.py` writes them), which are quicker to move and to
    open than hundreds of thousands of files.

    Texts come tokenised, so they are split at blanks by default. Candidates are all entities of the question's list, as
    in the GA Reader's code, or of the passage where there is no list. What the markers stood for is in the metadata and
    nowhere else.

    Registered as a `DatasetReader` with name "annotated_cnn_dailymail".

    # Parameters

    permute_entities : `bool`, optional (default = `False`)
        Deal the entity markers of each question out anew whenever it is read, as Hermann et al. do, so that a marker
        means nothing beyond its passage. What is drawn depends on the seed, on the question's id and on how many times
        this reader has read. It reads once an epoch if the data loader has `max_instances_in_memory`, else once in all;
        with `num_workers` every epoch draws the same. Instances made by `text_to_instance` keep their markers.
    seed : `int`, optional (default = `13370`)
        Of `permute_entities`.
    """

    default_tokenizer = WhitespaceTokenizer()
    metadata_keys = ("url", "entities")

    def __init__(self, permute_entities: bool = False, seed: int = 13370, **kwargs) -> None:
        super().__init__(**kwargs)
        self._permute_entities = permute_entities
        self._seed = seed
        self._reads = 0

    def find(self, file_path: str) -> str:
        """The local file or folder of a path or a URL; a folder of an archive is `ARCHIVE!FOLDER`."""
        try:
            return str(cached_path(file_path, extract_archive=True))
        except FileNotFoundError as error:
            raise ConfigurationError(f"{file_path}: no such file or folder") from error
        except (
            EOFError,
            OSError,
            ValueError,
            lzma.LZMAError,
            tarfile.TarError,
            zipfile.BadZipFile,
            zlib.error,
        ) as error:
            raise ConfigurationError(
                f"{file_path}: found {error}, expected a file, a folder, or a folder of an archive, ARCHIVE!FOLDER"
            ) from error

    def read_items(self, path: str, name: str) -> Iterator[Tuple[str, Any]]:
        if os.path.isdir(path):
            files = sorted(file for file in os.listdir(path) if file.endswith(SUFFIX))
            if not files:
                raise ConfigurationError(
                    f"{path}: found a folder without {SUFFIX} files, expected one with, such as questions/training"
                )
            for file in files:
                yield os.path.join(path, file), Path(path, file)
        elif name.endswith(SUFFIX):
            yield path, Path(path)
        else:
            number = 0
            with open_text(path) as lines:
                for number, line in enumerate(lines, start=1):
                    yield f"{path}, line {number}", line.strip()
            if not number:
                raise ConfigurationError(f"{path}, line 1: found no question in the file, expected some")

    def to_document(self, item: Union[Path, str]) -> Document:
        question = read_question(str(item)) if isinstance(item, Path) else question_from_json(item)
        data = {
            "candidates": list(question.entities) or None,
            "answer": question.answer,
            "entities": question.entities,
            "url": question.url,
        }
        document = Document.of(
            self.split(question.passage), self.split(question.question), id=question.id, data={"questions": [data]}
        )
        if question.clusters:
            expected = len(f"{question.passage} {question.question}".split())
            if len(document.text) != expected:
                raise ConfigurationError(
                    f"found clusters over {expected} tokens and a dataset_reader.tokenizer that gives "
                    f"{len(document.text)}, expected it to split at blanks"
                )
            document.text = dataclasses.replace(document.text, clusters=list(question.clusters))
        return document

    def documents(self, file_path: str) -> Iterator[Tuple[str, Document]]:
        self._reads += 1
        for place, document in super().documents(file_path):
            yield place, self._permuted(document, self._reads) if self._permute_entities else document

    def _permuted(self, document: Document, read: int) -> Document:
        data = self.question_data(document)
        markers = sorted(set(ENTITY.findall(json.dumps([document.text.tokens, data.get("candidates")]))))
        dealt = random.Random(f"{self._seed} {read} {document.text.id}").sample(markers, len(markers))
        new = dict(zip(markers, dealt))

        def renamed(value: Any) -> Any:
            if isinstance(value, str):
                return ENTITY.sub(lambda match: new.get(match.group(), match.group()), value)
            if isinstance(value, list):
                return [renamed(part) for part in value]
            if isinstance(value, dict):
                return {renamed(key): part for key, part in value.items()}
            return value

        data = {**data, **{key: renamed(data.get(key)) for key in ("candidates", "answer", "entities")}}
        text = dataclasses.replace(document.text, tokens=renamed(document.text.tokens))
        return dataclasses.replace(document, text=text, data={**document.data, "questions": [data]})

    def find_candidates(self, passage: List[str]) -> List[str]:
        return list(dict.fromkeys(token for token in passage if ENTITY.fullmatch(token)))
