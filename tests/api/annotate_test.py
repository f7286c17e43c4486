from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import allennlp_coref_rc
from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Annotator, ExactMatchCoref
from allennlp_coref_rc.annotations.annotators.compose import ComposedAnnotator
from allennlp_coref_rc.common.errors import ConfigurationError

annotate_module = import_module("allennlp_coref_rc.api.annotate")

TEXT = "Mary  left.\nShe was tired, said Bill."


def test_a_text_has_its_clusters_as_tokens_strings_and_characters():
    passage = allennlp_coref_rc.annotate(TEXT, "sieve_coref")
    assert passage.tokens == ["Mary", "left", ".", "She", "was", "tired", ",", "said", "Bill", "."]
    assert passage.sentences == [(0, 3), (3, 10)]
    assert passage.clusters == [[(0, 1), (3, 4)]]
    assert passage.cluster_texts == [["Mary", "She"]]
    assert passage.cluster_characters == [[(0, 4), (12, 15)]]
    assert passage.text == TEXT and passage.frames == [] and passage.relations == []
    assert (
        repr(passage)
        == "AnnotatedText of 10 tokens: Mary left. She was tired, said Bill.\n  cluster: Mary, She"
    )
    assert "Mary" in passage._repr_html_()


def test_an_annotator_is_a_name_a_config_or_an_object():
    text = "Mary left Bill. Mary fell."
    config = {"type": "exact_match_coref", "entities": ["."]}
    configured = allennlp_coref_rc.annotate(text, config)
    assert config == {"type": "exact_match_coref", "entities": ["."]}
    built = allennlp_coref_rc.annotate(text, ExactMatchCoref(entities=["."]))
    assert configured == built and built.cluster_texts == [[".", "."]]
    assert allennlp_coref_rc.annotate(text, "exact_match_coref").cluster_texts == [["Mary", "Mary"]]


def test_an_annotator_without_options_is_built_once(monkeypatch):
    built = []
    monkeypatch.setattr(ExactMatchCoref, "__init__", lambda self: built.append(self))
    monkeypatch.setattr(ExactMatchCoref, "annotate", lambda self, text: text)
    annotate_module._named.cache_clear()
    try:
        for _ in range(2):
            allennlp_coref_rc.annotate(TEXT, "exact_match_coref")
        # What a trusted annotator has loaded is not for others.
        allennlp_coref_rc.annotate(TEXT, "exact_match_coref", trust=True)
        allennlp_coref_rc.annotate(TEXT, ExactMatchCoref())
    finally:
        annotate_module._named.cache_clear()
    assert len(built) == 3


def test_spans_outside_of_the_text_are_refused():
    class Wrong(Annotator):
        def annotate(self, text):
            return replace(text, clusters=[[(0, 11)]])

    for text, annotator in (
        (TEXT, Wrong()),
        (AnnotatedText(["a"], clusters=[[(0, 11)]]), "exact_match_coref"),
    ):
        with pytest.raises(ConfigurationError, match=r"mention of cluster 0 \[0, 11\)"):
            allennlp_coref_rc.annotate(text, annotator)


def test_several_texts_come_to_the_annotator_in_batches():
    class Counting(ExactMatchCoref):
        sizes = []

        def annotate_batch(self, texts):
            self.sizes.append(len(texts))
            return super().annotate_batch(texts)

    texts = (f"Text {i} . Text {i} ." for i in range(11))
    passages = allennlp_coref_rc.annotate(texts, Counting())
    assert [passage.cluster_texts for passage in passages] == [[["Text", "Text"]]] * 11
    assert Counting.sizes == [8, 3]
    assert allennlp_coref_rc.annotate([], "sieve_coref") == []


def test_tokens_and_annotations_are_kept():
    text = AnnotatedText(["Mary", "left.", "She", "fell."], [(0, 2), (2, 4)], clusters=[[(1, 2), (3, 4)]])
    passage = allennlp_coref_rc.annotate(text, "sieve_coref")
    assert passage.text == "Mary left. She fell." and passage.tokens == text.tokens
    assert passage.cluster_texts == [["left.", "fell."], ["Mary", "She"]]
    # Also if the annotated text is changed.
    passage.tokens[0] = "Bob"
    passage.clusters[0].append((0, 1))
    assert text.tokens[0] == "Mary" and text.clusters == [[(1, 2), (3, 4)]]
    passage = allennlp_coref_rc.annotate(text, "sieve_coref")
    again = allennlp_coref_rc.annotate(passage, "exact_match_coref")
    assert again.clusters[:2] == passage.clusters and again.text == passage.text


def test_a_text_stays_as_it_is_written():
    for source, offsets in (
        ("Mary didn't go", [(0, 4), (5, 8), (8, 11), (12, 14)]),
        ("Mary didn’t go", None),
    ):
        text = AnnotatedText(["Mary", "did", "n't", "go"], text=source)
        passage = allennlp_coref_rc.annotate(text, "sieve_coref")
        assert (passage.text, passage.offsets) == (source, offsets)
    assert allennlp_coref_rc.annotate(np.str_("Mary fell."), "sieve_coref").tokens == ["Mary", "fell", "."]


def test_an_annotator_may_give_its_texts_one_by_one():
    class Yielding(Annotator):
        def annotate_batch(self, texts):
            yield from (text.with_more(clusters=[[(0, 1)]]) for text in texts)

    for annotator in (Yielding(), ComposedAnnotator([Yielding()])):
        found = allennlp_coref_rc.annotate(["Mary slept.", "Bob ran."], annotator)
        assert [text.clusters for text in found] == [[[(0, 1)]]] * 2
    assert Yielding().annotate(AnnotatedText(["Mary"])).clusters == [[(0, 1)]]


@pytest.mark.parametrize(
    "texts, annotator, message",
    [
        ({"text": "Mary"}, "sieve_coref", "found .*, expected a text or several texts"),
        (
            type("Table", (list,), {"columns": ["text"]})(["text"]),
            "sieve_coref",
            "expected a text or several",
        ),
        ("a \ud800", "sieve_coref", "found the text .*, expected a string"),
        (3, "sieve_coref", "found 3, expected a text or several texts"),
        (["Mary", 3], "sieve_coref", "found the text 3, expected a string or an AnnotatedText"),
        (TEXT, "sieve_corref", 'found "sieve_corref": .* did you mean .sieve_coref'),
        (TEXT, {"type": "sieve_coref", "all_noun": True}, "no such key; did you mean all_nouns"),
        (TEXT, {"all_nouns": True}, "expected an object with a 'type'"),
    ],
)
def test_bad_input_is_named(texts, annotator, message):
    with pytest.raises(ConfigurationError, match=message):
        allennlp_coref_rc.annotate(texts, annotator)
