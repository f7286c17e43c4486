import copy
import dataclasses
import functools
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Optional, cast

from allennlp.common import FromParams, Params
from allennlp.data import Field, Instance, Token, TokenIndexer
from allennlp.data.fields import IndexField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer

from allennlp_coref_rc.annotations import AnnotatedText, Document, clusters_from_json
from allennlp_coref_rc.annotations.annotated_text import Piece, Span, question_id
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.malformed import Malformed
from allennlp_coref_rc.data.annotation_layers import AnnotationLayer, label_namespace
from allennlp_coref_rc.data.dataset_readers.document_reader import (
    DocumentReader,
    GivenPassage,
    Text,
    registered_readers,
)
from allennlp_coref_rc.data.dataset_readers.question_data import checked_questions
from allennlp_coref_rc.data.dataset_readers.reading_report import ReadingReport, placed
from allennlp_coref_rc.data.fields import AnnotationField, QuestionField, metadata_of

QUESTION_START, QUESTION_END = "@begin", "@end"

PLACEHOLDER = "@placeholder"
"""Marks the place of the answer in a cloze question."""

CUT_OFF = "the answer lies beyond dataset_reader.max_passage_length"
"""Why a question is skipped."""


class ReadingComprehensionReader(DocumentReader):
    """
    Base class of all readers of questions here. It reads documents, as `DocumentReader` says, of which
    `to_instance` makes instances. Warnings show the first malformed items and say how many there are.

    Instances have the fields `passage` and `question` (`TextField`) and `metadata` (`QuestionField`). If
    `annotation_layers` asks for any, they have `passage_annotations` and `question_annotations`
    (`AnnotationField`). If the question has a "@placeholder", they have its position, `cloze` (`IndexField`).
    The answer is in `answer` (`AnswerField`), for most data sets beside `candidates` (`CandidatesField`), or
    in `span_start` and `span_end` (`IndexField`, both inclusive). Fields whose values are not known are
    missing. If questions of a file are malformed, the metadata of its last instance have their number as
    `malformed`, which `accuracy_official` counts as wrong.

    It also takes the parameters of `DocumentReader`.

    # Parameters

    token_indexers : `dict[str, TokenIndexer]`, optional (default = `None`)
        By default one `single_id` indexer, "tokens", of words in lower case.
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

    default_wrap_question = True
    has_cloze = True
    """Whether instances have the field `cloze` if the question has a placeholder."""

    def __init__(
        self,
        token_indexers: Optional[dict[str, TokenIndexer]] = None,
        annotation_layers: Optional[dict[str, AnnotationLayer]] = None,
        wrap_question: Optional[bool] = None,
        max_passage_length: Optional[int] = None,
        max_question_length: Optional[int] = None,
        keep_skipped: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_number("dataset_reader", "max_passage_length", max_passage_length)
        check_number("dataset_reader", "max_question_length", max_question_length)
        self._token_indexers = token_indexers or {"tokens": SingleIdTokenIndexer(lowercase_tokens=True)}
        self.annotation_layers = annotation_layers or {}
        self._label_namespaces = {
            name: dict.fromkeys(layer.label_names, label_namespace(name))
            for name, layer in self.annotation_layers.items()
        }
        self._wrap_question = self.default_wrap_question if wrap_question is None else wrap_question
        self._max_passage_length = max_passage_length
        self._max_question_length = max_question_length
        self._keep_skipped = keep_skipped
        self.keep_text = False
        """Whether the metadata of instances also have the annotated `text`. Predictors set this."""

    @classmethod
    @functools.wraps(vars(FromParams)["from_params"].__func__)
    def from_params(cls, params: Params, **kwargs: Any) -> Any:  # type: ignore[override]
        config = copy.deepcopy(params.as_dict(quiet=True))
        reader = super().from_params(params, **kwargs)
        # Other processes build it by its name.
        names = registered_readers()
        if isinstance(reader, ReadingComprehensionReader) and reader.config is None and type(reader) in names:
            reader.config = {"type": names[type(reader)], **config}
        return reader

    @property
    def is_repeatable(self) -> bool:
        """Whether the reader makes the same instances whenever it reads a file."""
        return True

    def to_instance(self, document: Document, question: int = 0) -> Optional[Instance]:
        """The instance of a question (the first is 0) of an annotated document; `None` if it is skipped."""
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
        instance = self.to_instance(self.annotate(document, passage))
        if instance is None:
            raise ConfigurationError(f"found a question that is left out: {', '.join(self.report.skipped)}")
        return instance

    def _read(self, file_path: str) -> Iterable[Instance]:
        self.report = ReadingReport()
        size = 0
        last: list[Instance] = []
        instances = (
            instance
            for place, document in self.documents(str(file_path))
            for instance in self.instances_of(place, document)
        )
        try:
            # AllenNLP asks for no more than so many, and would not come to what follows the last one.
            for instance in islice(instances, self.max_instances):
                yield from last
                last = [instance]
                size += 1
        except ConfigurationError:
            yield from last
            raise
        for instance in last:
            metadata_of(instance).update(self.report.for_metrics())
        self.report.finish(str(file_path), self.annotation_layers, None if self.reads_share else size)
        yield from last

    def instances_of(self, place: str, document: Document, any_good: bool = False) -> Iterator[Instance]:
        """
        The instances of a document. Malformed questions are reported, `any_good` if others of the data set are
        known to be good.
        """
        report = self.report
        report.search_types(document.text, self.annotation_layers)
        for question in range(len(document.questions)):
            try:
                instance = self.to_instance(document, question)
            except ConfigurationError as error:
                id = self.question_id(document, question)
                lost = Malformed(str(placed(error, place)), [{} if id is None else {"id": id}])
                report.leave_out(lost, any_good or report.kept > 0 or report.skipped.total() > 0)
            else:
                if instance is not None:
                    report.add(instance, place, self.annotation_layers)
                    yield instance

    def question_id(self, document: Document, question: int) -> Optional[str]:
        """The id of a question's instance."""
        id = document.text.id
        given = document.questions[question].get("id")
        return given or (question_id(id, question) if id is not None and self.several_questions else id)

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

    def reached_limits(self, passage_length: int, question_length: int) -> list[str]:
        """Which of a passage and a question, as instances have them, are as long as they may be."""
        lengths = {"passage": passage_length, "question": question_length - 2 * self._wrap_question}
        limits = {"passage": self._max_passage_length, "question": self._max_question_length}
        return [side for side, limit in limits.items() if limit is not None and lengths[side] >= limit]

    def _wrapped(self, question: Span) -> list[Piece]:
        return [[QUESTION_START], question, [QUESTION_END]] if self._wrap_question else [question]

    def skip(self, cause: str) -> bool:
        """Counts a question that the data set's rule leaves out. Returns true if it gets no instance."""
        self.report.skipped[cause] += 1
        return not self._keep_skipped

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
