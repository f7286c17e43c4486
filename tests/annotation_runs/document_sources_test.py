import gzip
import json

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotation_runs.document_sources import document_source
from allennlp_coref_rc.annotations import AnnotatedText, Document, write_documents
from tests.json_lines import write_lines
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures" / "babi"


def documents(path, reader=None):
    source = document_source(str(path), reader)
    return [source.to_document(item) for _, item in source.items()]


def test_plain_text_is_a_document_a_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Mary didn't go. She slept.\n\n  \nBill left\n")
    assert documents(path) == [
        Document(
            AnnotatedText(
                "Mary did n't go . She slept .".split(),
                [(0, 5), (5, 8)],
                id="a.txt:1",
                text="Mary didn't go. She slept.",
                offsets=[(0, 4), (5, 8), (8, 11), (12, 14), (14, 15), (16, 19), (20, 25), (25, 26)],
            )
        ),
        Document(AnnotatedText(["Bill", "left"], id="a.txt:4", text="Bill left", offsets=[(0, 4), (5, 9)])),
    ]
    packed = tmp_path / "a.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    found = [document.text.tokens for document in documents(packed)]
    assert found == [d.text.tokens for d in documents(path)]


def test_text_files_are_a_document_each(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "z.txt").write_text("Mary left.\n\nShe slept.")
    (tmp_path / "b" / "a.txt.gz").write_bytes(gzip.compress(b"Bill"))
    (tmp_path / "b" / "a.md").write_text("nothing")
    found = [(document.text.id, document.text.tokens) for document in documents(tmp_path)]
    assert found == [("b/a.txt.gz", ["Bill"]), ("z.txt", "Mary left . She slept .".split())]
    assert [document.text.tokens[0] for document in documents(tmp_path / "*.txt")] == ["Mary"]
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(b'{"text": "Bill"}'))
    with pytest.raises(ConfigurationError, match="c.jsonl.gz: found JSON, expected plain text"):
        documents(tmp_path / "*")


def test_jsonl_holds_texts_or_tokens(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [
        {"text": "Mary left.", "id": 7, "title": "One"},
        {"text": "Bill", "id": None},
        {"tokens": ["Ann", ".", "Bob"], "clusters": [[[0, 1], [2, 3]]], "parts": [2, 1], "data": {"x": 1}},
        {"tokens": ["a", ".", "b"], "sentences": [[0, 3]], "id": "t"},
        {"tokens": ["a", "b"], "text": "a\n\nb", "offsets": [[0, 1], [3, 4]], "id": "u"},
    ]
    write_lines(path, lines)
    assert documents(path) == [
        Document(
            AnnotatedText(
                ["Mary", "left", "."], id="7", text="Mary left.", offsets=[(0, 4), (5, 9), (9, 10)]
            ),
            data={"title": "One"},
        ),
        Document(AnnotatedText(["Bill"], id="a.jsonl:2", text="Bill", offsets=[(0, 4)])),
        Document(
            AnnotatedText(["Ann", ".", "Bob"], [(0, 2), (2, 3)], [[(0, 1), (2, 3)]], id="a.jsonl:3"),
            [2, 1],
            {"x": 1},
        ),
        Document(AnnotatedText(["a", ".", "b"], [(0, 3)], id="t")),
        Document(
            AnnotatedText(["a", "b"], [(0, 1), (1, 2)], text="a\n\nb", offsets=[(0, 1), (3, 4)], id="u")
        ),
    ]


@pytest.mark.parametrize("name", ["a.jsonlines", "a.ndjson", "a.jsonlines.gz", "a", "a.dat", "a.txt"])
def test_json_is_never_text(tmp_path, name):
    path = tmp_path / name
    for content, tokens in (
        ('{"text": "Mary left."}\n', ["Mary", "left", "."]),
        ('\n{"tokens": ["a"]}\n{"x": 1}\n', ["a"]),
    ):
        path.write_bytes(gzip.compress(content.encode()) if name.endswith("gz") else content.encode())
        found = [
            item for _, item in document_source(str(path)).items() if not isinstance(item, ConfigurationError)
        ]
        assert [document_source(str(path)).to_document(item).text.tokens for item in found] == [tokens]


@pytest.mark.parametrize(
    "name, text, is_text",
    [
        ("a.dat", '<?xml version="1.0"?>\n<root/>', False),
        ("a.txt", '<?xml version="1.0"?>', False),
        ("a.xml", "\n<TEI>\n", False),
        ("a", "<!DOCTYPE html>", False),
        ("a.txt", "<unk> left .", True),
        ("a.dat", "< 5 left", True),
        ("a.dat", "[1] He left.", True),
        ("a.dat", "{he} left", True),
    ],
)
def test_xml_is_never_text(tmp_path, name, text, is_text):
    (tmp_path / name).write_text(text)
    for path in (tmp_path / name, tmp_path / "[a]*"):
        if is_text:
            assert len(documents(path)) == 1
        else:
            with pytest.raises(ConfigurationError, match=f"{name}, line 1: found XML, expected plain text"):
                documents(path)


@pytest.mark.parametrize("name", ["a.conllu", "a.v4_gold_conll", "a.ann", "a.csv.gz", "a.tsv"])
def test_annotations_and_tables_are_never_text(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(b"a") if name.endswith("gz") else b"a")
    for path, encoding in ((name, None), (name, "utf-8"), ("a.*", None)):
        with pytest.raises(ConfigurationError, match=f"{name}: found a name of annotations or a table"):
            list(document_source(str(tmp_path / path), encoding=encoding).items())


@pytest.mark.parametrize(
    "values, message",
    [
        ({"doc_key": "a", "sentences": [["Mary"]]}, "expected an object with .*, or also --format"),
        ({"text": "Mary", "clusters": [[[0, 4]]]}, "found clusters of a text without tokens, .* --format"),
        ({"text": "Mary", "frames": []}, "found frames of a text without tokens, expected none"),
        ([{"text": "Mary"}], "line 1: found a list, expected an object on each line"),
    ],
)
def test_clusters_of_other_tools_are_read_with_their_format(tmp_path, values, message):
    path = tmp_path / "a.jsonlines"
    path.write_text(json.dumps(values))
    with pytest.raises(ConfigurationError, match=message):
        documents(path)


def test_annotated_documents_are_kept_with_what_their_header_says(tmp_path):
    path = tmp_path / "a.jsonl"
    document = Document(AnnotatedText(["a", "b"], clusters=[[(0, 1), (1, 2)]]), [1, 1], {"questions": [{}]})
    run = {"config": {}, "together": False}
    header = {"reader": "annotated_babi", "failed": 3, "lost_questions": 2, "annotators": [run]}
    write_documents(str(path), [document], header)
    source = document_source(str(path))
    assert [item for _, item in source.items()] == [document]
    assert source.header() == header and not source.together
    assert document_source(str(path), {"type": "annotated_babi"}).together
    with pytest.raises(ConfigurationError, match="'annotated_babi', expected those of 'annot"):
        document_source(str(path), {"type": "annotated_wikihop"})


def test_a_data_set_gives_what_its_reader_makes():
    config = {"type": "annotated_babi", "task": 2, "folder": str(FIXTURES), "annotate_together": False}
    source = document_source("train", config)
    assert source.header() == {"reader": "annotated_babi", "failed": 0, "lost_questions": 0, "annotators": []}
    assert not source.together
    by_name = documents(FIXTURES / "qa2_train.txt", {"type": "annotated_babi"})
    assert documents("train", config) == by_name
    assert by_name[0].parts[1] and by_name[0].data["questions"][0]["answer"]


@pytest.mark.parametrize(
    "line, message",
    [
        ("[1]", r"line 2: found \[1\], expected an object with 'text' or 'tokens'"),
        ('{"text": "\\ud800"}', "line 2: found half of a surrogate pair"),
        ('{"tokens": ["a"], "clusters": [[[0, 2]]]}', "line 2: mention of cluster 0"),
        ('{"tokens": ["a", 5]}', r"line 2: found 5 at tokens\[1\], expected a string"),
        ('{"text": "a"', "line 2: "),
    ],
)
def test_malformed_lines_are_named(tmp_path, line, message):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n' + line + "\n")
    with pytest.raises(ConfigurationError, match=message):
        documents(path)


def test_what_is_not_there_or_no_reader_of_documents_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="none.txt: no such file"):
        document_source(str(tmp_path / "none.txt"))
    (tmp_path / "a").write_text("a")
    with pytest.raises(ConfigurationError, match="found 'text_classification_json'"):
        document_source(str(tmp_path / "a"), {"type": "text_classification_json"})
    path = tmp_path / "a.jsonl"
    write_documents(str(path), [], {"annotators": "x"})
    with pytest.raises(ConfigurationError, match='line 1: found "x" at annotators, expected a list'):
        document_source(str(path))
