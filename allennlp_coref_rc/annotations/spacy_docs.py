"""
The structure of a text in a spaCy doc. A cluster is a span group, `coref_clusters_1` and so on, as in
spacy-experimental. Frames, relations and edges are lists in `user_data`, which DocBin can store; `doc._.srl_frames`,
`doc._.discourse_relations` and `doc._.typed_edges` give them with spans.

The functions here take and give structure as the JSON of `AnnotatedText`, which is built on them.
"""

import re
from itertools import pairwise
from typing import Any, NamedTuple, Optional

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from allennlp_coref_rc.annotations.tokenization import sentence_spans
from allennlp_coref_rc.common.errors import ConfigurationError

CLUSTERS = "coref_clusters"
FRAMES = "srl_frames"
RELATIONS = "discourse_relations"
EDGES = "typed_edges"
ID = "text_id"


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


def to_doc(values: dict[str, Any], vocab: Vocab) -> Doc:
    """A doc with a text's tokens, sentences and structure, and blanks between tokens unless `offsets` say otherwise."""
    starts = {start for start, _ in values["sentences"]}
    tokens, offsets = values["tokens"], values.get("offsets")
    # Tokens without characters are not in the source.
    gaps = (end < start or start == stop for (_, end), (start, stop) in pairwise(offsets or ()))
    spaces = [*gaps, False] if offsets else None
    try:
        doc = Doc(vocab, words=tokens, spaces=spaces, sent_starts=[i in starts for i in range(len(tokens))])
    except ValueError as error:
        raise ConfigurationError(f"the text {values.get('id')!r} can't be a doc of spaCy: {error}") from error
    set_structure(doc, values)
    if values.get("id") is not None:
        doc.user_data[ID] = values["id"]
    return doc


def from_doc(doc: Doc) -> dict[str, Any]:
    """The inverse of `to_doc`. A doc without sentences is split by our own rules; the doc does not change."""
    tokens = [token.text for token in doc]
    sentences = sentence_spans(tokens)
    if tokens and doc.has_annotation("SENT_START"):
        sentences = [(sentence.start, sentence.end) for sentence in doc.sents]
    return {
        "tokens": tokens,
        "sentences": sentences,
        "clusters": clusters(doc),
        "frames": doc.user_data.get(FRAMES, []),
        "relations": doc.user_data.get(RELATIONS, []),
        "edges": doc.user_data.get(EDGES, []),
        "id": doc.user_data.get(ID),
        "text": doc.text,
        "offsets": [(token.idx, token.idx + len(token)) for token in doc],
    }


def set_structure(doc: Doc, values: dict[str, Any]) -> None:
    """Replaces the clusters, frames, relations and edges of a doc by those that are given."""
    if "clusters" in values:
        for name in _names(doc, CLUSTERS):
            del doc.spans[name]
        for number, cluster in enumerate(values["clusters"], start=1):
            doc.spans[f"{CLUSTERS}_{number}"] = [doc[start:stop] for start, stop in cluster]
    for key, name in (("frames", FRAMES), ("relations", RELATIONS), ("edges", EDGES)):
        if key in values:
            doc.user_data[name] = values[key]


def clusters(doc: Doc, prefix: str = CLUSTERS) -> list[list[tuple[int, int]]]:
    """The clusters in span groups with this prefix, in the order of their numbers."""
    return [[(span.start, span.end) for span in doc.spans[name]] for name in _names(doc, prefix)]


def _names(doc: Doc, prefix: str) -> list[str]:
    numbers = [match[1] for name in doc.spans if (match := re.fullmatch(rf"{re.escape(prefix)}_(\d{{1,9}})", name))]
    return [f"{prefix}_{number}" for number in sorted(numbers, key=int)]


def _frames(doc: Doc) -> list[SrlFrame]:
    return [
        SrlFrame(doc[slice(*frame["predicate"])], [(role, doc[slice(*span)]) for role, span in frame["arguments"]])
        for frame in doc.user_data.get(FRAMES, [])
    ]


def _relations(doc: Doc) -> list[Relation]:
    def spans(relation: dict[str, Any], name: str) -> list[Span]:
        return [doc[start:stop] for start, stop in relation[name]]

    return [
        Relation(relation["type"], relation["sense"], *(spans(relation, name) for name in Relation._fields[2:]))
        for relation in doc.user_data.get(RELATIONS, [])
    ]


def _edges(doc: Doc) -> list[TypedEdge]:
    return [
        TypedEdge(edge["type"], doc[slice(*edge["source"])], doc[slice(*edge["target"])])
        for edge in doc.user_data.get(EDGES, [])
    ]


def _id(doc: Doc) -> Optional[str]:
    return doc.user_data.get(ID)


def _set_id(doc: Doc, id: Optional[str]) -> None:
    doc.user_data[ID] = id


if not Doc.has_extension(FRAMES):
    Doc.set_extension(FRAMES, getter=_frames)
    Doc.set_extension(RELATIONS, getter=_relations)
    Doc.set_extension(EDGES, getter=_edges)
    Doc.set_extension(ID, getter=_id, setter=_set_id)
