import csv
import re

import numpy
import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.common.files import named_paths
from allennlp_coref_rc.metrics.answer_scores import scores_of
from allennlp_coref_rc.metrics.narrativeqa import NarrativeQaMetric
from allennlp_coref_rc.reproduction.figures import question_scores
from allennlp_coref_rc.reproduction.figures.question_scores import (
    MEASURES,
    question_type,
    read_answers,
    score,
)
from tests.json_lines import write_lines
from tests.safe_archives.crafted import refusal

pytestmark = pytest.mark.slow

WORDS = "the old man sails home at dawn with a fish".split()
QUESTIONS = ["How many fish ?", "What is sold ?", "Who sails ?", "Where does he go and why ?"]
QUESTIONS += ["Does the show end ?", "Is it old ?", "How far is it ?", "WHY ?"]


def predictions(seed, number=60):
    random = numpy.random.default_rng(seed)
    shared = numpy.random.default_rng(0)
    made = []
    for i in range(number):
        references = [" ".join(shared.choice(WORDS, size=shared.integers(1, 5))) for _ in range(2)]
        made.append(
            {
                "id": f"d{i // 7}##{i:03d}",
                "answer": " ".join(random.choice(WORDS, size=random.integers(1, 5))),
                "answer_texts": references,
                "question_tokens": QUESTIONS[shared.integers(len(QUESTIONS))].split(),
                "passage_tokens": ["x"] * int(shared.choice([1, 200, 201, 399, 1200, 1201, 3000])),
                "span_start_probs": [0.5, 0.5],
            }
        )
    return made


def run(*arguments):
    main(["draw", "questions", *map(str, arguments)])


def type_of(prediction):
    """The first in this order that a pattern finds."""
    hows = [f"how {word}" for word in "far long many much old".split()]
    order = [*"what when where which who why".split(), *hows, "how"]
    question = " ".join(prediction["question_tokens"])
    return next((words for words in order if re.search(words, question, re.IGNORECASE)), "other")


def range_of(prediction):
    length = len(prediction["passage_tokens"])
    number = (length - 1) // 200
    return "1201+" if number > 5 else f"{200 * number + 1}-{200 * number + 200}"


def metrics(predictions):
    metric = NarrativeQaMetric()
    metric([p["answer"] for p in predictions], [p["answer_texts"] for p in predictions])
    return metric.get_metric()


def test_tables_and_pictures_have_the_metrics_of_each_group(tmp_path, monkeypatch):
    monkeypatch.setattr(question_scores, "SAMPLES", 20)
    one, other = predictions(1), predictions(2)
    # The order of questions is each file's own.
    paths = (
        f"One={write_lines(tmp_path / 'a.jsonl', one)}",
        f"Other={write_lines(tmp_path / 'b.jsonl', other[::-1])}",
    )
    run(tmp_path / "out", *paths)
    with open(tmp_path / "out" / "scores.csv") as file:
        rows = list(csv.DictReader(file))
    seen = {}
    for row in rows:
        group_of = {"question type": type_of, "passage length": range_of}[row["by"]]
        first, own = (
            [p for p in answers if row["group"] in ("all", group_of(p))]
            for answers in (one, {"One": one, "Other": other}[row["reader"]])
        )
        expected, baseline = (100 * metrics(answers)[row["measure"]] for answers in (own, first))
        assert int(row["questions"]) == len(own)
        assert float(row["score"]) == pytest.approx(expected, abs=1e-4)
        assert float(row["difference"]) == pytest.approx(expected - baseline, abs=2e-4)
        seen.setdefault(row["by"], {})[row["group"]] = len(own)
    for group_of, counts in zip((type_of, range_of), seen.values()):
        assert set(counts) == {"all", *map(group_of, one)}
        assert counts.pop("all") == len(one) == sum(counts.values())
    assert len(rows) == 2 * len(MEASURES) * sum(len(groups) + 1 for groups in seen.values())
    pictures = sorted(path.name for path in (tmp_path / "out").glob("*.png"))
    assert pictures == sorted(f"{by.replace(' ', '_')}_{measure}.png" for by in seen for measure in MEASURES)

    tables = (tmp_path / "out" / "scores.md").read_text()
    assert tables.count("## ") == 2 * len(MEASURES)
    row = next(r for r in rows if (r["group"], r["reader"], r["measure"]) == ("how many", "Other", "rouge_l"))
    cell = f"{float(row['score']):.2f} ({float(row['difference']):+.2f}, "
    assert re.search(
        rf"^\| how many \| {row['questions']} \| [\d.]+ \| {re.escape(cell)}", tables, re.MULTILINE
    )


def test_scores_that_predictions_have_count(tmp_path):
    """As those of Quoref, where the answer_texts are no alternatives."""
    (prediction,) = predictions(1, number=1)
    own = {"answer": "fish", "answer_texts": ["fish", "dawn"], "exact_match": 0.0, "f1": 0.5}
    (answered,) = read_answers(str(write_lines(tmp_path / "a.jsonl", [{**prediction, **own}]))).values()
    found = scores_of(answered.counts)
    assert (found["rouge_l"], found["exact_match"], found["f1"]) == (1, 0, 0.5)
    with pytest.raises(ConfigurationError, match="found 50 at f1, expected a number, 0 to 1"):
        read_answers(str(write_lines(tmp_path / "b.jsonl", [{**prediction, "f1": 50}])))


def test_types_are_of_the_first_words_found_anywhere():
    expected = {
        "How many men?": "how many",
        "Whose is it?": "who",
        "Who knows what?": "what",
        "Show it": "how",
        "Is it?": "other",
        "The whole day": "who",
        "How old is the man?": "how old",
        "Where or when?": "when",
    }
    assert {question: question_type(question) for question in expected} == expected


def test_intervals_are_of_paired_differences():
    random = numpy.random.default_rng(3)
    counts = numpy.zeros((400, 14))
    counts[:, 0] = 1
    counts[:, 1] = random.random(400)
    better = counts.copy()
    better[:, 1] += random.normal(0.05, 0.1, size=400)
    alike = counts.copy()
    alike[:, 1] += 0.125
    scores = score(["a", "b", "c"], [counts, better, alike], ["rouge_l"])
    assert scores[0][2:] == pytest.approx((100 * counts[:, 1].mean(), 0, 0, 0))
    difference = 100 * (better - counts)[:, 1]
    mean, error = difference.mean(), difference.std() / 20
    assert scores[1].difference == pytest.approx(mean)
    assert scores[1].low == pytest.approx(mean - 1.96 * error, abs=0.2 * error)
    assert scores[1].high == pytest.approx(mean + 1.96 * error, abs=0.2 * error)
    assert scores[2][3:] == pytest.approx((12.5, 12.5, 12.5))


def without(prediction, key):
    return {name: value for name, value in prediction.items() if name != key}


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda first, *rest: [without(first, "answer"), *rest], "object 1: .* the key 'answer'"),
        (lambda first, *rest: [first, first], "object 2: found the id 'd0##000' a second time"),
        (lambda first, *rest: rest, r"found 3 and 2 questions, 1 .* \(such as d0##000\), expected the same"),
        (
            lambda first, *rest: [{**first, "answer_texts": ["no"]}, *rest],
            r"found .* and \['no'\] as correct answers of the question 'd0##000', expected the same",
        ),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_written(tmp_path, capsys, change, message):
    values = predictions(1, number=3)
    changed, good = (
        write_lines(tmp_path / "a.jsonl", change(*values)),
        write_lines(tmp_path / "b.jsonl", values),
    )
    error = refusal(capsys, "draw", "questions", tmp_path / "out", f"b={good}", f"a={changed}")
    assert re.search(f"a.jsonl(: |, ){message}", error)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments", [["a=x", "a=y"], ["=x"], ["a="], ["d/a.b.jsonl", "a=y"]])
def test_readers_need_names_of_their_own(arguments):
    with pytest.raises(ConfigurationError, match="expected NAME=PATH"):
        named_paths(arguments)
    assert named_paths(["d/a.b.jsonl", "b=c=d"]) == {"a": "d/a.b.jsonl", "b": "c=d"}
