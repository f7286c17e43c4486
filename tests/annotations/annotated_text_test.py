import copy
import json

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation, Edge, Frame
from tests.annotations.texts import annotated_texts

WORDS = "Mary saw her .".split()


@pytest.mark.parametrize(
    "sentences, message",
    [
        ([(1, 4)], "sentence [1, 4): expected a sentence that begins at token 0"),
        ([(0, 2), (2, 2), (2, 4)], "sentence [2, 2): expected a sentence that begins at token 2"),
        ([(0, 3)], "sentences end at token 3, but there are 4 tokens"),
        ([], "sentences end at token 0, but there are 4 tokens"),
    ],
)
def test_sentences_have_to_cover_the_text_in_order(sentences, message):
    with pytest.raises(ConfigurationError) as error:
        AnnotatedText(WORDS, sentences).checked()
    assert message in str(error.value)


def relation(*arguments):
    return DiscourseRelation("Explicit", "", *arguments)


@pytest.mark.parametrize("span", [(-1, 1), (2, 2), (3, 2), (3, 5), (4, 5)])
@pytest.mark.parametrize(
    "what, annotations",
    [
        ("mention of cluster 1", lambda span: {"clusters": [[(0, 1)], [(2, 3), span]]}),
        ("predicate of frame 0", lambda span: {"frames": [Frame(span)]}),
        ("argument of frame 0", lambda span: {"frames": [Frame((1, 2), [("A0", (0, 1)), ("A1", span)])]}),
        ("relation 0", lambda span: {"relations": [relation([span], [(0, 1)])]}),
        ("relation 0", lambda span: {"relations": [relation([(0, 1)], [span])]}),
        ("relation 0", lambda span: {"relations": [relation([(0, 1)], [(2, 3)], [span])]}),
        ("end of edge 1", lambda span: {"edges": [Edge("is", (0, 1), (2, 4)), Edge("is", (0, 1), span)]}),
        ("end of edge 0", lambda span: {"edges": [Edge("is", span, (0, 1))]}),
    ],
)
def test_spans_outside_the_text_are_refused_by_name(what, annotations, span):
    with pytest.raises(ConfigurationError) as error:
        AnnotatedText(WORDS, **annotations(span)).checked()
    assert f"{what} [{span[0]}, {span[1]})" in str(error.value)
    assert "end <= 4" in str(error.value)


@pytest.mark.parametrize(
    "offsets", [[(0, 4)], [(0, 4), (5, 8), (9, 12), (13, 15)], [(0, 4), (5, 8), (8, 5), (13, 14)]]
)
def test_offsets_are_characters_of_the_source_one_span_for_each_token(offsets):
    text = AnnotatedText(WORDS).located("Mary saw  her.")
    assert text.checked().offsets == [(0, 4), (5, 8), (10, 13), (13, 14)]
    with pytest.raises(ConfigurationError, match="offsets: found .* 4 tokens"):
        AnnotatedText(WORDS, text="Mary saw her .", offsets=offsets).checked()
    with pytest.raises(ConfigurationError, match="offsets: found"):
        AnnotatedText(WORDS, offsets=text.offsets).checked()


def test_clusters_are_pieces_of_the_source_where_it_is_known():
    text = AnnotatedText.of_text("Mary  saw\tMary Ann.")
    text.clusters = [[(0, 2), (2, 4)]]
    assert text.cluster_texts == [["Mary  saw", "Mary Ann"]]
    assert text.cluster_characters == [[(0, 9), (10, 18)]]
    assert repr(text) == "AnnotatedText of 5 tokens: Mary saw Mary Ann.\n  cluster: Mary  saw, Mary Ann"
    bare = AnnotatedText(text.tokens, clusters=text.clusters)
    assert bare.cluster_texts == [["Mary saw", "Mary Ann"]] and bare.cluster_characters is None
    other = bare.located("Paul left.")
    assert other.text == "Paul left." and other.offsets is None and other.cluster_texts == bare.cluster_texts


def test_white_space_stands_before_tokens_of_the_source():
    text = AnnotatedText.of_text('"No," \n(she) said')
    assert text.tokens == ['"', "No", ",", '"', "(", "she", ")", "said"]
    assert text.spaced == [True, False, False, False, True, False, False, True]
    assert text.followed_by([["Oh", "."]]).spaced == [*text.spaced, True, True]
    assert AnnotatedText(["a", "b"]).spaced == [True, True] and AnnotatedText([]).spaced == []


def test_what_follows_a_text_is_not_in_its_source():
    text = AnnotatedText.of_text("Mary left.")
    text.clusters = [[(0, 1)]]
    longer = text.followed_by([["Did", "she", "?"], ["Yes"]])
    assert longer.sentences == [(0, 3), (3, 6), (6, 7)] and len(text) == 3
    assert longer.checked().offsets == text.offsets + [(10, 10)] * 4
    joint = AnnotatedText.concatenate(text, AnnotatedText.of_sentences([["Did", "she", "?"], ["Yes"]]))
    assert joint == longer
    longer.clusters = [[(0, 1), (4, 5)]]
    assert longer.cluster_texts == [["Mary", "she"]] and longer.cluster_characters == [[(0, 4), None]]
    selected = longer.select((2, 3), ["new"], (4, 5))
    assert selected.text == "Mary left." and selected.offsets == [(9, 10), (10, 10), (10, 10)]


@settings(derandomize=True, deadline=None, max_examples=80)
@given(annotated_texts())
def test_json_gives_the_text_back(text):
    assert AnnotatedText.from_json(json.loads(json.dumps(text.to_json()))) == text


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(annotated_texts(), max_size=3))
def test_concatenation_keeps_every_annotation_on_its_own_words(texts):
    before = copy.deepcopy(texts)
    joint = AnnotatedText.concatenate(*texts)
    assert texts == before
    assert joint.tokens == [token for text in texts for token in text.tokens]

    def words(text, spans):
        return [text.tokens[start:stop] for start, stop in spans]

    def content(text):
        def of_frame(frame):
            arguments = [(role, words(text, [span])) for role, span in frame.arguments]
            return words(text, [frame.predicate]), arguments, frame.confidences

        def of_relation(relation):
            spans = relation.arg1, relation.arg2, relation.connective
            parts = (words(text, part) for part in spans)
            return relation.type, relation.sense, *parts, relation.confidence

        return {
            "sentences": words(text, text.sentences),
            "clusters": [words(text, cluster) for cluster in text.clusters],
            "frames": list(map(of_frame, text.frames)),
            "relations": list(map(of_relation, text.relations)),
            "edges": [(edge.type, *words(text, [edge.source, edge.target])) for edge in text.edges],
            "links": [(*words(text, [one.mention, one.antecedent]), one.confidence) for one in text.links],
        }

    for name, values in content(joint).items():
        assert values == [value for text in texts for value in content(text)[name]]
