from collections import Counter

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation, Frame
from allennlp_coref_rc.data.annotation_layers import (
    CorefEdges,
    CorefViews,
    DiscourseViews,
    SentenceViews,
    SrlViews,
    WindowViews,
)
from allennlp_coref_rc.modules.scopes import Scopes
from tests.annotations.texts import annotated_texts

pytestmark = pytest.mark.slow


def views(layer, name):
    """The numbers or labels of a layer, view by view."""
    return [list(view) for view in zip(*layer[name])]


def with_question(text):
    """The text as a passage, before a question of one token."""
    return AnnotatedText.concatenate(text, AnnotatedText(["?"])), len(text)


def passage_of(layer, text):
    return layer.make(*with_question(text))[0]


# The toy of which the output of the authors' extractors is known: four sentences of two tokens.
SENTENCES = [(0, 2), (2, 4), (4, 6), (6, 8)]
NUMBERS = [1, 1, 2, 2, 3, 3, 4, 4]
SENSE = "Expansion.Conjunction"
IMPLICIT = [DiscourseRelation("Implicit", SENSE, [SENTENCES[i]], [SENTENCES[i + 1]]) for i in range(3)]


@pytest.mark.parametrize("senses", [True, False])
def test_non_explicit_views_of_the_toy_are_those_of_the_authors_code(senses):
    layer = passage_of(
        DiscourseViews("non_explicit", senses=senses), AnnotatedText(["x"] * 8, SENTENCES, [], [], IMPLICIT)
    )
    one, two = (f"NonExplicit.{SENSE}.Arg{i}" if senses else f"NonExplicit.Arg{i}" for i in (1, 2))
    # Their 58 and 59 (without senses 4 and 5) are the two arguments, 0 is no label.
    label = {0: "", 58: one, 59: two}
    assert views(layer, "labels") == [
        [label[i] for i in (0, 0, 58, 58, 59, 59, 0, 0)],
        [label[i] for i in (58, 58, 59, 59, 58, 58, 59, 59)],
    ]
    assert views(layer, "scopes") == [[0, 0, 2, 2, 2, 2, 0, 0], [1, 1, 1, 1, 3, 3, 3, 3]]


def test_sentence_views_of_the_toy_are_those_of_the_authors_code():
    layer = passage_of(SentenceViews(3), AnnotatedText(["x"] * 8, SENTENCES))
    expected = [list("11223311"), list("22331122"), list("33112233")]
    assert views(layer, "labels") == expected
    expected = [[1, 1, 1, 1, 1, 1, 2, 2], [1, 1, 1, 1, 2, 2, 2, 2], [1, 1, 2, 2, 2, 2, 2, 2]]
    assert views(layer, "scopes") == expected


def test_coref_views_of_the_toy_keep_the_largest_clusters():
    # Clusters of 3, 1 and 2 mentions: the authors' code keeps the last two of them, this one the first and
    # the last.
    clusters = [[(0, 1), (4, 5), (6, 7)], [(1, 2)], [(2, 3), (5, 6)]]
    layer = passage_of(CorefViews(max_clusters=2, copies=3), AnnotatedText(["x"] * 8, SENTENCES, clusters))
    assert views(layer, "labels") == [["0", "", "1", "", "0", "1", "0", ""]] * 3
    assert views(layer, "scopes") == [[1] * 8] * 3


def test_clusters_have_the_same_label_in_passage_and_question():
    text = AnnotatedText(list("abcdef"), clusters=[[(5, 6)], [(1, 2), (4, 5)]])
    passage, question = CorefViews().make(text, 3)
    assert passage == {"labels": [[""], ["0"], [""]], "scopes": [[1]] * 3}
    assert question == {"labels": [[""], ["0"], ["1"]], "scopes": [[1]] * 3}


def test_of_overlapping_mentions_the_later_cluster_gives_the_label():
    text = AnnotatedText(list("abcd"), clusters=[[(1, 2), (3, 4)], [(0, 3)]])
    assert views(passage_of(CorefViews(), text), "labels") == [["0", "1", "0", "1"]]


def test_views_of_frames_by_the_place_of_their_predicate():
    # Two sentences; the frames are not in order, and the first argument reaches into the other sentence.
    frames = [
        Frame((6, 8), [("ARG1", (3, 6))]),
        Frame((3, 4), [("ARG0", (2, 4))]),
        Frame((1, 2), [("ARG0", (0, 1)), ("ARG1", (2, 6))]),
    ]
    text = AnnotatedText(["x"] * 8, [(0, 5), (5, 8)], frames=frames)
    layer = passage_of(SrlViews(max_views=3), text)
    assert views(layer, "labels") == [
        ["B-ARG0", "B-V", "B-ARG1", "I-ARG1", "I-ARG1", "B-ARG1", "B-V", "I-V"],
        ["", "", "B-ARG0", "B-V", "", "", "", ""],
        [""] * 8,
    ]
    assert views(layer, "scopes") == [[1] * 5 + [2] * 3] * 3
    assert views(passage_of(SrlViews(max_views=1), text), "labels") == views(layer, "labels")[:1]


def test_views_of_frames_without_padding_are_as_many_as_there_are_frames():
    frames = [Frame((1, 2)), Frame((0, 1))]
    text = AnnotatedText.concatenate(
        AnnotatedText(["x"] * 3, frames=frames),
        AnnotatedText(["y"] * 2, frames=[Frame((0, 1))]),
        AnnotatedText(["z"]),
    )
    passage, question = SrlViews(3, pad_views=False).make(text, 3)
    assert passage == {"labels": [["B-V", ""], ["", "B-V"], ["", ""]], "scopes": [[1, 1]] * 3}
    assert question == {"labels": [["B-V"], [""], [""]], "scopes": [[1], [1], [2]]}
    assert SrlViews(1, pad_views=False).make(text, 3)[0]["labels"] == [["B-V"], [""], [""]]
    expected = {"labels": [[]], "scopes": [[]]}
    assert SrlViews(3, pad_views=False).make(AnnotatedText(["x"] * 2), 1)[0] == expected


def test_explicit_views_of_a_sentence_in_the_order_of_annotation():
    contrast, synchrony = "Comparison.Contrast", "Temporal.Synchrony"
    relations = [
        DiscourseRelation("Explicit", contrast, [(0, 2)], [(3, 5)], [(2, 3)]),
        DiscourseRelation("Implicit", contrast, [(0, 5)], [(5, 8)]),
        DiscourseRelation("Explicit", synchrony, [(3, 4)], [(0, 1), (2, 3)], [(1, 2)]),
        DiscourseRelation("Explicit", contrast, [(0, 5)], [(5, 8)]),
        DiscourseRelation("Explicit", synchrony, [(6, 7)], [(7, 8)], [(5, 6)]),
    ]
    text = AnnotatedText(["x"] * 8, [(0, 5), (5, 8)], relations=relations)
    layer = passage_of(DiscourseViews("explicit"), text)
    c, s = f"Explicit.{contrast}", f"Explicit.{synchrony}"
    first = f"{c}.Arg1 {c}.Arg1 {c}.Conn {c}.Arg2 {c}.Arg2 {s}.Conn {s}.Arg1 {s}.Arg2"
    second = f"{s}.Arg2 {s}.Conn {s}.Arg2 {s}.Arg1"
    assert views(layer, "labels") == [first.split(), [*second.split(), *[""] * 4]]
    assert views(layer, "scopes") == [[1, 1, 1, 1, 1, 2, 2, 2]] * 2
    labels = views(passage_of(DiscourseViews("explicit", max_views=1, senses=False), text), "labels")
    parts = [part.rpartition(".")[2] for part in views(layer, "labels")[0]]
    assert labels == [[f"Explicit.{part}" for part in parts]]


@pytest.mark.parametrize(
    "arguments", [([(2, 3)], [(3, 5)]), ([(3, 5), (2, 3)], [(0, 1)])], ids=["another sentence", "any order"]
)
def test_a_relation_belongs_to_the_sentence_where_its_first_argument_begins_and_all_of_it_joins_the_scope(
    arguments,
):
    relation = DiscourseRelation("Explicit", "s", *arguments)
    text = AnnotatedText(["x"] * 6, [(0, 3), (3, 6)], relations=[relation])
    layer = passage_of(DiscourseViews("explicit"), text)
    assert views(layer, "scopes") == [[1, 1, 1, 1, 1, 2], [1, 1, 1, 2, 2, 2]]


def test_other_types_than_implicit_are_non_explicit_too():
    relations = [
        DiscourseRelation("EntRel", "EntRel", [(0, 1)], [(2, 3)]),
        DiscourseRelation("AltLex", "s", [(2, 3)], [(5, 6)], [(4, 5)]),
        DiscourseRelation("Explicit", "s", [(0, 1)], [(2, 3)]),
    ]
    text = AnnotatedText(["x"] * 8, SENTENCES[:2] + [(4, 8)], relations=relations)
    layer = passage_of(DiscourseViews("non_explicit"), text)
    assert views(layer, "labels") == [
        ["", "", "NonExplicit.s.Arg1", "", "NonExplicit.s.Conn", "NonExplicit.s.Arg2", "", ""],
        ["NonExplicit.EntRel.Arg1", "", "NonExplicit.EntRel.Arg2", "", "", "", "", ""],
    ]
    assert views(layer, "scopes") == [[0, 0, 2, 2, 2, 2, 2, 2], [1, 1, 1, 1, 0, 0, 0, 0]]


@settings(derandomize=True, deadline=None, max_examples=150)
@given(text=annotated_texts(), data=st.data())
def test_passage_and_question_have_views_as_if_they_were_alone(text, data):
    boundary = data.draw(st.integers(0, len(text)))
    parts = text.select((0, boundary)), text.select((boundary, len(text)))
    for layer in (SrlViews(2), DiscourseViews("explicit"), DiscourseViews("non_explicit"), SentenceViews(2)):
        for part, made in zip(parts, layer.make(text, boundary)):
            assert made == layer.make(part, len(part))[0]
            for name in ("labels", "scopes"):
                assert [len(token) for token in made[name]] == [2] * len(part)
            assert all(isinstance(label, str) for token in made["labels"] for label in token)
            assert all(isinstance(scope, int) and scope >= 0 for token in made["scopes"] for scope in token)


def seen(scopes):
    """How many tokens all tokens see in sum, by the weights of a head within these scopes."""
    attention = Scopes(torch.tensor(scopes).view(1, -1, 1), torch.ones(1, len(scopes), dtype=torch.bool))
    return sum(found.weights.numel() for found in attention.weights(torch.zeros(1, len(scopes), 1, 3, 1)))


@settings(derandomize=True, deadline=None, max_examples=20)
@given(text=annotated_texts())
def test_windows_show_as_many_tokens_as_the_views_that_they_are_like(text):
    windows = [[token // size + 1 for token in range(len(text))] for size in range(1, len(text) + 1)]
    can_be_seen = list(map(seen, windows))
    for like in (SrlViews(1), DiscourseViews("non_explicit"), CorefViews()):
        originals = views(passage_of(like, text), "scopes")
        for original, window in zip(
            originals, views(passage_of(WindowViews(like), text), "scopes"), strict=True
        ):
            distances = [abs(number - seen(original)) for number in can_be_seen]
            assert distances[windows.index(window)] == min(distances)


def test_windows_as_long_as_the_sentences_of_the_toy():
    layer = passage_of(WindowViews(SrlViews(1)), AnnotatedText(["x"] * 8, SENTENCES))
    assert views(layer, "scopes") == [NUMBERS] and views(layer, "labels") == [[""] * 8]
    assert not WindowViews(SrlViews(1)).is_empty(layer)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(text=annotated_texts())
def test_a_view_has_at_most_one_frame_of_each_sentence_and_shows_its_predicate(text):
    # Of predicates in one place any may be first, and a later one may stand in an argument: here they differ.
    places = [frame.predicate for frame in text.frames]
    if len(set(places)) < len(places):
        return
    layer = passage_of(SrlViews(4), text)
    labels, scopes = views(layer, "labels"), views(layer, "scopes")
    sentence = [i for i, span in enumerate(text.sentences, 1) for _ in range(*span)]
    shown = Counter()
    for start, stop in sorted(places):
        number = sentence[start]
        view = shown[number]
        shown[number] += 1
        stop = min(stop, text.sentences[number - 1][1])
        assert labels[view][start:stop] == ["B-V"] + ["I-V"] * (stop - start - 1)
    assert all(scope == sentence for scope in scopes)
    assert sum(view.count("B-V") for view in labels) == len(places)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: SrlViews(0), "srl_views: max_views is 0, expected 1 or more"),
        (lambda: DiscourseViews("both"), "discourse_views: kind is 'both', expected one of explicit, non"),
        (lambda: DiscourseViews("non_explicit", 3), "max_views is 3, expected 2 for kind 'non_explicit'"),
        (lambda: SentenceViews(0), "sentence_views: num_views is 0, expected 1 or more"),
        (lambda: WindowViews(CorefEdges()), "window_views: like is CorefEdges, expected a layer of views"),
    ],
)
def test_wrong_options_are_refused(make, message):
    with pytest.raises(ConfigurationError, match=message):
        make()
