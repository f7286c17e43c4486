"""Docs whose tokens change after they were annotated, and docs that are cut and joined."""

from dataclasses import replace

import pytest
import spacy
from allennlp.common.checks import ConfigurationError
from spacy.tokens import Doc

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation, Edge, Frame
from tests.annotations.spacy_docs_test import COPIES, NLP, without_source

TEXT = AnnotatedText(
    "John Smith met Mary . He gave her the book .".split(),
    [(0, 5), (5, 11)],
    [[(0, 2), (5, 6)], [(3, 4), (7, 8)]],
    [
        Frame((2, 3), [("ARG0", (0, 2)), ("ARG1", (3, 4))]),
        Frame((6, 7), [("ARG0", (5, 6)), ("ARG1", (8, 10))]),
    ],
    [DiscourseRelation("Explicit", "Result", [(0, 4)], [(5, 10)], [(6, 7)])],
    [Edge("is", (5, 6), (0, 2))],
)


def merge(doc, *spans):
    with doc.retokenize() as retokenizer:
        for start, stop in spans:
            retokenizer.merge(doc[start:stop])
    return doc


def split(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[3], ["Ma", "ry"], heads=[doc[3], doc[3]])
    return doc


def merged(doc):
    return merge(doc, (0, 2), (8, 10))


CHANGES = {
    "merged": merged,
    "split": split,
    "merged, then split": lambda doc: split(merge(doc, (8, 10))),
    **{f"merged, then {name}": lambda doc, copy=copy: copy(merged(doc)) for name, copy in COPIES.items()},
}


def words(spans):
    return [span.text for span in spans]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_structure_follows_the_tokens(change):
    doc = change(TEXT.to_spacy(NLP))
    assert list(map(words, doc.spans.values())) == [["John Smith", "He"], ["Mary", "her"]]
    assert doc.spans["coref_clusters_2"][1].text == doc.spans["coref_clusters_2"][-1].text == "her"
    found = [(frame.predicate.text, words(dict(frame.arguments).values())) for frame in doc._.srl_frames]
    assert found == [("met", ["John Smith", "Mary"]), ("gave", ["He", "the book"])]
    (relation,) = doc._.discourse_relations
    assert list(map(words, relation[2:])) == [["John Smith met Mary"], ["He gave her the book"], ["gave"]]
    assert [words(edge[1:]) for edge in doc._.typed_edges] == [["He", "John Smith"]]
    text = AnnotatedText.from_spacy(doc)
    assert text.cluster_texts == [["John Smith", "He"], ["Mary", "her"]]
    assert text.checked().tokens == [token.text for token in doc]


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_a_copy_whose_tokens_merge_is_read_with_them(copy):
    text = AnnotatedText.from_spacy(merged(copy(TEXT.to_spacy(NLP))))
    assert text.cluster_texts == [["John Smith", "He"], ["Mary", "her"]]
    assert text.frames[1] == Frame((5, 6), [("ARG0", (4, 5)), ("ARG1", (7, 8))])


def test_labels_of_mentions_stay():
    doc = TEXT.to_spacy(NLP)
    doc.spans["coref_clusters_1"].append(spacy.tokens.Span(doc, 3, 4, label="PERSON", span_id="x"))
    label = merged(doc).spans["coref_clusters_1"][2]
    assert (label.text, label.label_, label.id_) == ("Mary", "PERSON", "x")


@pytest.mark.parametrize(
    "read",
    [
        AnnotatedText.from_spacy,
        lambda doc: list(doc.spans["coref_clusters_1"]),
        lambda doc: doc._.srl_frames,
        lambda doc: doc._.typed_edges,
    ],
)
def test_what_is_no_longer_whole_tokens_is_an_error(read):
    doc = merge(TEXT.to_spacy(NLP), (1, 3))
    with pytest.raises(ConfigurationError, match="found an annotation .* in the tokens '(John )?Smith met'"):
        read(doc)


@pytest.mark.parametrize("ensure_whitespace", [True, False])
def test_joined_docs_have_the_structure_of_each(ensure_whitespace):
    other = TEXT.select((5, 11))
    docs = [TEXT.to_spacy(NLP), NLP("Nothing here ."), merged(TEXT.to_spacy(NLP)), other.to_spacy(NLP)]
    doc = Doc.from_docs(docs, ensure_whitespace=ensure_whitespace)
    text = AnnotatedText.from_spacy(doc)
    apart = [without_source(AnnotatedText.from_spacy(doc)) for doc in docs]
    expected = AnnotatedText.concatenate(*apart)
    assert sorted(text.clusters) == sorted(expected.clusters) and len(text.clusters) == 4
    found = without_source(replace(text, clusters=[]))
    assert found == replace(expected, clusters=[], sentences=text.sentences)
    assert words(frame.predicate for frame in doc._.srl_frames) == ["met", "gave", "met", "gave", "gave"]


def test_an_annotator_of_joined_docs_keeps_what_they_have():
    doc = Doc.from_docs([TEXT.to_spacy(NLP), TEXT.to_spacy(NLP)])
    before = AnnotatedText.from_spacy(doc)
    nlp = spacy.blank("en")
    nlp.add_pipe("simple_triples")
    after = AnnotatedText.from_spacy(nlp(doc))
    assert len(after.edges) > len(before.edges) == 2
    assert replace(after, edges=before.edges) == before
    assert sorted(map(words, doc.spans.values())) == [["John Smith", "He"]] * 2 + [["Mary", "her"]] * 2


@pytest.mark.parametrize("start, stop", [(0, 5), (3, 9), (5, 11), (1, 7), (2, 3)])
def test_a_piece_has_its_part_of_the_structure(start, stop):
    doc = TEXT.to_spacy(NLP)[start:stop].as_doc(copy_user_data=True)
    piece = replace(TEXT.select((start, stop)), clusters=[])
    assert without_source(AnnotatedText.from_spacy(doc)) == replace(piece, id=None)
    assert not doc.spans


@pytest.mark.parametrize("spans", [[(0, 5), (5, 11)], [(5, 11), (0, 5)], [(0, 2), (5, 11), (0, 4)]])
def test_joined_pieces_have_what_is_whole_in_them(spans):
    doc = TEXT.to_spacy(NLP)
    joined = Doc.from_docs([doc[start:stop].as_doc(copy_user_data=True) for start, stop in spans])
    is_whole = spans == [(0, 5), (5, 11)]
    assert sorted(words(frame.predicate for frame in joined._.srl_frames)) == ["gave", "met"]
    assert [words(edge[1:]) for edge in joined._.typed_edges] == [["He", "John Smith"]] * is_whole


def test_the_structure_of_another_text_is_none():
    doc = Doc(NLP.vocab, words="Ann Miller saw Beth , who slept on a bench .".split())
    doc.user_data.update(TEXT.to_spacy(NLP).user_data)
    assert doc._.srl_frames == doc._.discourse_relations == doc._.typed_edges == []
