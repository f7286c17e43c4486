import hashlib
import re
from collections import Counter

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import ExactMatchCoref
from allennlp_coref_rc.data.babi.mixed_stories import (
    ALTERNATES,
    OTHER_WORDS,
    mix_stories,
    read_stories,
    rename,
)
from allennlp_coref_rc.data.babi.simulated_world import PEOPLE, PLACES, SIMULATED_TASKS, THINGS, simulate_task
from allennlp_coref_rc.data.dataset_readers import AnnotatedBabiReader
from tests.shared import BABI, PROJECT, needs_babi

FIXTURES = PROJECT / "tests" / "fixtures" / "babi"

ORIGINALS = {alternate: word for word, alternate in ALTERNATES.items()}


def parse(lines):
    """The stories of bAbI lines: a line is [text], or [question, answer, numbers of supporting lines]."""
    stories = []
    for line in lines:
        number, text = line.split(" ", 1)
        if number == "1":
            stories.append([])
        assert int(number) == len(stories[-1]) + 1
        first, *rest = [part.strip() for part in text.split("\t")]
        if rest:
            stories[-1].append([first, rest[0], [int(fact) for fact in rest[1].split()]])
        else:
            stories[-1].append([first])
    return stories


def statements(story):
    return [line[0] for line in story if len(line) == 1]


def up_to_the_last_question(story):
    return story[: max(i for i, line in enumerate(story) if len(line) == 3) + 1]


def words(line):
    return set(re.findall("[a-z]+", str(line).lower()))


def restored(value):
    """A text with alternates, in which the original entities replace them."""
    if isinstance(value, list):
        return [restored(part) for part in value]
    if isinstance(value, int):
        return value
    for alternate, word in ORIGINALS.items():
        value = re.sub(rf"\b{alternate}\b", word, value)
        value = re.sub(rf"\b{alternate.capitalize()}\b", word.capitalize(), value)
    return value


def check_mixed(source, mixed):
    """The mixed stories are the source's in order, each with the statements of another, taken once."""
    assert len(mixed) == len(source)
    others, with_alternates = [], 0
    for own, story in zip(map(up_to_the_last_question, source), mixed):
        worlds, numbers = {True: [], False: []}, {True: [0], False: [0]}
        for number, line in enumerate(story, start=1):
            # Every line names an entity, and none those of both worlds.
            assert bool(words(line) & set(ORIGINALS)) != bool(words(line) & set(ALTERNATES)), line
            world = bool(words(line) & set(ORIGINALS))
            numbers[world].append(number)
            # A supporting fact is a line of the same world: its number there.
            facts = [[numbers[world].index(fact) for fact in line[2]]] if len(line) == 3 else []
            worlds[world].append(line[:2] + facts)
        assert len(story[-1]) == 3
        asked = bool(words(story[-1]) & set(ORIGINALS))
        with_alternates += asked
        worlds[True] = restored(worlds[True])
        assert worlds[asked] == own
        others.append(worlds[not asked])
    told = [[[text] for text in statements(up_to_the_last_question(story))] for story in source]
    assert sorted(others) == sorted(told)
    assert all(other != own for other, own in zip(others, told)) or len(set(map(str, told))) < len(told)
    return with_alternates


def mixed_lines(path, seed):
    return mix_stories(read_stories(str(path)), seed)


FIXTURE = HealthCheck.function_scoped_fixture


@settings(derandomize=True, deadline=None, max_examples=30, suppress_health_check=[FIXTURE])
@given(st.sampled_from(SIMULATED_TASKS), st.integers(6, 60), st.integers(0, 2**40))
def test_stories_can_be_told_apart_again(tmp_path, task, questions, seed):
    lines = simulate_task(task, questions, seed % 97)
    path = tmp_path / "qa.txt"
    path.write_text("\n".join(lines) + "\n")
    mixed = mixed_lines(path, seed)
    check_mixed(parse(lines), parse(mixed))
    assert mixed == mixed_lines(path, seed)


@needs_babi
@pytest.mark.parametrize("task", range(1, 21))
def test_published_stories_can_be_told_apart_again(task):
    path = BABI / f"qa{task}_valid.txt"
    source = parse(path.read_text().splitlines())
    with_alternates = check_mixed(source, parse(mixed_lines(path, 5)))
    # Five standard deviations.
    assert abs(with_alternates - len(source) / 2) <= 2.5 * len(source) ** 0.5


@pytest.mark.parametrize("task", [1, 2, 6, 8, 15, 16])
def test_hand_made_stories_can_be_told_apart_again(task):
    path = FIXTURES / f"qa{task}_train.txt"
    for seed in range(10):
        check_mixed(parse(path.read_text().splitlines()), parse(mixed_lines(path, seed)))


def test_all_interleavings_are_equally_likely(tmp_path):
    path = tmp_path / "qa1_train.txt"
    story = "1 Mary went to the office.\n2 Where is Mary? \toffice\t1\n"
    story += "3 John went to the park.\n4 Where is John? \tpark\t3\n"
    path.write_text(story * 3000)
    orders, asked = Counter(), 0
    for mixed in parse(mixed_lines(path, 1)):
        own = words(mixed[-1])
        asked += "peter" in own
        world = set(ORIGINALS) if "peter" in own else set(ALTERNATES)
        orders[
            "".join(("?" if len(line) == 3 else "o") if words(line) & world else "x" for line in mixed)
        ] += 1
    # The story's statements "o" and questions "?", of which the last comes last, among the other's statements
    # "x".
    expected = "xxo?o? xox?o? xo?xo? xo?ox? oxx?o? ox?xo? ox?ox? o?xxo? o?xox? o?oxx?"
    assert set(orders) == set(expected.split())
    assert all(abs(count - 300) < 5 * 300**0.5 for count in orders.values())
    assert abs(asked - 1500) < 5 * 750**0.5


@pytest.mark.parametrize("task", [11, 13])
def test_a_pronoun_comes_right_after_what_it_refers_to(tmp_path, task):
    path = tmp_path / "qa.txt"
    path.write_text("\n".join(simulate_task(task, 200, seed=2)))
    found = 0
    for story in parse(mixed_lines(path, 3)):
        for before, line in zip(story, story[1:]):
            if words(line[0]) & {"he", "she", "they"}:
                found += 1
                assert bool(words(before) & set(ORIGINALS)) == bool(words(line) & set(ORIGINALS))
    assert found == 400


def test_a_question_before_a_pronoun_stays_where_it_is(tmp_path):
    path = tmp_path / "qa11_train.txt"
    story = "1 Mary went to the office.\n2 Where is Mary?\toffice\t1\n"
    story += "3 Then she went to the park.\n4 Where is Mary?\tpark\t1 3\n"
    path.write_text(story * 40)
    for mixed in parse(mixed_lines(path, 1)):
        start = next(i for i, line in enumerate(mixed) if len(line) == 3)
        assert "she" in words(mixed[start + 1]) and len(mixed[start - 1]) == 1
    check_mixed(parse(story.splitlines() * 40), parse(mixed_lines(path, 1)))


def test_alternates_are_new_and_name_entities():
    assert len(ORIGINALS) == len(ALTERNATES)
    assert not set(ORIGINALS) & (set(ALTERNATES) | OTHER_WORDS) and not set(ALTERNATES) & OTHER_WORDS
    assert {word.lower() for word in PEOPLE + PLACES + THINGS} <= set(ALTERNATES)
    for word in [*ALTERNATES, *ORIGINALS]:
        assert ExactMatchCoref().annotate(AnnotatedText([word, word])).clusters == [[(0, 1), (1, 2)]], word


@needs_babi
def test_alternates_occur_in_no_published_file():
    found = {word for path in BABI.glob("*.txt") for word in words(path.read_text())}
    assert set(ALTERNATES) <= found <= set(ALTERNATES) | OTHER_WORDS
    assert not found & set(ORIGINALS)


def test_capitals_and_lists_of_answers_are_renamed():
    expected = "Rats are afraid of martha. \tjuice,pear\t1 2"
    assert rename("Mice are afraid of gertrude. \tmilk,apple\t1 2") == expected
    assert rename("Daniel took the milk in Marylebone.") == "David took the juice in Marylebone."


def test_text_is_the_same_everywhere(tmp_path):
    path = tmp_path / "qa2_train.txt"
    path.write_text("\n".join(simulate_task(2, 100, seed=1)))
    digest = hashlib.sha256("\n".join(mixed_lines(path, 1)).encode()).hexdigest()
    assert digest == "4f0499e9ca0b5c6fcfc87d6cdddf4c64c0a6b403c4b1da52879594e09850185f"
    assert mixed_lines(path, 1) != mixed_lines(path, 2)


STORY = "1 Mary went to the office.\n2 Where is Mary?\toffice\t1\n"


@pytest.mark.parametrize(
    "text, message",
    [
        (STORY, ": found one story, expected two or more to mix"),
        (STORY + STORY.replace("office", "harbour"), ", line 4 or .*: found 'harbour', which has no"),
        (STORY + STORY.replace("Mary", "Alice"), ", line 4 or .*: found 'Alice', an alternate; expected"),
        (STORY + "1 Mary went", ": found one story"),
        (STORY + "3 Mary", ": found one story"),
        (STORY + "9 Mary went to the office.", ", line 3: found the number 9, expected 3"),
    ],
)
def test_files_that_cannot_be_mixed_are_refused(tmp_path, text, message):
    path = tmp_path / "qa1_train.txt"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=re.escape(str(path)) + message):
        read_stories(str(path))


def run(*arguments):
    main(["data", "mix", *map(str, arguments)])


def test_command_writes_files_that_the_reader_takes(tmp_path, capsys):
    output = tmp_path / "new" / "mix"
    run(FIXTURES, output, "--tasks", 2, 1, "--splits", "train", "test", "--seed", 4)
    names = ["qa1_test.txt", "qa1_train.txt", "qa2_test.txt", "qa2_train.txt"]
    assert sorted(path.name for path in output.iterdir()) == names
    for name, seed in zip(names, (4012, 4010, 4022, 4020)):
        stories = read_stories(str(FIXTURES / name))
        lines = (output / name).read_text().splitlines()
        assert lines == mix_stories(stories, seed)
        instances = list(AnnotatedBabiReader().read(str(output / name)))
        questions = [line for story in parse(lines) for line in story if len(line) == 3]
        expected = [answer for _, answer, _ in questions]
        assert [instance["metadata"]["answer"] for instance in instances] == expected
        assert len(instances) == sum(map(len, stories))
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"{output / 'qa2_train.txt'}: ") and len(printed) == 4


def test_command_does_not_write_over_its_source(capsys):
    with pytest.raises(SystemExit) as stop:
        run(FIXTURES, FIXTURES.parent / "babi")
    assert stop.value.code == 2 and "expected another folder" in capsys.readouterr().err
