import logging
import pickle
import re

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations import AnnotatedText, Document, Frame, write_documents
from allennlp_coref_rc.annotations.annotators import Annotator, annotate_documents
from allennlp_coref_rc.annotations.formats import FORMATS
from tests.shared import LITBANK, PROJECT, needs_litbank

FIXTURES = PROJECT / "tests" / "fixtures" / "formats"
STORY = "Mary 's aunt left . She was tired , and so was John - Paul . The old man and the young man slept .".split()


def precomputed(path, format, **options):
    return Annotator.from_params(
        Params({"type": "precomputed", "path": str(path), "format": format, **options})
    )


def write(folder, *texts):
    path = folder / "a.jsonl"
    write_documents(str(path), map(Document, texts))
    return path


BRAT = [[(0, 1), (14, 15), (20, 23)], [(0, 3), (5, 6)], [(7, 8), (23, 24)]]
AUNT = [[(0, 1), (9, 10)], [(2, 3), (13, 14)]]


@pytest.mark.parametrize(
    "path, id, text, clusters",
    [
        ("brat", "story", " ".join(STORY), BRAT),
        ("corenlp", "passage-1", "Mary ( my aunt ) couldn't sleep . \" She's ill , \" I said .", AUNT),
        ("corenlp/*.json", None, "Mary ( my aunt ) couldn't sleep . “ She's ill , ” I said .", AUNT),
        ("dassa.jsonl", "d1", "Mary left because she was tired . John didn't sleep .", [[(0, 1), (3, 4)]]),
        ("dassa.jsonl", "d1", "Who left ?", []),
        ("conll_2016", "made_0001", "Mary left because she was ill . But John stayed . He slept .", []),
    ],
)
def test_every_format_is_found_and_aligned(path, id, text, clusters):
    text, format = AnnotatedText(text.split(), id=id), re.split(r"[./]", path)[0]
    found = precomputed(FIXTURES / path, format).annotate(text)
    sizes = {"dassa": (3, 2) if clusters else (1, 0), "conll_2016": (0, 4)}.get(format, (0, 0))
    assert (found.clusters, (len(found.frames), len(found.relations))) == (clusters, sizes)
    assert (found.tokens, found.sentences, found.id) == (text.tokens, text.sentences, id)


def test_a_file_of_each_package_format_is_read(tmp_path):
    text = AnnotatedText(["a", "b"], clusters=[[(0, 1), (1, 2)]], frames=[Frame((0, 1))], id="x")
    bare = AnnotatedText(["ab"], id="x")
    expected = AnnotatedText(["ab"], clusters=[[(0, 1)]], frames=[Frame((0, 1))], id="x")
    path = write(tmp_path, text)
    assert precomputed(path, "annotated").annotate(bare) == expected
    write_documents(str(path), [Document(text)])
    assert precomputed(tmp_path, "annotated").annotate(bare) == expected


def test_what_a_text_has_stays(tmp_path):
    path = write(tmp_path, AnnotatedText(["a", "b", "a"], [(0, 1), (1, 3)], clusters=[[(0, 1), (2, 3)]]))
    text = AnnotatedText(["a", "b", "a"], clusters=[[(1, 2)]])
    assert precomputed(path, "annotated").annotate(text).clusters == [[(1, 2)], [(0, 1), (2, 3)]]
    assert precomputed(path, "annotated", sentences=True).annotate(text).sentences == [(0, 1), (1, 3)]
    assert text == AnnotatedText(["a", "b", "a"], clusters=[[(1, 2)]])


def test_the_id_decides_between_texts_of_the_same_characters(tmp_path):
    texts = [AnnotatedText(["a", "a"], clusters=[[(i, i + 1)]], id=str(i)) for i in range(2)]
    annotator = precomputed(write(tmp_path, *texts), "annotated")
    for i in range(2):
        assert annotator.annotate(AnnotatedText(["a", "a"], id=str(i))).clusters == [[(i, i + 1)]]
    assert annotator.annotate(AnnotatedText(["aa"])).clusters == [[(0, 1)]]


def test_case_and_endings_may_be_let_pass(tmp_path):
    path = write(tmp_path, AnnotatedText(["mary", "left"], clusters=[[(0, 1)]], id="x"))
    passage, question = AnnotatedText(["Mary", "left"]), AnnotatedText(["Who", "?"])
    document = Document.of(passage, question, id="x")
    with pytest.raises(ConfigurationError, match="a.jsonl, the text 'x': .*'mary left' .* 'Mary left"):
        annotate_documents([document], precomputed(path, "annotated"))[0]
    with pytest.raises(ConfigurationError, match="the end of the annotation, .*token 2, 'Who .'"):
        annotate_documents([document], precomputed(path, "annotated", ignore_case=True))[0]
    annotator = precomputed(path, "annotated", ignore_case=True, beginning=True)
    assert annotate_documents([document], annotator)[0].text.clusters == [[(0, 1)]]


def test_missing_texts_are_an_error_unless_ignored(tmp_path, caplog):
    path = write(tmp_path, AnnotatedText(["a"], id="x"))
    text = AnnotatedText(["b"], id="y")
    with pytest.raises(ConfigurationError, match='text .y. .* set missing to "ignore"'):
        precomputed(path, "annotated").annotate(text)
    with pytest.raises(ConfigurationError, match="found no annotation of a text without an id"):
        precomputed(path, "annotated").annotate(AnnotatedText(["b"]))
    with caplog.at_level(logging.INFO):
        assert precomputed(path, "annotated", missing="ignore").annotate(text) is text
    assert "found no annotation of the text 'y'" in caplog.text


def test_passages_may_be_annotated_without_their_questions(tmp_path):
    path = write(tmp_path, AnnotatedText(["Mary", "left"], clusters=[[(0, 1)]], id="x"))
    parts = AnnotatedText(["Mary", "left"]), AnnotatedText(["Who", "?"])
    document = Document.of(*parts, id="x")
    with pytest.raises(ConfigurationError, match="found no annotation of the text 'x##000'"):
        annotate_documents([document], precomputed(path, "annotated"), together=False)
    (found,) = annotate_documents(
        [document], precomputed(path, "annotated", missing="ignore"), together=False
    )
    assert (found.text.clusters, found.text.id) == ([[(0, 1)]], "x")


def test_files_are_read_once_by_each_process(tmp_path):
    path = write(
        tmp_path, *(AnnotatedText([f"w{i}"] * 100, clusters=[[(0, 1)]], id=str(i)) for i in range(20))
    )
    annotator = precomputed(path, "annotated")
    size = len(pickle.dumps(annotator))
    texts = [AnnotatedText([f"w{i}"] * 100, id=str(i)) for i in range(20)]
    found = annotator.annotate_batch(texts)
    assert len(pickle.dumps(annotator)) == size < 1000
    other = pickle.loads(pickle.dumps(annotator))
    path.rename(tmp_path / "b.jsonl")
    assert annotator.annotate_batch(texts) == found
    with pytest.raises(ConfigurationError, match="a.jsonl'?: no such file"):
        other.annotate(texts[0])


def test_malformed_files_are_named(tmp_path):
    text = AnnotatedText(["a"], id="x")
    path = write(tmp_path, text)
    good = path.read_text()
    path.write_text(good + "{")
    annotator = precomputed(path, "annotated")
    with pytest.raises(ConfigurationError, match="a.jsonl, line 3: found 2 documents, the header says 1"):
        annotator.annotate(text)
    path.write_text(good)
    assert pickle.loads(pickle.dumps(annotator)).annotate(text) == text


def test_conll_2012_is_found_by_its_parts(tmp_path):
    rows = [("Mary", "(0)"), ("saw", "-"), ("herself", "(0)")]
    lines = [f"d 1 {i} {word} - - - - - - * {mention}" for i, (word, mention) in enumerate(rows)]
    (tmp_path / "d.v4_gold_conll").write_text(
        "\n".join(["#begin document (d); part 001", *lines, "", "#end document\n"])
    )
    text = AnnotatedText(["Mary", "saw", "her", "self"], id="d_1")
    assert precomputed(tmp_path, "conll_2012").annotate(text).clusters == [[(0, 1), (2, 4)]]


@needs_litbank
def test_litbank_is_found_by_the_text_alone():
    annotator = precomputed(LITBANK / "*heart_of_darkness_brat.conll", "conll_2012")
    (text,) = FORMATS["conll_2012"].read(str(next(LITBANK.glob("*heart_of_darkness_brat.conll"))))
    words = " ".join(text.tokens).replace(" ,", ",").replace(" .", ".").split()
    found = annotator.annotate(AnnotatedText(words))
    assert len(words) < len(text) and len(found.clusters) == len(text.clusters)
    assert precomputed(LITBANK, "conll_2012").annotate(AnnotatedText(text.tokens)).clusters == text.clusters
