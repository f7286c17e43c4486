import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import starmap
from typing import Optional

from allennlp_coref_rc.annotations.alignment import Alignment
from allennlp_coref_rc.annotations.annotated_text import (
    RELATION_TYPES,
    AnnotatedText,
    Cluster,
    DiscourseRelation,
    Frame,
    Span,
    question_id,
)
from allennlp_coref_rc.annotations.bio import frame_of
from allennlp_coref_rc.annotations.document import Document
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_value import JsonValue, read_json
from allennlp_coref_rc.common.malformed import LeaveOut, Malformed, kept, lost_question, refuse
from allennlp_coref_rc.common.schema import String

logger = logging.getLogger(__name__)


def read_dassa(path: str, leave_out: LeaveOut = refuse) -> Iterator[AnnotatedText]:
    """
    The texts of a file of DASSA's annotated NarrativeQA (Mihaylov and Frank, EMNLP 2019), which has a
    document on each line. A document has a summary, whose id is the `document_id`, and questions, whose ids
    are `DOCUMENT##000`, `DOCUMENT##001`, … as in the authors' code.
    """
    numbered = enumerate(read_json(path))
    for texts in kept(lambda item: list(_texts(*item, leave_out)), numbered, leave_out):
        yield from texts


def _texts(number: int, document: JsonValue, leave_out: LeaveOut) -> Iterator[AnnotatedText]:
    name = _name(number, document)
    yield replace(annotated_text_from_dassa(document["summary_parse"], None, leave_out), id=name)

    def asked(i: int, question: JsonValue) -> AnnotatedText:
        text = annotated_text_from_dassa(question["question_parse"], question.get("question_srl"), leave_out)
        return replace(text, id=question_id(name, i))

    yield from kept(lambda item: asked(*item), enumerate(document.listed("questions")), leave_out)


def document_from_dassa(
    number: int, values: JsonValue, leave_out: Callable[[Malformed], object] = refuse
) -> Document:
    """
    A document of such a file, with its number in the file, from 0. The data of a question are its `answers`
    and, if the file has chunks that are like them, the first one as its `span`. `leave_out` gets the errors
    of malformed questions.
    """
    name = _name(number, values)
    parts, known = [annotated_text_from_dassa(values["summary_parse"])], []
    length = len(parts[0])
    for question in values.listed("questions"):
        try:
            answers = [answer.to(String) for answer in map(question.get, ("answer1", "answer2")) if answer]
            spans = [list(chunk["span"].span(length)) for chunk in question.listed("answers_best_chunks")]
            parts.append(annotated_text_from_dassa(question["question_parse"], question.get("question_srl")))
            known.append({"answers": answers, **({"span": spans[0]} if spans else {})})
        except ConfigurationError as error:
            leave_out(Malformed(str(error), [lost_question(question.value)]))
    return Document.of(*parts, id=name, data={"questions": known})


def _name(number: int, document: JsonValue) -> str:
    id = document.get("document_id")
    return f"P{number:05d}" if id is None else id.to(String)


def annotated_text_from_dassa(
    parse: JsonValue, srl: Optional[JsonValue] = None, leave_out: LeaveOut = refuse
) -> AnnotatedText:
    """
    The text of a `summary_parse` or `question_parse`. This is an object whose `sentences` have `tokens` and
    `srl`, whose `coref_clusters` have `mentions`, and whose `sdp` is a list of discourse relations. Spans are
    positions in the whole text.

    The words that were labelled with roles may differ from the tokens. If there are as many tags as tokens,
    each token gets its tag; otherwise words and tokens are aligned by their characters. (The authors' code
    fills in missing tokens and leaves other differences as they are.) Frames that do not fit in either way
    are left out, and so are relations that lack an argument. A warning says how many. `leave_out` gets the
    errors of those that are malformed.

    `srl` has the roles of the whole text (`question_srl` in the file), used if no sentence has its own.
    """
    tokens: list[str] = []
    sentences: list[Span] = []
    labelled: list[tuple[JsonValue, list[str], int]] = []
    for sentence in parse["sentences"].list():
        words, roles = sentence["tokens"].to(list[String]), sentence.get("srl")
        if roles is not None:
            labelled.append((roles, words, len(tokens)))
        if words:
            sentences.append((len(tokens), len(tokens) + len(words)))
            tokens.extend(words)
    if srl is not None and not labelled:
        labelled.append((srl, tokens, 0))
    tagged: list[tuple[list[str], list[str], list[str], int]] = []
    for roles, words, offset in labelled:
        given = roles.get("words")
        spoken = given.to(list[String]) if given else []
        for verb in roles.listed("verbs"):
            try:
                tagged.append((verb["tags"].to(list[String]), spoken, words, offset))
            except ConfigurationError as error:
                leave_out(error)

    relations = list(kept(lambda relation: _relation(relation, len(tokens)), parse.listed("sdp"), leave_out))
    mentions = parse.listed("coref_clusters")
    clusters = list(kept(lambda cluster: _cluster(cluster, len(tokens)), mentions, leave_out))
    frames = list(starmap(_frame, tagged))
    for items, what in (
        (frames, "frames left out that have no predicate or whose words are not the tokens"),
        (relations, "discourse relations left out that lack an argument"),
    ):
        if None in items:
            place = f"{parse.place}: " if parse.place else ""
            logger.warning("%s%d of %d %s", place, items.count(None), len(items), what)
    return AnnotatedText(
        tokens,
        sentences,
        clusters,
        [frame for frame in frames if frame],
        [relation for relation in relations if relation],
    )


def _cluster(cluster: JsonValue, length: int) -> Cluster:
    mentions = []
    for mention in cluster["mentions"].list():
        start = mention["start"].integer(maximum=length)
        mentions.append((start, mention["end"].integer(start + 1, length)))
    return mentions


def _frame(tags: list[str], words: list[str], tokens: list[str], offset: int) -> Optional[Frame]:
    """The frame of a verb in a sentence whose first token is at `offset`; `None` if it does not fit."""
    frame = frame_of(tags)
    if frame is None:
        return None
    alignment = None
    if len(tags) != len(tokens):
        if len(tags) != len(words):
            return None
        try:
            alignment = Alignment(words, tokens)
        except ConfigurationError:
            return None

    def place(span: Span) -> Optional[Span]:
        placed = alignment.span(span) if alignment else span
        return placed and (placed[0] + offset, placed[1] + offset)

    predicate = place(frame.predicate)
    return predicate and Frame(
        predicate, [(role, placed) for role, span in frame.arguments if (placed := place(span))]
    )


def _relation(relation: JsonValue, length: int) -> Optional[DiscourseRelation]:
    parts: list[list[Span]] = []
    for part in (relation["Arg1"], relation["Arg2"], relation.get("Conn")):
        span = part and part.get("Span")
        parts.append([span.span(length)] if span and span.value else [])
    arg1, arg2, connective = parts
    if not arg1 or not arg2:
        return None
    return DiscourseRelation(
        relation["Type"].choice(RELATION_TYPES), relation["Sense"].to(String), arg1, arg2, connective
    )
