import ast
import sys
from itertools import chain

import numpy as np
import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators import Annotator, RankedCoref
from allennlp_coref_rc.annotations.annotators.coref.english_coref import features
from allennlp_coref_rc.annotations.annotators.coref.ranked import networks
from allennlp_coref_rc.annotations.annotators.coref.ranked.token_features import UNKNOWN, word_classes

TEXT = (
    "Anne Elliot lived in a large house near Bath with her father , Sir Walter . He was a vain man . "
    "Anne 's sister Mary came to the house with her husband , and they stayed for a week . "
    '" I am tired , " said Mary . " You always are , " said Anne .'
)


@pytest.fixture(scope="module")
def annotator():
    return RankedCoref()


def annotate(annotator, text):
    tokens = text.split()
    return annotator.annotate(AnnotatedText(tokens, sentence_spans(tokens)))


def clusters(annotator, text):
    annotated = annotate(annotator, text)
    return [[" ".join(annotated.tokens[start:stop]) for start, stop in cluster] for cluster in annotated.clusters]


def test_names_pronouns_and_speakers_are_linked(annotator):
    found = clusters(annotator, TEXT)
    (anne,) = [cluster for cluster in found if "Anne Elliot" in cluster]
    (mary,) = [cluster for cluster in found if "Mary" in cluster]
    assert anne.count("Anne") == 2 and "her" in anne
    assert "I" in mary and "Anne" not in mary


def test_singletons_are_added_on_request(annotator):
    found = annotate(annotator, TEXT).clusters
    every = annotate(RankedCoref(include_singletons=True), TEXT).clusters
    assert found == [cluster for cluster in every if len(cluster) > 1]
    assert len(found) < len(every)


def test_the_same_text_gives_the_same_clusters_also_beside_others(annotator):
    one, other = annotate(annotator, TEXT), annotate(annotator, "He saw the boat . " * 30)
    assert annotate(RankedCoref(), TEXT) == one != other


def test_the_largest_clusters_are_kept():
    assert len(annotate(RankedCoref(max_clusters=1), TEXT).clusters) == 1


@pytest.mark.parametrize(
    "options, message",
    [
        ({"max_clusters": -1}, "max_clusters is -1, expected 0 or more"),
        ({"path": "no/such.npz"}, "there is no model file no/such.npz"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ConfigurationError) as error:
        Annotator.from_params(Params({"type": "ranked_coref", **options}))
    assert message in str(error.value)


def test_the_files_stay_below_a_megabyte():
    folder = networks.MODEL.parent
    assert sum((folder / name).stat().st_size for name in ("model.npz", "CARD.md")) < 1_000_000


def test_the_networks_need_numpy_alone():
    files = sorted(networks.MODEL.parent.glob("*.py"))
    imports = [node for file in files for node in ast.walk(ast.parse(file.read_text()))]
    names = {node.module for node in imports if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    packages = {name.partition(".")[0] for name in names} - sys.stdlib_module_names
    assert packages == {"numpy", "allennlp_coref_rc"}


def test_blocks_of_pairs_have_the_features_of_all_pairs_together(annotator, monkeypatch):
    tokens = TEXT.split() * 3
    text = AnnotatedText(tokens, sentence_spans(tokens))
    together = annotate(annotator, " ".join(tokens))
    monkeypatch.setattr(features, "BLOCK", 7)
    assert annotator.annotate(text) == together


WORDS = (
    "the a that his her Mary Tom men house of 's , . \" “ ” said I you he it they Mr. Archer walked very ’ é 3".split()
)


@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=3)), max_size=40))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_any_tokens_give_clusters_that_share_no_mention(annotator, tokens):
    given_clusters = [[(0, len(tokens))]] if tokens else []
    annotated = annotator.annotate(AnnotatedText(tokens, clusters=given_clusters))
    assert annotated.clusters[: len(given_clusters)] == given_clusters
    mentions = list(chain(*annotated.clusters[len(given_clusters) :]))
    assert len(mentions) == len(set(mentions))
    assert all(len(cluster) > 1 for cluster in annotated.clusters[len(given_clusters) :])


def test_classes_of_words_are_those_of_wordnet():
    person, place, vehicle = (4 + i for i in (0, 2, 3))
    assert word_classes("doctor")[0][person] == "3" and word_classes("river")[0][place] == "3"
    assert word_classes("ships") == (word_classes("ship")[0], True)
    assert word_classes("ship")[0][vehicle] == "3"
    assert word_classes("qwertyuiop") == (UNKNOWN, False)
    assert word_classes("walked")[0].startswith("03") and word_classes("country-house")[0][place] != "0"


# The networks


def test_possible_spans_are_all_pairs_in_a_sentence():
    first, last, sentence_of = np.array([0, 2, 5]), np.array([0, 1, 3, 6, 60]), np.repeat([0, 1, 2], [5, 3, 60])
    begin, end = networks.possible_spans(first, last, sentence_of)
    expected = [
        (i, j) for i in first for j in last if i <= j < i + networks.LONGEST and sentence_of[i] == sentence_of[j]
    ]
    assert list(zip(begin, end)) == expected


def test_crossing_spans_and_spans_with_one_head_are_left_out():
    words = "the old man of the sea slept".split()
    begin, end = np.array([0, 0, 1, 4, 0]), np.array([2, 5, 6, 5, 1])
    chosen, chances = networks.choose_spans(
        begin, end, np.array([0.6, 0.9, 0.8, 0.7, 0.1]), 0.5, words, np.zeros(7, int)
    )
    assert chosen == [(0, 6), (4, 6)] and chances.tolist() == pytest.approx([0.9, 0.7])
