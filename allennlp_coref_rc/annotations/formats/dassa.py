import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Optional

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
from allennlp_coref_rc.common.malformed import LeaveOut, kept, refuse

logger = logging.getLogger(__name__)


def read_dassa(path: str, leave_out: LeaveOut = refuse) -> Iterator[AnnotatedText]:
    """
    The texts of a file of DASSA's annotated NarrativeQA (Mihaylov and Frank, EMNLP 2019), which has a document on each
    line. A document has a summary, whose id is the `document_id`, and questions, whose ids are `DOCUMENT##000`,
    `DOCUMENT##001`, … as in the authors' code.
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


def document_from_dassa(number: int, values: JsonValue, leave_out: LeaveOut = refuse) -> Document:
    """
    A document of such a file, with its number in the file, from 0. The data of a question are its `answers` and, if the
    file has chunks that are like them, the first one as its `span`. `leave_out` gets the errors of malformed questions.
    """
    name = _name(number, values)
    passage = annotated_text_from_dassa(values["summary_parse"])

    def asked(question: JsonValue) -> tuple[AnnotatedText, dict[str, Any]]:
        answers = [answer.string() for key in ("answer1", "answer2") if (answer := question.get(key))]
        chunks = question.listed("answers_best_chunks")
        spans = [list(chunk["span"].span(len(passage))) for chunk in chunks]
        text = annotated_text_from_dassa(question["question_parse"], question.get("question_srl"))
        return text, {"answers": answers, **({"span": spans[0]} if spans else {})}

    questions = list(kept(asked, values.listed("questions"), leave_out))
    data = {"questions": [known for _, known in questions]}
    return Document.of(passage, *(text for text, _ in questions), id=name, data=data)


def _name(number: int, document: JsonValue) -> str:
    id = document.get("document_id")
    return f"P{number:05d}" if id is None else id.string()


def annotated_text_from_dassa(
    parse: JsonValue, srl: Optional[JsonValue] = None, leave_out: LeaveOut = refuse
) -> AnnotatedText:
    """
    The text of a `summary_parse` or `question_parse`. This is an object whose `sentences` have `tokens` and `srl`,
    whose `coref_clusters` have `mentions`, and whose `sdp` is a list of discourse relations. Spans are positions in the
    whole text.

    The words that were labelled with roles may differ from the tokens. If there are as many tags as tokens, each token
    gets its tag; otherwise words and tokens are aligned by their characters. (The authors' code fills in missing tokens
    and leaves other differences as they are.) Frames that do not fit in either way are left out, and so are relations
    that lack an argument. A warning says how many. `leave_out` gets the errors of those that are malformed.

    `srl` has the roles of the whole text (`question_srl` in the file), used if no sentence has its own.
    """
    tokens: list[str] = []
    sentences: list[Span] = []
    frames: list[Optional[Frame]] = []
    labelled = False
    for sentence in parse["sentences"].list():
        words = sentence["tokens"].strings()
        roles = sentence.get("srl")
        if roles is not None:
            labelled = True
            frames.extend(_frames(roles, words, len(tokens), leave_out))
        if words:
            sentences.append((len(tokens), len(tokens) + len(words)))
            tokens.extend(words)
    if srl is not None and not labelled:
        frames.extend(_frames(srl, tokens, 0, leave_out))

    relations = list(kept(lambda relation: _relation(relation, len(tokens)), parse.listed("sdp"), leave_out))
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
        list(kept(lambda cluster: _cluster(cluster, len(tokens)), parse.listed("coref_clusters"), leave_out)),
        [frame for frame in frames if frame],
        [relation for relation in relations if relation],
    )


def _cluster(cluster: JsonValue, length: int) -> Cluster:
    mentions = []
    for mention in cluster["mentions"].list():
        start = mention["start"].integer(maximum=length)
        mentions.append((start, mention["end"].integer(start + 1, length)))
    return mentions


def _frames(srl: JsonValue, tokens: Sequence[str], offset: int, leave_out: LeaveOut) -> list[Optional[Frame]]:
    """The frames of one sentence, whose first token is at `offset`; `None` for each frame that does not fit."""
    words = srl.get("words")
    spoken = words.strings() if words else []
    verbs = srl.listed("verbs")
    return list(kept(lambda verb: _frame(verb["tags"].strings(), spoken, tokens, offset), verbs, leave_out))


def _frame(tags: list[str], words: list[str], tokens: Sequence[str], offset: int) -> Optional[Frame]:
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
    return predicate and Frame(predicate, [(role, placed) for role, span in frame.arguments if (placed := place(span))])


def _relation(relation: JsonValue, length: int) -> Optional[DiscourseRelation]:
    def spans(part: Optional[JsonValue]) -> list[Span]:
        span = part and part.get("Span")
        return [span.span(length)] if span and span.value else []

    arg1, arg2 = spans(relation["Arg1"]), spans(relation["Arg2"])
    if not arg1 or not arg2:
        return None
    kind, sense = relation["Type"].choice(RELATION_TYPES), relation["Sense"].string()
    return DiscourseRelation(kind, sense, arg1, arg2, spans(relation.get("Conn")))
