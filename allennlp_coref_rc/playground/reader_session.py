"""How the playground asks trained readers. How it shows their answers is in other modules."""

import copy
import itertools
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.alignment import Alignment
from allennlp_coref_rc.annotations.annotated_text import Cluster, Span, one_sentence
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.api import Answer
from allennlp_coref_rc.api.annotate import annotate
from allennlp_coref_rc.api.load import Reader, load
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import (
    QUESTION_END,
    QUESTION_START,
    ReadingComprehensionReader,
)
from allennlp_coref_rc.safe_archives.archives import trusting

REMEMBERED = 500
"""The number of texts whose annotations are kept."""

_numbers = itertools.count()


@dataclass(frozen=True)
class Question:
    """A user's question. If `candidates` is empty, a reader finds its own."""

    passage: str
    question: str
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """
    A passage and a question as a reader sees them.

    # Parameters

    passage : `AnnotatedText`
        The tokens of the passage, and its annotations other than clusters.
    question : `list[str]`
        The tokens of the question. A mark may stand before and after them.
    clusters : `list[Cluster]`
        Their positions count through the tokens of the passage and then those of the question.
    offsets : `list[Span]`, optional (default = `None`)
        The [start, end) characters of the passage's tokens, if all tokens occur in the passage as they are.
    """

    passage: AnnotatedText
    question: list[str]
    clusters: list[Cluster]
    offsets: Optional[list[Span]] = None

    @property
    def tokens(self) -> list[str]:
        return self.passage.tokens + self.question

    @property
    def text(self) -> AnnotatedText:
        """The passage and the question as one text."""
        return AnnotatedText(self.tokens, clusters=self.clusters)

    def parts(self) -> list[Span]:
        """The spans of the passage and of the question without its marks."""
        boundary, end = len(self.passage), len(self.tokens)
        marked = self.question[:1] == [QUESTION_START] and self.question[-1:] == [QUESTION_END]
        return [(0, boundary), (boundary + marked, end - marked)]

    def shown(self) -> list[AnnotatedText]:
        """
        The passage and the question as separate texts. Both have all clusters in the same order, some of them empty.
        """
        return [
            AnnotatedText(
                self.tokens[start:stop],
                self.passage.sentences if start == 0 else one_sentence(self.tokens[start:stop]),
                [moved(within(cluster, start, stop), -start) for cluster in self.clusters],
                self.passage.frames if start == 0 else [],
                self.passage.relations if start == 0 else [],
                self.passage.edges if start == 0 else [],
            )
            for start, stop in self.parts()
        ]

    def beginnings(self) -> list[tuple[int, list[Cluster]]]:
        """
        The number of tokens up to the end of each sentence, and the clusters of a passage that ends there. They have no
        mentions of later sentences, and a cluster with no mention left is gone.
        """
        text, question = self.text, (len(self.passage), len(self.tokens))
        return [(end, text.select((0, end), question).clusters) for _, end in self.passage.sentences]


def within(cluster: Cluster, start: int, stop: int) -> Cluster:
    """The mentions of a cluster in a part of a text."""
    return [span for span in cluster if start <= span[0] and span[1] <= stop]


def moved(cluster: Cluster, offset: int) -> Cluster:
    return [(start + offset, stop + offset) for start, stop in cluster]


class CachedAnnotator(Annotator):
    """
    Annotates each text only once. So the answer after an edit comes at once, even if the annotator is slow.

    # Parameters

    annotator : `Annotator`
    trust : `bool`, optional (default = `False`)
        Whether the archives that the annotator uses are trusted.
    """

    def __init__(self, annotator: Annotator, trust: bool = False) -> None:
        self._annotator = annotator
        self._trust = trust
        self._known: OrderedDict[str, AnnotatedText] = OrderedDict()

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        key = repr(text)
        known = self._known.get(key)
        if known is None:
            # Some annotators load their archives only now.
            with trusting(self._trust):
                known = self._annotator.annotate_batch([text])[0]
            self._known[key] = known
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return known


class NoAnnotator(Annotator):
    """Finds nothing."""

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        return text


class ReaderSession:
    """
    A trained reader in the playground.

    # Parameters

    archive : `str`
    trust : `bool`, optional (default = `False`)
        Whether the archive may name any class and file.
    """

    def __init__(self, archive: str, trust: bool = False) -> None:
        self._reader = load(archive, trust)
        data = self._reader.predictor._dataset_reader
        if not isinstance(data, ReadingComprehensionReader):
            raise ConfigurationError(
                f"{archive}: found a reader of {type(data).__name__}, expected one of this package's readers"
            )
        if data._annotator is not None:
            data._annotator = CachedAnnotator(data._annotator, trust)
        self._data = data
        self.key = f"{archive} {next(_numbers)}"
        """A text that no other reader has."""
        self.answers_are_spans = self._reader.predictor.answers_are_spans

    def request(self, question: Question, clusters: Optional[Sequence[Cluster]] = None) -> dict[str, Any]:
        """The input of `coref-rc predict`. A reader whose answers are spans takes no candidates."""
        request: dict[str, Any] = {"passage": question.passage, "question": question.question}
        if question.candidates and not self.answers_are_spans:
            request["candidates"] = list(question.candidates)
        if clusters is not None:
            request["clusters"] = [[list(span) for span in cluster] for cluster in clusters]
        return request

    def read(self, question: Question, annotator: Optional[Annotator] = None) -> Reading:
        """The question with the clusters of an annotator. By default it is the reader's own."""
        reader = self._reader
        if annotator is not None:
            data = copy.copy(self._data)
            data._annotator = annotator
            predictor = copy.copy(reader.predictor)
            predictor._dataset_reader = data
            reader = Reader(reader.path, predictor)
        answer = reader.answer(**self.request(question))
        tokens = answer.passage_tokens
        sentences = self._data.split(question.passage).sentences
        if sum(stop - start for start, stop in sentences) < len(tokens):
            sentences = sentence_spans(tokens)
        cut = [(start, min(stop, len(tokens))) for start, stop in sentences if start < len(tokens)]
        return Reading(AnnotatedText(tokens, cut), answer.question_tokens, answer.clusters, answer.offsets)

    def answer(self, question: Question, clusters: Sequence[Cluster]) -> Answer:
        return self._reader.answer(**self.request(question, clusters))

    def beliefs(self, question: Question, reading: Reading) -> list[Optional[Answer]]:
        """
        The answers after the first sentence of the passage, the first two, and so on. An answer is `None` if the
        question cannot be asked yet, for instance because there is no candidate. If tokens do not occur in the passage
        as they are, a `ConfigurationError` is raised.
        """
        if reading.offsets is None:
            raise ConfigurationError("found tokens that are not in the passage, so its sentences can't be told apart")
        answers: list[Optional[Answer]] = []
        for end, clusters in reading.beginnings():
            passage = question.passage[: reading.offsets[end - 1][1]]
            try:
                answers.append(self.answer(replace(question, passage=passage), clusters))
            except ConfigurationError:
                answers.append(None)
        return answers


def annotated(passage: str, annotator: Annotator) -> Reading:
    """A text without a question, with an annotator's annotations."""
    found = annotate(passage, annotator)
    return Reading(found.annotated, [], found.clusters, found.offsets)


def transferred(source: Reading, target: Reading) -> list[Cluster]:
    """
    The clusters of one reading, on the tokens of another, which may differ. Clusters without a mention there are left
    out.
    """
    if source.tokens == target.tokens:
        return source.clusters
    clusters: list[Cluster] = [[] for _ in source.clusters]
    for (start, stop), (new, end) in zip(source.parts(), target.parts()):
        alignment = Alignment(source.tokens[start:stop], target.tokens[new:end], ignore_case=True)
        for cluster, found in zip(source.clusters, clusters):
            found += moved(alignment.spans(moved(within(cluster, start, stop), -start)), new)
    return [cluster for cluster in clusters if cluster]
