import json
import os
import weakref
from dataclasses import replace

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import (
    AnnotatedText,
    DiscourseRelation,
    Document,
    Edge,
    Frame,
    read_documents,
    read_header,
    write_documents,
)
from allennlp_coref_rc.annotations.annotators import Annotator, ExactMatchCoref, annotate_documents
from allennlp_coref_rc.annotations.layers import ANNOTATIONS
from tests.annotations.texts import annotated_texts


def test_select_keeps_what_lies_in_the_pieces():
    text = AnnotatedText(
        list("abcdefghij"),
        sentences=[(0, 4), (4, 8), (8, 10)],
        clusters=[[(0, 2), (5, 6)], [(1, 3), (8, 9)], [(3, 4), (8, 9)]],
        frames=[Frame((1, 2), [("ARG0", (0, 1)), ("ARG1", (2, 6))]), Frame((3, 4), [("ARG0", (0, 1))])],
        relations=[
            DiscourseRelation("Explicit", "s", [(0, 2)], [(4, 6)], [(5, 6)]),
            DiscourseRelation("Implicit", "s", [(3, 4)], [(4, 6)]),
            DiscourseRelation("Explicit", "s", [(0, 8)], [(8, 10)], [(7, 8)]),
        ],
        edges=[Edge("is", (5, 6), (0, 2)), Edge("has", (2, 4), (0, 1)), Edge("has", (9, 10), (6, 7))],
        id="x",
    )
    selected = text.select((0, 3), (4, 6), ["@"], (8, 10), ["!"])
    assert selected == AnnotatedText(
        list("abcef@ij!"),
        sentences=[(0, 3), (3, 5), (5, 9)],
        clusters=[[(0, 2), (4, 5)], [(1, 3), (6, 7)]],
        frames=[Frame((1, 2), [("ARG0", (0, 1)), ("ARG1", (2, 5))])],
        relations=[
            DiscourseRelation("Explicit", "s", [(0, 2)], [(3, 5)], [(4, 5)]),
            DiscourseRelation("Explicit", "s", [(0, 5)], [(6, 8)], []),
        ],
        edges=[Edge("is", (4, 5), (0, 2))],
        id="x",
    )


@settings(derandomize=True, deadline=None, max_examples=100)
@given(text=annotated_texts())
def test_select_everything_is_the_same_text(text):
    whole = text.select((0, len(text)))
    names = "tokens", "sentences", "frames", "edges"
    assert all(getattr(whole, name) == getattr(text, name) for name in names)
    assert whole.clusters == [cluster for cluster in text.clusters if cluster]
    assert whole.relations == [relation for relation in text.relations if relation.arg1 and relation.arg2]
    assert replace(text.select(), text=None, offsets=None) == AnnotatedText([])


@settings(derandomize=True, deadline=None, max_examples=100)
@given(texts=st.lists(annotated_texts(), min_size=1, max_size=3))
def test_parts_of_a_document_are_what_it_was_made_of(texts):
    document = Document.of(*texts, id="x")
    for i, text in enumerate(texts):
        part = document.text.select(document.part(i))
        assert part.tokens == text.tokens and part.sentences == text.sentences
        assert (part.frames, part.edges, part.links) == (text.frames, text.edges, text.links)
        assert [c for c in part.clusters if c] == [c for c in text.clusters if c]


def test_annotated_together_or_each_part_by_itself():
    document = Document.of(
        AnnotatedText("Mary saw Mary".split()), AnnotatedText(["Mary", "?"]), id="1", data={"a": 1}
    )
    together = annotate_documents([document], ExactMatchCoref())[0]
    assert together.text.clusters == [[(0, 1), (2, 3), (3, 4)]]
    apart = annotate_documents([document], ExactMatchCoref(), together=False)[0]
    assert apart.text.clusters == [[(0, 1), (2, 3)]]
    assert (apart.text.id, apart.parts, apart.data) == (together.text.id, together.parts, {"a": 1})


class Nothing(Annotator):
    def annotate(self, text):
        return text


@settings(derandomize=True, deadline=None, max_examples=100)
@given(text=annotated_texts(), cuts=st.lists(st.integers(0, 8), max_size=3))
def test_annotations_that_cross_parts_are_kept_when_each_is_annotated_by_itself(text, cuts):
    ends = [*sorted(min(cut, len(text)) for cut in cuts), len(text)]
    document = Document(text, [end - start for start, end in zip([0] + ends, ends)])
    apart = annotate_documents([document], Nothing(), together=False)[0]
    assert apart.text.tokens == text.tokens and apart.parts == document.parts
    for layer in ANNOTATIONS:
        assert sorted(map(repr, getattr(apart.text, layer))) == sorted(map(repr, getattr(text, layer)))
    again = annotate_documents([document], ExactMatchCoref(min_mentions=1), together=False)[0]
    new = again.text.clusters
    for cluster in text.clusters:
        new.remove(cluster)
    assert all(any(start <= a < b <= end for start, end in zip([0] + ends, ends)) for a, b in sum(new, []))


def test_an_annotator_that_changes_tokens_is_named():
    class Upper(Annotator):
        def annotate(self, text):
            return AnnotatedText([token.upper() for token in text.tokens])

    for together in (True, False):
        with pytest.raises(ConfigurationError, match="Upper gave back other texts than those it was given"):
            annotate_documents([Document(AnnotatedText(["a"]))], Upper(), together)


def test_documents_are_written_while_they_come(tmp_path):
    """No more than one of them is alive at a time."""
    path, alive = str(tmp_path / "a.jsonl"), []

    def documents():
        for i in range(10):
            assert sum(reference() is not None for reference in alive) <= 1
            document = Document(AnnotatedText([str(i), "\U0001f600"]))
            alive.append(weakref.ref(document))
            yield document

    write_documents(path, documents())
    expected = [[str(i), "\U0001f600"] for i in range(10)]
    assert [document.text.tokens for _, document in read_documents(path)] == expected
    kept = [Document(AnnotatedText(["kept"])), Document(AnnotatedText(["too"]))]
    alive.extend(map(weakref.ref, kept))
    with pytest.raises(AssertionError):
        write_documents(path, documents())
    assert len(list(read_documents(path))) == 10 and os.listdir(tmp_path) == ["a.jsonl"]


@settings(derandomize=True, deadline=None, max_examples=50)
@given(texts=st.lists(annotated_texts(), max_size=3))
def test_a_file_gives_back_what_was_written(tmp_path_factory, texts):
    path = str(tmp_path_factory.mktemp("documents") / "a.jsonl.gz")
    documents = [Document.of(text, text, id=str(i), data={"n": i}) for i, text in enumerate(texts)]
    write_documents(path, documents, {"reader": "annotated_babi"})
    assert [document for _, document in read_documents(path)] == documents
    expected = {"annotated_documents": 1, "documents": len(texts), "reader": "annotated_babi"}
    assert read_header(path) == expected


HEADER = '{"annotated_documents": 1, "documents": 1}'
GOOD = '{"tokens": ["a", "b"], "parts": [1, 1], "data": {}}'
RELATION = {"type": "AltLex", "sense": "", "arg1": [], "arg2": []}
LINK = {"mention": [0, 1], "antecedent": [0, 1], "confidence": 1}
EDGE = {"type": "", "source": [0, 1], "target": [0, 1]}


@pytest.mark.parametrize(
    "lines, message",
    [
        ([HEADER], "line 1: found 0 documents, the header says 1"),
        ([HEADER, GOOD, GOOD], "line 3: found 2 documents, the header says 1"),
        ([GOOD], "line 1: found no header"),
        (['{"annotated_documents": 2}', GOOD], "line 1: found a header of version 2, expected 1"),
        ([HEADER, "[" * 100_000], "line 2: found damaged JSON"),
        ([HEADER, '{"tokens": ["\\ud800"]}'], "line 2: found half of a surrogate pair"),
    ],
)
def test_malformed_files_say_where(tmp_path, lines, message):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ConfigurationError, match=message):
        list(read_documents(str(path)))


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("parts", [2], r"parts: found \[2\], expected .* add up to 1"),
        ("clusters", [[[0, 2]]], "mention of cluster 0"),
        ("sentences", [[0]], r"found \[0\] at sentences\[0\], expected more items"),
        ("frames", [{}], r"found {} at frames\[0\], expected the key 'predicate'"),
        ("relations", [{**RELATION, "ar": []}], r"found \[\] at relations\[0\].ar, expected no such key"),
        ("edges", [EDGE, {**EDGE, "type": 5}], r"found 5 at edges\[1\].type, expected a string"),
        ("links", [{**LINK, "confidence": 2}], r"found 2 at links\[0\].confidence, expected a number less"),
        ("links", [LINK, {**LINK, "antecedent": [1, 2]}], r"end of link 1 \[1, 2\): expected"),
        (
            "relations",
            [{**RELATION, "confidence": "1"}],
            r"found \"1\" at .*\.confidence, expected a .*number",
        ),
        (
            "frames",
            [{"predicate": [0, 1], "arguments": [], "confidences": [1]}],
            "frame 0 has 1 confidences, expected one for each of its 0 arguments",
        ),
    ],
)
def test_malformed_documents_say_where(tmp_path, key, value, message):
    path = tmp_path / "a.jsonl"
    path.write_text(HEADER + "\n" + json.dumps({"tokens": ["a"], key: value}) + "\n")
    with pytest.raises(ConfigurationError, match=f"line 2: {message}"):
        list(read_documents(str(path)))


def test_a_file_of_something_else_has_no_header(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("1 Mary left.\n")
    assert read_header(str(path)) is None
    path.write_text("")
    assert read_header(str(path)) is None
