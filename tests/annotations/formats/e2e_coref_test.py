import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.formats import FORMATS, read_e2e_coref
from tests.annotations.texts import annotated_texts
from tests.json_lines import write_lines

STORY = {
    "doc_key": "nw/a_0",
    "sentences": [["Mary", "took", "the", "milk", "."], ["She", "drank", "it", "."]],
}

CLUSTERS = [[[0, 0], [5, 5]], [[2, 3], [7, 7]]]

READ = AnnotatedText(
    "Mary took the milk . She drank it .".split(),
    [(0, 5), (5, 9)],
    [[(0, 1), (5, 6)], [(2, 4), (7, 8)]],
    id="nw/a_0",
)


def read(folder, *documents, name="a.jsonlines"):
    return list(read_e2e_coref(str(write_lines(folder / name, documents))))


def test_a_line_is_a_document_whose_mentions_include_their_last_token(tmp_path):
    tokens = {"tokens": READ.tokens, "clusters": CLUSTERS}
    predicted = {**STORY, "clusters": [], "predicted_clusters": CLUSTERS}
    assert read(tmp_path, {**STORY, "clusters": CLUSTERS}, predicted) == [READ, READ]
    assert read(tmp_path, tokens) == [AnnotatedText(READ.tokens, clusters=READ.clusters, id="a.jsonlines:1")]
    assert FORMATS["e2e_coref"].list_files(str(tmp_path)) == [str(tmp_path / "a.jsonlines")]


def test_mentions_of_fastcoref_are_characters(tmp_path):
    text = "We are so happy to see you using our coref package. This package is very fast!"
    strings = [["We", "our"], ["our coref package", "This package"]]
    clusters = [
        [[text.index(string), text.index(string) + len(string)] for string in cluster] for cluster in strings
    ]
    (found,) = read(tmp_path, {"text": text, "clusters": clusters, "clusters_strings": strings})
    words = [[" ".join(found.tokens[start:stop]) for start, stop in cluster] for cluster in found.clusters]
    assert words == strings and found.text == text


@settings(derandomize=True, deadline=None, max_examples=60)
@given(text=annotated_texts().filter(lambda text: all(text.tokens)))
def test_what_is_written_is_read(text, tmp_path_factory):
    sentences = [text.tokens[start:stop] for start, stop in text.sentences]
    clusters = [[[start, stop - 1] for start, stop in cluster] for cluster in text.clusters]
    document = {"doc_key": "x", "sentences": sentences, "clusters": clusters}
    (found,) = read(tmp_path_factory.getbasetemp(), document)
    expected = [sorted(set(cluster)) for cluster in text.clusters if cluster]
    assert (found.tokens, found.sentences) == (text.tokens, text.sentences)
    assert (found.clusters, found.id) == (expected, "x")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"clusters": [[[0, 9]]]}, r"found 9 at clusters\[0\]\[0\]\[1\], expected an integer, 0 to 8"),
        ({"clusters": [[[3, 2]]]}, r"found \[3, 2\] at clusters.*, expected \[first, last\] with 0 <= first"),
        ({"clusters": 5}, "found 5 at clusters, expected a list"),
        ({"subtoken_map": [0, 0, 1]}, "found .*, expected words, not pieces of words"),
        ({"sentences": [["a", 5]]}, r"found 5 at sentences\[0\]\[1\], expected a string"),
        ({"sentences": None}, "found .*, expected an object with the key 'text'"),
        ({"sentences": None, "text": "a  b", "clusters": [[[1, 2]]]}, r"found \[1, 2\] at .*, expected char"),
    ],
)
def test_what_is_malformed_costs_itself(tmp_path, change, message):
    with pytest.raises(ConfigurationError, match=f"a.jsonlines, object 2: {message}"):
        read(tmp_path, STORY, {**STORY, **change})
    found = list(FORMATS["e2e_coref"].items(str(tmp_path / "a.jsonlines")))
    assert sum(isinstance(item, ConfigurationError) for item in found) == 1
