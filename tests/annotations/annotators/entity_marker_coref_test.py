import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Annotator, EntityMarkerCoref

NEWS = (
    "@entity1 met @entity10 in @entity2 . @entity10 thanked @entity1 , said @entity1 's @placeholder".split()
)


def test_the_same_marker_is_one_cluster_and_others_are_none():
    text = AnnotatedText(NEWS, clusters=[[(2, 3)]], id="a")
    annotated = EntityMarkerCoref().annotate(text)
    expected = AnnotatedText(NEWS, clusters=[[(2, 3)], [(0, 1), (8, 9), (11, 12)], [(2, 3), (6, 7)]], id="a")
    assert annotated == expected
    assert text.clusters == [[(2, 3)]]


def test_the_number_of_mentions_and_of_clusters_is_configurable():
    text = AnnotatedText(NEWS)
    once = EntityMarkerCoref(min_mentions=1).annotate(text).clusters
    assert once == [[(0, 1), (8, 9), (11, 12)], [(2, 3), (6, 7)], [(4, 5)]]
    assert EntityMarkerCoref(max_clusters=1).annotate(text).clusters == [[(0, 1), (8, 9), (11, 12)]]
    assert EntityMarkerCoref(max_clusters=0).annotate(text).clusters == []


def test_only_whole_tokens_are_markers_and_the_pattern_is_configurable():
    text = AnnotatedText("@entity1s @entity1s ent_1 x ent_1 @entity1 (@entity1) @entity".split())
    assert EntityMarkerCoref().annotate(text).clusters == []
    annotator = Annotator.from_params(Params({"type": "entity_marker_coref", "pattern": "ent_\\d"}))
    assert annotator.annotate(text).clusters == [[(2, 3), (4, 5)]]
    assert annotator.annotate(AnnotatedText([])).clusters == []


@pytest.mark.parametrize(
    "annotator, option, value, expected",
    [
        ("entity_marker_coref", "min_mentions", 0, "1 or more"),
        ("entity_marker_coref", "max_clusters", -1, "0 or more"),
        ("entity_marker_coref", "pattern", "(", "a regular expression"),
        ("exact_match_coref", "min_mentions", 0, "1 or more"),
        ("exact_match_coref", "max_clusters", -1, "0 or more"),
        ("sieve_coref", "max_clusters", -1, "0 or more"),
        ("coref", "max_clusters", -1, "0 or more"),
        ("coref", "guideline", "ace", "one of ontonotes, litbank"),
        *(
            ("corrupted_coref", key, share, "0 to 1")
            for key in ("remove_mentions", "replace_mentions")
            for share in (-0.1, 1.5, float("nan"))
        ),
    ],
)
def test_bad_options_are_refused(annotator, option, value, expected):
    with pytest.raises(ConfigurationError) as error:
        Annotator.from_params(Params({"type": annotator, option: value}))
    assert f"{option} is {value!r}, expected {expected}" in str(error.value)
