import copy
import logging
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Optional, Self, TypeVar, Union

from allennlp.common.util import is_distributed
from allennlp.data import DatasetReader, Tokenizer
from allennlp.data.tokenizers import WhitespaceTokenizer
from torch import distributed

from allennlp_coref_rc.annotations import AnnotatedText, Document, read_header
from allennlp_coref_rc.annotations.annotators import Annotator, annotate_documents, annotate_questions
from allennlp_coref_rc.annotations.document import LOST_QUESTIONS, read_lines, warn_if_incomplete
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import known_as, local_path
from allennlp_coref_rc.common.hub_addresses import is_hub_address, parse_address
from allennlp_coref_rc.common.json_value import JsonValue, read_json
from allennlp_coref_rc.common.malformed import Lost, Malformed, lost_question
from allennlp_coref_rc.common.schema import String
from allennlp_coref_rc.data.dataset_readers.question_data import checked_questions
from allennlp_coref_rc.data.dataset_readers.reading_report import ReadingReport, malformed_of, placed
from allennlp_coref_rc.data.hub_rows import read_rows
from allennlp_coref_rc.data.tokenizers import BlankSpacyTokenizer

logger = logging.getLogger(__name__)

Text = Union[str, Sequence[str]]
"""A text, or its tokens."""

GivenPassage = Union[Text, AnnotatedText]
"""A passage may also be annotated already. Then it keeps its tokens and its annotations."""

Item = TypeVar("Item")


MOST_LOST = 10**6
"""More lost questions of a file are not believed, as each takes memory."""


class GivenItems(NamedTuple):
    """The items of a file."""

    path: str
    name: str
    """As the user knows the file."""
    are_annotated: bool
    """Whether they are documents that `coref-rc annotate` has written."""
    items: Iterator[tuple[str, Any]]
    lost: Sequence[Malformed] = ()
    """Stands for the questions of documents that it lacks, as they could not be annotated."""


class DocumentReader(DatasetReader):
    """
    Reads questions as annotated documents. `read_items` yields the items of the official format of a data
    set, `to_document` tokenises an item, and an annotator annotates it. A file that `coref-rc annotate` has
    written is read as it is.

    A malformed item of an official file is left out. A file without any good item is refused, and so is a
    file that is damaged as a whole, such as one that is no JSON.

    It also takes the parameters of AllenNLP's `DatasetReader`.

    # Parameters

    tokenizer : `Tokenizer`, optional (default = `BlankSpacyTokenizer()`)
        Splits passages, questions and candidates. Each reader has its own default.
    annotator : `Annotator`, optional (default = `None`)
        Annotates documents, unless they come from a file that `coref-rc annotate` has written. By default
        nothing is annotated.
    annotate_together : `bool`, optional (default = `True`)
        Whether the passage and its questions are annotated as one text, or separately. Each reader has its
        own default.
    """

    default_tokenizer: Tokenizer = BlankSpacyTokenizer()
    default_annotate_together = True
    several_questions = False
    """Whether a document may have several questions."""
    whole_tokens: Optional[re.Pattern[str]] = None
    """
    A group that matches tokens which are not split, whatever stands next to them. Blanks in them are left
    out.
    """
    columns: Sequence[str] = ()
    """
    The columns that it needs in a data set of the Hugging Face hub. If there are none, it reads only files.
    """
    optional_columns: Sequence[str] = ()
    """More columns, which it reads if the data set has them."""
    config: Optional[dict[str, Any]] = None
    """The config that the reader was built from, if it was."""

    def __init__(
        self,
        tokenizer: Optional[Tokenizer] = None,
        annotator: Optional[Annotator] = None,
        annotate_together: Optional[bool] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(manual_distributed_sharding=True, manual_multiprocess_sharding=True, **kwargs)
        self._tokenizer = tokenizer or self.default_tokenizer
        self.annotator = annotator
        self.annotate_together = (
            self.default_annotate_together if annotate_together is None else annotate_together
        )
        self.report = ReadingReport()
        """What was found in the last file."""

    def files(self, file_path: str) -> list[str]:
        """The files and folders that are read for a data path."""
        return [self.find(file_path)]

    def read_items(self, path: str, name: str) -> Iterator[tuple[str, Any]]:
        """
        The items of a file in the official format, each with its place for messages ("FILE, line 3"), or the
        error of a malformed item. This should be quick, since every worker reads all items to take its share.
        `path` is the local file, and `name` the path or URL that the user gave. By default a file has an
        object a line, or is a list of objects, which are items as rows are.
        """
        return self.row_items(read_json(path), name)

    def row_items(self, rows: Iterable[JsonValue], name: str) -> Iterator[tuple[str, Any]]:
        """
        The items, as in `read_items`, from the rows of a data set of the hub, which have the `columns`. By
        default they are the rows, each with an id for a question that has none of its own.
        """
        for number, row in enumerate(rows, start=1):
            yield row.place, (f"{os.path.basename(name)}:{number}", row)

    def to_document(self, item: Any) -> Document:
        """
        Makes a tokenised document, without annotations, from an item. Its `data["questions"]` has an object
        for each question, with its `answer`, `candidates` and `clusters`, if they are known, and whatever
        else `to_instance` needs; `keep_malformed` adds those that are malformed.
        """
        raise NotImplementedError

    def lost_with(self, item: Any) -> Sequence[Lost]:
        """The questions of a malformed item."""
        if isinstance(item, Malformed):
            return item.lost
        if isinstance(item, Document):
            return [{}] * (len(item.parts) - 1)
        values = item[-1] if type(item) is tuple else item
        if isinstance(values, JsonValue) and not isinstance(values.value, ConfigurationError):
            return [lost_question(values.value)]
        return [lost_question(values)] if isinstance(values, str) else [{}]

    def find(self, file_path: str) -> str:
        """
        The local file of a path or a URL, or the unchanged address of a data set of the Hugging Face hub.
        """
        if is_hub_address(file_path):
            if not self.columns:
                raise ConfigurationError(
                    f"{file_path}: {self.registered_name()} reads files alone, expected one"
                )
            return parse_address(file_path).address
        return local_path(file_path)

    def items(self, path: str, name: str) -> Iterator[tuple[str, Any]]:
        """
        The items of a file, or of a data set of the Hugging Face hub, which has to have some; see
        `read_items`.
        """
        item = None
        if is_hub_address(path):
            items = self.row_items(read_rows(path, self.columns, self.optional_columns), name)
        else:
            items = self.read_items(path, name)
        for item in items:
            yield item
        if item is None:
            raise ConfigurationError(f"{path}: found no question, expected some")

    def with_annotator(self, annotator: Optional[Annotator]) -> Self:
        """The same reader with another annotator."""
        reader = copy.copy(self)
        reader.annotator = annotator
        reader.config = None
        return reader

    def annotate(self, document: Document, passage: Optional[GivenPassage] = None) -> Document:
        """The annotated document. If the `passage` was annotated before, it stays (see `keep_passage`)."""
        if self.annotator is None:
            return document
        if isinstance(passage, AnnotatedText):
            return annotate_questions(document, self.annotator, self.annotate_together)
        return self.annotate_documents([document], self.annotator)[0]

    def annotate_documents(self, documents: Sequence[Document], annotator: Annotator) -> list[Document]:
        """The documents with an annotator's annotations. `annotate` uses it too. Readers may override it."""
        return annotate_documents(documents, annotator, self.annotate_together)

    def documents(self, file_path: str) -> Iterator[tuple[str, Document]]:
        """
        This worker's share of the annotated documents of a file, each with its place, without malformed ones.
        """
        given = self.given_items(file_path)
        logger.info("Reading questions from %s", given.path)
        self.report.malformed = list(self._shard(given.lost))
        yield from self.documents_of(self._shard(given.items), given)

    def given_items(self, file_path: str) -> "GivenItems":
        """The items of a file, and whether `coref-rc annotate` has written it."""
        path = self.find(file_path)
        header = None if os.path.isdir(path) or is_hub_address(path) else read_header(path)
        # The user knows the address of a file that was downloaded, and not its place in the cache.
        name = file_path if "://" in file_path else path
        if header is None:
            return GivenItems(path, name, False, self.items(path, file_path))
        with known_as(name, path):
            self.check_header(path, header)
        values = JsonValue({LOST_QUESTIONS: 0, **header}, f"{name}, line 1")
        number = values[LOST_QUESTIONS].integer(maximum=MOST_LOST)
        error = Malformed(f"{name} lacks documents that could not be annotated", [{}] * number)
        return GivenItems(path, name, True, read_lines(path), [error] if number else [])

    def documents_of(
        self, items: Iterable[tuple[str, Any]], given: "GivenItems", any_good: bool = False
    ) -> Iterator[tuple[str, Document]]:
        """
        The annotated documents of some items of a file, without malformed ones. Whether `any_good` came
        before.
        """
        path, name = given.path, given.name
        with known_as(name, path):
            for place, item in items:
                place = place.replace(path, name, 1)
                try:
                    document = self.checked_document(item)
                    malformed = malformed_of(document)
                except ConfigurationError as error:
                    message = str(error if error is item else placed(error, place)).replace(path, name)
                    self.report.leave_out(Malformed(message, self.lost_with(item)), any_good)
                    continue
                any_good = True
                for question in malformed:
                    message = str(question).replace(path, name)
                    self.report.leave_out(Malformed(message, question.lost), any_good)
                if not given.are_annotated:
                    try:
                        document = self.annotate(document)
                    except ConfigurationError as error:
                        raise placed(error, place) from error.__cause__
                yield place, document

    def checked_document(self, item: Any) -> Document:
        """The document of an item, or a document itself, checked. The error of a malformed item is raised."""
        if isinstance(item, ConfigurationError):
            raise item
        document = item if isinstance(item, Document) else self.to_document(item)
        self.check_questions(document)
        return document

    def check_header(self, path: str, header: dict[str, Any]) -> None:
        """Refuses the documents of another reader, and warns if annotation failed for some."""
        name = self.registered_name()
        given = header.get("reader", name)
        if given != name:
            raise ConfigurationError(
                f"{path}, line 1: found documents of {'plain text' if given is None else f'the reader {given!r:.80}'}, "
                f"expected those of {name!r}"
            )
        warn_if_incomplete(path, header)
        logger.info("%s was annotated by %s", path, header.get("annotators"))

    @classmethod
    def registered_name(cls) -> str:
        """The name of this reader in configs, or of the nearest base that has one."""
        names = registered_readers()
        return next((names[base] for base in cls.__mro__ if base in names), cls.__name__)

    @property
    def reads_share(self) -> bool:
        """Whether this process or worker reads a part of each file."""
        return is_distributed() or self._worker_info is not None

    def _shard(self, items: Iterable[Item]) -> Iterator[Item]:
        # AllenNLP's shard_iterable would also stop at max_instances items, but some of them may be skipped.
        if is_distributed():
            items = islice(items, distributed.get_rank(), None, distributed.get_world_size())
        if self._worker_info is not None:
            items = islice(items, self._worker_info.id, None, self._worker_info.num_workers)
        return iter(items)

    def tokenize(self, text: Text) -> list[str]:
        """The tokens of a text. A list of tokens is taken as it is."""
        if not isinstance(text, str):
            return JsonValue(text).to(list[String])
        tokens: list[str] = []
        for i, piece in enumerate(self.whole_tokens.split(text) if self.whole_tokens else [text]):
            tokens += [piece.replace(" ", "")] if i % 2 else self._words(piece)
        return tokens

    def _words(self, text: str) -> Iterable[str]:
        # Without an object for each token.
        if type(self._tokenizer) is WhitespaceTokenizer:
            return text.split()
        return map(str, self._tokenizer.tokenize(text))

    def sentences(self, text: Text) -> list[list[str]]:
        """The tokens of each sentence of a text."""
        words = AnnotatedText(self.tokenize(text))
        split = (words.located(text) if isinstance(text, str) else words).split_sentences()
        return [split.tokens[slice(*span)] for span in split.sentences]

    def split(self, text: GivenPassage) -> AnnotatedText:
        """
        The text as tokens and sentences, with its source if it is a string. An annotated text stays as it is.
        """
        if isinstance(text, AnnotatedText):
            return text
        split = AnnotatedText.of_sentences(self.sentences(text))
        return split.located(text) if isinstance(text, str) else split

    def document(
        self, passage: GivenPassage, questions: Sequence[Text], data: Sequence[dict], id: Optional[str] = None
    ) -> Document:
        """A document of a passage and questions, with what is known about each question."""
        split, asked = self.split(passage), list(map(self.sentences, questions))
        parts = [len(split.tokens), *(sum(map(len, sentences)) for sentences in asked)]
        text = split.followed_by([sentence for sentences in asked for sentence in sentences])
        text.id = id
        return Document(text, parts, {"questions": list(data)})

    def check_questions(self, document: Document) -> None:
        """
        Refuses a wrong number of questions, invalid values, and an answer that is none of the candidates.
        """
        questions = checked_questions(document)
        if len(questions) != 1 and not self.several_questions:
            raise ConfigurationError(f"data: found {len(questions)} questions about a passage, expected one")
        for data in questions:
            answer, candidates = data.get("answer"), data.get("candidates")
            if answer is not None and candidates is not None and self.find_answer(answer, candidates) is None:
                raise ConfigurationError(f"found the answer {answer[:80]!r}, expected one of the candidates")

    def find_answer(self, answer: str, candidates: Sequence[Text]) -> Optional[int]:
        """
        The index of the candidate that is the answer, by its text or by its tokens, in upper or lower case.
        """
        names = [name.lower() for name in candidate_names(candidates)]
        if answer.lower() in names:
            return names.index(answer.lower())
        tokens = self._lower_tokens(answer)
        return next(
            (i for i, candidate in enumerate(candidates) if self._lower_tokens(candidate) == tokens), None
        )

    def answer_tokens(self, answer: str, candidates: Sequence[Text]) -> list[str]:
        """The tokens of an answer: those of the candidate that it is, which may be given as tokens."""
        index = self.find_answer(answer, candidates)
        return self.tokenize(answer if index is None else candidates[index])

    def _lower_tokens(self, text: Text) -> list[str]:
        return [token.lower() for token in self.tokenize(text)]


def registered_readers() -> dict[type, str]:
    """The names of readers in configs, by class."""
    return {reader: name for name, (reader, _) in DatasetReader._registry[DatasetReader].items()}


def candidate_names(candidates: Sequence[Text]) -> list[str]:
    """Each candidate as a text."""
    return [candidate if isinstance(candidate, str) else " ".join(candidate) for candidate in candidates]
