import json
import re
import statistics

import pytest

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.reproduction.significance import paired_bootstrap
from tests.json_lines import write_lines
from tests.safe_archives.crafted import refusal


def call(capsys, *arguments, format="json"):
    main(["compare", *map(str, arguments), "--format", format])
    printed = capsys.readouterr().out
    return json.loads(printed) if format == "json" else printed.splitlines()


@pytest.fixture
def files(tmp_path):
    """Of ten questions the first reader has 4 right, and the second 9, among them these."""
    return [
        write_lines(
            tmp_path / f"{name}.jsonl",
            ({"id": i, "correct": i % 10 > 5 - 5 * n, "rouge_l": i / 100 + n / 10} for i in range(60)),
        )
        for n, name in enumerate(("first", "second"))
    ]


def test_right_and_wrong_answers_are_compared(files, capsys):
    found = call(capsys, *files)
    first, second = found["readers"]
    assert (first["reader"], first["mean"], second["mean"], second["sd"]) == (str(files[0]), 0.4, 0.9, None)
    assert second["test"] == "McNemar's exact test" and second["p"] == pytest.approx(2 * 0.5**30)
    assert second["bootstrap"]["difference"] == pytest.approx(0.5) and found["remarks"] == []


def test_half_an_answer_is_not_right(files, capsys):
    """As on pages and in files of results."""
    for path, score in zip(files, (1, 0.5)):
        path.write_text(json.dumps({"id": 1, "exact_match": score}))
    assert [reader["mean"] for reader in call(capsys, *files)["readers"]] == [1, 0]


def test_scores_are_compared(files, capsys):
    _, second = call(capsys, *files, "--score", "rouge_l")["readers"]
    assert second["bootstrap"]["difference"] == pytest.approx(0.1)
    assert (second["test"], second["p"]) == ("paired bootstrap", pytest.approx(2 / 10001))


@pytest.fixture
def seeds(tmp_path):
    """Two readers with three and two seeds, and five questions about each of 30 passages."""
    scores = {
        f"{name}_{seed}": [(7 * i + 3 * i * seed) % 10 < least for i in range(150)]
        for name, number, least in (("GRU", 3, 5), ("C-GRU", 2, 8))
        for seed in range(number)
    }
    for name, right in scores.items():
        questions = [{"id": i, "correct": one, "article": i // 5} for i, one in enumerate(right)]
        # The order of a file does not matter.
        write_lines(tmp_path / f"{name}.jsonl", questions[::-1] if name == "C-GRU_1" else questions)
    return tmp_path, scores


def test_seeds_of_a_reader_are_taken_together(seeds, capsys):
    folder, scores = seeds
    patterns = [f"{name}={folder}/{name}_*.jsonl" for name in ("GRU", "C-GRU")]
    rows = call(capsys, *patterns)["readers"]
    means = {}
    for row in rows:
        of_seeds = [scores[f"{row['reader']}_{seed}"] for seed in range(len(row["seeds"]))]
        accuracies = [sum(right) / 150 for right in of_seeds]
        assert row["seeds"] == pytest.approx(accuracies) and len(of_seeds) == (
            2 if "C-" in row["reader"] else 3
        )
        assert (row["mean"], row["sd"]) == pytest.approx(
            (statistics.mean(accuracies), statistics.stdev(accuracies))
        )
        means[row["reader"]] = [sum(right) / len(right) for right in zip(*of_seeds)]
    expected = paired_bootstrap(means["C-GRU"], means["GRU"], groups=[i // 5 for i in range(150)])
    assert rows[1]["bootstrap"] == pytest.approx(expected._asdict()) and expected.groups == 30
    # McNemar's test is one of single answers to independent questions.
    assert rows[1]["test"] == "paired bootstrap" and rows[1]["p"] == expected.p
    named = [f"{name.split('_')[0]}={folder}/{name}.jsonl" for name in scores]
    assert call(capsys, *named)["readers"] == rows


def test_a_paper_can_paste_it(seeds, capsys):
    folder, scores = seeds
    names = [f"{name}={folder}/{name}_*.jsonl" for name in ("GRU", "C-GRU")]
    rows = call(capsys, *names)["readers"]
    shown = [f"{100 * row['mean']:.2f} ± {100 * row['sd']:.2f}" for row in rows]
    low, high = (f"{100 * rows[1]['bootstrap'][bound]:+.2f}" for bound in ("low", "high"))
    difference = f"{100 * (rows[1]['mean'] - rows[0]['mean']):+.2f}"
    header, _, gru, c_gru, _, sentence = call(capsys, *names, format="markdown")
    assert header == "| correct (%), 150 questions | seeds | mean ± sd | difference | 95 % interval | p |"
    assert gru == f"| GRU | 3 | {shown[0]} |  |  |  |"
    assert c_gru == f"| C-GRU | 2 | {shown[1]} | {difference} | {low} to {high} | < .001 |"
    assert sentence == (
        f"correct: C-GRU {shown[1]} % (2 seeds), GRU {shown[0]} % (3 seeds); difference {difference}, 95 % interval "
        f"{low} to {high} (paired bootstrap of 30 passages); p < .001 (paired bootstrap), n = 150 questions."
    )
    reversed_names = [f"{name}={folder}/{name}_*.jsonl" for name in ("C-GRU", "GRU")]
    begin, header, line, _, row, end, _, sentence = call(capsys, *reversed_names, format="latex")
    assert (begin, line, end) == (r"\begin{tabular}{lrrrrr}", r"\hline", r"\end{tabular}")
    assert header.startswith(r"correct (\%), 150 questions & seeds & mean $\pm$ sd & ") and header.endswith(
        r" \\"
    )
    assert row.startswith("GRU & 3 & {} & $-$".format(shown[0].replace("±", r"$\pm$")))
    assert r"p $<$ .001" in sentence and not re.search(r"(?<!\\)%|±|<(?!\$)", sentence)


def test_questions_about_a_story_are_drawn_together(tmp_path, capsys):
    """In bAbI, a question's passage is its story up to there. Few passages are warned of."""
    for n, name in enumerate("ab"):
        passages = [["s", str(i), *"xyz"[:length]] for i in range(8) for length in (1, 2, 3)]
        questions = ({"correct": i % (n + 2) > 0, "passage_tokens": p} for i, p in enumerate(passages))
        write_lines(tmp_path / name, questions)
    main(["compare", str(tmp_path / "a"), str(tmp_path / "b")])
    printed = capsys.readouterr()
    assert "bootstrap of 8 passages" in printed.out and "McNemar" not in printed.out
    assert (
        "coref-rc: found 8 passages to draw, expected 20 or more: the interval is too narrow" in printed.err
    )


def test_what_is_wrong_is_said_in_a_line(files, capsys):
    expected = "first.jsonl, object 1: found None as bleu, expected a number"
    assert expected in refusal(capsys, "compare", *files, "--score", "bleu")
    assert "absent.jsonl: no such file" in refusal(capsys, "compare", files[0], "absent.jsonl")
    assert "found predictions of one reader, " in refusal(capsys, "compare", files[0])
    assert "found it twice, expected" in refusal(capsys, "compare", f"a={files[0]}", f"a={files[0]}")
    files[1].write_text('{"answer": []}')
    assert "second.jsonl: found no prediction, expected one or more" in refusal(capsys, "compare", *files)
