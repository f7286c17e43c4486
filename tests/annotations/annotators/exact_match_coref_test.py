import copy

import pytest
from allennlp.data.tokenizers import LettersDigitsTokenizer

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import ExactMatchCoref
from allennlp_coref_rc.annotations.annotators.exact_match_coref import singular
from allennlp_coref_rc.data.babi.babi_files import read_babi
from tests.shared import BABI, needs_babi

STORY = "Mary went to the office . Bill got the milk there . mary got the Office milk . Where is Mary ?"


def words(text, clusters):
    """The clusters as lists of lower-cased words, in an order that does not depend on that of the text."""
    return sorted(
        [" ".join(text.tokens[start:stop]).lower() for start, stop in cluster] for cluster in clusters
    )


def linked(text, **options):
    text = AnnotatedText(text.split()) if isinstance(text, str) else text
    return words(text, ExactMatchCoref(**options).annotate(text).clusters)


def test_equal_words_are_one_cluster_whatever_their_case():
    text = AnnotatedText(STORY.split())
    clusters = ExactMatchCoref().annotate(text).clusters
    assert clusters == [[(0, 1), (12, 13), (20, 21)], [(4, 5), (15, 16)], [(9, 10), (16, 17)]]


def test_function_words_verbs_relations_and_signs_are_not_linked():
    found = linked("the the went went got got is is . . ? ? 3 3 there there north north - - two two he he")
    assert found == []
    assert linked("milk milk Zoë zoë r2 r2") == [["milk"] * 2, ["r2"] * 2, ["zoë"] * 2]


def test_names_of_companies_and_couples_count_as_words():
    text = "Smith & Co. sold Smith . Mr. and Mrs. Smith met Mr. Jones of Smith & Co. and Mr. Smith ."
    assert linked(text) == [["smith"] * 2, ["smith & co."] * 2]
    assert linked(text, entities=["co."]) == [["co."] * 2]


def test_words_to_link_are_configurable():
    assert linked(STORY, entities=["Milk", "the"]) == [["milk"] * 2, ["the"] * 3]


PLURALS = "buses bus, gases gas, lenses lens, mice mouse, wolves wolf, cats cat, sheep sheep, Mice Mouse"


@pytest.mark.parametrize("plural, one", map(str.split, PLURALS.split(",")))
def test_singular_and_plural_are_joined_only_if_asked(plural, one):
    text = f"{plural} love her . {one} ."
    apart = [] if plural != one else [["sheep", "sheep"]]
    assert linked(text) == apart
    assert linked(text, normalize_number=True) == [[plural.lower(), one.lower()]]


def test_names_are_not_joined_by_number():
    names = "mary john daniel sandra bill fred julie jeff gertrude winona emily jessica lily greg brian bernhard julius"
    assert len({singular(name) for name in names.split()}) == len(names.split())
    expected = [["cat", "cats"], ["mouse", "mice"], ["sheep", "sheep"], ["wolf", "wolves"]]
    assert linked("mouse wolf cat sheep mice wolves cats sheep", normalize_number=True) == expected


def test_min_mentions():
    text = "a1 b1 a1 c1 a1 b1"
    assert linked(text, min_mentions=3) == [["a1"] * 3]
    assert linked(text, min_mentions=4) == []
    assert linked(text, min_mentions=1) == [["a1"] * 3, ["b1"] * 2, ["c1"]]


def test_max_clusters_keeps_the_largest():
    text = "b1 b1 a1 a1 a1 c1 c1 d1 d1 d1 d1"
    assert linked(text, max_clusters=2) == [["a1"] * 3, ["d1"] * 4]
    # If clusters are equally large, the one that is mentioned first is kept.
    assert linked(text, max_clusters=3) == [["a1"] * 3, ["b1"] * 2, ["d1"] * 4]
    assert linked(text, max_clusters=0) == []
    assert len(linked(text, max_clusters=9)) == 4


def test_given_annotations_stay_and_the_text_is_left_alone():
    text = AnnotatedText(STORY.split(), [(0, 6), (6, 22)], clusters=[[(0, 1), (6, 7)]])
    before = copy.deepcopy(text)
    annotated = ExactMatchCoref(entities=["milk"]).annotate(text)
    assert text == before
    assert annotated.clusters == [[(0, 1), (6, 7)], [(9, 10), (16, 17)]]
    assert (annotated.tokens, annotated.sentences) == (text.tokens, text.sentences)


@needs_babi
@pytest.mark.parametrize("task", [2, 3])
def test_real_stories_have_at_most_thirteen_clusters_all_of_them_entities(task):
    tokenizer, annotator = LettersDigitsTokenizer(), ExactMatchCoref()
    most, found = 0, set()
    for item in read_babi(str(BABI / f"qa{task}_test.txt")):
        line = " ".join([*item.statements, "@begin", item.question, "@end"])
        text = AnnotatedText([token.text for token in tokenizer.tokenize(line)])
        clusters = annotator.annotate(text).clusters
        most = max(most, len(clusters))
        found.update(text.tokens[cluster[0][0]].lower() for cluster in clusters)
    people, things = {"mary", "john", "daniel", "sandra"}, {"football", "milk", "apple"}
    assert found == people | things | {"bathroom", "bedroom", "garden", "hallway", "kitchen", "office"}
    assert 10 <= most <= 13
