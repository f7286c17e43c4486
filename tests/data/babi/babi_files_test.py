import re

from allennlp_coref_rc.data.babi.babi_files import BabiQuestion, read_babi
from allennlp_coref_rc.data.dataset_readers.annotated_babi import EXTRACTIVE_TASKS
from tests.data.dataset_readers.annotated_babi_test import FIXTURES, fixture
from tests.shared import BABI, needs_babi


class TestReadBabi:
    def test_questions_of_a_file(self):
        story = ["Fred journeyed to the park.", "Julie went to the cinema."]
        longer = story + ["Mary travelled to the office.", "Julie moved to the kitchen."]
        other = ["Bill went to the school.", "Bill went back to the office."]
        assert list(read_babi(fixture(1, "test"))) == [
            BabiQuestion(story, "Where is Fred?", "park", [0], 3, 1),
            BabiQuestion(longer, "Where is Julie?", "kitchen", [3], 6, 1),
            BabiQuestion(other, "Where is Bill?", "office", [1], 9, 2),
        ]

    def test_ids_of_ten_and_more_do_not_begin_a_story(self):
        questions = list(read_babi(fixture(1)))
        assert [len(item.statements) for item in questions] == [2, 4, 6, 8, 10, 2, 4]
        assert questions[4].statements[0] == "Bill went to the cinema."
        assert questions[4].statements[-1] == "Julie journeyed to the cinema."
        assert (questions[3].line, questions[4].line) == (12, 15)

    def test_supporting_ids_count_question_lines_and_keep_their_order(self):
        item = list(read_babi(fixture(2)))[2]
        assert item.question == "Where is the milk?"
        expected = ["Julie left the milk.", "Julie travelled to the office."]
        assert [item.statements[fact] for fact in item.supporting_facts] == expected

    def test_answers_of_several_words_are_one(self):
        expected = [*("apple", "nothing", "milk", "milk,apple", "apple", "football", "nothing")]
        assert [item.answer for item in read_babi(fixture(8))] == expected

    def test_windows_line_ends_and_a_missing_last_one(self, tmp_path):
        path = tmp_path / "qa1_train.txt"
        path.write_bytes((FIXTURES / "qa1_train.txt").read_bytes().replace(b"\n", b"\r\n").rstrip())
        assert list(read_babi(str(path))) == list(read_babi(fixture(1)))

    def test_a_question_may_come_without_supporting_ids(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_text("1 Mary left.\n2 Who left?\tMary\n3 Who left?\tMary\t\n")
        assert [item.supporting_facts for item in read_babi(str(path))] == [[], []]

    @needs_babi
    def test_real_files_have_their_known_counts(self):
        short = {17: (904, 96), 18: (905, 95), 20: (904, 96)}
        for task in range(1, 21):
            paths = [str(BABI / f"qa{task}_{split}.txt") for split in ("train", "valid", "test")]
            counts = [sum(1 for _ in read_babi(path)) for path in paths]
            assert counts == [*short.get(task, (900, 100)), 1000], task

    @needs_babi
    def test_answers_of_real_files_are_words_of_the_passage_where_they_are_said_to_be(self):
        for task in range(1, 21):
            items = list(read_babi(str(BABI / f"qa{task}_valid.txt")))
            texts = [" ".join(item.statements).lower() for item in items]
            words = [item.answer.lower() in re.findall(r"\w+", text) for item, text in zip(items, texts)]
            assert all(words) == (task in EXTRACTIVE_TASKS), task
