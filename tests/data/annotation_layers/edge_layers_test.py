from functools import lru_cache

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation, Edge, Frame
from allennlp_coref_rc.data.annotation_layers import DiscourseEdges, SrlEdges, TypedEdges
from allennlp_coref_rc.data.annotation_layers.edge_layers import linked_sources
from allennlp_coref_rc.data.annotation_layers.edges import OTHER_SEQUENCE
from tests.annotations.texts import annotated_texts, spans

pytestmark = pytest.mark.slow

# Passage: Mary gave Bill the milk because he asked . Question: Who has the milk
TOKENS = "Mary gave Bill the milk because he asked . Who has the milk".split()
TEXT = AnnotatedText(
    TOKENS,
    frames=[
        Frame((1, 2), [("ARG0", (0, 1)), ("ARG2", (2, 3)), ("ARG1", (3, 5))]),
        Frame((7, 8), [("ARG0", (6, 7))]),
        Frame((10, 11), [("ARG1", (11, 13))]),
    ],
    relations=[
        DiscourseRelation("Explicit", "Contingency.Cause.Reason", [(0, 5)], [(6, 8)], [(5, 6)]),
        DiscourseRelation("EntRel", "EntRel", [(0, 9)], [(9, 13)]),
    ],
    edges=[Edge("has", (2, 3), (3, 5)), Edge("is", (6, 7), (2, 3)), Edge("is:who", (9, 10), (2, 3))],
)


def tokens_of(phrase):
    return {token for start, stop in phrase for token in range(start, stop)}


def brute_force(pairs, length, readers=(0, 1)):
    """Every pair of tokens is tried against the definition of an edge."""
    sources = {"antecedents": [[] for _ in range(length)], "descendants": [[] for _ in range(length)]}
    for reader in range(length):
        for source in range(length):
            for pair in pairs:
                phrases = [tokens_of(phrase) for phrase in pair]
                if not all(phrases):
                    continue
                for mine, other in [(phrases, phrases[::-1])[i] for i in readers]:
                    between = any(source < token < reader for token in other)
                    if (
                        reader == min(mine) > min(other)
                        and source in other
                        and source < reader
                        and not between
                    ):
                        sources["antecedents"][reader].append(source)
                    between = any(reader < token < source for token in other)
                    if (
                        reader == max(mine) < max(other)
                        and source in other
                        and source > reader
                        and not between
                    ):
                        sources["descendants"][reader].append(source)
    return {name: [sorted(set(token)) for token in tokens] for name, tokens in sources.items()}


def in_order(sources):
    return {name: [sorted(token) for token in tokens] for name, tokens in sources.items()}


@lru_cache(maxsize=None)
def pairs_of_phrases(length):
    phrase = st.lists(spans(length), max_size=2)
    return st.lists(st.tuples(phrase, phrase), max_size=4)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(data=st.data())
def test_linked_sources_are_all_that_the_definition_allows(data):
    length = data.draw(st.integers(2, 6))
    pairs = data.draw(pairs_of_phrases(length))
    for readers in ((0, 1), (0,), (1,)):
        assert in_order(linked_sources(pairs, length, readers)) == brute_force(pairs, length, readers)


def test_only_the_roles_asked_for():
    passage, question = SrlEdges(roles=["ARG0"]).make(TEXT, 9)
    assert passage["antecedents"] == [[], [0], [], [], [], [], [], [6], []]
    assert question["antecedents"] == [[]] * 4
    assert SrlEdges(roles=[]).make(TEXT, 9)[0]["antecedents"] == [[]] * 9


def test_only_the_types_and_senses_asked_for():
    (explicit, _), (other, _) = (
        DiscourseEdges(types=[kind]).make(TEXT, 9) for kind in ("Explicit", "EntRel")
    )
    assert (explicit["antecedents"][6], explicit["descendants"][8]) == ([4], [])
    assert (other["antecedents"][6], other["descendants"][8]) == ([], [OTHER_SEQUENCE])
    senses = {"Contingency": [4], "Contingency.Cause": [4], "Contingency.Ca": [], "EntRel": []}
    for sense, found in senses.items():
        assert DiscourseEdges(senses=[sense]).make(TEXT, 9)[0]["antecedents"][6] == found


def test_misspelt_roles_and_senses_are_missing():
    assert SrlEdges(roles=["ARG0", "ARG-TMP"]).missing(TEXT) == {"ARG-TMP"}
    assert DiscourseEdges(senses=["Contingency", "Contingency.Ca"]).missing(TEXT) == {"Contingency.Ca"}
    assert SrlEdges().missing(TEXT) == DiscourseEdges().missing(TEXT) == set()


@pytest.mark.parametrize(
    "options, antecedents, descendants",
    [
        ({"types": ["is"], "direction": "along"}, {}, {2: [6, OTHER_SEQUENCE]}),
        ({"types": ["is"], "direction": "against"}, {6: [2]}, {}),
        ({"types": ["has"], "direction": "along"}, {3: [2]}, {}),
        ({"types": ["has"], "direction": "against"}, {}, {2: [3]}),
        ({"types": ["ha", "is:w"]}, {}, {}),
        ({"types": ["is:who"]}, {}, {2: [OTHER_SEQUENCE]}),
        ({}, {3: [2], 6: [2]}, {2: [3, 6, OTHER_SEQUENCE]}),
    ],
)
def test_typed_edges_by_type_and_direction(options, antecedents, descendants):
    passage, question = TypedEdges(**options).make(TEXT, 9)
    assert passage["antecedents"] == [antecedents.get(i, []) for i in range(9)]
    assert passage["descendants"] == [descendants.get(i, []) for i in range(9)]
    asks = options in ({}, {"types": ["is"], "direction": "against"}, {"types": ["is:who"]})
    assert question["antecedents"] == [[OTHER_SEQUENCE - 2] * asks, [], [], []]


def decode(edges, part, boundary, length):
    """The edges of one sequence, as positions in the text of both."""
    own = list(range(boundary)), list(range(boundary, length))
    mine, other = own if part == 0 else own[::-1]
    return [sorted(mine[s] if s >= 0 else other[OTHER_SEQUENCE - s] for s in token) for token in edges]


@settings(derandomize=True, deadline=None, max_examples=150)
@given(text=annotated_texts(), data=st.data())
def test_layers_hold_the_links_of_the_text_in_both_orders(text, data):
    length = len(text)
    boundary = data.draw(st.integers(0, length))
    order = [*range(boundary, length), *range(boundary)]
    place = {old: new for new, old in enumerate(order)}
    cases = (
        (SrlEdges, [([f.predicate], [span]) for f in text.frames for _, span in f.arguments]),
        (DiscourseEdges, [(relation.arg1, relation.arg2) for relation in text.relations]),
        (TypedEdges, [([edge.source], [edge.target]) for edge in text.edges]),
    )
    for layer, pairs in cases:
        direction, readers = data.draw(
            st.sampled_from([("both", (0, 1)), ("along", (1,)), ("against", (0,))])
        )
        parts = layer(direction=direction, question_first=True).make(text, boundary)
        swapped = [
            [[(place[t], place[t] + 1) for t in tokens_of(phrase)] for phrase in pair] for pair in pairs
        ]
        question_first = brute_force(swapped, length, readers)
        for name, expected in brute_force(pairs, length, readers).items():
            found = [decode(part[name], i, boundary, length) for i, part in enumerate(parts)]
            assert found[0] + found[1] == expected
            found = [
                decode(part[f"question_first_{name}"], i, boundary, length) for i, part in enumerate(parts)
            ]
            wanted = [sorted(token, key=order.__getitem__) for token in question_first[name]]
            assert [[place[s] for s in token] for token in found[1] + found[0]] == wanted


def test_unknown_types_and_directions_are_refused():
    with pytest.raises(ConfigurationError, match=r"discourse_edges: types has 'explicit'"):
        DiscourseEdges(types=["explicit"])
    with pytest.raises(ConfigurationError, match="Edges: direction is 'forward', .* along, against"):
        SrlEdges(direction="forward")
