import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.data.annotation_layers import CorefClusters, CorefEdges
from tests.annotations.texts import clusters

# Passage: Mary saw Bill there ; question: Is Mary with Bill
TEXT = AnnotatedText(
    "Mary saw Bill there Is Mary with Bill".split(), clusters=[[(2, 3), (7, 8)], [(0, 1), (5, 6)]]
)


def test_edges_cross_from_passage_to_question_and_back():
    passage, question = CorefEdges().make(TEXT, 4)
    assert passage == {"antecedents": [[-1], [], [-1], []], "descendants": [[-4], [], [-6], []]}
    assert question == {"antecedents": [[], [-3], [], [-5]], "descendants": [[], [-1], [], [-1]]}


def test_edges_hand_on_which_tokens_read_and_write():
    text = AnnotatedText(list("abcdef"), clusters=[[(0, 2), (2, 4), (4, 6)]])
    passage, question = CorefEdges(read="first", write="last").make(text, 4)
    assert passage == {"antecedents": [[-1], [], [1], []], "descendants": [[], [2], [], [-3]]}
    assert question == {"antecedents": [[-6], []], "descendants": [[], [-1]]}


def test_a_mention_that_crosses_the_boundary_becomes_two_if_passage_and_question_are_apart():
    text = AnnotatedText(list("abcd"), clusters=[[(1, 3)]])
    passage, question = CorefEdges(question_first=True).make(text, 2)
    assert passage["question_first_antecedents"] == [[], [-3]]
    assert question["question_first_antecedents"] == [[-1], []]


@settings(derandomize=True, deadline=None, max_examples=100)
@given(data=st.data(), read=st.sampled_from(["all", "first"]), write=st.sampled_from(["all", "last"]))
def test_edges_with_the_question_first_are_those_of_the_swapped_text(data, read, write):
    passage_length, question_length = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    length = passage_length + question_length
    in_passage, in_question = data.draw(clusters(passage_length)), data.draw(clusters(question_length))
    shared = data.draw(st.integers(0, min(len(in_passage), len(in_question))))

    def joined(first, second, shift):
        moved = [[(start + shift, stop + shift) for start, stop in cluster] for cluster in second]
        both = [a + b for a, b in zip(first[:shared], moved)]
        return AnnotatedText(["x"] * length, clusters=both + first[shared:] + moved[shared:])

    layer = CorefEdges(read, write, question_first=True)
    passage, question = layer.make(joined(in_passage, in_question, passage_length), passage_length)
    expected_question, expected_passage = layer.make(
        joined(in_question, in_passage, question_length), question_length
    )
    for part, expected in ((passage, expected_passage), (question, expected_question)):
        for name in ("antecedents", "descendants"):
            edges = part[f"question_first_{name}"]
            assert list(map(sorted, edges)) == list(map(sorted, expected[name]))


@pytest.mark.parametrize("options", [{"read": "last"}, {"write": "first"}, {"read": None}, {"write": "ALL"}])
def test_edges_refuse_unknown_options(options):
    ((key, value),) = options.items()
    with pytest.raises(ConfigurationError, match=f"coref_edges: {key} is {value!r}, expected one of all, "):
        CorefEdges(**options)


def test_clusters_keep_the_largest_and_number_what_is_left():
    text = AnnotatedText(
        list("abcde"), clusters=[[(0, 1), (1, 2)], [(4, 5), (2, 3), (3, 4)], [(0, 1), (4, 5)]]
    )
    assert CorefClusters(max_clusters=1).make(text, 5)[0]["clusters"] == [[], [], [0], [0], [0]]
    # If two clusters have the same size, the earlier one is kept.
    assert CorefClusters(max_clusters=2).make(text, 5)[0]["clusters"] == [[0], [0], [1], [1], [1]]
    assert CorefClusters(max_clusters=0).make(text, 5)[0]["clusters"] == [[]] * 5


def test_an_empty_cluster_takes_no_number():
    text = AnnotatedText(["a", "b"], clusters=[[], [(0, 1), (1, 2)]])
    assert CorefClusters().make(text, 1) == ({"clusters": [[0]]}, {"clusters": [[0]]})
    assert CorefEdges().make(text, 1)[0] == {"antecedents": [[-1]], "descendants": [[-3]]}


@settings(derandomize=True, deadline=None, max_examples=100)
@given(data=st.data())
def test_clusters_say_which_tokens_belong_together(data):
    length = data.draw(st.integers(1, 8))
    text = AnnotatedText(["x"] * length, clusters=data.draw(clusters(length)))
    boundary = data.draw(st.integers(0, length))
    passage, question = CorefClusters().make(text, boundary)
    assert len(passage["clusters"]) == boundary
    numbers = [*passage["clusters"], *question["clusters"]]
    by_number = {}
    for position, token in enumerate(numbers):
        assert len(set(token)) == len(token)
        for number in token:
            by_number.setdefault(number, set()).add(position)
    assert sorted(by_number) == list(range(len(text.clusters)))
    expected = [{p for start, stop in cluster for p in range(start, stop)} for cluster in text.clusters]
    assert sorted(map(sorted, by_number.values())) == sorted(map(sorted, expected))
    first = [min(by_number[number]) for number in sorted(by_number)]
    assert first == sorted(first)
