import hashlib
import re
from collections import Counter

import pytest

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.babi.fresh_test import with_fresh_test
from allennlp_coref_rc.data.babi.simulated_world import SIMULATED_TASKS, simulate_task
from tests.data.babi.babi_oracle import AskedQuestion, answer, read_stories
from tests.shared import BABI, needs_babi

SPLITS = ("train", "valid", "test")

# The shares of the answers among the 2000 questions of qa{task}_train.txt, qa{task}_valid.txt and qa{task}_test.txt.
ANSWER_SHARES = {
    1: dict(garden=0.182, office=0.174, kitchen=0.165, hallway=0.165, bedroom=0.163, bathroom=0.151),
    2: dict(garden=0.199, office=0.174, bedroom=0.163, bathroom=0.160, kitchen=0.156, hallway=0.149),
    3: dict(garden=0.193, bathroom=0.192, hallway=0.175, bedroom=0.149, kitchen=0.146, office=0.145),
    6: dict(yes=0.502, no=0.497),
    7: dict(one=0.488, none=0.468, two=0.043, three=0.002),
    8: dict(nothing=0.340, milk=0.203, apple=0.199, football=0.187, several=0.072),
    9: dict(no=0.635, yes=0.364),
    11: dict(hallway=0.192, bedroom=0.177, kitchen=0.164, office=0.159, garden=0.159, bathroom=0.150),
    13: dict(hallway=0.177, bedroom=0.171, bathroom=0.168, garden=0.166, office=0.162, kitchen=0.158),
}
# In the same files: statements in a story, and how many statements there are, on average, between a
# supporting fact and its question.
STATEMENTS_PER_STORY = {2: 21.84, 3: 73.77, 6: 10.29, 7: 12.77, 8: 13.36, **dict.fromkeys((1, 9, 11, 13), 10)}
MEAN_DISTANCE = {1: 0.99, 2: 3.04, 3: 4.51, 6: 1.24, 7: 2.84, 8: 2.98, 9: 0.97, 11: 1.31, 13: 0.65}


def distances(question: AskedQuestion) -> list[int]:
    ids = sorted(question.statements)
    return [len(ids) - 1 - ids.index(fact) for fact in question.facts]


def check_story(questions: list[AskedQuestion]) -> None:
    for question in questions:
        expected = set(question.statements)
        assert set(question.facts) <= expected, "supporting facts are statements before the question"
        assert len(set(question.facts)) == len(question.facts)
        assert min(distances(question)) < 5
        assert answer(list(question.statements.values()), question.text) == question.answer
        supporting = [question.statements[fact] for fact in sorted(question.facts)]
        assert answer(supporting, question.text, complete=False) == question.answer


@pytest.fixture(scope="module", params=SIMULATED_TASKS)
def simulated(request):
    """A task with the stories of 1000 questions."""
    return request.param, read_stories(simulate_task(request.param, 1000, seed=3))


@pytest.mark.parametrize("task", SIMULATED_TASKS)
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_every_question_has_the_answer_that_follows_from_the_text(task, seed):
    stories = read_stories(simulate_task(task, 100, seed))
    assert [len(story) for story in stories] == [5] * 20
    for story in stories:
        check_story(story)


@needs_babi
@pytest.mark.parametrize("task", SIMULATED_TASKS)
def test_published_files_are_read_in_the_same_way(task):
    for split in ("valid", "train"):
        for story in read_stories((BABI / f"qa{task}_{split}.txt").read_text().splitlines()):
            check_story(story)


def test_oracle_is_not_pleased_with_everything():
    sentences = ["Mary went to the garden", "Mary got the milk there", "Mary moved to the office"]
    assert answer(sentences, "Where is the milk") == "office"
    assert answer(sentences, "Where was the milk before the office") == "garden"
    assert answer(sentences[:2], "Where is Mary") == "garden"
    with pytest.raises(ValueError, match="has it"):
        answer(sentences + ["John took the milk there"], "Where is the milk")
    with pytest.raises(ValueError, match="'he' for"):
        answer(["Mary went to the garden", "Then he moved to the office"], "Where is Mary")
    with pytest.raises(ValueError, match="not a line"):
        read_stories(["1 Mary went to the garden.", "2 Where is Mary?\tgarden\t1"])


@pytest.mark.parametrize("questions", [1, 4, 5, 6, 23])
def test_number_of_questions_is_exact(questions):
    for task in SIMULATED_TASKS:
        stories = read_stories(simulate_task(task, questions, seed=7))
        assert sum(len(story) for story in stories) == questions
        assert all(len(story) == 5 for story in stories[:-1])


def test_order_of_supporting_facts_is_that_of_the_published_files(simulated):
    task, stories = simulated
    for question in sum(stories, []):
        facts = question.facts
        if task in (1, 6, 9):
            assert len(facts) == 1
        elif task in (11, 13):
            assert facts == [facts[0], facts[0] + 1]
        elif task == 2:
            assert re.search(r"(?:apple|football|milk)", question.statements[facts[0]])
            assert " to the " in question.statements[facts[1]] and len(facts) == 2
        elif task == 3:
            assert re.search(r"(?:apple|football|milk)", question.statements[facts[0]])
            assert facts[1] > facts[2] and len(facts) == 3
        elif task == 7:
            assert facts == sorted(facts)
        else:
            things = [re.search(r"apple|football|milk", question.statements[fact])[0] for fact in facts]
            assert things == sorted(things, key=things.index), "facts about one thing stand together"


def test_statistics_are_those_of_the_published_files(simulated):
    task, stories = simulated
    questions = sum(stories, [])
    answers = Counter("several" if "," in question.answer else question.answer for question in questions)
    assert set(answers) <= set(ANSWER_SHARES[task])
    # 200 stories of a simulation differ among themselves by up to 0.04.
    for name, share in ANSWER_SHARES[task].items():
        assert answers[name] / len(questions) == pytest.approx(share, abs=0.06), name
    told = sum(len(story[-1].statements) for story in stories) / len(stories)
    assert told == pytest.approx(STATEMENTS_PER_STORY[task], rel=0.12)
    between = [distance for question in questions for distance in distances(question)]
    assert sum(between) / len(between) == pytest.approx(MEAN_DISTANCE[task], rel=0.12)


@pytest.mark.parametrize("task", SIMULATED_TASKS)
def test_seed_decides_the_stories(task):
    lines = simulate_task(task, 50, seed=1)
    assert lines == simulate_task(task, 50, seed=1)
    assert lines != simulate_task(task, 50, seed=2)
    assert simulate_task(task, 10, seed=1) == lines[: len(simulate_task(task, 10, seed=1))]
    stories = re.split(r"\n(?=1 )", "\n".join(lines))
    assert len(set(stories)) == len(stories)


def test_text_is_the_same_everywhere():
    text = "\n".join(line for task in SIMULATED_TASKS for line in simulate_task(task, 25, seed=1))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest == "e73b06042f338d9a4336e6f082cc3da400203719eed2db7c9d7e058cb074d2bf"


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((4, 5, 1), "task: found 4, expected one of 1, 2, 3, 6, 7, 8, 9, 11, 13"),
        ((1, 0, 1), "questions is 0, expected 1 or more"),
        ((1, 5, -1), "seed is -1, expected 0 or more"),
    ],
)
def test_unusable_arguments_are_named(arguments, message):
    with pytest.raises(ConfigurationError, match=message):
        simulate_task(*arguments)


def run(*arguments: str) -> None:
    main(["data", "simulate", *arguments])


def test_command_writes_the_files_of_the_tasks(tmp_path, capsys):
    folder = tmp_path / "new" / "simulated"
    counts = {"train": 10, "valid": 5, "test": 15}
    options = [word for split, count in counts.items() for word in (f"--{split}", str(count))]
    run(str(folder), "--tasks", "1,13", *options, "--seed", "4")
    names = {f"qa{task}_{split}.txt" for task in (1, 13) for split in SPLITS}
    assert {path.name for path in folder.iterdir()} == names
    for task in (1, 13):
        for index, split in enumerate(SPLITS):
            lines = (folder / f"qa{task}_{split}.txt").read_text().splitlines()
            assert lines == simulate_task(task, counts[split], seed=4000 + 10 * task + index)
    assert f"{folder / 'qa13_test.txt'}: 15 questions" in capsys.readouterr().out.splitlines()


def test_command_writes_a_fresh_test_for_published_questions(tmp_path, capsys):
    """Task 1 can be simulated. Task 4 cannot: of its five stories the last, with a fifth of the questions."""
    published, folder = tmp_path / "published", tmp_path / "fresh"
    published.mkdir()
    story = ["1 The office is north of the garden.", "2 What is north of the garden? \toffice\t1"]
    for task, stories in ((1, 2), (4, 5)):
        for split in ("train", "valid", "test"):
            text = "\n".join([*story * stories, ""])
            (published / f"qa{task}_{split}.txt").write_text(text.replace("office", f"{split} office"))
    run(str(folder), "--published", str(published), "--tasks", "1,4", "--test", "10", "--seed", "4")
    lines = {path.name: path.read_text().splitlines() for path in folder.iterdir()}
    assert lines["qa1_test.txt"] == simulate_task(1, 10, seed=4012)
    train = (published / "qa4_train.txt").read_text().splitlines()
    assert lines["qa4_train.txt"] == train[:8] and lines["qa4_test.txt"] == train[8:]
    for name in ("qa1_train.txt", "qa1_valid.txt", "qa4_valid.txt"):
        assert lines[name] == (published / name).read_text().splitlines()
    assert f"{folder / 'qa4_test.txt'}: 1 questions" in capsys.readouterr().out.splitlines()
    for more, message in [
        ((str(published), "--published", str(published)), "twice, expected another folder"),
        ((str(tmp_path / "new"), "--published", str(folder), "--tasks", "5"), "qa5_train.txt: no such file"),
        ((str(tmp_path / "new"), "--published", str(published), "--train", "9"), "--train or --valid beside"),
        ((str(tmp_path / "new"), "--tasks", "4"), "--tasks: found 4, expected some of 1, 2, 3, 6,"),
    ]:
        with pytest.raises(SystemExit):
            run(*more)
        assert message in " ".join(capsys.readouterr().err.split())


def test_a_story_alone_is_no_training_and_test(tmp_path):
    for split in ("train", "valid"):
        (tmp_path / f"qa4_{split}.txt").write_text("1 A is north of B.\n2 What is north of B? \tA\t1\n")
    with pytest.raises(ConfigurationError, match="qa4_train.txt: found 1 stories, expected some for a test"):
        dict(with_fresh_test(str(tmp_path), 4, 10, 1))
