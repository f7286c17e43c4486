import random
from collections import Counter

import pytest

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotated_text import DiscourseRelation, Edge, Frame
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.pages import annotated_text
from allennlp_coref_rc.pages.annotated_text import entities, html_fragment
from allennlp_coref_rc.pages.marked_text import blanks, blanks_of, lines_or_paragraphs, marked_paragraphs
from tests.pages.parsed import parse

TEXT = AnnotatedText(
    "The king 's daughter , who loved him , left . But he did n't <script> weep .".split(),
    [(0, 11), (11, 18)],
    clusters=[[(0, 4), (5, 6)], [(0, 3), (7, 8), (12, 13)]],
    frames=[Frame((6, 7), [("ARG1", (7, 8)), ("ARG0", (0, 4))])],
    relations=[
        DiscourseRelation("Explicit", "Comparison.Contrast", [(0, 4), (9, 10)], [(12, 17)], [(11, 12)])
    ],
    edges=[Edge("mood", (12, 13), (16, 17))],
)


def texts(elements):
    return [element.text for element in elements]


def test_mentions_lie_in_each_other_and_entities_are_listed():
    page = parse(html_fragment(TEXT))
    (shown,) = page.all(of_class="crc-text")
    expected = "The king's daughter, who loved him, left. But he didn't <script> weep."
    assert shown.text.split("\n")[1].strip() == expected
    assert texts(shown.all(of_class="crc-e1")) == ["The king's daughter", "who"]
    assert texts(shown.all(of_class="crc-e2")) == ["The king's", "him", "he"]
    outer, inner = shown.all(of_class="crc-e1")[0], shown.all(of_class="crc-e2")[0]
    assert inner.parent is outer
    assert "--lane:1" in outer.attributes["style"] and "style" not in inner.attributes
    listed = page.all(tag="li")
    assert texts(listed) == ["The king's daughter ×2", "The king's ×3"]
    assert listed[1].attributes["title"] == "The king's, him, he"
    assert not page.all(tag="script")


def test_frames_relations_and_edges_are_listed():
    frames, relations, edges = parse(html_fragment(TEXT)).all(tag="table")
    assert texts(frames.all(tag="td")) == ["loved", "ARG0 The king's daughter · ARG1 him"]
    expected = "Comparison.Contrast|Explicit|The king's daughter … left|But|he didn't <script> weep"
    assert texts(relations.all(tag="td")) == expected.split("|")
    assert texts(edges.all(tag="td")) == ["he", "mood", "weep"]
    assert not parse(html_fragment(TEXT, show_entities=False)).all(tag="li")


def test_weights_and_the_answer_are_shown():
    weights = [0.0] * 16 + [0.5, 0.0]
    page = parse(html_fragment(TEXT, answer="HE did", weights=weights))
    assert texts(page.all(of_class="crc-answer")) == ["he did"]
    tokens = page.all(of_class="crc-w")
    assert texts(tokens) == TEXT.tokens
    assert [float(token.attributes["title"]) for token in tokens] == weights
    assert tokens[16].attributes["style"] == "--w:0.85" and tokens[0].attributes["style"] == "--w:0.00"
    # Equal weights are pale: three times the average would have the full colour.
    (first, *_) = parse(html_fragment(TEXT, weights=[0.2] * 18)).all(of_class="crc-w")
    assert first.attributes["style"] == "--w:0.28"
    assert texts(parse(html_fragment(TEXT, answer=[(2, 4)])).all(of_class="crc-answer")) == ["'s", "daughter"]


def test_each_token_needs_a_weight():
    with pytest.raises(ConfigurationError, match="found 1 weights, expected one for each of the 18 tokens"):
        html_fragment(TEXT, weights=[1.0])


def test_a_long_text_is_cut(monkeypatch):
    monkeypatch.setattr(annotated_text, "MAX_TOKENS", 6)
    page = parse(html_fragment(TEXT))
    assert "first 6 of 18 tokens" in page.text
    assert texts(page.all(tag="p"))[0].strip() == "The king's daughter, who"
    assert texts(page.all(tag="li")) == ["The king's daughter ×2", "The king's ×3"]


def test_every_token_is_marked_by_the_mentions_that_have_it():
    """Also where mentions cross each other and the ends of paragraphs."""
    rng = random.Random(1)
    for _ in range(20):
        length = rng.randint(1, 300)
        starts = rng.choices(range(length), k=60)
        spans = [(start, rng.randint(start + 1, min(length, start + 9))) for start in starts]
        clusters = [spans[i : i + 6] for i in range(0, 60, 6)]
        cuts = sorted({0, length, *rng.choices(range(length), k=12)})
        text = AnnotatedText([f"w{i}" for i in range(length)], list(zip(cuts, cuts[1:])), clusters)
        (shown,) = parse(html_fragment(text, weights=[1.0] * length)).all(of_class="crc-text")
        tokens = shown.all(of_class="crc-w")
        assert texts(tokens) == text.tokens
        for i, token in enumerate(tokens):
            around, place = Counter(), token.parent
            while "crc-m" in place.classes:
                around[next(name for name in place.classes if name.startswith("crc-e"))] += 1
                place = place.parent
            expected = [
                f"crc-e{n}" for n, spans in enumerate(clusters, 1) for a, b in set(spans) if a <= i < b
            ]
            assert around == Counter(expected)
        # Each mention has its number once, and overlapping ones have different lanes.
        numbers = [
            int(m.attributes["data-n"]) for m in shown.all(of_class="crc-m") if "data-n" in m.attributes
        ]
        assert Counter(numbers) == {n: len(set(spans)) for n, spans in enumerate(clusters, 1)}


def test_entities_have_names_and_texts_have_blanks_as_in_print():
    tokens = 'He saw Ann , Ann saw Ann Lee ( " she " ) .'.split()
    text = AnnotatedText(tokens, clusters=[[(11, 12), (6, 8), (4, 5), (2, 3)], [(0, 1)]])
    found = [(entity.number, entity.name, entity.mentions) for entity in entities(text)]
    assert found == [(1, "Ann", 4), (2, "He", 1)]
    printed = "".join(token + " " * blank for token, blank in zip(tokens, blanks(tokens)))
    assert printed.strip() == 'He saw Ann, Ann saw Ann Lee ("she").'


def test_lines_and_blanks_are_those_of_the_source():
    source = "> Ann can't\n> sleep.\n\nShe e-mails."
    text = AnnotatedText.of_text(source)
    lines = lines_or_paragraphs(text, text.sentences)
    shown = marked_paragraphs(text.tokens, [], lines, blanks_of(text))
    written = ["".join(token.text + " " * token.blank for token in line).rstrip() for line in shown]
    assert written == [line for line in source.split("\n") if line]
