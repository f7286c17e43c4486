import re

from allennlp_coref_rc.annotations import (
    AnnotatedText,
    DiscourseRelation,
    Document,
    Edge,
    Frame,
    read_documents,
)
from allennlp_coref_rc.annotations.file_report import report_on_file
from allennlp_coref_rc.annotations.layers import Link
from tests.shared import PROJECT

PAGE = (PROJECT / "docs" / "annotated_documents.md").read_text()


def test_the_example_of_the_format_is_a_file_without_errors(tmp_path):
    example, own = re.findall(r"```jsonl\n(.*?)```", PAGE, flags=re.DOTALL)
    path = tmp_path / "example.jsonl"
    path.write_text(example)
    report = report_on_file(str(path))
    assert report.errors == [] and dict(report.warnings) == {"a cluster of one mention": 1}
    (_, first), (_, second) = read_documents(str(path))
    assert first.text.frames == [Frame((1, 2), [("ARG1", (0, 1)), ("ARG2", (2, 5))])]
    expected = [DiscourseRelation("Explicit", "Comparison.Contrast", [(0, 5)], [(7, 9)], [(6, 7)])]
    assert first.text.relations == expected
    assert first.text.edges == [Edge("went_to", (0, 1), (3, 5))]
    assert second == Document(AnnotatedText("Bill saw a film . He slept .".split()))
    path.write_text(own)
    assert report_on_file(str(path)).errors == []
    ((_, document),) = read_documents(str(path))
    assert document.text.edges == [Edge("went_to", (0, 1), (2, 3))] and document.part(1) == (4, 8)


def test_every_key_of_a_document_is_explained():
    edges, links = [Edge("is", (0, 1), (0, 1))], [Link((0, 1), (0, 1), 1.0)]
    for key in Document(AnnotatedText(["a"], edges=edges, links=links, id="1").located("a")).to_json():
        assert re.search(rf"^\| `{key}` \|", PAGE, flags=re.MULTILINE), key
