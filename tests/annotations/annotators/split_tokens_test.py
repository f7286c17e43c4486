from unicodedata import normalize

import pytest
import spacy

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import EnglishCoref, SieveCoref

TOKENS = "John Smith|met|Mary Jones|in|New York|.|He|gave|her|the|book|.|Smith|saw|her brother|.".split("|")
CLUSTERS = [["John Smith", "He", "Smith"], ["Mary Jones", "her"]]


@pytest.mark.parametrize("annotator", [SieveCoref, EnglishCoref])
def test_a_token_may_be_a_name_of_several_words(annotator):
    """The "her" of "her brother" is no token, so it is no mention."""
    text = AnnotatedText(TOKENS, [(0, 6), (6, 12), (12, 16)], [[(9, 11)]])
    annotated = annotator().annotate(text)
    assert annotated.tokens == TOKENS and annotated.clusters[0] == [(9, 11)]
    assert annotated.cluster_texts[1:] == CLUSTERS


@pytest.mark.parametrize("annotator", [SieveCoref, EnglishCoref])
def test_accents_and_invisible_characters_hide_no_name(annotator):
    text = "José García opened the school in Málaga. He taught there. José García retired."
    expected = annotator().annotate(AnnotatedText.of_text(text)).clusters
    assert [(0, 2), (8, 9), (12, 14)] in expected
    decomposed = normalize("NFD", text).replace("Garc", "Gar\u00adc", 1)
    annotated = annotator().annotate(AnnotatedText.of_text(decomposed))
    assert annotated.clusters == expected and "".join(annotated.tokens) == decomposed.replace(" ", "")


@pytest.mark.parametrize("merged_first", [True, False])
def test_entities_are_merged_before_or_after(merged_first):
    nlp = spacy.blank("en")
    patterns = [{"label": "PERSON", "pattern": name} for name in ("John Smith", "Mary Jones")]
    nlp.add_pipe("entity_ruler").add_patterns(patterns)
    nlp.add_pipe("merge_entities")
    nlp.add_pipe("sieve_coref", **{"after" if merged_first else "before": "merge_entities"})
    doc = nlp("John Smith met Mary Jones in town. He gave her the book. Smith left.")
    assert [[mention.text for mention in group] for group in doc.spans.values()] == CLUSTERS
    assert len(doc.spans["coref_clusters_1"][0]) == 1
