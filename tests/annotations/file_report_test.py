import json

from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import (
    AnnotatedText,
    DiscourseRelation,
    Document,
    Edge,
    Frame,
    write_documents,
)
from allennlp_coref_rc.annotations.file_report import report_on_file
from tests.annotations.texts import annotated_texts


def lines(path):
    return list(report_on_file(str(path)).lines())


def test_statistics_of_a_file(tmp_path):
    path = tmp_path / "a.jsonl"
    relation = DiscourseRelation("Implicit", "s", [(0, 1)], [(1, 2)])
    texts = [
        AnnotatedText(list("abcd"), [(0, 2), (2, 4)], [[(0, 1), (2, 3)], [(1, 2), (3, 4)]], id="1"),
        AnnotatedText(list("ab"), frames=[Frame((0, 1))], relations=[relation, relation], id="2"),
        AnnotatedText(list("ab"), id="3", edges=[Edge("is", (0, 1), (1, 2))]),
        AnnotatedText(list("ab"), relations=[DiscourseRelation("EntRel", "s", [(0, 1)], [(1, 2)])]),
    ]
    write_documents(str(path), map(Document, texts))
    assert lines(path) == [
        str(path),
        "  documents                          4",
        "  tokens                            10         2.5 a document",
        "  sentences                          5         1.2 a document",
        "  clusters                           2         0.5 a document",
        "  mentions                           4         1.0 a document",
        "  frames                             1         0.2 a document",
        "  relations                          3         0.8 a document",
        "    EntRel                           1",
        "    Implicit                         2",
        "  edges                              1         0.2 a document",
        "  documents with no clusters         3       75.0%",
        "  documents with no frames           3       75.0%",
        "  documents with no relations        2       50.0%",
        "  documents with no edges            3       75.0%",
        "  warning: 3 of 4 documents have no clusters",
        "  warning: 3 of 4 documents have no frames",
        "  warning: 2 of 4 documents have no relations",
        "  warning: 3 of 4 documents have no edges",
        "  0 errors",
    ]


def test_oddities_are_warnings(tmp_path):
    path = tmp_path / "a.jsonl"
    clusters = [[(0, 1), (2, 3), (0, 1)], [], [(3, 4)], [(1, 2), (2, 3)]]
    one = AnnotatedText(list("abcd"), clusters=clusters, id="x")
    two = AnnotatedText(list("ab"), relations=[DiscourseRelation("EntRel", "", [(0, 1)], [])], id="x")
    texts = [one, two, *[AnnotatedText(["a"], clusters=[[]])] * 5]
    write_documents(str(path), map(Document, texts))
    report = report_on_file(str(path))
    assert report.num_errors == 0
    assert report.places == {
        "a mention twice in a cluster": ["line 2, [0, 1) in cluster 0"],
        "a cluster without mentions": ["line 2, cluster 1", "line 4, cluster 0", "line 5, cluster 0"],
        "a cluster of one mention": ["line 2, cluster 2"],
        "a mention in two clusters": ["line 2, [2, 3) in clusters 0 and 3"],
        "a relation without an argument": ["line 3, relation 0"],
        "two documents with the same id": ["line 3, 'x'"],
    }
    named = "line 2, cluster 1; line 4, cluster 0; line 5, cluster 0; …"
    assert f"  warning: a cluster without mentions, 6 times: {named}" in lines(path)
    assert "  warning: two documents with the same id, 1 time: line 3, 'x'" in lines(path)


def test_every_malformed_line_is_an_error(tmp_path):
    path = tmp_path / "a.jsonl"
    good = '{"tokens": ["a", "b"]}'
    frames = '[{"predicate": [0, 2], "arguments": []}]'
    bad = ["{", "[]", '{"tokens": ["a"], "parts": [2]}', f'{{"tokens": ["a"], "frames": {frames}}}']
    header = {"annotated_documents": 1, "documents": 3, "counts": {"tokens": 4, "clusters": 1}}
    path.write_text("\n".join([json.dumps(header), good, *bad, good]) + "\n")
    report = report_on_file(str(path))
    assert report.counts["documents"] == 2 and report.num_errors == 6
    for error, number in zip(report.errors, (3, 4, 5, 6)):
        assert error.startswith(f"{path}, line {number}: ")
    assert report.errors[4:] == [
        f"{path}, line 7: found 6 documents, the header says 3",
        f"{path}: found 0 clusters, the header says 1",
    ]
    path.write_text(f"{good}\n" * 3)
    expected = [
        f'{path}, line 1: found no header, expected an object with the key "annotated_documents"; '
        f"coref-rc annotate {path} OUTPUT --annotator sieve_coref annotates texts"
    ]
    assert report_on_file(str(path)).errors == expected
    path.write_text("")
    assert report_on_file(str(path)).errors[0].startswith(f"{path}, line 1: found no header")
    assert report_on_file(str(tmp_path / "none")).errors == [f"{tmp_path / 'none'}: no such file"]
    path.write_text(json.dumps({"annotated_documents": 1}) + "\n" + "{}\n" * 100)
    assert lines(path)[-1] == "  100 errors, of which 30 are shown"


def test_nothing_annotated_is_said_loudly(tmp_path):
    path = tmp_path / "a.jsonl"
    write_documents(str(path), [Document(AnnotatedText(["a"]))] * 2)
    expected = "  WARNING: NOTHING IS ANNOTATED: none of 2 documents has a cluster, frame, relation or edge"
    assert expected in lines(path)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(texts=st.lists(annotated_texts(), max_size=3))
def test_whatever_is_written_is_without_errors(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("check") / "a.jsonl.gz"
    write_documents(str(path), map(Document, texts))
    report = report_on_file(str(path))
    assert report.num_errors == 0 and report.counts["documents"] == len(texts)
    assert report.counts["mentions"] == sum(len(cluster) for text in texts for cluster in text.clusters)
    assert list(report.lines())
