import dataclasses
import json
import os
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Union

from allennlp.data import DatasetReader
from allennlp.data.tokenizers import WhitespaceTokenizer

from allennlp_coref_rc.annotations import Document
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.data.corpora import cnn_dailymail
from allennlp_coref_rc.data.dataset_readers.cloze_dataset_reader import ClozeDatasetReader
from allennlp_coref_rc.data.dataset_readers.document_reader import GivenItems

ENTITY = re.compile(r"@entity[0-9]+")


@DatasetReader.register("annotated_cnn_dailymail")
class AnnotatedCnnDailyMailReader(ClozeDatasetReader):
    """
    Reads the questions on news of CNN and the Daily Mail (Hermann et al. 2015). Their entities are markers
    such as `@entity3`. A data path is one of these:

    * a folder of `.question` files, such as `cnn/questions/training`, which are read in the order of their
      names;
    * such a folder in an archive, `cnn.tgz!cnn/questions/training`, which AllenNLP unpacks into its cache;
    * a `.question` file;
    * JSON lines, whose keys are the fields of `EntityQuestion`. They are quicker to move and to open than
      hundreds of thousands of files. `coref-rc data to-jsonl` writes them.

    Texts are tokenised already, so by default they are split at blanks. The candidates are all entities in
    the question's list, as in the GA Reader's code. If there is no list, they are all entities in the
    passage. Only the metadata have the names of the entities.

    Registered as a `DatasetReader` with name "annotated_cnn_dailymail". It also takes the parameters of
    `ClozeDatasetReader` and `ReadingComprehensionReader`.

    # Parameters

    permute_entities : `bool`, optional (default = `False`)
        Shuffles the entity markers of each question whenever it is read, as Hermann et al. do, so that a
        marker means nothing beyond its passage. The order depends on the seed, on the question's id and on
        how often this reader has read the data. It reads them once an epoch if the data loader has
        `max_instances_in_memory`, and else only once. With `num_workers` the order is the same in every
        epoch. `text_to_instance` does not shuffle markers.
    seed : `int`, optional (default = `13370`)
        The seed of `permute_entities`.
    """

    default_tokenizer = WhitespaceTokenizer()
    metadata_keys = ("url", "entities")

    def __init__(self, permute_entities: bool = False, seed: int = 13370, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._permute_entities = permute_entities
        self._seed = seed
        self._reads = 0

    @property
    def is_repeatable(self) -> bool:
        return not self._permute_entities

    def find(self, file_path: str) -> str:
        return cnn_dailymail.find_questions(file_path)

    def read_items(self, path: str, name: str) -> Iterator[tuple[str, Any]]:
        if os.path.isdir(path):
            for file in cnn_dailymail.question_files(path):
                yield file, Path(file)
        elif name.endswith(cnn_dailymail.SUFFIX):
            yield path, Path(path)
        else:
            with open_text(path) as lines:
                for number, line in enumerate(lines, start=1):
                    if line.strip():
                        yield f"{path}, line {number}", line.strip()

    def to_document(self, item: Union[Path, str]) -> Document:
        is_file = isinstance(item, Path)
        question = (
            cnn_dailymail.read_question(str(item)) if is_file else cnn_dailymail.question_from_json(str(item))
        )
        data = {key: getattr(question, key) for key in ("answer", "entities", "url")}
        data["candidates"] = list(question.entities) or None
        document = self.document(question.passage, [question.question], [data], question.id)
        if question.clusters:
            expected = len(f"{question.passage} {question.question}".split())
            if len(document.text) != expected:
                raise ConfigurationError(
                    f"found clusters over {expected} tokens and a dataset_reader.tokenizer that gives "
                    f"{len(document.text)}, expected it to split at blanks"
                )
            document.text = dataclasses.replace(document.text, clusters=list(question.clusters)).checked()
        return document

    def documents_of(
        self, items: Iterable[tuple[str, Any]], given: GivenItems, any_good: bool = False
    ) -> Iterator[tuple[str, Document]]:
        self._reads += 1
        for place, document in super().documents_of(items, given, any_good):
            yield place, self._permuted(document, self._reads) if self._permute_entities else document

    def _permuted(self, document: Document, read: int) -> Document:
        (data,) = document.questions
        marked = {key: data.get(key) for key in ("candidates", "answer", "entities")}
        markers = sorted(set(ENTITY.findall(json.dumps([document.text.tokens, data.get("candidates")]))))
        dealt = random.Random(f"{self._seed} {read} {document.text.id}").sample(markers, len(markers))
        new = dict(zip(markers, dealt))
        tokens, renamed = json.loads(
            ENTITY.sub(
                lambda match: new.get(match.group(), match.group()),
                json.dumps([document.text.tokens, marked]),
            )
        )
        text = dataclasses.replace(document.text, tokens=tokens)
        return dataclasses.replace(
            document, text=text, data={**document.data, "questions": [{**data, **renamed}]}
        )

    def find_candidates(self, passage: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(token for token in passage if ENTITY.fullmatch(token)))
