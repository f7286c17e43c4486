import re

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation, Edge, Frame
from allennlp_coref_rc.annotations.alignment import UNKNOWN, Alignment, transfer
from tests.annotations.texts import annotated_texts

pytestmark = pytest.mark.slow

# The ways in which two tokenisers may split a piece of text, each as a list of the tokens' lengths in
# characters.
WAYS = {
    "a": [["a"], ["A"]],
    "bc": [["bc"], ["b", "c"], ["b c"], ["Bc"]],
    "(": [["("], ["-LRB-"], ["-lrb-"]],
    "]": [["]"], ["-RSB-"]],
    "''": [["''"], ["``"], ['"'], ["“"], ["`", "'"], ["‘", "’"]],
    "'": [["'"], ["’"]],
    "--": [["--"], ["—"], ["-", "-"]],
    "/": [["/"], ["\\/"]],
    "...": [["..."], ["…"], [".", ".", "."]],
    "": [[" "], [""], ["\n"], ["\xa0"]],
}
CHARACTERS = {
    written: len(piece) for piece, ways in WAYS.items() for way in ways if len(way) == 1 for written in way
}
CHARACTERS.update({"b": 1, "c": 1, "`": 1, "‘": 1, "-": 1, ".": 1})


@st.composite
def tokenisations(draw):
    """Two tokenisations of one text; for each character of each, its token."""
    pieces = draw(st.lists(st.sampled_from(sorted(WAYS)), max_size=10))
    found = []
    for _ in range(2):
        tokens, owners = [], []
        for piece in pieces:
            for token in draw(st.sampled_from(WAYS[piece])):
                # It is glued to the token before, as some tokenisers do.
                if tokens and draw(st.booleans()):
                    tokens[-1] += token
                else:
                    tokens.append(token)
                owners += [len(tokens) - 1] * CHARACTERS[token]
        found.append((tokens, owners))
    return found


@settings(derandomize=True, deadline=None, max_examples=300)
@given(texts=tokenisations())
def test_spans_are_the_tokens_that_share_characters(texts):
    (source, source_owners), (target, target_owners) = texts
    alignment = Alignment(source, target, ignore_case=True)
    for start in range(len(source)):
        for stop in range(start + 1, len(source) + 1):
            shared = [target_owners[i] for i, owner in enumerate(source_owners) if start <= owner < stop]
            expected = (min(shared), max(shared) + 1) if shared else None
            assert alignment.span((start, stop)) == expected


@settings(derandomize=True, deadline=None, max_examples=100)
@given(texts=tokenisations(), data=st.data())
def test_another_character_is_found_where_it_is(texts, data):
    (source, owners), (target, target_owners) = texts
    position = data.draw(st.integers(0, len(source)))
    changed = source[:position] + ["#"] + source[position:]
    starts = [sum(owner < token for owner in owners) for token in range(position + 1)]
    target_starts = {sum(owner < token for owner in target_owners) for token in range(len(target) + 1)}
    shown = max(token for token in range(position + 1) if starts[token] in target_starts)
    excerpt = f"token {shown}, {' '.join(changed[shown:])[:30]!r} of the"
    with pytest.raises(ConfigurationError, match=re.escape(f"found {excerpt}")):
        Alignment(changed, target, ignore_case=True)
    with pytest.raises(ConfigurationError, match=re.escape(f"expected {excerpt}")):
        Alignment(target, changed, ignore_case=True)


def test_case_counts_unless_ignored():
    with pytest.raises(ConfigurationError, match="found token 0, 'mary'"):
        Alignment(["mary"], ["Mary"])
    assert Alignment(["mary"], ["Mary"], ignore_case=True).span((0, 1)) == (0, 1)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(text=annotated_texts().filter(lambda text: all(token.strip() for token in text.tokens)))
def test_a_text_given_its_own_annotations_has_them(text):
    bare = AnnotatedText(text.tokens)
    found = transfer(text, bare, sentences=True)
    assert (found.sentences, found.frames, found.edges) == (text.sentences, text.frames, text.edges)
    assert found.clusters == [list(dict.fromkeys(cluster)) for cluster in text.clusters if cluster]
    assert len(found.relations) == sum(bool(r.arg1 and r.arg2) for r in text.relations)
    assert bare == AnnotatedText(text.tokens)


def test_annotations_move_to_the_other_tokens():
    source = AnnotatedText(
        ["Do", "n't", "-LRB-", "Mary", "\n", "'s", "-RRB-", "."],
        sentences=[(0, 2), (2, 5), (5, 8)],
        clusters=[[(3, 4), (3, 5)], [(4, 5)], [(0, 1), (5, 6)]],
        frames=[Frame((0, 2), [("ARG0", (2, 7)), ("ARG1", (4, 5))]), Frame((4, 5))],
        relations=[
            DiscourseRelation("Explicit", "s", [(0, 1), (1, 2)], [(3, 4)], [(4, 5), (5, 6)]),
            DiscourseRelation("Implicit", "s", [(4, 5)], [(3, 4)]),
        ],
        edges=[Edge("is", (5, 6), (1, 4)), Edge("is", (4, 5), (0, 1))],
    )
    target = AnnotatedText(["Don't", "(", "Mary's", ")", "."], clusters=[[(0, 1)]], id="x")
    assert transfer(source, target) == AnnotatedText(
        target.tokens,
        clusters=[[(0, 1)], [(2, 3)], [(0, 1), (2, 3)]],
        frames=[Frame((0, 1), [("ARG0", (1, 4))])],
        relations=[DiscourseRelation("Explicit", "s", [(0, 1)], [(2, 3)], [(2, 3)])],
        edges=[Edge("is", (2, 3), (0, 3))],
        id="x",
    )
    # The last sentence begins inside a token, so that it begins with it.
    assert transfer(source, target, sentences=True).sentences == [(0, 1), (1, 2), (2, 5)]


def test_annotations_may_be_of_the_beginning():
    source = AnnotatedText(["A", "b", "c", "."], sentences=[(0, 2), (2, 4)], clusters=[[(0, 1), (2, 3)]])
    target = AnnotatedText(["A", "bc", ".", "Who", "?", "Why", "?"], sentences=[(0, 5), (5, 7)])
    with pytest.raises(ConfigurationError, match="found the end of the annotation, expected token 3, 'Who"):
        transfer(source, target)
    found = transfer(source, target, beginning=True, sentences=True)
    assert found.clusters == [[(0, 1), (1, 2)]] and found.sentences == [(0, 1), (1, 3), (3, 5), (5, 7)]


def test_unknown_tokens_are_taken_by_their_places():
    source = AnnotatedText([UNKNOWN, "-LRB-", UNKNOWN], clusters=[[(0, 2)]])
    assert transfer(source, AnnotatedText(["a", "(", " ", "c"])).clusters == [[(0, 2)]]
    with pytest.raises(ConfigurationError, match=r"found token 1, '-LRB-', of the annotation, expected '\)'"):
        transfer(source, AnnotatedText(["a", ")", "b"]))
    with pytest.raises(ConfigurationError, match="found 3 or more tokens in the annotation, expected 2"):
        transfer(source, AnnotatedText(["a", "("]))


@settings(derandomize=True, deadline=None, max_examples=100)
@given(texts=tokenisations(), data=st.data())
def test_sentences_are_whatever_the_source_says(texts, data):
    (source, _), (target, _) = texts
    cuts = data.draw(st.sets(st.integers(1, len(source) - 1))) if len(source) > 1 else set()
    bounds = [0, *sorted(cuts), len(source)] if source else []
    text = AnnotatedText(source, list(zip(bounds, bounds[1:])))
    found = transfer(text, AnnotatedText(target), ignore_case=True, sentences=True)
    alignment = Alignment(source, target, ignore_case=True)
    starts = {span[0] for span in map(alignment.span, text.sentences) if span}
    assert {start for start, _ in found.sentences} - {0} == starts - {0, min(starts, default=0)}
