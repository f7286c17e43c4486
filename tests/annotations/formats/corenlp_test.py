import json
from dataclasses import replace
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings

from allennlp_coref_rc.annotations import AnnotatedText, Edge
from allennlp_coref_rc.annotations.formats import FORMATS, read_corenlp
from tests.annotations.texts import annotated_texts
from tests.json_lines import write_lines

FIXTURE = Path(__file__).parents[2] / "fixtures" / "formats" / "corenlp" / "passage-1.txt.json"


def read(tmp_path, *documents, name="a.json"):
    return list(read_corenlp(str(write_lines(tmp_path / name, documents))))


def written(text):
    """What CoreNLP would write about a text. It counts everything from 1, and within the sentence."""
    words = [enumerate(text.tokens[start:stop], start=1) for start, stop in text.sentences]
    sentences = [{"tokens": [{"index": i, "word": token} for i, token in tokens]} for tokens in words]

    def mention(span):
        for number, (start, stop) in enumerate(text.sentences, start=1):
            if start <= span[0] and span[1] <= stop:
                return {"sentNum": number, "startIndex": span[0] - start + 1, "endIndex": span[1] - start + 1}
        return None

    chains = [[found for found in map(mention, cluster) if found] for cluster in text.clusters]
    corefs = {str(i + 1): chain for i, chain in enumerate(chains)}
    return {"docId": "x", "sentences": sentences, "corefs": corefs}


def test_a_file_gives_its_document():
    (text,) = read_corenlp(str(FIXTURE))
    assert replace(text, edges=[]) == AnnotatedText(
        ["Mary", "(", "my", "aunt", ")", "could", "n't", "sleep", "."]
        + ['"', "She", "'s", "ill", ",", '"', "I", "said", "."],
        sentences=[(0, 9), (9, 18)],
        clusters=[[(0, 1), (10, 11)], [(2, 3), (15, 16)]],
        id="passage-1",
    )


def test_dependencies_are_edges_between_the_words_that_the_file_gives_with_them():
    (text,) = read_corenlp(str(FIXTURE))
    sentences = json.loads(FIXTURE.read_text())["sentences"]
    # The fixture has the word of each end beside its number.
    expected = [
        (dependency["dep"], dependency["governorGloss"], dependency["dependentGloss"])
        for sentence in sentences
        for dependency in sentence["basicDependencies"]
        if dependency["dep"] != "ROOT"
    ]
    words = [token["word"] for sentence in sentences for token in sentence["tokens"]]
    found = [(edge.type, *words[slice(*edge.source)], *words[slice(*edge.target)]) for edge in text.edges]
    assert found == expected
    assert text.edges[2:4] == [Edge("nmod:poss", (3, 4), (2, 3)), Edge("appos", (0, 1), (3, 4))]
    assert text.edges[-1] == Edge("punct", (16, 17), (17, 18))


def test_dependencies_of_older_versions_are_read_and_others_are_not_dropped_silently(tmp_path, caplog):
    edges = [{"dep": "ROOT", "governor": 0, "dependent": 2}, {"dep": "nsubj", "governor": 2, "dependent": 1}]
    words = [{"word": "Mary"}, {"word": "took"}]

    def sentence(**dependencies):
        return {"tokens": words, **{key.replace("_", "-"): value for key, value in dependencies.items()}}

    (old,) = read(tmp_path, {"sentences": [sentence(basic_dependencies=edges, collapsed_dependencies=edges)]})
    assert old.edges == [Edge("nsubj", (1, 2), (0, 1))]
    document = {
        "sentences": [sentence(collapsed_dependencies=edges), sentence(basicDependencies=edges), sentence()]
    }
    with pytest.raises(ConfigurationError, match=r"at sentences\[0\].collapsed-dependencies"):
        read(tmp_path, document)
    (text,) = FORMATS["corenlp"].read_all(str(tmp_path / "a.json"))
    assert text.edges == [Edge("nsubj", (3, 4), (2, 3))] and "1 malformed part left out" in caplog.text


def test_a_malformed_part_costs_itself(tmp_path):
    tokens = [{"word": "Mary"}, {"word": "took"}, {"word": "it"}]
    bad = [{"dep": "obj", "governor": 2, "dependent": 9}, {"dep": "nsubj", "governor": 2, "dependent": 1}]
    mentions = [{"sentNum": number, "startIndex": 1, "endIndex": 2} for number in (1, 7)]
    document = {"sentences": [{"tokens": tokens, "basicDependencies": bad}], "corefs": {"1": mentions}}
    path = tmp_path / "a.json"
    path.write_text(
        "\n".join([json.dumps(document), '{"sentences": [{"tok', '{"sentences": 5}', json.dumps(document)])
    )
    found = list(FORMATS["corenlp"].items(str(path)))
    texts = [item for item in found if isinstance(item, AnnotatedText)]
    expected = [([[(0, 1)]], [Edge("nsubj", (1, 2), (0, 1))])] * 2
    assert [(text.clusters, text.edges) for text in texts] == expected
    lines = [
        str(item).removeprefix(f"{path}, object ")[0] for item in found if not isinstance(item, AnnotatedText)
    ]
    assert lines == ["1", "1", "2", "3", "4", "4"]


def test_without_a_name_in_the_file_the_file_names_a_document(tmp_path):
    document = {"sentences": [{"tokens": []}, {"tokens": [{"word": "Hm", "originalText": ""}]}]}
    assert read(tmp_path, document, name="b.txt.json") == [AnnotatedText(["Hm"], id="b")]
    assert read(tmp_path, document, document) == [AnnotatedText(["Hm"])] * 2
    assert [text.id for text in read(tmp_path, {**document, "docId": "7"}, document)] == ["7", None]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(text=annotated_texts().filter(lambda text: all(text.tokens)))
def test_what_is_written_is_read(text, tmp_path_factory):
    (found,) = read(tmp_path_factory.getbasetemp(), written(text))
    within = [
        sorted(span for span in cluster if any(s <= span[0] and span[1] <= e for s, e in text.sentences))
        for cluster in text.clusters
    ]
    expected = AnnotatedText(text.tokens, text.sentences, [cluster for cluster in within if cluster], id="x")
    assert found == expected
