import csv
import json
import logging
import math
import pickle
import shutil
from pathlib import Path

import pytest

from allennlp_coref_rc.annotations import DiscourseRelation, Frame, read_documents, write_documents
from allennlp_coref_rc.annotations.annotators import ExactMatchCoref
from allennlp_coref_rc.data.annotation_layers import CorefClusters, CorefEdges
from allennlp_coref_rc.data.dataset_readers import AnnotatedNarrativeQaReader
from allennlp_coref_rc.data.dataset_readers.oracle_spans import oracle_span
from tests.data.dataset_readers.reader_assertions import left_out, metadata, refusal, span, tokens, write
from tests.shared import NARRATIVEQA, PROJECT, needs_narrativeqa

FIXTURES = PROJECT / "tests" / "fixtures" / "narrativeqa"
TRAIN, VALID, TEST = (str(FIXTURES / split) for split in ("train", "valid", "test"))
DASSA = str(FIXTURES / "summaries_annotated.jsonl.train")
SUMMARIES = "third_party/wikipedia/summaries.csv"


def reader(**options):
    layers = {"coref": CorefEdges(), "clusters": CorefClusters()}
    options = {"annotator": ExactMatchCoref(), "annotation_layers": layers, **options}
    return AnnotatedNarrativeQaReader(**options)


def answers(instances):
    """The words that the spans are of."""
    spans = [(tokens(one["passage"]), *span(one)) for one in instances]
    return [" ".join(passage[start : end + 1]) for passage, start, end in spans]


@pytest.fixture
def folder(tmp_path):
    """A copy of the fixtures to be damaged."""
    return shutil.copytree(FIXTURES, tmp_path / "narrativeqa")


def edit(path, change):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    change(rows)
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


class TestOfficialFiles:
    def test_fields_of_a_question(self):
        instances = list(reader().read(TRAIN))
        assert len(instances) == 6
        fields = instances[0].fields
        names = "passage question passage_annotations question_annotations metadata span_start span_end"
        assert list(fields) == names.split()
        assert tokens(fields["passage"])[:5] == "Tobias Wren , an old".split()
        # As the tokenised columns have it, without quotation marks, and not wrapped.
        words = "s ill . One night a ship called the Merry Widow strikes".split()
        assert tokens(fields["passage"])[24:36] == words
        assert tokens(fields["question"]) == "Where does Tobias Wren live ?".split()
        texts = ["In the lighthouse on Gull Rock .", "He lives in a lighthouse ."]
        assert fields["metadata"]["answer_texts"] == texts

    def test_ids_and_spans(self):
        instances = list(reader().read(TRAIN))
        expected = [*(f"0a11ce##00{i}" for i in range(4)), "0b0b0b##000", "0b0b0b##001"]
        assert [values["id"] for values in metadata(instances)] == expected
        assert answers(instances)[:2] + answers(instances)[4:] == [
            "in the lighthouse on Gull Rock",
            # Question and answer are in capitals; of two spans that are equal in everything the earlier.
            "the Merry Widow",
            "Mr. Bell",
            "lets him go",
        ]

    def test_spans_are_the_oracles(self):
        for oracle in ("best", "published"):
            for instance in reader(oracle=oracle).read(TRAIN):
                texts = [text.split() for text in instance["metadata"]["answer_texts"]]
                passage, question = tokens(instance["passage"]), tokens(instance["question"])
                start, end, _ = oracle_span(passage, question, texts, oracle)
                assert span(instance) == (start, end - 1)

    def test_raw_columns(self):
        instances = list(reader(text="raw").read(TRAIN))
        assert len(instances) == 6
        # A line break and a blank in front are no tokens of their own.
        assert not any(token.isspace() for token in metadata(instances)[0]["passage_tokens"])
        assert "Widow" in tokens(instances[0]["passage"]) and '"' in tokens(instances[0]["passage"])
        assert tokens(instances[2]["question"]) == "What does n't Ada know ?".split()
        assert instances[1]["metadata"]["answer_texts"] == ['The "Merry Widow"', "MERRY WIDOW"]
        assert answers(instances)[1] == 'the " Merry Widow'

    def test_annotations_do_not_cross_from_passage_to_question_by_default(self):
        def reach(**options):
            return {
                source
                for instance in reader(**options).read(TRAIN)
                for sources in instance["question_annotations"].layers["coref"]["antecedents"]
                for source in sources
                if source < -1
            }

        assert not reach()
        assert reach(annotate_together=True)

    def test_sentences(self):
        text = next(document.text for _, document in reader().documents(TEST))
        assert [text.tokens[start] for start, _ in text.sentences[:4]] == ["A", "It", "The", "Rain"]

    @needs_narrativeqa
    @pytest.mark.parametrize("split, documents, expected", [("valid", 58, 1771), ("test", 355, 10557)])
    def test_real_files_have_their_known_counts(self, split, documents, expected):
        path = str(NARRATIVEQA / split)
        items = [item for _, item in reader().read_items(reader().find(path), path)]
        assert len(items) == documents
        assert sum(len(item.questions) for item in items) == expected

    @needs_narrativeqa
    def test_real_questions(self):
        limits = {"max_instances": 300, "max_passage_length": 300, "max_question_length": 10}
        instances = list(AnnotatedNarrativeQaReader(**limits).read(str(NARRATIVEQA / "valid")))
        assert len(instances) == 300 and all(answers(instances))
        assert max(len(instance["passage"]) for instance in instances) == 300
        assert max(len(instance["question"]) for instance in instances) == 10


TALE, OTHER = ["tale##000", "tale##001"], "P00001##000"
"""The ids of the questions of the first line, and of the second."""


def parse_of(item):
    return item["questions"][0]["question_parse"]


def chunk(item):
    return item["questions"][0]["answers_best_chunks"][0]


class TestDassaFiles:
    def test_tokens_annotations_and_spans_are_taken_as_they_are(self):
        documents = [document for _, document in AnnotatedNarrativeQaReader().documents(DASSA)]
        text = documents[0].text
        assert text.tokens == (
            "Nora 's brother Sam keeps bees . He sells honey . Who keeps bees ? What does Sam sell ?".split()
        )
        assert text.clusters == [[(0, 4), (7, 8)]]
        assert text.frames == [
            Frame((4, 5), [("ARG0", (0, 4)), ("ARG1", (5, 6))]),
            Frame((12, 13), [("ARG0", (11, 12)), ("ARG1", (13, 14))]),
        ]
        expected = [DiscourseRelation("Implicit", "Contingency.Cause.Result", [(0, 7)], [(7, 11)])]
        assert text.relations == expected
        assert documents[0].parts == [11, 4, 5]

    def test_instances(self):
        instances = list(AnnotatedNarrativeQaReader(annotation_layers={"coref": CorefEdges()}).read(DASSA))
        assert [values["id"] for values in metadata(instances)] == ["tale##000", "tale##001", "P00001##000"]
        # The first chunk is the gold span, though the other has the higher score; without chunks the oracle
        # says it.
        assert answers(instances[:2]) == ["Nora 's brother", "He sells honey"]
        assert "span_start" not in instances[2].fields
        texts = [["Sam", "Nora's brother."], ["He sells honey.", "Honey"]]
        assert [values["answer_texts"] for values in metadata(instances)[:2]] == texts
        assert instances[0]["passage_annotations"].layers["coref"]["antecedents"][7] == [3]

    @pytest.mark.parametrize(
        "line, change, message, ids",
        [
            (1, lambda item: item.pop("summary_parse"), "the key 'summary_parse'", [OTHER]),
            (2, lambda item: item.update(summary_parse=None), "found null at summary_parse, expected", TALE),
            (2, lambda item: item["questions"][0].pop("question_parse"), "the key 'question_parse'", TALE),
            # Its tokens are well-formed, so it keeps its number.
            (
                1,
                lambda item: parse_of(item).update(sentences=[]),
                "found an empty question",
                [TALE[1], OTHER],
            ),
            (1, lambda item: chunk(item).update(span=[0, 12]), "best_chunks[0].span", [TALE[0], OTHER]),
            (1, lambda item: chunk(item).update(span=None), "best_chunks[0].span", [TALE[0], OTHER]),
        ],
    )
    def test_what_is_malformed_costs_its_own_questions(self, tmp_path, line, change, message, ids):
        items = [json.loads(item) for item in Path(DASSA).read_text(encoding="utf-8").splitlines()]
        change(items[line - 1])
        path = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, items)))
        made = AnnotatedNarrativeQaReader()
        found = left_out(made, path, 3 - len(ids))
        assert found.startswith(f"{path}, object {line}: found ") and message in found
        assert [values["id"] for values in metadata(made.read(path))] == ids


class TestLimits:
    def test_questions_whose_span_is_cut_off_are_skipped_and_counted(self, caplog):
        whole, short = reader(), reader(max_passage_length=30, max_question_length=4)
        kept = [one["metadata"]["id"] for one in whole.read(TRAIN) if one["span_end"].sequence_index < 30]
        with caplog.at_level(logging.INFO):
            instances = list(short.read(TRAIN))
        assert [one["metadata"]["id"] for one in instances] == kept
        assert 0 < len(kept) < 6
        cause = "the answer lies beyond dataset_reader.max_passage_length"
        assert short.report.skipped == {cause: 6 - len(kept)}
        assert f"{6 - len(kept)} of 6 questions skipped: {cause}" in caplog.text
        assert max(len(one["passage"]) for one in instances) == 30
        assert {len(one["question"]) for one in instances} == {4}
        assert not whole.report.skipped


class TestContract:
    def test_annotated_files_hold_the_spans(self, tmp_path):
        path = str(tmp_path / "a.jsonl")
        write_documents(path, (document for _, document in reader().documents(TEST)))
        (_, document), *rest = read_documents(path)
        assert not rest
        question = {"answers": ["Pip", "Pip ."], "span": [3, 4], "rouge_l": 1.0, "oracle": "best"}
        assert document.data["questions"][0] == question
        message = refusal(lambda: list(reader(oracle="published").read(path)))
        assert message.startswith(f"{path}, line 2: found spans of the oracle 'best', expected 'published'")
        assert "dataset_reader.oracle" in message

    @pytest.mark.parametrize("path", [TRAIN, DASSA])
    def test_items_can_be_sent_to_other_processes(self, path):
        plain = AnnotatedNarrativeQaReader()
        for _, item in plain.read_items(plain.find(path), path):
            assert plain.to_document(pickle.loads(pickle.dumps(item))) == plain.to_document(item)

    def test_labelled_input(self):
        passage = "Pip can't clean. He sleeps."
        found = reader().text_to_instance(passage, "What does Pip do?", answers=["it sleeps!", "rest"])
        assert answers([found]) == ["He sleeps"]
        known = {"answers": ["rest"], "span": (0, 1), "clusters": [[[0, 1], [5, 6]]]}
        given = reader().text_to_instance(passage, "What?", **known)
        assert answers([given]) == ["Pip"]
        assert given["metadata"]["clusters"] == [[(0, 1), (5, 6)]]
        assert given["passage_annotations"].layers["coref"]["antecedents"][5] == [0]

    def test_a_question_that_is_left_out(self):
        short = reader(max_passage_length=2)
        assert "found a question that is left out: the answer lies beyond" in refusal(
            lambda: short.text_to_instance("Rain falls on Pip", "Where?", answers=["Pip"])
        )


class TestMalformedFolders:
    @pytest.mark.parametrize("path", [str(FIXTURES), str(FIXTURES / "qaps.csv")])
    def test_a_path_without_a_split(self, path):
        message = refusal(lambda: list(reader().read(path)))
        assert message.startswith(f"{path}: found no split, expected FOLDER/train")

    def test_empty_columns_name_the_option(self):
        message = refusal(lambda: list(reader(text="raw").read(VALID)))
        assert message.startswith(f"{FIXTURES / SUMMARIES}, line 6: found an empty summary")
        assert message.endswith("set dataset_reader.text to 'tokenized'")

    @pytest.mark.parametrize(
        "name, change, message",
        [
            (
                "qaps.csv",
                lambda rows: rows[2].__setitem__(-1, " "),
                "line 3: found an empty answer2_tokenized",
            ),
            # The question before goes over two lines.
            (
                "qaps.csv",
                lambda rows: rows[5].__setitem__(0, "no"),
                "line 7: found the document 'no', expected",
            ),
            # Each question has a summary, so none is lost.
            (
                SUMMARIES,
                lambda rows: rows.append(rows[1]),
                "line 8: found the document '0a11ce' a second time",
            ),
        ],
    )
    def test_a_bad_value_is_named_with_its_line(self, folder, name, change, message):
        edit(folder / name, change)
        found = left_out(reader(text="tokenized"), str(folder / "train"), lost=int(name != SUMMARIES))
        assert found.startswith(f"{folder / name}, {message}")

    @pytest.mark.parametrize("row", ["0a11ce,train\n", '0a11ce,"train"x,a\n', '0a11ce,train,"a\n'])
    def test_a_bad_row_costs_itself_alone(self, folder, row):
        questions = len(list(reader().read(str(folder / "train"))))
        path = folder / "qaps.csv"
        header, rest = path.read_text().split("\n", 1)
        path.write_text(f"{header}\n{row}{rest}")
        found = reader()
        assert len(list(found.read(str(folder / "train")))) == questions
        assert [str(error).split(":")[0] for error in found.report.malformed] == [f"{path}, line 2"]
        # Many bad rows are no reason to refuse a file that also has good ones.
        path.write_text(f"{header}\n{row * 150}{rest}")
        assert len(list(found.read(str(folder / "train")))) == questions
        assert len(found.report.malformed) == 150

    def test_a_set_without_questions(self, folder):
        edit(folder / "qaps.csv", lambda rows: rows.__setitem__(slice(7, None), []))
        message = refusal(lambda: list(reader().read(str(folder / "test"))))
        assert message == f"{folder / 'qaps.csv'}, line 1: found no question of the set 'test', expected some"


def best_excerpts(passage, question, length):
    """The starts of the excerpts with the highest scores, counted excerpt by excerpt."""
    words, asked = [word.lower() for word in passage], {word.lower() for word in question}

    def score(start):
        seen = asked & {word for word in words[start : start + length] if word not in ("?", ".", ",")}
        return round(sum(math.log(len(words) / words.count(word)) for word in sorted(seen)), 9)

    scores = list(map(score, range(len(words) - length + 1)))
    return [start for start, value in enumerate(scores) if value == max(scores)]


def test_excerpts_share_the_most_with_their_questions(caplog):
    whole = list(AnnotatedNarrativeQaReader(keep_skipped=True).read(TRAIN))
    reader = AnnotatedNarrativeQaReader(excerpt_length=12, keep_skipped=True)
    skipped, moved = 0, 0
    for plain, instance in zip(whole, reader.read(TRAIN), strict=True):
        passage, question = plain["metadata"]["passage_tokens"], plain["metadata"]["question_tokens"]
        best = best_excerpts(passage, question, 12)
        start = best[len(best) // 2]
        assert instance["metadata"]["passage_tokens"] == passage[start : start + 12]
        assert instance["metadata"]["original_passage"] == " ".join(passage[start : start + 12])
        assert instance["metadata"]["article"] == plain["metadata"]["id"].partition("##")[0]
        first, last = (end - start for end in span(plain))
        inside = first >= 0 and last < 12
        assert span(instance) == ((first, last) if inside else (-1, -1))
        skipped += not inside
        moved += start > 0
    assert moved and skipped and reader.report.skipped.total() == skipped
    assert len(list(AnnotatedNarrativeQaReader(excerpt_length=12).read(TRAIN))) == len(whole) - skipped
    assert "the answer is not in the excerpt" in caplog.text
    # A passage that is shorter than its excerpt is whole.
    long = metadata(AnnotatedNarrativeQaReader(excerpt_length=10000).read(TRAIN))
    expected = [values["passage_tokens"] for values in metadata(whole)]
    assert [values["passage_tokens"] for values in long] == expected
