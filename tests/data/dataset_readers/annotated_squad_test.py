import json
import logging
from itertools import groupby
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data.tokenizers import LettersDigitsTokenizer

from allennlp_coref_rc.annotations import read_documents, write_documents
from allennlp_coref_rc.annotations.annotators import ExactMatchCoref
from allennlp_coref_rc.annotations.tokenization import token_offsets, token_span
from allennlp_coref_rc.data.annotation_layers import CorefClusters, CorefEdges
from allennlp_coref_rc.data.dataset_readers import AnnotatedQuorefReader, AnnotatedSquadReader
from allennlp_coref_rc.modules.spans import span_text
from tests.batches import tensors
from tests.data.dataset_readers.reader_assertions import left_out, metadata, refusal, span, tokens
from tests.shared import PROJECT, QUOREF, needs_quoref

FIXTURES = PROJECT / "tests" / "fixtures"
TRAIN, DEV = (str(FIXTURES / "quoref" / f"{split}.json") for split in ("train", "dev"))
SQUAD = str(FIXTURES / "squad" / "dev-v2.0.json")

LAYERS = {"coref": CorefEdges(), "clusters": CorefClusters()}


def quoref(**options):
    return AnnotatedQuorefReader(**{"annotator": ExactMatchCoref(), "annotation_layers": LAYERS, **options})


def answers(instances):
    """The texts that the spans are of."""
    return [span_text(one["metadata"].metadata, *span(one)) for one in instances]


@pytest.fixture
def damaged(tmp_path):
    """Writes Quoref's fixture after a change of its values, and gives the path."""

    def write(change, path=TRAIN):
        with open(path, encoding="utf-8") as file:
            values = json.load(file)
        change(values)
        (tmp_path / "a.json").write_text(json.dumps(values), encoding="utf-8")
        return str(tmp_path / "a.json")

    return write


class TestQuoref:
    def test_sentences_of_a_passage_respect_its_lines_and_quotation_marks(self):
        text = quoref().split('London\n\nAnna won. "Yes," she\nsaid.')
        assert text.sentences == [(0, 1), (1, 4), (4, 11)]

    def test_fields_of_a_question(self):
        instances = list(quoref().read(TRAIN))
        fields = instances[1].fields
        names = "passage question passage_annotations question_annotations metadata span_start span_end"
        assert list(fields) == names.split() and len(instances) == 9
        assert tokens(fields["passage"])[:6] == "Edda Moss kept a lighthouse .".split()
        # Not wrapped. The line break after "them." is no token.
        assert tokens(fields["question"]) == "Which two people did the café - owner move in with ?".split()
        values = fields["metadata"].metadata
        assert values["id"] == "q2"
        # All spans of the answer are known, and the first is the one that is trained.
        assert values["answer_texts"] == ["Edda Moss", "Tom"] and values["answer_spans"] == [[0, 2], [8, 9]]
        assert span(fields) == (0, 1)

    def test_spans(self):
        # "Ugand" is a part of a token; q7's answer_start is a character too early; q8 names a later span
        # first.
        expected = "Edda Moss|Edda Moss|4,200|Ugander|Bo|Bo|Kit O'Neill|Grey Duke|The Red Duke".split("|")
        assert answers(quoref().read(TRAIN)) == expected

    def test_documents_and_their_ids(self):
        documents = [document for _, document in quoref().documents(TRAIN)]
        assert [document.text.id for document in documents] == ["c0ffee", "decade", "facade"]
        assert [len(document.parts) for document in documents] == [5, 4, 3]
        question = {"id": "q8", "answers": ["Grey Duke", "The Red Duke"], "spans": [[13, 15], [0, 3]]}
        assert documents[2].data["questions"][0] == question

    @pytest.mark.parametrize("title", ["The lighthouse", None])
    def test_documents_have_the_titles_of_their_articles(self, damaged, tmp_path, title):
        path, written = (
            damaged(lambda values: values["data"][0].update(title=title)),
            str(tmp_path / "a.jsonl"),
        )
        documents = [document for _, document in quoref().documents(path)]
        assert [document.data.get("title") for document in documents] == [title, title, "Dukes"]
        write_documents(written, documents)
        assert [document for _, document in read_documents(written)] == documents
        for file in (path, written):
            articles = [values["article"] for values in metadata(quoref().read(file))]
            assert [article for article, _ in groupby(articles)] == [title, "Dukes"]

    def test_tokens_stand_in_the_passage_where_the_metadata_say(self):
        for values in metadata(quoref(max_passage_length=20).read(TRAIN)):
            cut = [values["original_passage"][slice(*offset)] for offset in values["token_offsets"]]
            assert cut == values["passage_tokens"] and len(cut) <= 20
            assert values["original_passage"].endswith(cut[-1])

    def test_tags_of_all_spans(self):
        instances = list(quoref(tag_answers=True, max_passage_length=14).read(TRAIN))
        # The second span of q2 is within the limit, the one of q8 that is named first is only just not.
        tags = {one["metadata"]["id"]: one["answer_tags"].labels for one in instances}
        assert tags["q2"] == [1, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
        assert "q8" not in tags
        *_, kept, _ = quoref(tag_answers=True, max_passage_length=14, keep_skipped=True).read(TRAIN)
        assert kept["metadata"]["id"] == "q8" and kept["answer_tags"].labels == [1, 2, 2, *[0] * 10, 1]
        assert tensors(instances)["answer_tags"].shape == (len(instances), 14)

    def test_questions_that_are_cut_off(self, caplog):
        short = quoref(max_passage_length=14, max_question_length=4)
        with caplog.at_level(logging.INFO):
            instances = list(short.read(TRAIN))
        cause = "the answer lies beyond dataset_reader.max_passage_length"
        assert short.report.skipped == {cause: 3} and f"3 of 9 questions skipped: {cause}" in caplog.text
        assert [one["metadata"]["id"] for one in instances] == ["q1", "q2", "q5", "q6", "q7", "q9"]
        assert max(len(one["question"]) for one in instances) == 4
        kept = list(quoref(max_passage_length=14, keep_skipped=True).read(TRAIN))
        assert len(kept) == 9 and span(kept[7]) == (-1, -1)
        assert kept[7]["metadata"]["answer_texts"] == ["Grey Duke", "The Red Duke"]

    def test_an_answer_that_is_not_there(self, damaged):
        def change(values):
            values["data"][0]["paragraphs"][0]["qas"][0]["answers"][0]["text"] = "Eddie Moss"
            values["data"][1]["paragraphs"][0]["qas"][0]["answers"][1]["text"] = "Eddie Moss"

        path, reader = damaged(change), quoref()
        # That the second span is missing does not stop training with the first.
        assert [values["id"] for values in metadata(reader.read(path))] == [f"q{i}" for i in range(2, 10)]
        assert reader.report.skipped == {"the passage does not have the answer": 1}
        first, *_, eighth, _ = metadata(quoref(keep_skipped=True).read(path))
        assert first["answer_texts"] == ["Eddie Moss"] and first["answer_spans"] == []
        assert eighth["answer_spans"] == [[13, 15]]

    def test_questions_without_known_answers(self, damaged):
        def change(values):
            for paragraph in values["data"][0]["paragraphs"]:
                for i, question in enumerate(paragraph["qas"]):
                    question["answers"] = []
                    if i:
                        del question["answers"]
                        question["id"] = i

        instances = list(quoref(tag_answers=True).read(damaged(change)))
        assert len(instances) == 9
        assert not {"span_start", "answer_tags"} & set(instances[0].fields)
        assert "span_start" in instances[7].fields
        assert [one["metadata"]["answer_texts"] for one in instances[:7]] == [[]] * 7
        assert [one["metadata"]["id"] for one in instances[:4]] == ["q1", "1", "2", "3"]

    @needs_quoref
    def test_the_real_file(self):
        reader = AnnotatedQuorefReader()
        items = [item for _, item in reader.read_items(str(QUOREF), str(QUOREF))]
        questions = [question for item in items for question in item.questions]
        assert (len(items), len(questions)) == (454, 2418)
        assert sum(len(question["answers"].list()) > 1 for question in questions) == 221


class TestSquad:
    def test_answers_are_alternatives(self):
        instances = list(AnnotatedSquadReader(tag_answers=True).read(SQUAD))
        assert answers(instances) == ["Ida Kern", "the old gate"]
        assert instances[0]["metadata"]["answer_texts"] == ["Ida Kern", "The mayor", "Ida Kern"]
        # Only the first is tagged.
        assert sum(instances[0]["answer_tags"].labels) == 3
        # A blank before the passage counts; ids of passages are made of the file's name.
        assert instances[0]["metadata"]["token_offsets"][0] == (1, 5)
        ((_, document),) = AnnotatedSquadReader().documents(SQUAD)
        assert document.text.id == "dev-v2.0.json:1"

    def test_questions_without_an_answer(self):
        reader = AnnotatedSquadReader()
        assert len(list(reader.read(SQUAD))) == 2
        assert reader.report.skipped == {"it has no answer (is_impossible)": 1}
        last = list(AnnotatedSquadReader(keep_skipped=True, tag_answers=True).read(SQUAD))[-1]
        assert last["metadata"]["answer_texts"] == [""] and last["span_end"].sequence_index == -1
        assert not any(last["answer_tags"].labels)

    def test_documents_of_the_one_are_not_those_of_the_other(self, tmp_path):
        path = str(tmp_path / "a.jsonl")
        write_documents(path, [], {"reader": "annotated_squad"})
        assert "expected those of 'annotated_quoref'" in refusal(lambda: list(quoref().read(path)))


def ask(path, questions):
    """A file with questions about a passage."""
    paragraph = {"context": "Then Bo Li met Ann. Ann left.", "qas": questions}
    path.write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}))
    return str(path)


class TestContract:
    def test_an_article_of_another_type_costs_itself_alone(self, tmp_path):
        path = tmp_path / "a.json"
        values = json.loads(Path(DEV).read_text(encoding="utf-8"))
        values["data"].insert(0, {"paragraphs": 3})
        path.write_text(json.dumps(values), encoding="utf-8")
        message = left_out(quoref(), str(path))
        assert message == f"{path}, data[0]: found 3 at paragraphs, expected a list"

    @pytest.mark.parametrize(
        "change, lost, message",
        [
            (
                lambda p: p["qas"][0].update(question=" "),
                1,
                'found " " at qas[0].question, expected some text',
            ),
            (lambda p: p["qas"][0].update(question=3), 1, "found 3 at qas[0].question, expected a string"),
            (lambda p: p["qas"][0].update(answers="4"), 1, 'found "4" at qas[0].answers, expected a list'),
            (lambda p: p["qas"][0].update(answers=[{"text": " "}]), 1, "at qas[0].answers[0].text, expected"),
            (lambda p: p["qas"][0].update(is_impossible="no"), 1, "at qas[0].is_impossible, expected true"),
            (lambda p: p.pop("context"), 3, "expected an object with the key 'context'"),
            (lambda p: p.update(context=" "), 3, 'found " " at context, expected some text'),
            (lambda p: p.update(context_id=[]), 3, "found [] at context_id"),
        ],
    )
    def test_what_is_malformed_costs_its_own_questions_and_all_of_them_count(
        self, tmp_path, caplog, change, lost, message
    ):
        asked = [{"id": name, "question": "Who?"} for name in "abc"]
        paragraphs = [
            {"context": "Ann left.", "qas": asked},
            {"context": "Bo sat.", "qas": [{"question": "Who?"}]},
        ]
        change(paragraphs[0])
        path = tmp_path / "a.json"
        path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
        reader = AnnotatedSquadReader()
        assert message in left_out(reader, str(path), lost)
        assert [values["id"] for values in metadata(reader.read(str(path)))] == [
            *"abc"[lost:],
            "a.json:2##000",
        ]
        (error,) = reader.report.malformed
        assert error.lost == [{"id": known["id"], "input": known} for known in asked[:lost]]
        assert f"{path}: {lost} of 4 questions skipped: malformed" in caplog.messages
        shown = "it is left out" if lost == 1 else "its 3 questions are left out"
        assert f"{error}; {shown}" in caplog.messages

    @pytest.mark.parametrize("start", [-1, 0, 10**6, None, "12"])
    def test_answers_are_found_by_their_text(self, tmp_path, caplog, start):
        """As in Quoref's challenge set, where nearly all places are -1 or 0."""
        texts = [["Ann"], ["JMama Bear", "Bo Li"], ["JMama Bear"]]
        known = [[{"text": text, "answer_start": start} for text in answers] for answers in texts]
        path = ask(tmp_path / "a.json", [{"question": "Who?", "answers": answers} for answers in known])
        reader = AnnotatedQuorefReader()
        instances = list(reader.read(path))
        assert answers(instances) == ["Ann", "Bo Li"]
        first = 5 if start == 10**6 else 4
        assert instances[0]["span_start"].sequence_index == first + (start == 10**6)
        assert [values["answer_texts"] for values in metadata(instances)] == texts[:2]
        assert reader.report.skipped == {"the passage does not have the answer": 1}
        assert "3 of 3 questions: an answer is not at its answer_start" in caplog.text
        kept = list(AnnotatedQuorefReader(keep_skipped=True, tag_answers=True).read(path))
        assert [values["answer_texts"] for values in metadata(kept)] == texts
        assert kept[2]["span_start"].sequence_index == -1 and kept[1]["answer_tags"].labels.count(1) == 1

    def test_answers_may_be_as_datasets_writes_them(self, tmp_path):
        known = [(["Bo", "Bo Li"], [5, 5]), (["Ann"], [15]), ([], [])]
        asked = [{"question": "Who?", "answers": {"text": t, "answer_start": s}} for t, s in known]
        path, reader = ask(tmp_path / "a.json", asked), AnnotatedSquadReader()
        instances = list(reader.read(path))
        assert [values["answer_texts"] for values in metadata(instances)] == [["Bo", "Bo Li"], ["Ann"]]
        assert answers(instances) == ["Bo", "Ann"]
        assert reader.report.skipped == {"it has no answer (is_impossible)": 1}
        asked[0]["answers"]["answer_start"].pop()
        message = left_out(reader, ask(tmp_path / "a.json", asked))
        assert "at qas[0].answers.answer_start, expected 2 places" in message

    def test_unlabelled_input(self):
        instance = quoref().text_to_instance("Bo can't sing. He sleeps.", "Who sleeps?")
        values = instance["metadata"].metadata
        assert values["original_passage"] == "Bo can't sing. He sleeps." and values["answer_texts"] == []
        assert span_text(values, 0, 2) == "Bo can't" and "span_start" not in instance.fields
        listed = quoref().text_to_instance(["Bo", "ca", "n't", "sing"], "Who?")["metadata"].metadata
        assert span_text(listed, 0, 2) == "Bo ca n't"

    def test_labelled_input(self):
        known = {"answers": ["Ann", "Bo"], "spans": [(2, 3), (0, 1)], "clusters": [[[0, 1], [2, 3]]]}
        instance = quoref(tag_answers=True).text_to_instance("Bo met Ann .", "Who ?", **known)
        assert answers([instance]) == ["Ann"] and instance["answer_tags"].labels == [1, 0, 1, 0]
        assert instance["passage_annotations"].layers["coref"]["antecedents"][2] == [0]
        assert "span_start" not in quoref().text_to_instance("Bo met Ann .", "Who ?", answers=["Ann"]).fields

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({"passage": " "}, "found an empty passage"),
            ({"answers": ["Pip"], "spans": [(0, 7)]}, r"found 7 at spans\[0\]\[1\]"),
            ({"spans": [(0, 1)]}, "found 1 spans and 0 answers of question 0, expected as many"),
            ({"clusters": [[[0, 99]]]}, r"mention of cluster 0 \[0, 99\)"),
        ],
    )
    def test_bad_input_is_named(self, arguments, message):
        with pytest.raises(ConfigurationError, match=message):
            quoref().text_to_instance(**{"passage": "Pip sleeps .", "question": "Who ?", **arguments})


class TestMalformedFiles:
    def test_annotated_documents_with_and_without_the_source(self, tmp_path):
        path = str(tmp_path / "a.jsonl")
        (document,) = (document for _, document in quoref().documents(DEV))
        write_documents(path, [document])
        assert metadata(quoref().read(path)) == metadata(quoref().read(DEV))
        document.text.text = document.text.text[:-1]
        write_documents(path, [document])
        message = refusal(lambda: list(quoref().read(path)))
        assert message.startswith(f"{path}, line 2: offsets: found [[0, 3], ")
        document.text.text = document.text.offsets = None
        write_documents(path, [document])
        passages = [values["original_passage"] for values in metadata(quoref().read(path))]
        assert [passage[:13] for passage in passages] == ["Lia Berg fixe"] * 3


def test_tokens_that_have_any_of_the_characters():
    text = "a bcd  e"
    offsets = token_offsets(text, ["a", "bcd", "e"])
    assert offsets == [(0, 1), (2, 5), (7, 8)]
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            inside = [i for i, (first, last) in enumerate(offsets) if first < end and start < last]
            expected = (inside[0], inside[-1] + 1) if inside else None
            assert token_span(offsets, start, end) == expected


def test_a_tokenizer_may_split_as_it_likes():
    instances = list(AnnotatedQuorefReader(tokenizer=LettersDigitsTokenizer()).read(TRAIN))
    assert answers(instances)[6] == "Kit O'Neill"
    assert tokens(instances[6]["passage"])[2:6] == ["Kit", "O", "'", "Neill"]
