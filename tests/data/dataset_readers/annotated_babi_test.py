import json
import logging
import re
import shutil
from unittest.mock import Mock

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import sanitize
from allennlp.data import Vocabulary

from allennlp_coref_rc.annotations import AnnotatedText, Document, write_documents
from allennlp_coref_rc.annotations.annotators import ExactMatchCoref, SimpleTriples
from allennlp_coref_rc.data.annotation_layers import (
    CorefClusters,
    CorefEdges,
    SentenceViews,
    SrlEdges,
    SrlViews,
    TypedEdges,
)
from allennlp_coref_rc.data.babi.babi_files import read_babi
from allennlp_coref_rc.data.dataset_readers.annotated_babi import AnnotatedBabiReader
from allennlp_coref_rc.data.fields import CANDIDATE_LABELS, CLASS_LABELS, SKIPPED_ANSWER
from tests.batches import tensors
from tests.data.dataset_readers.reader_assertions import left_out, refusal, tokens, write
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures" / "babi"


def fixture(task, split="train"):
    return str(FIXTURES / f"qa{task}_{split}.txt")


def reader(**options):
    layers = {"coref": CorefEdges(), "one_hot": CorefClusters()}
    return AnnotatedBabiReader(annotator=ExactMatchCoref(), annotation_layers=layers, **options)


GOOD = "1 Mary moved to the garden.\n2 Where is Mary? \tgarden\t1\n"

MALFORMED = [
    (GOOD + "3 Where is Mary?\n", 3, "a question without a tab"),
    (GOOD + "x Mary left.\n", 3, "'x Mary left.'"),
    ("¹ Mary left.\n", 1, "'¹ Mary left.'"),
    (GOOD + "3" * 5000 + " Mary left.\n", 3, "'3333"),
    (GOOD + "\ufeff" + GOOD, 3, r"'\ufeff1"),
    (GOOD + "4 Mary left.\n", 3, "the number 4, expected 3 or, at the start of a story, 1"),
    ("2 Mary left.\n", 1, "the number 2, expected 1"),
    (GOOD + "3\n", 3, "nothing after the number"),
    (GOOD + "3 Where is Mary?\t\t1\n", 3, r"'Where is Mary?\t\t1'"),
    (GOOD + "3 Where?\ta\t1\tb\n", 3, r"'Where?\ta\t1\tb'"),
    (GOOD + "3 Where?\ta\t0\n", 3, "the supporting id '0'"),
    (GOOD + "1 A b.\n2 W?\ta\t2\n", 4, "the supporting id '2'"),
    (GOOD + "3 Where?\ta\tone\n", 3, "the supporting id 'one'"),
    (GOOD + "3 W?\ta\t" + "1" * 5000, 3, "the supporting id '11"),
    ("1 Where is Mary?\tgarden\n", 1, "a question with no statement"),
    ("", 1, "no question in the file"),
]
"""Files, the malformed line and what is found in it."""


class TestMalformedFiles:
    @pytest.mark.parametrize("content, line, found", MALFORMED, ids=[found for _, _, found in MALFORMED])
    def test_content(self, tmp_path, content, line, found):
        path = write(tmp_path / "qa1_train.txt", content)
        message = refusal(lambda: list(read_babi(path)))
        assert message.startswith(f"{path}, line {line}: found {found}") and "expected" in message
        assert len(message) < len(path) + 200

    @pytest.mark.parametrize(
        "lines, kept, bad, lost",
        [
            ("3 Where?\tpark\t9\n4 Who?\tMary\t1\n", ["garden", "Mary", "Bob"], [3], [3]),
            ("x Where?\tpark\t1\n4 Who?\tMary\t1\n", ["garden", "Mary", "Bob"], [3], [3]),
            # What the story says after a malformed statement is not known, and each of its questions is lost.
            ("x Mary left.\n4 Who?\tMary\t1\n5 Where?\tpark\t1\n", ["garden", "Bob"], [3, 4, 5], [4, 5]),
            ("4 Who?\tMary\t1\n5 Bill left.\n6 Where?\tpark\t1\n", ["garden", "Bob"], [3, 5], [3, 5]),
        ],
    )
    def test_a_malformed_line_costs_itself_or_the_questions_after_it(self, tmp_path, lines, kept, bad, lost):
        path = tmp_path / "qa1_train.txt"
        path.write_text(GOOD + lines + "1 Bob left.\n2 Who left?\tBob\t1\n")
        reader = AnnotatedBabiReader()
        assert [instance["metadata"].metadata["answer"] for instance in reader.read(str(path))] == kept
        places = [int(re.search(r", line (\d+): ", str(error))[1]) for error in reader.report.malformed]
        assert places == bad and reader.report.skipped["malformed"] == len(lost)
        content = path.read_text().splitlines()
        inputs = [known["input"] for error in reader.report.malformed for known in error.lost]
        assert inputs == [content[line - 1] for line in lost]

    def test_an_extractive_answer_outside_the_passage(self, tmp_path):
        path = write(tmp_path / "qa1_train.txt", GOOD + "3 Where is Mary?\tattic\t1\n")
        message = left_out(AnnotatedBabiReader(), path)
        assert message.startswith(f"{path}, line 3: found the answer 'attic', expected a word of the passage")
        assert "dataset_reader.answer_type" in message


class TestAnnotatedBabiReader:
    def test_tokens_annotations_and_metadata(self):
        instances = list(reader().read(fixture(1, "test")))
        assert len(instances) == 3
        fields = instances[0].fields
        names = "passage question passage_annotations question_annotations candidates answer metadata"
        assert set(fields) == set(names.split())
        passage = "Fred journeyed to the park . Julie went to the cinema .".split()
        question = "@begin Where is Fred ? @end".split()
        assert tokens(fields["passage"]) == passage
        assert tokens(fields["question"]) == question
        none = [[]]
        assert fields["passage_annotations"].layers == {
            "coref": {"antecedents": [[-1]] + none * 11, "descendants": [[-6]] + none * 11},
            "one_hot": {"clusters": [[0]] + none * 11},
        }
        before, after = none * 3, none * 2
        assert fields["question_annotations"].layers == {
            "coref": {"antecedents": [*before, [-3], *after], "descendants": [*before, [-1], *after]},
            "one_hot": {"clusters": [*before, [0], *after]},
        }
        assert fields["answer"].label == "park"
        assert fields["metadata"].metadata == {
            "passage_tokens": passage,
            "question_tokens": question,
            "clusters": [[(0, 1), (15, 16)]],
            "answer": "park",
            "candidates": None,
            "task": 1,
            "supporting_facts": [0],
            "id": "qa1_test.txt:3",
        }

    def test_candidates_are_the_answers_of_the_training_data(self):
        train, test = list(reader().read(fixture(1))), list(reader().read(fixture(1, "test")))
        vocab = Vocabulary.from_instances(train)
        labels = vocab.get_token_to_index_vocabulary(CANDIDATE_LABELS)
        assert set(labels) == {"cinema", "park", "office", "kitchen", "school"}
        batch = tensors(test, vocab)
        assert batch["answer"].tolist() == [labels["park"], labels["kitchen"], labels["office"]]
        first = batch["candidates"]
        pairs = zip(first["candidates"][0].tolist(), first["positions"][0].tolist())
        assert {pair for pair in pairs if pair[0] >= 0} == {(labels["park"], 4), (labels["cinema"], 10)}
        assert first["mask"].all() and first["mask"].shape == (3, 5)
        assert batch["passage"]["tokens"]["tokens"].shape == (3, 24)
        assert batch["passage_annotations"]["coref"]["antecedents"].shape == (3, 24, 1)
        assert batch["question_annotations"]["coref"]["antecedents"].shape == (3, 6, 1)

    def test_classes_of_several_words_and_classes_training_never_saw(self):
        vocab = Vocabulary.from_instances(reader().read(fixture(8)))
        classes = vocab.get_token_to_index_vocabulary(CLASS_LABELS)
        assert set(classes) == {"apple", "nothing", "milk", "football", "milk,apple"}
        answers = tensors(list(reader().read(fixture(8, "test"))), vocab)["answer"]
        assert answers.tolist() == [classes["milk"], -1]

    def test_half_of_the_tasks_are_extractive(self):
        readers = {task: AnnotatedBabiReader(task=task) for task in range(1, 21)}
        made = {task: readers[task].text_to_instance("Mary left.", "Who left?") for task in readers}
        extractive = [task for task, instance in made.items() if "candidates" in instance.fields]
        assert extractive == [1, 2, 3, 4, 5, 11, 12, 13, 14, 16]

    def test_answer_type_overrides_the_task(self):
        assert "candidates" not in next(iter(reader(answer_type="classification").read(fixture(1)))).fields
        assert "candidates" in next(iter(reader(answer_type="extractive").read(fixture(8)))).fields

    def test_a_file_of_unknown_task_is_extractive(self, tmp_path):
        path = write(tmp_path / "stories.txt", GOOD)
        instance = next(iter(reader().read(path)))
        assert "candidates" in instance.fields
        assert instance["metadata"].metadata["task"] is None

    @pytest.mark.parametrize("task, split", [(1, "train"), (16, "valid"), (15, "test")])
    def test_names_of_splits(self, task, split, tmp_path, monkeypatch):
        # A folder that happens to have the name of a split is not meant.
        (tmp_path / split).mkdir()
        monkeypatch.chdir(tmp_path)
        by_name = [i["metadata"].metadata for i in reader(folder=str(FIXTURES), task=task).read(split)]
        assert by_name == [i["metadata"].metadata for i in reader().read(fixture(task, split))]

    def test_names_of_splits_in_the_official_folder(self, tmp_path):
        # With signs that mean something to glob, and with a task whose number begins alike.
        folder = tmp_path / "en [10k]"
        folder.mkdir()
        shutil.copy(fixture(1), folder / "qa1_single-supporting-fact_train.txt")
        shutil.copy(fixture(16), folder / "qa16_basic-induction_train.txt")
        assert len(list(reader(folder=str(folder), task=1).read("train"))) == 7
        assert len(list(reader(folder=str(folder), task=16).read("train"))) == 4
        message = refusal(lambda: list(reader(folder=str(folder), task=1).read("valid")))
        assert f"{folder}/qa1_valid.txt: no such file" in message and "dataset_reader.folder" in message

    @pytest.mark.slow
    def test_stories_that_come_with_the_package(self, tmp_path, monkeypatch):
        # Not even a folder of that name is meant.
        (tmp_path / "bundled:" / "simulated").mkdir(parents=True)
        monkeypatch.chdir(tmp_path)
        bundled = reader(folder="bundled://simulated", task=2)
        counts = {split: len(list(bundled.read(split))) for split in ("train", "valid", "test")}
        assert counts == {"train": 900, "valid": 100, "test": 1000}
        with pytest.raises(ConfigurationError, match=r"qa1_train.txt: no such file, .*'bundled://.*task 2"):
            list(reader(folder="bundled://simulated", task=1).read("train"))
        with pytest.raises(ConfigurationError, match="folder is 'bundled://tales'"):
            reader(folder="bundled://tales", task=2)

    def test_unlabelled_input(self):
        instance = reader(task=1).text_to_instance("Mary left.  Bill moved to the park!", "Where is Bill?")
        assert "answer" not in instance.fields
        assert tokens(instance["passage"]) == "Mary left . Bill moved to the park !".split()
        assert instance["metadata"].metadata["clusters"] == [[(3, 4), (12, 13)]]
        reader().apply_token_indexers(instance)
        batch = tensors([instance], Vocabulary.from_instances(reader().read(fixture(1))))
        assert "answer" not in batch
        assert batch["candidates"]["mask"].sum() == 5
        classes = reader(task=6).text_to_instance("Mary left.", "Is Mary here?")
        assert "answer" not in classes.fields and "candidates" not in classes.fields

    def test_given_candidates(self):
        statements = ["Mary moved to the old garden.", "Bill left."]
        candidates = ["Bill", "old garden"]
        instance = reader().text_to_instance(statements, "Where?", candidates=candidates, answer="Old Garden")
        assert instance["candidates"].human_readable_repr() == [[0, 7], [1, 5], [1, 4]]
        assert instance["answer"].label == 1
        assert instance["metadata"].metadata["candidates"] == ["Bill", "old garden"]
        unknown = reader().text_to_instance(statements, "Where?", candidates=["Bill"], answer="garden")
        assert unknown["answer"].label == -1
        # Classes are those of the training data, whatever is given.
        ignored = reader(task=6).text_to_instance(statements, "Where?", candidates=["Bill"])
        assert "candidates" not in ignored.fields and ignored["metadata"].metadata["candidates"] is None

    def test_given_clusters_replace_the_annotator(self):
        instance = reader().text_to_instance("Mary met Bill.", "Where is Mary?", clusters=[[[0, 1], [2, 3]]])
        assert instance["metadata"].metadata["clusters"] == [[(0, 1), (2, 3)]]
        assert instance["passage_annotations"].layers["coref"]["antecedents"] == [[-1], [], [0], []]
        for clusters in ([[[0, 99]]], [[0, 1]], 3):
            with pytest.raises(ConfigurationError):
                reader().text_to_instance("Mary met Bill.", "Where is Mary?", clusters=clusters)

    def test_given_clusters_are_cut_with_the_texts(self):
        short = reader(max_passage_length=4, max_question_length=3)
        # Mary met Bill . She left . @begin Where is Mary ? @end
        clusters = [[[0, 1], [4, 5], [10, 11]], [[2, 3], [5, 6]]]
        cut = short.text_to_instance("Mary met Bill. She left.", "Where is Mary?", clusters=clusters)
        assert tokens(cut["passage"]) == "Mary met Bill .".split()
        assert tokens(cut["question"]) == "@begin Where is Mary @end".split()
        assert cut["metadata"]["clusters"] == [[(0, 1), (7, 8)]]

    def test_answers_beyond_the_limit_of_length_are_skipped(self, tmp_path):
        path = write(
            tmp_path / "qa1_train.txt", "1 Mary is up.\n2 Bill is in the attic.\n3 Where is Bill?\tattic\t2\n"
        )
        cause = "the answer lies beyond dataset_reader.max_passage_length"
        made = reader(max_passage_length=5)
        with pytest.raises(ConfigurationError, match=rf"1 of 1 questions are skipped: {cause} \(1\)"):
            list(made.read(path))
        (kept,) = reader(max_passage_length=5, keep_skipped=True).read(path)
        assert kept["answer"].label == SKIPPED_ANSWER

    @pytest.mark.parametrize("wrap", [True, False])
    def test_empty_input_is_refused(self, wrap):
        with pytest.raises(ConfigurationError, match="found an empty passage"):
            reader(wrap_question=wrap).text_to_instance(" ", "Where is Mary?")
        with pytest.raises(ConfigurationError, match="found an empty question"):
            reader(wrap_question=wrap).text_to_instance("Mary left.", " ")

    def test_words_are_lower_case_in_the_vocabulary_only(self):
        instances = list(reader().read(fixture(1)))
        vocab = Vocabulary.from_instances(instances)
        words = vocab.get_token_to_index_vocabulary("tokens")
        assert "bill" in words and "Bill" not in words and "@begin" in words
        assert tokens(instances[0]["passage"])[0] == "Bill"


def test_a_file_of_another_task_than_the_readers_is_refused():
    reader = AnnotatedBabiReader(folder=str(FIXTURES), task=1)
    with pytest.raises(ConfigurationError, match="found task 15.*expected task 1.*dataset_reader.task"):
        list(reader.read(str(FIXTURES / "qa15_test.txt")))


LAYERS = {
    "coref": CorefEdges(),
    "clusters": CorefClusters(),
    "srl": SrlEdges(),
    "journeys": TypedEdges(["journeyed_to"]),
    "views": SrlViews(),
    "sentences": SentenceViews(),
}


def test_allennlp_can_write_a_batch_into_a_file_of_predictions():
    """`coref-rc evaluate --predictions-output-file` does."""
    reader = AnnotatedBabiReader(annotator=SimpleTriples(), annotation_layers=LAYERS)
    written = json.loads(json.dumps(sanitize(tensors(reader.read(fixture(1))))))
    assert LAYERS.keys() <= written["passage_annotations"].keys()


@pytest.mark.parametrize(
    "annotator, empty",
    [
        (None, "clusters, coref, journeys, srl, views"),
        (ExactMatchCoref(), "journeys, srl, views"),
        (SimpleTriples(), "clusters, coref, srl, views"),  # Nobody journeys in the first question.
    ],
)
def test_layers_that_are_empty_in_all_questions_are_warned_of(annotator, empty, caplog):
    number = len(list(AnnotatedBabiReader(annotator=annotator, annotation_layers=LAYERS).read(fixture(1))))
    (warning,) = (record.getMessage() for record in caplog.records if record.levelno == logging.WARNING)
    assert f"annotation_layers ({empty}) in {number} questions" in warning


def test_errors_in_what_was_downloaded_name_the_address(tmp_path, monkeypatch):
    address, cached = "https://a.b/qa1_train.txt", tmp_path / "0a1b2c"
    monkeypatch.setattr("allennlp.common.file_utils.cached_path", lambda path: {address: cached}[path])
    for content, line in (("no number\n", 1), ("1 Mary left.\n2 Where is Mary?\tRome\t1\n", 2)):
        cached.write_text(content)
        message = refusal(lambda: list(AnnotatedBabiReader(answer_type="extractive").read(address)))
        assert message.startswith(f"{address}, line {line}: ") and "0a1b2c" not in message


def test_local_files_need_no_cache(monkeypatch):
    monkeypatch.setattr("allennlp.common.file_utils.cached_path", Mock(side_effect=PermissionError))
    assert list(AnnotatedBabiReader().read(fixture(1)))


def test_types_of_edges_that_no_text_has_are_warned_of(caplog):
    layers = {"triples": TypedEdges(["journeyed_to", "nowhere", "is_a"]), "others": TypedEdges()}
    reader = AnnotatedBabiReader(annotator=SimpleTriples(), annotation_layers=layers)
    for _ in range(2):
        caplog.clear()
        list(reader.read(fixture(1)))
        (warning,) = (record.getMessage() for record in caplog.records if record.levelno == logging.WARNING)
        found = "found none of the types is_a, nowhere, which dataset_reader.annotation_layers.triples names"
        assert warning == f"{fixture(1)}: {found}"


@pytest.mark.parametrize(
    "answers, warning",
    [
        ("11", ""),
        ("10", ": 1 of 2 questions have no answer, the first in {path}, line 3; "),
        ("00", ": no question has an answer; there is nothing to train on, and scores are 0"),
    ],
)
def test_questions_without_an_answer_are_warned_of(tmp_path, caplog, answers, warning):
    path = str(tmp_path / "own.jsonl")
    text = AnnotatedText(["Ada", "left", "Rome", ".", "Where", "?"])
    known = [{"answer": "Rome"} if answer == "1" else {} for answer in answers]
    write_documents(path, [Document(text, [4, 2], {"questions": [question]}) for question in known])
    assert len(list(AnnotatedBabiReader().read(path))) == 2
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    expected = [path + warning.format(path=path)] if warning else []
    assert len(warnings) == len(expected) and all(map(str.startswith, warnings, expected))


def test_a_subclass_without_a_name_reads_what_its_base_reads(tmp_path):
    class Quiet(AnnotatedBabiReader):
        pass

    path = str(tmp_path / "own.jsonl")
    text = AnnotatedText(["Ada", "left", "Rome", ".", "Where", "?"])
    document = Document(text, [4, 2], {"questions": [{"answer": "Rome"}]})
    write_documents(path, [document], {"reader": "annotated_babi"})
    assert len(list(Quiet().read(path))) == 1
    # Processes that prepare data would build its base.
    assert Quiet.from_params(Params({})).config is None
