"""How the playground asks trained readers. How it shows their answers is in other modules."""

import itertools
import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Optional

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.alignment import Alignment
from allennlp_coref_rc.annotations.annotated_text import Cluster, Span
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.api import Answer
from allennlp_coref_rc.api.annotate import annotate
from allennlp_coref_rc.api.load import load
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import QUESTION_END, QUESTION_START
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


def split_candidates(text: str) -> tuple[str, ...]:
    """The candidates in a text, as they were typed, between semicolons or, if it has none, between commas."""
    return tuple(filter(None, map(str.strip, text.split(";" if ";" in text else ","))))


@dataclass(frozen=True)
class Reading:
    """A passage and a question as a reader sees them."""

    text: AnnotatedText
    """
    The passage and then the question, with the clusters of both. A mark may stand before and after the
    question.
    """
    boundary: int

    @property
    def clusters(self) -> list[Cluster]:
        return self.text.clusters

    def with_clusters(self, clusters: list[Cluster]) -> "Reading":
        return Reading(replace(self.text, clusters=clusters), self.boundary)

    @property
    def sentences(self) -> list[Span]:
        return [sentence for sentence in self.text.sentences if sentence[1] <= self.boundary]

    def parts(self) -> list[Span]:
        """The spans of the passage and of the question without its marks."""
        asked = self.text.tokens[self.boundary :]
        marked = asked[:1] == [QUESTION_START] and asked[-1:] == [QUESTION_END]
        return [(0, self.boundary), (self.boundary + marked, len(self.text) - marked)]

    def shown(self) -> list[AnnotatedText]:
        """
        The passage and the question as texts. Both have all clusters in the same order, some of them empty.
        """
        parts = []
        for start, stop in self.parts():
            clusters = [moved(within(cluster, start, stop), -start) for cluster in self.clusters]
            parts.append(replace(self.text.select((start, stop)), clusters=clusters))
        return parts

    def beginnings(self) -> list[tuple[int, list[Cluster]]]:
        """The end of each sentence, and the clusters of a passage that ends there."""
        question = self.boundary, len(self.text)
        return [(end, self.text.select((0, end), question).clusters) for _, end in self.sentences]


def within(cluster: Cluster, start: int, stop: int) -> Cluster:
    """The mentions of a cluster in a part of a text."""
    return [span for span in cluster if start <= span[0] and span[1] <= stop]


def moved(cluster: Cluster, offset: int) -> Cluster:
    return [(start + offset, stop + offset) for start, stop in cluster]


class CachedAnnotator(Annotator):
    """Annotates each text only once, so that an edit is quick even if the annotator is slow."""

    def __init__(self, annotator: Annotator, trust: bool = False) -> None:
        self._annotator = annotator
        self._trust = trust
        self._known: OrderedDict[str, AnnotatedText] = OrderedDict()

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        key = json.dumps(text.to_json())
        known = self._known.get(key)
        if known is None:
            # Some annotators load their archives only now.
            with trusting(self._trust, ""):
                (known,) = self._annotator.annotate_batch([text])
            self._known[key] = known
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return known


class NoAnnotator(Annotator):
    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        return text


class ReaderSession:
    def __init__(self, archive: str, trust: bool = False) -> None:
        reader = load(archive, trust)
        if reader.annotator is not None:
            reader = reader.with_annotator(CachedAnnotator(reader.annotator, trust))
        self._reader = reader
        self.key = f"{archive} {next(_numbers)}"
        """A text that no other reader has."""
        self.answers_are_spans = reader.answers_are_spans

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
        reader = self._reader if annotator is None else self._reader.with_annotator(annotator)
        answer = reader.answer(**self.request(question))
        return Reading(answer.text, answer.boundary)

    def answer(self, question: Question, clusters: Sequence[Cluster]) -> Answer:
        return self._reader.answer(**self.request(question, clusters))

    def beliefs(self, question: Question, reading: Reading) -> list[Optional[Answer]]:
        """The answers after the first sentence, the first two, and so on; `None` while it cannot be asked."""
        offsets = reading.text.offsets
        if offsets is None:
            raise ConfigurationError(
                "found tokens that are not in the passage, so its sentences can't be told apart"
            )
        answers: list[Optional[Answer]] = []
        for end, clusters in reading.beginnings():
            passage = question.passage[: offsets[end - 1][1]]
            try:
                answers.append(self.answer(replace(question, passage=passage), clusters))
            except ConfigurationError:
                answers.append(None)
        return answers


def annotated(passage: str, annotator: Annotator) -> Reading:
    """A text without a question, with an annotator's annotations."""
    text = annotate(passage, annotator)
    return Reading(text, len(text))


def unlinked(expected: Reading, found: Reading) -> list[Cluster]:
    """
    The clusters of a reading whose mentions are in no cluster together in another of the same text. Those
    with a mention in the question come first.
    """
    missing = [
        cluster
        for cluster in expected.clusters
        if not any(all(map(partial(_overlaps, other), cluster)) for other in found.clusters)
    ]
    return sorted(missing, key=lambda cluster: cluster[-1][1] <= expected.boundary)


def _overlaps(cluster: Cluster, span: Span) -> bool:
    return any(start < span[1] and span[0] < stop for start, stop in cluster)


def transferred(source: Reading, target: Reading) -> list[Cluster]:
    """The clusters of one reading on the tokens of another, without those that have no mention there."""
    old, new = source.text.tokens, target.text.tokens
    if old == new:
        return source.clusters
    clusters: list[Cluster] = [[] for _ in source.clusters]
    for (start, stop), (first, end) in zip(source.parts(), target.parts()):
        alignment = Alignment(old[start:stop], new[first:end], ignore_case=True)
        for cluster, transferred_cluster in zip(source.clusters, clusters):
            mentions = moved(within(cluster, start, stop), -start)
            transferred_cluster += moved(alignment.spans(mentions), first)
    return [cluster for cluster in clusters if cluster]
