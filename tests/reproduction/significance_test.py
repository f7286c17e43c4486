import math
from itertools import permutations, product

import numpy
import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.reproduction.significance import Scored, mcnemar, pair, paired_bootstrap, read_scores
from tests.json_lines import write_lines


def test_mcnemar_of_the_textbook():
    # Agresti, Categorical Data Analysis: 150 approve of a prime minister at first alone, 86 later alone, of
    # 1,600.
    first = [True] * 794 + [True] * 150 + [False] * 86 + [False] * 570
    second = [True] * 794 + [False] * 150 + [True] * 86 + [False] * 570
    tail = sum(math.comb(236, k) for k in range(87))
    assert mcnemar(first, second) == pytest.approx(2 * tail / 2**236, rel=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=10))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_the_exact_test_counts_all_outcomes_that_are_no_more_even(answers):
    first, second = [a for a, _ in answers], [b for _, b in answers]
    discordant = [a for a, b in answers if a != b]
    observed = abs(sum(discordant) - len(discordant) / 2)
    outcomes = list(product((0, 1), repeat=len(discordant)))
    as_extreme = sum(abs(sum(outcome) - len(discordant) / 2) >= observed for outcome in outcomes)
    for pair_of_readers in ((first, second), (second, first)):
        assert mcnemar(*pair_of_readers) == pytest.approx(as_extreme / len(outcomes))


def test_the_bootstrap_finds_a_difference_and_only_where_there_is_one():
    first = [0.1 * (i % 10) for i in range(200)]
    better = [score + 0.05 + 0.01 * (i % 3) for i, score in enumerate(first)]
    result = paired_bootstrap(better, first, samples=500)
    assert result.questions == 200
    assert result.difference == pytest.approx(0.05 + 0.01 * (67 * 0 + 67 + 66 * 2) / 200)
    assert 0.05 < result.low < result.difference < result.high < 0.07
    assert result.p == pytest.approx(2 / 501)
    swung = [score + (0.1 if i % 2 else -0.1) for i, score in enumerate(first)]
    assert paired_bootstrap(swung, first, samples=500).p > 0.5
    assert paired_bootstrap(first, first, samples=500).p == 1
    assert paired_bootstrap(swung, first, 500, seed=3) == paired_bootstrap(swung, first, 500, seed=3)


def test_samples_without_a_difference_count_in_both_tails():
    """Means over three seeds are thirds, and sums of their differences are 0 but for rounding."""
    first = [1.0] * 6 + [1 / 3] + [0.5] * 33
    second = [2 / 3] * 7 + [0.5] * 33
    thirds = [1] * 6 + [-1] + [0] * 33
    assert paired_bootstrap(first, second).p == paired_bootstrap(thirds, [0] * 40).p > 0.05


def test_by_default_ten_thousand_samples_are_drawn_with_the_seed_1():
    differences = numpy.array([0.3, 0.1, 0.2, 0.6])
    result = paired_bootstrap(differences, [0.0] * 4)
    means = differences[numpy.random.default_rng(1).integers(4, size=(10000, 4))].mean(axis=1)
    assert (result.low, result.high) == pytest.approx(tuple(numpy.percentile(means, [2.5, 97.5])))
    assert result.p == pytest.approx(2 / 10001)


def test_questions_of_a_group_are_drawn_together():
    """Ten equal questions of each group tell no more than one of each would."""
    alone = [0.1 * ((7 * i) % 10) - 0.3 for i in range(20)]
    repeated = [score for score in alone for _ in range(10)]
    groups = [i for i in range(20) for _ in range(10)]
    expected = paired_bootstrap(alone, [0] * 20, samples=500)
    found = paired_bootstrap(repeated, [0] * 200, samples=500, groups=groups)
    assert found.questions == 200 and tuple(found)[1:] == pytest.approx(tuple(expected)[1:])
    single = paired_bootstrap(repeated, [0] * 200, samples=500)
    assert found.high - found.low > 2 * (single.high - single.low)


def test_a_bootstrap_of_nothing_is_an_error_and_one_of_few_groups_has_a_remark():
    with pytest.raises(ConfigurationError, match="found no question, expected one or more"):
        paired_bootstrap([], [])
    for number in (8, 20):
        result = paired_bootstrap([0.1, 0.2] * number, [0] * 2 * number, groups=list(range(number)) * 2)
        assert result.groups == number and (f"found {number} passages" in result.remark) == (number < 20)


def test_the_interval_is_that_of_all_samples_of_groups_of_different_sizes():
    groups = [[1], [0, 0], [1, 1, 0], [0, 0, 0, -1]]
    scores = [score for group in groups for score in group]
    numbers = [i for i, group in enumerate(groups) for _ in group]
    # The mean of a sample is that of its questions, not of its groups.
    means = [numpy.mean([score for group in drawn for score in group]) for drawn in product(groups, repeat=4)]
    result = paired_bootstrap(scores, [0] * 10, groups=numbers)
    assert result.difference == pytest.approx(0.2)
    assert (result.low, result.high) == pytest.approx(tuple(numpy.percentile(means, [2.5, 97.5])))


def write(path, *objects):
    return str(write_lines(path, objects))


def test_predictions_of_predict_and_of_evaluate_are_the_same(tmp_path):
    answers = {"id": "a", "answer": "Milk", "gold": "milk"}, {"id": "b", "answer": "x", "gold": "y"}
    lines = write(tmp_path / "lines", *answers)
    # What has no value for each question is of the batch.
    batch = {"id": ["a", "b"], "answer": ["Milk", "x"], "gold": ["milk", "y"], "loss": 1, "lengths": [3]}
    batches = write(tmp_path / "batches", batch)
    runs = write(tmp_path / "runs", {"id": "a", "correct": True}, {"id": "b", "correct": False})
    assert read_scores(lines) == read_scores(batches) == [Scored("a", 1.0, "milk"), Scored("b", 0.0, "y")]
    assert read_scores(runs) == [Scored("a", 1.0), Scored("b", 0.0)]


def test_questions_of_one_story_go_together_in_any_order(tmp_path):
    stories = [["a", "b"], ["a", "b", "c"], ["b"], ["a", "b", "c", "d"], []]
    objects = [{"f1": 1, "passage_tokens": story} for story in stories]
    for order in permutations(range(5)):
        scored = read_scores(write(tmp_path / "x", *[objects[i] for i in order]), "f1")
        found = dict(zip(order, [question.article for question in scored]))
        assert found == {0: "a b", 1: "a b", 3: "a b", 2: "b", 4: None}
    (named,) = read_scores(write(tmp_path / "y", {**objects[2], "article": None}), "f1")
    assert named.article == "b"


def test_questions_go_together_by_id_or_by_order(tmp_path):
    first = read_scores(write(tmp_path / "1", {"id": "a", "f1": 0.5}, {"id": "b", "f1": 0.7}), "f1")
    second = read_scores(write(tmp_path / "2", {"id": "b", "f1": 1}, {"id": "a", "f1": 0}), "f1")
    assert pair(first, second, ("1", "2")) == ([0.5, 0.7], [0.0, 1.0], None)
    second = read_scores(write(tmp_path / "3", {"f1": 1}, {"f1": 0}), "f1")
    assert pair(second, second, ("3", "3")) == ([1.0, 0.0], [1.0, 0.0], None)
    # Articles are known if all questions name theirs.
    articles = read_scores(write(tmp_path / "4", {"f1": 1, "article": "x"}, {"f1": 0, "article": "y"}), "f1")
    assert pair(articles, second, ("4", "3")).articles == ["x", "y"]
    assert pair([articles[0], second[1]], second, ("4", "3")).articles is None
    # By order, too, if one has no id.
    some, others = [Scored("a", 0.1), Scored(None, 0.2)], [Scored(None, 0.3), Scored("a", 0.4)]
    assert pair(some, others, ("4", "5")) == ([0.1, 0.2], [0.3, 0.4], None)


@pytest.mark.parametrize(
    "content, key, message",
    [
        ("{", None, "FILE, object 1: found damaged JSON .*, expected an object"),
        ('{"correct": true}\n{"answer": "x"}', None, "FILE, object 2: found None as correct, expected a"),
        ('{"rouge_l": NaN}', "rouge_l", "FILE, object 1: found nan as rouge_l, expected a number"),
    ],
)
def test_other_files_are_refused(tmp_path, content, key, message):
    path = tmp_path / "predictions.jsonl"
    path.write_text(content)
    with pytest.raises(ConfigurationError, match=message.replace("FILE", str(path))):
        read_scores(str(path), key)


def test_other_questions_are_refused():
    with pytest.raises(ConfigurationError, match=r"A and B: found 2 and 1 questions, 1 .*\bb\b"):
        pair([Scored("a", 1.0), Scored("b", 0.0)], [Scored("a", 1.0)], ("A", "B"))
    ours, theirs = ([Scored(f"{name}.txt:{line}", 1.0) for line in (3, 4)] for name in ("ours", "theirs"))
    name = r"4 of .*\(such as ours.txt:3; the ids differ only in the name of the questions' file\)"
    with pytest.raises(ConfigurationError, match=name):
        pair(ours, theirs, ("A", "B"))
    with pytest.raises(ConfigurationError, match=r"\(such as ours.txt:3\)"):
        pair(ours, theirs[:1], ("A", "B"))
    with pytest.raises(ConfigurationError, match="A: found the id 'a' twice"):
        pair([Scored("b", 1.0), Scored("a", 1.0), Scored("a", 0.0)], [Scored("a", 1.0)], ("A", "B"))
    for id in ("a", None):
        with pytest.raises(ConfigurationError, match=f"found 'x' and 'y' as correct answers of .* {id!r}"):
            pair([Scored(id, 1.0, "x")], [Scored(id, 1.0, "y")], ("A", "B"))
    assert pair([Scored("a", 1.0, "x")], [Scored("a", 0.0)], ("A", "B")) == ([1.0], [0.0], None)
