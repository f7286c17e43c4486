import re
import xml.etree.ElementTree as ElementTree
from contextlib import nullcontext
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from allennlp_coref_rc.annotations.annotators import Annotator, ExactMatchCoref
from allennlp_coref_rc.data.annotation_layers import CorefEdges
from allennlp_coref_rc.data.dataset_readers.annotated_who_did_what import (
    AnnotatedWhoDidWhatReader,
    WhoDidWhatQuestion,
    read_who_did_what,
)
from tests.data.dataset_readers.reader_assertions import left_out, metadata, refusal, tokens, write
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures" / "who_did_what"
TRAIN = str(FIXTURES / "Strict" / "train.xml")

GOOD = """<?xml version="1.0" encoding="UTF-8"?>
<ROOT>
<mc>
 <question id="NYT_1">
  <leftcontext>
   Then
  </leftcontext>
  <leftblank>
   Colonel Zyx
  </leftblank>
  <blank type="PERSON">Quuxley</blank><rightblank>of Wugland</rightblank>
  <rightcontext>left .</rightcontext>
 </question>
 <contextart id="APW_1">Bob Roe met Ann Lee-Poe.
  Ann&nbsp;left&#33;</contextart>
 <choice idx="0" correct="false">Bob Roe</choice>
 <choice idx="1" correct="true">
  Ann Lee-Poe
 </choice>
</mc>
</ROOT>
"""


def reader(**options):
    layers = {"coref": CorefEdges()}
    options = {"annotator": ExactMatchCoref(), "annotation_layers": layers, **options}
    return AnnotatedWhoDidWhatReader(**options)


def first(path, **options):
    return next(iter(reader(**options).read(path)))


class TestReadWhoDidWhat:
    def test_questions_of_a_file(self, tmp_path):
        assert list(read_who_did_what(write(tmp_path / "val.xml", GOOD))) == [
            WhoDidWhatQuestion(
                left="Then",
                right="left .",
                passage="Bob Roe met Ann Lee-Poe.\n  Ann\xa0left!",
                choices=["Bob Roe", "Ann Lee-Poe"],
                correct=1,
                question_id="NYT_1",
                passage_id="APW_1",
                line=3,
            )
        ]

    @pytest.mark.parametrize("file, count", [("Strict/train.xml", 12), ("Relaxed/train.xml", 16)])
    def test_fixtures_are_what_another_parser_reads(self, file, count):
        path = FIXTURES / file
        text = path.read_text()
        assert "&nbsp;" in text and "&mdash;" in text
        for name, character in (("nbsp", "\xa0"), ("mdash", "—"), ("ndash", "–")):
            text = text.replace(f"&{name};", character)
        lines = [text[: match.start()].count("\n") + 1 for match in re.finditer("<mc>", text)]
        questions = list(read_who_did_what(str(path)))
        elements = ElementTree.fromstring(text.encode()).findall("mc")
        assert len(questions) == len(elements) == len(lines) == count
        assert {len(question.choices) for question in questions} == {2, 3, 4, 5}
        for question, element, line in zip(questions, elements, lines):
            assert question.line == line
            parts = ("question/leftcontext", "question/rightcontext", "contextart")
            assert list(question[:3]) == [(element.find(part).text or "").strip() for part in parts]
            choices = element.findall("choice")
            assert question.choices == [choice.text.strip() for choice in choices]
            assert [choice.get("correct") for choice in choices].index("true") == question.correct
            assert question.question_id == element.find("question").get("id")
            assert question.passage_id == element.find("contextart").get("id")
        assert any(not question.left for question in questions)

    @pytest.mark.parametrize(
        "written, meant",
        [
            ("AT&amp;T &lt;b&gt; &quot;&apos;", "AT&T <b> \"'"),
            ("&nbsp;&eacute;&rsquo;&hellip;&AMP;&LT;&Tab;&NewLine;", "\xa0é’…&<\t\n"),
            ("&amp;nbsp; &#233; &#xe9;", "&nbsp; é é"),
            ("<![CDATA[a < b]]> <!-- no --> c", "a < b  c"),
            ("&NotEqualTilde;", "≂̸"),
        ],
    )
    def test_entities(self, tmp_path, written, meant):
        content = GOOD.replace("Bob Roe met", f"x{written}x")
        (question,) = read_who_did_what(write(tmp_path / "a.xml", content))
        assert question.passage.startswith(f"x{meant}x Ann Lee-Poe.")

    def test_an_entity_that_stands_for_a_line_end_does_not_move_the_lines_below(self, tmp_path):
        path = write(tmp_path / "a.xml", GOOD.replace("Bob Roe met", "&NewLine;") + "<")
        assert f"{path}, line 22: found " in refusal(lambda: list(read_who_did_what(path)))

    def test_one_line_and_line_ends_of_windows(self, tmp_path):
        whole = list(read_who_did_what(TRAIN))
        path = tmp_path / "a.xml"
        path.write_bytes(Path(TRAIN).read_bytes().replace(b"\n", b"\r\n"))
        assert list(read_who_did_what(str(path))) == whole
        path.write_text(Path(TRAIN).read_text().replace("\n", " "))
        on_one_line = [question._replace(line=1) for question in whole]
        assert list(read_who_did_what(str(path))) == on_one_line

    def test_questions_come_before_the_file_is_read_to_its_end(self, tmp_path):
        path = write(tmp_path / "a.xml", GOOD.replace("</ROOT>", "<mc>\n<oops>"))
        questions = read_who_did_what(path)
        assert next(questions).passage_id == "APW_1"
        with pytest.raises(ConfigurationError):
            next(questions)


def edited(old, new):
    assert GOOD.count(old) >= 1
    return GOOD.replace(old, new, 1)


PASSAGE = re.compile("(<contextart[^>]*>).*</contextart>", re.DOTALL)

MALFORMED = [
    ("", 1, "no element found"),
    (edited("&nbsp;", "&foo;"), 15, "undefined entity"),
    (edited("<blank ", "<gap/><blank "), 11, "<gap> in <question>, expected <leftcontext> or <leftblank>"),
    (edited("Bob Roe met", "<b>Bob</b>"), 14, "<b> in <contextart>, expected text"),
    (edited(" <choice", " oops <choice"), 16, "the text 'oops' in <mc>, expected elements only"),
    (edited(" <choice", '<contextart id="1"/> <choice'), 16, "a second <contextart>"),
    (PASSAGE.sub("", GOOD), 19, "the end of"),
    (PASSAGE.sub(r"\1 </contextart>", GOOD), 19, "an empty"),
    (edited(">Bob Roe</choice>", ">\n</choice>"), 17, "an empty <choice>"),
    (edited('"true"', '"false"'), 20, "0 correct choices"),
    (edited('"true"', '"yes"'), 17, 'correct="yes"'),
    # Of entities that grow, and of files.
    (edited("<ROOT>", '<!DOCTYPE ROOT [<!ENTITY a "&b;&b;">]>\n<ROOT>'), 2, "a document type declaration"),
    ("<ROOT><mc>" + "<question>" * 1_000_000, 1, "<question> in <question>, expected <leftcontext>"),
]
"""Files, the malformed line and what is found in it."""


class TestMalformedFiles:
    @pytest.mark.parametrize("content, line, found", MALFORMED, ids=[found for _, _, found in MALFORMED])
    def test_content(self, tmp_path, content, line, found):
        path = write(tmp_path / "train.xml", content)
        message = refusal(lambda: list(reader().read(path)))
        assert message.startswith(f"{path}, line {line}: found {found}"), message
        assert "expected" in message and len(message) < len(path) + 250

    def test_a_malformed_question_costs_itself_alone(self, tmp_path):
        question = GOOD[GOOD.index("<mc>") : GOOD.index("</ROOT>")]
        odd = question.replace(">Bob Roe</choice>", "> </choice>").replace('"true"', '"maybe"')
        path = write(tmp_path / "train.xml", GOOD.replace("</ROOT>", odd + question + "</ROOT>"))
        assert len(list(reader().read(path))) == 2
        assert left_out(reader(), path).startswith(f"{path}, line 34: found an empty <choice>")


class Recorder(Annotator):
    """Keeps what it was shown."""

    def __init__(self):
        self.texts = []

    def annotate(self, text):
        self.texts.append(text)
        return text


class TestAnnotatedWhoDidWhatReader:
    def test_tokens_annotations_and_metadata(self, tmp_path):
        instance = first(write(tmp_path / "val.xml", GOOD))
        passage = "Bob Roe met Ann Lee - Poe . Ann left !".split()
        question = "@begin Then @placeholder left . @end".split()
        assert tokens(instance["passage"]) == passage
        assert tokens(instance["question"]) == question
        # Of the name's parts Ann stands once more, but alone.
        places = [[0, 0], [0, 1], *([1, place] for place in range(3, 7))]
        assert instance["candidates"].human_readable_repr() == places
        assert instance["answer"].label == 1
        assert instance["passage_annotations"].layers["coref"]["antecedents"][8] == [3]
        assert instance["metadata"].metadata == {
            "id": "NYT_1:3",
            "passage_tokens": passage,
            "question_tokens": question,
            "clusters": [[(3, 4), (8, 9)]],
            "answer": "Ann Lee-Poe",
            "candidates": ["Bob Roe", "Ann Lee-Poe"],
            "passage_id": "APW_1",
        }

    def test_the_removed_name_leaks_nowhere(self, tmp_path):
        removed = re.compile("zyx|quux|wug|colonel", re.IGNORECASE)
        path = write(tmp_path / "a.xml", GOOD)
        assert removed.search(Path(path).read_text())
        recorder = Recorder()
        made = reader(annotator=recorder)
        (instance,) = made.read(path)
        ((_, item),) = made.read_items(path, path)
        known_words = list(Vocabulary.from_instances([instance])._token_to_index.items())
        values = instance["metadata"].metadata
        shown = [item, made.to_document(item).to_json(), recorder.texts, instance.fields, values, known_words]
        for what in shown:
            assert not removed.search(repr(what)) and not removed.search(str(what))
        for file in FIXTURES.rglob("*.xml"):
            assert not re.search("Removed|Leftblank", repr(metadata(reader().read(str(file)))))

    def test_bag_of_tokens(self, tmp_path):
        path = write(tmp_path / "a.xml", GOOD.replace("met Ann Lee-Poe", "met poe , Lee"))
        with pytest.raises(
            ConfigurationError, match="1 of 1 questions are skipped: the answer is not in the"
        ):
            first(path)
        instance = first(path, bag_of_tokens=True)
        found = {tuple(pair) for pair in instance["candidates"].human_readable_repr()}
        assert tokens(instance["passage"])[:9] == "Bob Roe met poe , Lee . Ann left".split()
        assert found == {(0, 0), (0, 1), (1, 3), (1, 5), (1, 7)}
        assert instance["answer"].label == 1

    def test_names_are_found_wherever_they_are_whole(self, tmp_path):
        whole = ["Ann Lee-Poe", "Ann Lee-Poe left", "He met ANN LEE-Poe"]
        for passage in (*whole, "Ann Lee", "Poe, Ann Lee-", "Ann Lee Ann - Poe"):
            path = write(tmp_path / "a.xml", PASSAGE.sub(rf"\1{passage}</contextart>", GOOD))
            refusal = pytest.raises(ConfigurationError, match="1 of 1 questions are skipped")
            with nullcontext() if passage in whole else refusal:
                first(path)

    def test_unlabelled_files(self, tmp_path):
        path = write(tmp_path / "a.xml", re.sub(' correct="[a-z]*"', "", GOOD))
        (question,) = read_who_did_what(path)
        assert question.correct is None
        instance = first(path)
        assert "answer" not in instance.fields and instance["metadata"].metadata["answer"] is None

    def test_empty_contexts(self):
        questions = [data["question_tokens"] for data in metadata(reader(wrap_question=False).read(TRAIN))]
        assert ["@placeholder"] in questions
        assert any(question[0] == "@placeholder" and len(question) > 1 for question in questions)
        assert all(question.count("@placeholder") == 1 for question in questions)

    def test_unlabelled_input(self):
        made = reader()
        instance = made.text_to_instance(
            "Ann Lee met Bob.", "Then @placeholder's dog left.", ["Bob", ["ann", "lee"]]
        )
        assert "answer" not in instance.fields
        assert tokens(instance["question"]) == "@begin Then @placeholder 's dog left . @end".split()
        assert instance["candidates"].human_readable_repr() == [[0, 3], [1, 0], [1, 1]]
