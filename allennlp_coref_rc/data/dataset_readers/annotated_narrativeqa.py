import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from allennlp.data import DatasetReader, Instance

from allennlp_coref_rc.annotations import AnnotatedText, Document
from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.formats import document_from_dassa
from allennlp_coref_rc.common.checks import check_choice, check_number
from allennlp_coref_rc.common.csv_rows import read_csv_rows
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import COMPRESSED
from allennlp_coref_rc.common.hub_addresses import is_hub_address
from allennlp_coref_rc.common.json_value import JsonValue, read_json
from allennlp_coref_rc.common.malformed import Lost, Malformed, lost_question
from allennlp_coref_rc.common.schema import String
from allennlp_coref_rc.data.dataset_readers.answers import add_span
from allennlp_coref_rc.data.dataset_readers.document_reader import GivenPassage, Text
from allennlp_coref_rc.data.dataset_readers.oracle_spans import ORACLES, oracle_span
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import (
    CUT_OFF,
    ReadingComprehensionReader,
)
from allennlp_coref_rc.data.dataset_readers.reading_report import keep_malformed

SPLITS = ("train", "valid", "test")

QUESTIONS, SUMMARIES = "qaps.csv", "third_party/wikipedia/summaries.csv"
"""The files that are read from the official folder."""

COLUMNS = {"tokenized": "{}_tokenized", "raw": "{}"}
"""By kind of text, the form of its columns' names."""

ROW_KEYS = {"tokenized": "tokens", "raw": "text"}
"""The same for data sets of the Hugging Face hub, where tokens are lists."""

NOT_IN_EXCERPT = "the answer is not in the excerpt, whose length dataset_reader.excerpt_length says"
"""Why a question is skipped."""


@dataclass
class Summary:
    """A summary, the questions about it, and the two answers to each of them."""

    document_id: str
    text: str
    questions: list[str] = field(default_factory=list)
    answers: list[list[str]] = field(default_factory=list)

    def add(self, question: str, answers: list[str]) -> None:
        self.questions.append(question)
        self.answers.append(answers)


class DassaDocument(NamedTuple):
    """A document of DASSA's annotated files, and its number in the file, from 0."""

    number: int
    values: JsonValue


@DatasetReader.register("annotated_narrativeqa")
class AnnotatedNarrativeQaReader(ReadingComprehensionReader):
    """
    Reads NarrativeQA (Kočiský et al. 2018), the task on summaries. A summary is a passage, and each question
    about it is an instance. Two people have answered each question in their own words. `span_start` and
    `span_end` are the first and the last token of the span of the passage that is most like an answer (see
    `oracle_span`). The metadata have both answers as `answer_texts`, and the document's id as `article`. (For
    the span models of allennlp-models they also have `original_passage`, the tokens joined by blanks, and
    `token_offsets`, the places of the tokens in it.)

    A data path is `FOLDER/SPLIT`. The folder has the official `qaps.csv` and
    `third_party/wikipedia/summaries.csv`, and the split is train, valid or test, which need not be a file. A
    data path may also be a file that `coref-rc annotate` has written, which includes the spans. And it may be
    one of the annotated files of DASSA (Mihaylov and Frank 2019). Their tokens, annotations and spans (the
    first of `answers_best_chunks`) are taken as they are.

    A question whose span ends beyond `max_passage_length` is skipped, so use limits of length only for
    training. In training, DASSA limits passages to 800 tokens and questions to 50, and elsewhere it sets no
    limits. With `keep_skipped` such a question is kept, and both ends of its span are -1.

    Arguments of `text_to_instance` are `answers`, which are texts, and a `span`, [start, end) tokens of the
    passage. By default it is the one that is most like an answer, if there are answers.

    Registered as a `DatasetReader` with name "annotated_narrativeqa". It also takes the parameters of
    `ReadingComprehensionReader`. By default `annotate_together` and `wrap_question` are false.

    # Parameters

    text : `str`, optional (default = `"tokenized"`)
        Which columns of the official files to read. The tokens of `"tokenized"` are taken as they are (they
        lack apostrophes). The texts of `"raw"`, which DASSA uses, are split by the tokenizer.
    oracle : `str`, optional (default = `"best"`)
        How spans are chosen, `"best"` or `"published"` (see `oracle_span`).
    excerpt_length : `int`, optional (default = `None`)
        Each question gets an excerpt of so many tokens of the passage (see `excerpt_span`), for training and
        for predictions. A question whose span is not in its excerpt is skipped. By default it gets the whole
        passage.

    # Example

    ```jsonnet
    {"type": "annotated_narrativeqa", "max_passage_length": 800, "max_question_length": 50}
    ```
    """

    default_annotate_together = False
    default_wrap_question = False
    has_cloze = False
    several_questions = True

    def __init__(
        self,
        text: str = "tokenized",
        oracle: str = "best",
        excerpt_length: Optional[int] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_choice("annotated_narrativeqa", "text", text, COLUMNS)
        check_choice("annotated_narrativeqa", "oracle", oracle, ORACLES)
        self._text = text
        check_number("annotated_narrativeqa", "excerpt_length", excerpt_length)
        self._oracle = oracle
        self._excerpt_length = excerpt_length
        key = ROW_KEYS[text]
        self.columns = ("document.id", f"document.summary.{key}", f"question.{key}", "answers")

    def find(self, file_path: str) -> str:
        """
        The file of questions of `FOLDER/SPLIT`, or the file itself. Raises a `ConfigurationError` without
        one.
        """
        if os.path.isdir(file_path) or os.path.basename(file_path).startswith(QUESTIONS):
            raise ConfigurationError(
                f"{file_path}: found no split, expected FOLDER/train, FOLDER/valid or FOLDER/test, where "
                f"FOLDER/{QUESTIONS} is a file"
            )
        return self._find_csv(file_path, QUESTIONS) if _is_split(file_path) else super().find(file_path)

    def files(self, file_path: str) -> list[str]:
        found = super().files(file_path)
        return [*found, self._find_csv(file_path, SUMMARIES)] if _is_split(file_path) else found

    def _find_csv(self, split_path: str, name: str) -> str:
        path = os.path.join(os.path.dirname(split_path), name)
        packed = [path + suffix for suffix in COMPRESSED if os.path.isfile(path + suffix)]
        return super().find(packed[0] if packed and not os.path.isfile(path) else path)

    def read_items(
        self, path: str, name: str
    ) -> Iterator[tuple[str, Union[Summary, DassaDocument, ConfigurationError]]]:
        if _is_split(name):
            yield from self._read_csv(path, self._find_csv(name, SUMMARIES), os.path.basename(name))
            return
        for number, values in enumerate(read_json(path)):
            yield values.place, DassaDocument(number, values)

    def row_items(
        self, rows: Iterable[JsonValue], name: str
    ) -> Iterator[tuple[str, Union[Summary, ConfigurationError]]]:
        id_column, summary_column, question_column, answers_column = self.columns
        by_id: dict[str, tuple[str, Summary]] = {}
        errors: list[tuple[str, Malformed]] = []
        for row in rows:
            try:
                id = row[id_column].to(String)
                if id not in by_id:
                    by_id[id] = row.place, Summary(id, _text_of(row[summary_column]))
                answers = [_text_of(answer[ROW_KEYS[self._text]]) for answer in row[answers_column].list()]
                by_id[id][1].add(_text_of(row[question_column]), answers)
            except ConfigurationError as error:
                errors.append((row.place, Malformed(str(error), [lost_question(row.value)])))
        yield from by_id.values()
        yield from errors

    def _read_csv(
        self, questions_path: str, summaries_path: str, split: str
    ) -> Iterator[tuple[str, Union[Summary, ConfigurationError]]]:
        column = COLUMNS[self._text].format
        names = [column(name) for name in ("question", "answer1", "answer2")]
        summaries: dict[str, tuple[str, dict[str, str]]] = {}
        errors: list[ConfigurationError] = []

        def without_summary(error: ConfigurationError) -> None:
            # The questions about it are lost too, each with an error of its own.
            errors.append(Malformed(str(error), []))

        of_summary = ["document_id", "set", column("summary")]
        for line, row in read_csv_rows(summaries_path, of_summary, leave_out=without_summary):
            place = f"{summaries_path}, line {line}"
            if row["document_id"] in summaries:
                found = f"{place}: found the document {row['document_id']!r:.80} a second time"
                without_summary(ConfigurationError(f"{found}, expected it once"))
                continue
            summaries[row["document_id"]] = place, row
        by_id: dict[str, tuple[str, Summary]] = {}
        for line, row in read_csv_rows(
            questions_path, ["document_id", "set", *names], leave_out=errors.append
        ):
            place, id = f"{questions_path}, line {line}", row["document_id"]
            if row["set"] != split and row["set"] in SPLITS:
                continue
            try:
                if row["set"] not in SPLITS:
                    raise ConfigurationError(
                        f"{place}: found the set {row['set']!r:.80}, expected one of {SPLITS}"
                    )
                if id not in summaries:
                    raise ConfigurationError(
                        f"{place}: found the document {id!r:.80}, expected one of {summaries_path}"
                    )
                if id not in by_id:
                    by_id[id] = place, Summary(id, self._column(*summaries[id], "summary"))
                answers = [self._column(place, row, name) for name in ("answer1", "answer2")]
                by_id[id][1].add(self._column(place, row, "question"), answers)
            except ConfigurationError as error:
                errors.append(Malformed(str(error), [lost_question(row)]))
        if not by_id and not errors:
            raise ConfigurationError(
                f"{questions_path}, line 1: found no question of the set {split!r}, expected some"
            )
        # The good ones come first, as a file is refused that begins with many malformed ones.
        yield from by_id.values()
        yield from ((questions_path, error) for error in errors)

    def _column(self, place: str, row: dict[str, str], name: str) -> str:
        used = COLUMNS[self._text].format(name)
        if not row[used].strip():
            (other,) = COLUMNS.keys() - {self._text}
            hint = f"; the column of the other text is filled: set dataset_reader.text to {other!r}"
            is_filled = bool(row.get(COLUMNS[other].format(name), "").strip())
            raise ConfigurationError(f"{place}: found an empty {used}, expected text{hint * is_filled}")
        return row[used]

    def lost_with(self, item: Union[Summary, DassaDocument, ConfigurationError, Document]) -> Sequence[Lost]:
        if isinstance(item, Summary):
            return list(map(lost_question, item.questions))
        if isinstance(item, DassaDocument) and isinstance(item.values.value, dict):
            asked = item.values.value.get("questions")
            return list(map(lost_question, asked)) if isinstance(asked, list) else [{}]
        return super().lost_with(item)

    def to_document(self, item: Union[Summary, DassaDocument]) -> Document:
        if isinstance(item, Summary):
            tokenize = str.split if self._text == "tokenized" else self.tokenize
            passage = AnnotatedText(tokenize(item.text)).located(item.text).split_sentences()
            data = [{"answers": answers} for answers in item.answers]
            document = super().document(passage, list(map(tokenize, item.questions)), data, item.document_id)
            return self._with_spans(document, tokenize)
        errors: list[Malformed] = []
        document = document_from_dassa(*item, errors.append)
        keep_malformed(document, errors)
        return self._with_spans(document, self.tokenize)

    def document(
        self, passage: GivenPassage, questions: Sequence[Text], data: Sequence[dict], id: Optional[str] = None
    ) -> Document:
        for known in data:
            JsonValue(known.get("answers", []), path="answers").to(list[String])
        return self._with_spans(super().document(passage, questions, data, id), self.tokenize)

    def _with_spans(self, document: Document, tokenize: Callable[[str], list[str]]) -> Document:
        """Adds the span that is most like an answer to each question with answers and without a span."""
        passage, *questions = map(document.tokens_of, range(len(document.parts)))
        for question, data in zip(questions, document.questions):
            answers = data.get("answers")
            if answers and "span" not in data:
                span = oracle_span(passage, question, list(map(tokenize, answers)), self._oracle)
                if span:
                    data.update(span=[span.start, span.end], rouge_l=span.rouge_l, oracle=self._oracle)
        return document

    def passage_span(self, document: Document, question: int) -> Span:
        if self._excerpt_length is None:
            return super().passage_span(document, question)
        return excerpt_span(document.tokens_of(0), document.tokens_of(question + 1), self._excerpt_length)

    def to_instance(self, document: Document, question: int = 0) -> Optional[Instance]:
        data = document.questions[question]
        answers, span = data.get("answers") or [], data.get("span")
        if (data.get("oracle") or self._oracle) != self._oracle:
            raise ConfigurationError(
                f"found spans of the oracle {data['oracle']!r:.80}, expected {self._oracle!r}, which "
                "dataset_reader.oracle says; set it, or annotate the data set again"
            )
        text, boundary = self.select(document, question)
        if span:
            begin, _ = self.passage_span(document, question)
            span = span[0] - begin, span[1] - begin
            if span[0] < 0 or span[1] > boundary:
                if self.skip(CUT_OFF if self._excerpt_length is None else NOT_IN_EXCERPT):
                    return None
                span = -1, 0
        passage, offsets = _joined(tuple(text.tokens[:boundary]))
        known = {
            "id": self.question_id(document, question),
            "article": document.text.id,
            "answer_texts": answers,
            "original_passage": passage,
            "token_offsets": offsets,
        }
        instance = self.make_instance(text, boundary, known)
        add_span(instance, span)
        return instance


def _is_split(path: str) -> bool:
    """Whether a data path is `FOLDER/SPLIT`."""
    return os.path.basename(path) in SPLITS and not os.path.isfile(path) and not is_hub_address(path)


def excerpt_span(passage: Sequence[str], question: Sequence[str], length: int) -> Span:
    """
    The [start, end) tokens of the excerpt of a passage that shares the most with a question. Each word of the
    question that the excerpt has counts once, by log(tokens of the passage / its occurrences there), in lower
    case and without punctuation. Of excerpts that are equally good, the middle one is chosen. A shorter
    passage is taken as a whole.
    """
    if len(passage) <= length:
        return 0, len(passage)
    places = _places(tuple(passage))
    scores = np.zeros(len(passage) - length + 1)
    for word in sorted({word.lower() for word in question if any(map(str.isalnum, word))} & places.keys()):
        sees = np.zeros(len(scores), dtype=bool)
        for place in places[word]:
            sees[max(0, place + 1 - length) : place + 1] = True
        scores += sees * np.log(len(passage) / len(places[word]))
    best = np.flatnonzero(np.isclose(scores, scores.max()))
    start = int(best[len(best) // 2])
    return start, start + length


@lru_cache(maxsize=1)
def _joined(tokens: tuple[str, ...]) -> tuple[str, list[Span]]:
    """Tokens joined by blanks, and their places, which the questions about a passage share."""
    ends = accumulate(len(token) + 1 for token in tokens)
    return " ".join(tokens), [(end - 1 - len(token), end - 1) for end, token in zip(ends, tokens)]


@lru_cache(maxsize=1)
def _places(tokens: tuple[str, ...]) -> dict[str, list[int]]:
    """The positions of each word of a text, in lower case. The questions about a text follow one another."""
    places: dict[str, list[int]] = {}
    for position, token in enumerate(tokens):
        places.setdefault(token.lower(), []).append(position)
    return places


def _text_of(value: JsonValue) -> str:
    """A text of a row. Tokens are joined by blanks, as in the official files."""
    text = value.text()
    joined = text if isinstance(text, str) else " ".join(text)
    if not joined.strip():
        raise value.error("text")
    return joined
