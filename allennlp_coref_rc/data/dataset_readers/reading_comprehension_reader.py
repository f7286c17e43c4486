import copy
import dataclasses
import functools
import logging
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Optional, TypeVar, Union, cast

from allennlp.common import FromParams, Params
from allennlp.common.util import is_distributed
from allennlp.data import DatasetReader, Field, Instance, Token, TokenIndexer, Tokenizer
from allennlp.data.fields import IndexField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.data.tokenizers import WhitespaceTokenizer
from torch import distributed

from allennlp_coref_rc.annotations import (
    AnnotatedText,
    Document,
    clusters_from_json,
    read_header,
    sentence_spans,
)
from allennlp_coref_rc.annotations.annotated_text import Piece, Span
from allennlp_coref_rc.annotations.annotators import Annotator, annotate_documents, annotate_questions
from allennlp_coref_rc.annotations.document import read_lines
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import known_as, local_path
from allennlp_coref_rc.common.hub_addresses import is_hub_address, parse_address
from allennlp_coref_rc.common.json_value import JsonValue, read_json
from allennlp_coref_rc.data.annotation_layers import AnnotationLayer, label_namespace
from allennlp_coref_rc.data.dataset_readers.question_data import checked_questions
from allennlp_coref_rc.data.dataset_readers.reading_report import MALFORMED, ReadingReport, placed
from allennlp_coref_rc.data.fields import AnnotationField, QuestionField
from allennlp_coref_rc.data.hub_rows import read_rows
from allennlp_coref_rc.data.tokenizers import BlankSpacyTokenizer

logger = logging.getLogger(__name__)

QUESTION_START, QUESTION_END = "@begin", "@end"

PLACEHOLDER = "@placeholder"
"""Marks the place of the answer in a cloze question."""

CUT_OFF = "the answer lies beyond dataset_reader.max_passage_length"
"""Why a question is skipped."""

Text = Union[str, Sequence[str]]
"""A text, or its tokens."""

GivenPassage = Union[Text, AnnotatedText]
"""A passage may also be annotated already. Then it keeps its tokens and its annotations."""

Item = TypeVar("Item")


class GivenItems(NamedTuple):
    """The items of a file."""

    path: str
    name: str
    """As the user knows the file."""
    are_annotated: bool
    """Whether they are documents that `coref-rc annotate` has written."""
    items: Iterator[tuple[str, Any]]


class ReadingComprehensionReader(DatasetReader):
    """
    Base class of all readers of questions here. It reads a file in three steps: `read_items` yields the items
    of the official format, `to_document` tokenises an item, and `to_instances` makes instances of an
    annotated document. A file that `coref-rc annotate` has written needs only the third step.

    A malformed item of an official file is left out. Warnings show the first ones and say how many there are.
    A file without any good item is refused, and so is a file that is damaged as a whole, such as one that is
    no JSON.

    Instances have the fields `passage` and `question` (`TextField`) and `metadata` (`QuestionField`). If
    `annotation_layers` asks for any, they have `passage_annotations` and `question_annotations`
    (`AnnotationField`). If the question has a "@placeholder", they have its position, `cloze` (`IndexField`).
    The answer is in `answer` (`AnswerField`), for most data sets beside `candidates` (`CandidatesField`), or
    in `span_start` and `span_end` (`IndexField`, both inclusive). Fields whose values are not known are
    missing.

    It also takes the parameters of AllenNLP's `DatasetReader`.

    # Parameters

    tokenizer : `Tokenizer`, optional (default = `BlankSpacyTokenizer()`)
        Splits passages, questions and candidates. Each reader has its own default.
    token_indexers : `dict[str, TokenIndexer]`, optional (default = `None`)
        By default one `single_id` indexer, "tokens", of words in lower case.
    annotator : `Annotator`, optional (default = `None`)
        Annotates documents, unless they come from a file that `coref-rc annotate` has written. By default
        nothing is annotated.
    annotate_together : `bool`, optional (default = `True`)
        Whether the passage and its questions are annotated as one text, or separately. Each reader has its
        own default.
    annotation_layers : `dict[str, AnnotationLayer]`, optional (default = `{}`)
        The layers of the annotation fields, by the names that encoders ask for.
    wrap_question : `bool`, optional (default = `True`)
        Puts `@begin` before and `@end` after each question, as the authors' code of GA does. Each reader has
        its own default.
    max_passage_length, max_question_length : `int`, optional (default = `None`)
        The most tokens. Longer passages and questions are cut at the end. If a question would lose its
        `@placeholder`, it is cut at the beginning too. By default nothing is cut.
    keep_skipped : `bool`, optional (default = `False`)
        Keeps the questions that the data set's rule leaves out, as instances without an answer.
        `accuracy_official` then counts them as wrong. This is for validation and test data.
    """

    default_tokenizer: Tokenizer = BlankSpacyTokenizer()
    default_annotate_together = True
    default_wrap_question = True
    several_questions = False
    """Whether a document may have several questions."""
    has_cloze = True
    """Whether instances have the field `cloze` if the question has a placeholder."""
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

    def __init__(
        self,
        tokenizer: Optional[Tokenizer] = None,
        token_indexers: Optional[dict[str, TokenIndexer]] = None,
        annotator: Optional[Annotator] = None,
        annotate_together: Optional[bool] = None,
        annotation_layers: Optional[dict[str, AnnotationLayer]] = None,
        wrap_question: Optional[bool] = None,
        max_passage_length: Optional[int] = None,
        max_question_length: Optional[int] = None,
        keep_skipped: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(manual_distributed_sharding=True, manual_multiprocess_sharding=True, **kwargs)
        check_number("dataset_reader", "max_passage_length", max_passage_length)
        check_number("dataset_reader", "max_question_length", max_question_length)
        self._tokenizer = tokenizer or self.default_tokenizer
        self._token_indexers = token_indexers or {"tokens": SingleIdTokenIndexer(lowercase_tokens=True)}
        self.annotator = annotator
        self.annotate_together = (
            self.default_annotate_together if annotate_together is None else annotate_together
        )
        self.annotation_layers = annotation_layers or {}
        self._label_namespaces = {
            name: dict.fromkeys(layer.label_names, label_namespace(name))
            for name, layer in self.annotation_layers.items()
        }
        self._wrap_question = self.default_wrap_question if wrap_question is None else wrap_question
        self._max_passage_length = max_passage_length
        self._max_question_length = max_question_length
        self._keep_skipped = keep_skipped
        self.report = ReadingReport()
        """What was found in the last file."""
        self.config: Optional[dict[str, Any]] = None
        """The config that the reader was built from, if it was."""
        self.keep_text = False
        """Whether the metadata of instances also have the annotated `text`. Predictors set this."""

    @classmethod
    @functools.wraps(vars(FromParams)["from_params"].__func__)
    def from_params(cls, params: Params, **kwargs: Any) -> Any:  # type: ignore[override]
        config = copy.deepcopy(params.as_dict(quiet=True))
        reader = super().from_params(params, **kwargs)
        if isinstance(reader, ReadingComprehensionReader) and reader.config is None:
            reader.config = {"type": reader.registered_name(), **config}
        return reader

    @property
    def is_repeatable(self) -> bool:
        """Whether the reader makes the same instances whenever it reads a file."""
        return True

    def files(self, file_path: str) -> list[str]:
        """The files and folders that are read for a data path."""
        return [self.find(file_path)]

    # The three steps, which each reader defines.

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
        else `to_instances` needs; `data["malformed"]` has messages about those that are malformed.
        """
        raise NotImplementedError

    def to_instances(self, document: Document) -> Iterator[Instance]:
        """The instances of an annotated document, one for each question that is not skipped."""
        raise NotImplementedError

    def text_to_instance(  # type: ignore[override]  # named parameters, where AllenNLP has any
        self,
        passage: GivenPassage,
        question: Text,
        candidates: Optional[Sequence[Text]] = None,
        answer: Optional[str] = None,
        clusters: Optional[Sequence] = None,
        **data: Any,
    ) -> Instance:
        """
        # Parameters

        passage : `GivenPassage`
            A text, its tokens, or an `AnnotatedText`, whose annotations replace the annotator's.
        question : `Text`
        candidates : `Sequence[Text]`, optional (default = `None`)
        answer : `str`, optional (default = `None`)
        clusters : `Sequence`, optional (default = `None`)
            Known coreference clusters, which replace the annotator's: lists of [start, end) spans. They count
            the tokens of the passage followed by the wrapped question.
        data : `Any`
            Other values that `to_document` gives to a question.
        """
        known = {"candidates": candidates, "answer": answer, "clusters": clusters, **data}
        known = {key: value for key, value in known.items() if value is not None}
        document = self.document(passage, [question], [known])
        if known:
            checked_questions(document)
        for instance in self.to_instances(self.annotate(document, passage)):
            return instance
        raise ConfigurationError(f"found a question that is left out: {', '.join(self.report.skipped)}")

    # Helpers of the steps.

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

    def with_annotator(self, annotator: Annotator) -> "ReadingComprehensionReader":
        """The same reader with another annotator."""
        reader = copy.copy(self)
        reader.annotator = annotator
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

    def _read(self, file_path: str) -> Iterable[Instance]:
        self.report = ReadingReport()
        for place, document in self.documents(str(file_path)):
            yield from self.instances_of(place, document)
        self.report.finish(str(file_path), self.annotation_layers)

    def instances_of(self, place: str, document: Document) -> Iterator[Instance]:
        """The instances of a document. If it is malformed, that is reported."""
        report = self.report
        try:
            report.search_types(document.text, self.annotation_layers)
            for instance in self.to_instances(document):
                report.add(instance, place, self.annotation_layers)
                yield instance
        except ConfigurationError as error:
            report.leave_out(placed(error, place), any_good=report.kept > 0 or report.skipped.total() > 0)

    def documents(self, file_path: str) -> Iterator[tuple[str, Document]]:
        """
        This worker's share of the annotated documents of a file, each with its place, without malformed ones.
        """
        given = self.given_items(file_path)
        logger.info("Reading questions from %s", given.path)
        self.report.malformed = []
        any_good = False
        for place, document in self.documents_of(self._shard(given.items), given):
            any_good = True
            yield place, document
        if not any_good and self.report.malformed:
            raise self.report.malformed[0]

    def given_items(self, file_path: str) -> "GivenItems":
        """The items of a file, and whether `coref-rc annotate` has written it."""
        path = self.find(file_path)
        header = None if os.path.isdir(path) or is_hub_address(path) else read_header(path)
        # The user knows the address of a file that was downloaded, and not its place in the cache.
        name = file_path if "://" in file_path else path
        if header is not None:
            with known_as(name, path):
                self.check_header(path, header)
        items = self.items(path, file_path) if header is None else read_lines(path)
        return GivenItems(path, name, header is not None, items)

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
                except ConfigurationError as error:
                    message = str(error if error is item else placed(error, place)).replace(path, name)
                    self.report.leave_out(ConfigurationError(message), any_good)
                    continue
                any_good = True
                for message in document.data.get(MALFORMED, ()):
                    self.report.leave_out(ConfigurationError(message.replace(path, name)), any_good)
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
        if header.get("failed"):
            logger.warning(
                "%s: %s documents or parts of documents are missing, as they failed", path, header["failed"]
            )
        logger.info("%s was annotated by %s", path, header.get("annotators"))

    @classmethod
    def registered_name(cls) -> str:
        """The name of this reader in configs."""
        return next(
            name for name, (reader, _) in DatasetReader._registry[DatasetReader].items() if reader is cls
        )

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
            return JsonValue(text).strings()
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
        tokens = self.tokenize(text)
        return [tokens[start:stop] for start, stop in sentence_spans(tokens)]

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

    def passage_span(self, document: Document, question: int) -> Span:
        """The tokens that a question's instance has of the passage, before `max_passage_length` cuts them."""
        return 0, document.parts[0]

    def select(self, document: Document, question: int = 0) -> tuple[AnnotatedText, int]:
        """
        The passage and a question (the first is 0), cut and wrapped as in instances, and the passage's
        length.
        """
        clusters, asked = document.questions[question].get("clusters"), document.part(question + 1)
        pieces: list[Span] = []
        for name, (start, stop), limit in (
            ("passage", self.passage_span(document, question), self._max_passage_length),
            ("question", asked, self._max_question_length),
        ):
            if start == stop:
                raise ConfigurationError(f"found an empty {name}, expected some text")
            if limit is not None:
                tokens = document.text.tokens[start:stop]
                if name == "question" and PLACEHOLDER in tokens[limit:] and PLACEHOLDER not in tokens[:limit]:
                    start += tokens.index(PLACEHOLDER) + 1 - limit
                stop = min(stop, start + limit)
            pieces.append((start, stop))
        passage_span, question_span = pieces
        text = document.text.select(passage_span, *self._wrapped(question_span))
        if clusters is not None:
            # They count the tokens of the texts before they are cut.
            uncut = document.text.select(document.part(0), *self._wrapped(asked))
            given = dataclasses.replace(uncut, clusters=clusters_from_json(clusters)).checked()
            shift = document.parts[0] + self._wrap_question - asked[0]
            in_uncut = question_span[0] + shift, question_span[1] + shift
            text = dataclasses.replace(
                text, clusters=given.select(passage_span, *self._wrapped(in_uncut)).clusters
            )
        return text, passage_span[1] - passage_span[0]

    def _wrapped(self, question: Span) -> list[Piece]:
        return [[QUESTION_START], question, [QUESTION_END]] if self._wrap_question else [question]

    def skip(self, cause: str) -> bool:
        """Counts a question that the data set's rule leaves out. Returns true if it gets no instance."""
        self.report.skipped[cause] += 1
        return not self._keep_skipped

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

    def _lower_tokens(self, text: Text) -> list[str]:
        return [token.lower() for token in self.tokenize(text)]

    def make_instance(self, text: AnnotatedText, boundary: int, metadata: dict[str, Any]) -> Instance:
        """
        An instance with a passage and a question, as `select` gives them. A function of `answers.py` adds the
        answer. The metadata have the `answer` and the `candidates` as texts, if they are known, and what else
        predictions need.
        """
        passage, question = text.tokens[:boundary], text.tokens[boundary:]
        question_field = TextField(list(map(Token, question)))
        fields: dict[str, Field] = {
            "passage": TextField(list(map(Token, passage))),
            "question": question_field,
        }
        if self.has_cloze and PLACEHOLDER in question:
            fields["cloze"] = IndexField(question.index(PLACEHOLDER), question_field)
        if self.annotation_layers:
            fields.update(self._annotation_fields(text, boundary))
        always: dict[str, Any] = {
            "id": text.id,
            "passage_tokens": passage,
            "question_tokens": question,
            "clusters": text.clusters,
            "answer": None,
            "candidates": None,
        }
        if self.keep_text:
            always["text"] = text
        fields["metadata"] = QuestionField({**always, **metadata})
        return Instance(fields)

    def _annotation_fields(self, text: AnnotatedText, boundary: int) -> dict[str, Field]:
        layers = {name: layer.make(text, boundary) for name, layer in self.annotation_layers.items()}
        lengths = {"passage": boundary, "question": len(text.tokens) - boundary}
        return {
            f"{side}_annotations": AnnotationField(
                {name: layer[i] for name, layer in layers.items()}, length, self._label_namespaces
            )
            for i, (side, length) in enumerate(lengths.items())
        }

    def apply_token_indexers(self, instance: Instance) -> None:
        for name in ("passage", "question"):
            cast(TextField, instance[name]).token_indexers = self._token_indexers


def candidate_names(candidates: Sequence[Text]) -> list[str]:
    """Each candidate as a text."""
    return [candidate if isinstance(candidate, str) else " ".join(candidate) for candidate in candidates]
