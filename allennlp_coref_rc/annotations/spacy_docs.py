"""
The structure of a text in a spaCy doc. A cluster is a span group, `coref_clusters_1` and so on, as in
spacy-experimental. Frames, relations and edges are in `user_data`, which DocBin can store;
`doc._.srl_frames`, `doc._.discourse_relations` and `doc._.typed_edges` give them with spans.

Tokens may be merged or split later, and docs cut and joined. So the structure is kept by characters, which
the tokens are found by. Its key in `user_data` looks like that of an extension of the span of the whole text.
spaCy moves such keys when it makes a doc of several (`Doc.from_docs`) or of a piece (`Span.as_doc`). What is
cut off is left out.
"""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any, NamedTuple, Optional

import srsly  # type: ignore[import-untyped]
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from allennlp_coref_rc.annotations.layers import Layers
from allennlp_coref_rc.annotations.tokenization import Span as TokenSpan
from allennlp_coref_rc.annotations.tokenization import sentence_spans
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.schema import validated

CLUSTERS = "coref_clusters"
FRAMES = "srl_frames"
RELATIONS = "discourse_relations"
EDGES = "typed_edges"
ID = "text_id"
STRUCTURE = "annotated_text"
"""
The name in the key of `user_data`, whose value has the text and its frames, relations and edges by
characters.
"""


class SrlFrame(NamedTuple):
    """An item of `doc._.srl_frames`: a predicate with its arguments, which are (role, span) pairs."""

    predicate: Span
    arguments: list[tuple[str, Span]]


class Relation(NamedTuple):
    """An item of `doc._.discourse_relations`. Arguments and connective may be discontinuous."""

    type: str
    sense: str
    arg1: list[Span]
    arg2: list[Span]
    connective: list[Span]


class TypedEdge(NamedTuple):
    """An item of `doc._.typed_edges`: an edge from `source` to `target`."""

    type: str
    source: Span
    target: Span


class Mentions(SpanGroup):
    """
    A cluster in `doc.spans`. Its spans follow the tokens, where those of spaCy's own groups keep the token
    numbers from before a merge. A copy of the doc has spaCy's groups.
    """

    def __getitem__(self, i: int) -> Span:
        try:
            span = super().__getitem__(i)
        # Also if there are no longer so many tokens.
        except IndexError:
            span = None
        if span is None or not _fits(span):
            self._follow()
            span = super().__getitem__(i)
        return span

    def to_bytes(self) -> bytes:
        self._follow()
        return super().to_bytes()

    def _follow(self) -> None:
        for i, (id, kb_id, label, *_, start, end) in enumerate(_packed(self)):
            self[i] = _span(self.doc, start, end, label=label, kb_id=kb_id, span_id=id)  # type: ignore[index]  # spaCy's types lack it


def _fits(span: Span) -> bool:
    """Whether a span's tokens have the characters that they had when it was made."""
    first, last = span.doc[span.start], span.doc[span.end - 1]
    return (first.idx, last.idx + len(last)) == (span.start_char, span.end_char)


def _packed(group: SpanGroup) -> Iterator[tuple[int, ...]]:
    """
    The spans of a group as spaCy stores them: id, id in a knowledge base, label, tokens and, last,
    characters. The spans themselves can't be read if there are no longer so many tokens.
    """
    return (
        struct.unpack(">QQQllll", span) for span in srsly.msgpack_loads(SpanGroup.to_bytes(group))["spans"]
    )


def _span(doc: Doc, start: int, end: int, **labels: Any) -> Span:
    """The tokens of these characters. Raises a `ConfigurationError` if one of them also has others."""
    span = doc.char_span(start, end, **labels)
    if span is None:
        inside = doc.char_span(start, end, alignment_mode="expand")
        raise ConfigurationError(
            f"found an annotation of {doc.text[start:end]!r:.80} in the tokens {inside.text if inside else ''!r:.80}, "
            "expected one that begins and ends where tokens do: a component that merges tokens has to come before "
            "those that annotate them"
        )
    return span


def to_doc(text: Any, vocab: Vocab) -> Doc:
    """
    A doc with a text's tokens, sentences and structure, and blanks between tokens unless `offsets` say
    otherwise.
    """
    starts = {start for start, _ in text.sentences}
    spaces = [*text.spaced[1:], False] if text.offsets else None
    try:
        doc = Doc(
            vocab, words=text.tokens, spaces=spaces, sent_starts=[i in starts for i in range(len(text))]
        )
    except ValueError as error:
        raise ConfigurationError(f"the text {text.id!r} can't be a doc of spaCy: {error}") from error
    set_structure(doc, **vars(text.layers))
    if text.id is not None:
        doc._.text_id = text.id
    return doc


def from_doc(doc: Doc) -> dict[str, Any]:
    """
    The fields of the text that `to_doc` has made a doc of. A doc without sentences is split by our own rules;
    the doc does not change.
    """
    tokens = [token.text for token in doc]
    offsets = [(token.idx, token.idx + len(token)) for token in doc]
    sentences = sentence_spans(tokens, doc.text, offsets)
    if tokens and doc.has_annotation("SENT_START"):
        sentences = [(sentence.start, sentence.end) for sentence in doc.sents]
    return {
        "tokens": tokens,
        "sentences": sentences,
        **vars(structure_of(doc)),
        "clusters": clusters(doc),
        "id": doc._.text_id,
        "text": doc.text,
        "offsets": offsets,
    }


def set_structure(doc: Doc, **layers: Any) -> None:
    """
    Replaces the clusters, frames, relations and edges of a doc by those that are given, and keeps the others.
    """
    before = [*_blocks(doc)]
    if any(start > 0 for _, start, _ in before):
        # Several docs have become this one.
        layers = {"clusters": clusters(doc), **layers}
    structure = replace(structure_of(doc), **layers)
    if "clusters" in layers:
        for name in _names(doc, CLUSTERS):
            del doc.spans[name]
        for number, cluster in enumerate(structure.clusters, start=1):
            name = f"{CLUSTERS}_{number}"
            doc.spans[name] = Mentions(doc, name=name, spans=[doc[start:stop] for start, stop in cluster])
    for old_key, _, _ in before:
        del doc.user_data[old_key]
    places = [(token.idx, token.idx + len(token)) for token in doc]
    by_characters = asdict(structure.moved(lambda span: (places[span[0]][0], places[span[1] - 1][1])))
    key: Any = "._.", STRUCTURE, 0, len(doc.text)
    doc.user_data[key] = {**by_characters, "clusters": [], "text": doc.text}


def clusters(doc: Doc, prefix: str = CLUSTERS) -> list[list[TokenSpan]]:
    """
    The clusters in span groups with this prefix, in the order of their numbers. Those of joined docs stay
    apart.
    """
    starts = sorted(start for _, start, _ in _blocks(doc))
    found: list[list[TokenSpan]] = []
    for name in _names(doc, prefix):
        parts: dict[int, list[TokenSpan]] = {}
        for *_, start, end in _packed(doc.spans[name]):
            span = _span(doc, start, end)
            parts.setdefault(bisect_right(starts, start), []).append((span.start, span.end))
        found += [*parts.values()] or [[]]
    return found


def _names(doc: Doc, prefix: str) -> list[str]:
    numbers = [
        match[1] for name in doc.spans if (match := re.fullmatch(rf"{re.escape(prefix)}_(\d{{1,9}})", name))
    ]
    return [f"{prefix}_{number}" for number in sorted(numbers, key=int)]


def _blocks(doc: Doc) -> Iterator[tuple[Any, int, Any]]:
    """
    The structures of the docs that this one is made of: the key, the first character in this doc, and the
    value.
    """
    old = [name for name in (FRAMES, RELATIONS, EDGES) if name in doc.user_data]
    if old:
        raise ConfigurationError(
            f"found {', '.join(old)} as an earlier release has stored them in a doc, by the numbers of tokens, "
            "expected those of this release: annotate the text again"
        )
    for key, value in doc.user_data.items():
        if isinstance(key, tuple) and key[:2] == ("._.", STRUCTURE):
            yield key, key[2], value


def structure_of(doc: Doc) -> Layers:
    """The frames, relations and edges of a doc."""
    joint = Layers()
    text = doc.text[: doc[-1].idx + len(doc[-1])] if len(doc) else ""
    for _, offset, value in _blocks(doc):
        source = value["text"]
        layers = validated(Layers, {key: spans for key, spans in value.items() if key != "text"})

        def cut(span: TokenSpan, offset: int = offset, source: str = source) -> list[TokenSpan]:
            start, end = max(0, offset + span[0]), min(len(text), offset + span[1])
            if start >= end or text[start:end] != source[start - offset : end - offset]:
                return []
            found = _span(doc, start, end)
            return [(found.start, found.end)]

        def whole(span: TokenSpan, offset: int = offset) -> Optional[TokenSpan]:
            is_inside = offset + span[0] >= 0 and offset + span[1] <= len(text)
            return next(iter(cut(span, offset)), None) if is_inside else None

        for name, found in vars(layers.kept(whole, cut)).items():
            getattr(joint, name).extend(found)
    return joint


def _frames(doc: Doc) -> list[SrlFrame]:
    return [
        SrlFrame(doc[slice(*frame.predicate)], [(role, doc[slice(*span)]) for role, span in frame.arguments])
        for frame in structure_of(doc).frames
    ]


def _relations(doc: Doc) -> list[Relation]:
    def spans(places: Iterable[TokenSpan]) -> list[Span]:
        return [doc[start:stop] for start, stop in places]

    return [
        Relation(
            relation.type, relation.sense, *map(spans, (relation.arg1, relation.arg2, relation.connective))
        )
        for relation in structure_of(doc).relations
    ]


def _edges(doc: Doc) -> list[TypedEdge]:
    return [
        TypedEdge(edge.type, doc[slice(*edge.source)], doc[slice(*edge.target)])
        for edge in structure_of(doc).edges
    ]


if not Doc.has_extension(FRAMES):
    Doc.set_extension(FRAMES, getter=_frames)
    Doc.set_extension(RELATIONS, getter=_relations)
    Doc.set_extension(EDGES, getter=_edges)
    Doc.set_extension(ID, default=None)
