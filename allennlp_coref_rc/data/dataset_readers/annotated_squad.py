import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import Any, NamedTuple, Optional, Union, cast

from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import SequenceLabelField, TextField
from pydantic import StrictBool

from allennlp_coref_rc.annotations import AnnotatedText, Document
from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.tokenization import token_offsets, token_span
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import read_listed_objects
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.common.malformed import Lost, Malformed, lost_question
from allennlp_coref_rc.common.schema import Name, String
from allennlp_coref_rc.data.dataset_readers.answers import add_span
from allennlp_coref_rc.data.dataset_readers.document_reader import GivenPassage
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import (
    CUT_OFF,
    ReadingComprehensionReader,
)
from allennlp_coref_rc.data.dataset_readers.reading_report import keep_malformed

UNANSWERABLE = "it has no answer (is_impossible)"
ABSENT = "the passage does not have the answer"
"""Why a question is skipped."""

MOVED = "an answer is not at its answer_start, and is looked for by its text"

OUTSIDE, BEGIN, INSIDE = range(3)
"""The values of `answer_tags`."""

NO_SPAN: Span = (-1, 0)


ANSWER_COLUMNS = ("answers.text", "answers.answer_start")
"""The columns of answers in data sets of the Hugging Face hub: lists of the same length."""


class Paragraph(NamedTuple):
    """A paragraph as it is in the file, the id of its document, its questions, and its article's title."""

    id: str
    values: JsonValue
    questions: list[JsonValue]
    title: Optional[JsonValue] = None


@DatasetReader.register("annotated_squad")
class AnnotatedSquadReader(ReadingComprehensionReader):
    """
    Reads SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018), and any file in their form: `{"data": [{"title": …,
    "paragraphs": [{"context": …, "qas": [{"id": …, "question": …, "answers": [{"text": …, "answer_start":
    …}]}]}]}]}`, where `answer_start` counts characters of the context. Answers may also be `{"text": […],
    "answer_start": […]}`, as `datasets` writes them. A context is a passage, and each question about it is an
    instance. Files are read article by article. The `data` of a document have the `title` of its article, if
    it has one, and the metadata of instances have it as `article`.

    `span_start` and `span_end` are the first and the last token that have any characters of the first answer
    that the context has. If an answer is not at its `answer_start`, the nearest place is taken, and a warning
    says how many questions have such answers. (In Quoref's development file this is so for 50 of 2,768
    answers, most of them off by a blank.) The metadata have all answers as `answer_texts`, their [start, end)
    tokens as `answer_spans`, the text of the passage as `original_passage`, and the places of its tokens as
    `token_offsets`. Predicted answers are pieces of that text. The answers of a question are alternatives, as
    in SQuAD's development set. Metrics take the best of them: the `exact_match` and `f1` of the metric
    `narrativeqa` are SQuAD's.

    These questions are skipped. With `keep_skipped` they are kept, and both ends of their span are -1:

    * a question that SQuAD 2.0 marks as `is_impossible`. Its only `answer_texts` is "". A model of spans
      always answers, so its answer counts as wrong, as in SQuAD's evaluation;
    * a question none of whose answers is in its context, or whose first one there lies beyond
      `max_passage_length`. Predictions are compared with its `answer_texts` as usual.

    If a question has no answers and is not `is_impossible`, its answers are not known, as in test sets.
    Arguments of `text_to_instance` are `answers` and their `spans`, the [start, end) tokens of each in the
    passage.

    Registered as a `DatasetReader` with name "annotated_squad". It also takes the parameters of
    `ReadingComprehensionReader`. By default `annotate_together` and `wrap_question` are false.

    # Parameters

    tag_answers : `bool`, optional (default = `False`)
        Adds the field `answer_tags`, for models that find answers of several spans. A tag is 1 for the first
        token of a span of the answer, 2 for the other tokens of the span, and 0 for all other tokens.

    # Example

    ```jsonnet
    {"type": "annotated_squad", "max_passage_length": 400, "max_question_length": 50}
    ```
    """

    default_annotate_together = False
    default_wrap_question = False
    has_cloze = False
    several_questions = True
    columns = ("context", "question")
    optional_columns = ("id", "title", "context_id", "is_impossible", "answers", *ANSWER_COLUMNS)
    several_spans = False
    """Whether the answers of a question are the spans of a single answer, and not alternatives."""

    def __init__(self, tag_answers: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._tag_answers = tag_answers

    def read_items(self, path: str, name: str) -> Iterator[tuple[str, Union[Paragraph, ConfigurationError]]]:
        numbers = count(1)
        for article_place, listed in read_listed_objects(path):
            article = JsonValue(listed, article_place)
            try:
                paragraphs, title = article["paragraphs"].list(), article.get("title")
            except ConfigurationError as error:
                yield article_place, error
                continue
            for i, (paragraph, number) in enumerate(zip(paragraphs, numbers)):
                place = f"{article_place}.paragraphs[{i}]"
                try:
                    located = JsonValue(paragraph.value, place)
                    id = f"{os.path.basename(name)}:{number}"
                    yield place, Paragraph(id, located, located["qas"].list(), title)
                except ConfigurationError as error:
                    yield place, error

    def row_items(self, rows: Iterable[JsonValue], name: str) -> Iterator[tuple[str, Paragraph]]:
        # The questions about a passage follow one another.
        groups = groupby(rows, key=lambda row: (row.value.get("context"), row.value.get("context_id")))
        for number, (_, group) in enumerate(groups, start=1):
            questions = list(map(_row_question, group))
            first, id = questions[0], f"{os.path.basename(name)}:{number}"
            yield first.place, Paragraph(id, first, questions, first.get("title"))

    def lost_with(self, item: Union[Paragraph, ConfigurationError, Document]) -> Sequence[Lost]:
        if isinstance(item, Paragraph):
            return [lost_question(question.value) for question in item.questions]
        return super().lost_with(item)

    def to_document(self, item: Paragraph) -> Document:
        passage, id = self.split(_some_text(item.values["context"])), item.values.get("context_id")
        asked: list[str] = []
        data: list[dict[str, Any]] = []
        malformed: list[Malformed] = []
        for question in item.questions:
            try:
                known = _question_data(question, passage)
                asked.append(_some_text(question["question"]))
                data.append(known)
            except ConfigurationError as error:
                malformed.append(Malformed(str(error), [lost_question(question.value)]))
        document = self.document(passage, asked, data, item.id if id is None else id.to(String))
        if item.title is not None:
            document.data["title"] = item.title.to(String)
        keep_malformed(document, malformed)
        return document

    def split(self, text: GivenPassage) -> AnnotatedText:
        """
        As in other readers. The source text of tokens, of which answers are pieces, are these, joined by
        blanks.
        """
        split = super().split(text)
        if split.offsets is not None:
            return split
        source = text if isinstance(text, str) else " ".join(split.tokens)
        return replace(split, text=source, offsets=token_offsets(source, split.tokens))

    def to_instance(self, document: Document, question: int = 0) -> Optional[Instance]:
        data = document.questions[question]
        answers, spans = data.get("answers") or [], data.get("spans")
        if spans is not None and len(spans) != len(answers):
            found = f"found {len(spans)} spans and {len(answers)} answers of question {question}"
            raise ConfigurationError(f"data: {found}, expected as many")
        text, boundary = self.select(document, question)
        text = self.split(text)
        source, offsets = text.text or "", text.offsets or []
        if data.get("moved"):
            self.report.noted[MOVED] += 1
        cause = _cause(data, boundary)
        if cause and self.skip(cause):
            return None
        inside = [span for span in spans or [] if span]
        known = {
            "id": self.question_id(document, question),
            "answer_texts": [""] if data.get("unanswerable") else answers,
            "article": document.data.get("title"),
            "answer_spans": inside,
            "original_passage": source[: offsets[boundary - 1][1]],
            "token_offsets": offsets[:boundary],
        }
        instance = self.make_instance(text, boundary, known)
        add_span(instance, NO_SPAN if cause else _first(spans))
        if self._tag_answers and (spans or cause):
            passage = cast(TextField, instance["passage"])
            tags = span_tags(inside if self.several_spans else inside[:1], boundary)
            instance.add_field("answer_tags", SequenceLabelField(tags, passage, "answer_tags"))
        return instance


def _some_text(value: JsonValue) -> str:
    if not value.to(String).strip():
        raise value.error("some text")
    return value.value


def _row_question(row: JsonValue) -> JsonValue:
    """A row whose answers are as in a file."""
    texts, starts = (row.value.get(column) for column in ANSWER_COLUMNS)
    answers = row.value.get("answers") if texts is None else {"text": texts, "answer_start": starts}
    # As `datasets` has them, the answers to an impossible question of SQuAD 2.0 are empty.
    return JsonValue({**row.value, "answers": {"text": []} if answers == [] else answers}, row.place)


def _answers(answers: Optional[JsonValue]) -> Iterator[tuple[str, Optional[int]]]:
    """The texts of answers as SQuAD or `datasets` write them, and their places, if they are numbers."""
    if answers is not None and isinstance(answers.value, dict):
        texts, starts = answers["text"].list(), answers.get("answer_start")
        places = [None] * len(texts) if starts is None else [start.value for start in starts.list()]
        if starts is not None and len(places) != len(texts):
            raise starts.error(f"{len(texts)} places, as many as answers.text")
        pairs = list(zip(texts, places))
    else:
        listed = answers.list() if answers else []
        pairs = [(answer["text"], answer.value.get("answer_start")) for answer in listed]
    for text, start in pairs:
        yield _some_text(text), start if type(start) is int else None


def _question_data(question: JsonValue, passage: AnnotatedText) -> dict[str, Any]:
    """
    The data of a question in a file: its answers and their spans, and how many of them are not at their
    places.
    """
    context, offsets = passage.text or "", passage.offsets or []
    data: dict[str, Any] = {}
    id, impossible, answers = map(question.get, ("id", "is_impossible", "answers"))
    if id is not None:
        data["id"] = id.to(Name)
    given = list(_answers(answers))
    empty = answers is not None and isinstance(answers.value, dict) and not given
    if empty if impossible is None else impossible.to(StrictBool):
        return {**data, "unanswerable": True}
    texts: list[str] = []
    spans: list[Optional[list[int]]] = []
    moved = 0
    for text, start in given:
        place = _nearest(text, context, max(start or 0, 0))
        span = None if place is None else token_span(offsets, place, place + len(text))
        texts.append(text)
        spans.append(span and list(span))
        moved += place is None or place != start
    if not texts:
        return data
    return {**data, "answers": texts, "spans": spans, **({"moved": moved} if moved else {})}


def _nearest(answer: str, context: str, start: int) -> Optional[int]:
    places = (context.rfind(answer, 0, start + len(answer)), context.find(answer, start))
    return min((place for place in places if place >= 0), key=lambda place: abs(place - start), default=None)


def _cause(data: dict[str, Any], boundary: int) -> Optional[str]:
    """Why a question is skipped; `None` if it is not."""
    if data.get("unanswerable"):
        return UNANSWERABLE
    spans = data.get("spans")
    if not spans:
        return None
    first = _first(spans)
    return ABSENT if first is None else CUT_OFF if first[1] > boundary else None


def _first(spans: Optional[Sequence[Optional[Span]]]) -> Optional[Span]:
    return next(filter(None, spans or []), None)


def span_tags(spans: Sequence[Span], length: int) -> list[int]:
    """The tags of a passage whose answer has these [start, end) spans."""
    tags = [OUTSIDE] * length
    for start, end in spans:
        tags[start:end] = [BEGIN, *[INSIDE] * (end - start - 1)]
    return tags[:length]
