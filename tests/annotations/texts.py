"""Texts by hand and, annotated, by hypothesis."""

from functools import lru_cache

from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation, Edge, Frame, sentence_spans
from allennlp_coref_rc.annotations.layers import Link


def lists(text):
    """Clusters written as "a|b; c|d"."""
    return [cluster.split("|") for cluster in text.split("; ") if cluster]


def text_of(words):
    """A text of words between blanks, split into sentences."""
    tokens = words.split()
    return AnnotatedText(tokens, sentence_spans(tokens))


@lru_cache(maxsize=None)
def spans(length):
    position = st.integers(0, length - 1)
    return st.tuples(position, position).map(lambda ends: (min(ends), max(ends) + 1))


@lru_cache(maxsize=None)
def clusters(length, max_clusters=4):
    return st.lists(st.lists(spans(length), min_size=1, max_size=4), max_size=max_clusters)


@lru_cache(maxsize=None)
def annotations(length):
    """The layers of a text, and links. It takes longer to make such a strategy than to draw from it."""
    span, some_spans = spans(length), st.lists(spans(length), max_size=3)
    sure = st.sampled_from([0.0, 0.5, 0.75, 1.0])
    arguments = st.lists(st.tuples(st.tuples(st.text(max_size=4), span), sure), max_size=3)
    frames = st.builds(frame, span, arguments, st.booleans())
    kind, sense = st.sampled_from(["Explicit", "EntRel"]), st.text(max_size=4)
    some_sure = st.none() | sure
    relations = st.builds(
        DiscourseRelation, kind, sense, some_spans, some_spans, some_spans, confidence=some_sure
    )
    edges = st.builds(Edge, st.text(max_size=4), span, span)
    return st.tuples(
        st.lists(some_spans, max_size=3),
        st.lists(frames, max_size=2),
        st.lists(relations, max_size=2),
        st.lists(edges, max_size=2),
        st.lists(st.builds(Link, span, span, sure), max_size=4),
    )


def frame(predicate, arguments, is_sure):
    return Frame(predicate, [argument for argument, _ in arguments], [p for _, p in arguments if is_sure])


@st.composite
def annotated_texts(draw):
    tokens = draw(st.lists(st.text(max_size=4), max_size=8))
    length = len(tokens)
    if not length:
        return AnnotatedText(tokens)
    cuts = sorted(draw(st.sets(st.integers(1, length - 1), max_size=3))) if length > 1 else []
    *layers, links = draw(annotations(length))
    text = AnnotatedText(tokens, list(zip([0] + cuts, cuts + [length])), *layers, links=links)
    return text.located(" ".join(tokens)) if draw(st.booleans()) else text
