import pickle
from dataclasses import replace

import pytest
import spacy
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from spacy.tokens import Doc, DocBin

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation, Edge, Frame
from tests.annotations.texts import annotated_texts

NLP = spacy.blank("en")

TEXT = AnnotatedText(
    "But Mary  left because she , Mary , slept .".replace("  ", " \n ").split(" "),
    [(0, 5), (5, 11)],
    [[(1, 2), (5, 6)], [(7, 8)]],
    [Frame((3, 4), [("ARG0", (1, 2)), ("ARGM", (4, 10))])],
    [DiscourseRelation("Explicit", "Cause", [(0, 2), (3, 4)], [(5, 10)], [(4, 5)])],
    [Edge("is", (5, 6), (1, 2))],
    "story 1",
)


def without_source(text):
    return replace(text, text=None, offsets=None)


COPIES = {
    "DocBin": lambda doc: next(DocBin(store_user_data=True, docs=[doc]).get_docs(NLP.vocab)),
    "DocBin in bytes": lambda doc: next(
        DocBin()
        .from_bytes(DocBin(store_user_data=True, docs=[doc]).to_bytes())
        .get_docs(spacy.blank("en").vocab)
    ),
    "bytes": lambda doc: Doc(NLP.vocab).from_bytes(doc.to_bytes()),
    "pickle": lambda doc: pickle.loads(pickle.dumps(doc)),
    "copy": lambda doc: doc.copy(),
}


def test_a_doc_shows_clusters_as_span_groups_and_the_rest_as_extensions():
    doc = TEXT.to_spacy(NLP)
    assert [token.text for token in doc] == TEXT.tokens
    assert [sentence.text for sentence in doc.sents] == ["But Mary \n left because", "she , Mary , slept ."]
    groups = {name: [(span.start, span.text) for span in group] for name, group in doc.spans.items()}
    assert groups == {"coref_clusters_1": [(1, "Mary"), (5, "she")], "coref_clusters_2": [(7, "Mary")]}
    (frame,) = doc._.srl_frames
    assert frame.predicate.text == "left"
    expected = [("ARG0", "Mary"), ("ARGM", "because she , Mary , slept")]
    assert [(role, span.text) for role, span in frame.arguments] == expected
    (relation,) = doc._.discourse_relations
    assert (relation.type, relation.sense, relation.connective[0].text) == ("Explicit", "Cause", "because")
    assert [span.text for span in relation.arg1] == ["But Mary", "left"]
    assert [span.text for span in relation.arg2] == ["she , Mary , slept"]
    (edge,) = doc._.typed_edges
    assert (edge.type, edge.source.text, edge.target.text) == ("is", "she", "Mary")
    assert doc._.text_id == "story 1"


@settings(deadline=None, max_examples=30)
@given(annotated_texts())
def test_a_text_comes_back_from_a_doc(text):
    if "" in text.tokens:
        with pytest.raises(ConfigurationError, match="can't be a doc of spaCy: .*empty"):
            text.to_spacy(NLP)
    else:
        assert without_source(AnnotatedText.from_spacy(text.to_spacy(NLP))) == without_source(text)


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_a_text_comes_back_from_a_copy_of_a_doc(copy):
    doc = copy(TEXT.to_spacy(NLP))
    assert without_source(AnnotatedText.from_spacy(doc)) == TEXT
    assert doc._.srl_frames[0].predicate.text == "left"


@pytest.mark.parametrize("words", [[], [" ", "\n\n"], ["."]])
def test_docs_of_nothing(words):
    doc = Doc(NLP.vocab, words=words)
    assert without_source(AnnotatedText.from_spacy(doc)) == AnnotatedText(words)
    assert doc._.srl_frames == doc._.discourse_relations == doc._.typed_edges == []
    assert doc._.text_id is None


def test_a_doc_without_sentences_is_split_and_stays_as_it_is():
    doc = NLP("She left . \n ' He  stayed")
    text = AnnotatedText.from_spacy(doc)
    expected = [["She", "left", ".", "\n ", "'"], ["He", " ", "stayed"]]
    assert [text.tokens[start:stop] for start, stop in text.sentences] == expected
    assert not doc.has_annotation("SENT_START")
    doc[1].is_sent_start = True
    assert AnnotatedText.from_spacy(doc).sentences == [(0, 1), (1, 8)]


def test_the_text_of_a_doc_is_kept():
    source = "Mary didn't\n\ngo — she slept."
    text = AnnotatedText.from_spacy(NLP(source))
    assert text.text == source and [source[start:end] for start, end in text.offsets] == text.tokens
    assert text.to_spacy(NLP).text == source
    asked = text.followed_by([["Who", "?"]])
    assert asked.to_spacy(NLP).text == f"{source} Who ?"


def test_clusters_of_other_tools_are_read_in_the_order_of_their_numbers():
    doc = NLP("a b c d")
    names = ["coref_clusters_10", "coref_clusters_2", "coref_head_clusters_1", "sc"]
    for name, start in zip(names, (1, 0, 2, 3)):
        doc.spans[name] = [doc[start : start + 1]]
    assert AnnotatedText.from_spacy(doc).clusters == [[(0, 1)], [(1, 2)]]


def test_an_id_can_be_set_and_damaged_data_is_an_error():
    doc = NLP("a b")
    doc._.text_id = "x"
    assert AnnotatedText.from_spacy(doc).id == "x"
    doc.user_data["._.", "annotated_text", 0, 3] = {"text": "a b", "frames": [{"predicate": [1, "x"]}]}
    with pytest.raises(ConfigurationError, match='found "x" at .*predicate.*, expected'):
        AnnotatedText.from_spacy(doc)


def test_what_an_earlier_release_has_stored_is_refused():
    doc = spacy.blank("en")("Mary left.")
    doc.user_data["srl_frames"] = [{"predicate": [1, 2], "arguments": []}]
    for read in (AnnotatedText.from_spacy, lambda doc: doc._.srl_frames):
        with pytest.raises(ConfigurationError, match="annotate the text again"):
            read(doc)
