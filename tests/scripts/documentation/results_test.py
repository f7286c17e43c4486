"""The pages of results say what docs/results/runs.csv says."""

import csv
import re

import pytest

from allennlp_coref_rc.reproduction.results_file import FIRST, LAST, SCORES, read_lines, write_lines
from scripts.documentation import reading_gains, results
from scripts.documentation.page_tables import MARKED
from scripts.documentation.results import RESULTS
from scripts.documentation.sentences import PAGE as SENTENCES
from scripts.documentation.sentences import with_structure
from tests.shared import PROJECT

PAGES = [*results.pages(), PROJECT / "README.md"]

RUNS = RESULTS / "runs.csv"


@pytest.fixture(scope="module")
def tables():
    return results.page_tables()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_tables_of_a_page_are_those_of_the_file(page, tables):
    text = page.read_text(encoding="utf-8")
    assert len(MARKED.findall(text)) == text.count("<!-- results: ") == text.count("<!-- end of results -->")
    assert results.filled(page, text, tables) == text, "run python -m scripts.documentation.results"


@pytest.mark.parametrize("name", ["README.md", "RESULTS.md"])
def test_every_figure_comes_from_the_runs_or_has_a_source(name):
    described = results.figures()[name]
    text = MARKED.sub("", (PROJECT / name).read_text(encoding="utf-8"))
    sentences = [re.escape(sentence) for sentence in described["sentences"]]
    others = [re.escape(words) for each in described["others"].values() for words in each]
    for sentence in [re.sub(r"\\\{\w+\\\}", r"[\\d.]+( ± [\\d.]+)?", each) for each in sentences] + others:
        text, number = re.subn(re.sub(r"(\\ )+", r"\\s+", sentence), "", text)
        assert number, sentence
    assert not re.findall(r"\S*\d*\.\d+\S*", text)


def test_every_table_is_on_a_page():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    described = (RESULTS / "tables.yaml").read_text(encoding="utf-8")
    found = sorted(name for _, name, _ in MARKED.findall(text))
    assert found == sorted(re.findall(r"^(\w+):", described, re.MULTILINE))


def test_the_file_is_as_the_command_writes_it(tmp_path):
    write_lines(str(tmp_path / "again.csv"), read_lines(str(RUNS)))
    assert (tmp_path / "again.csv").read_text(encoding="utf-8") == RUNS.read_text(encoding="utf-8")
    with RUNS.open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len({(line["run"], line["hardware"], line["commit"]) for line in lines}) == len(lines)
    for line in lines:
        # A line needs a commit or a note that says where it comes from.
        assert (line["commit"] or line["note"]) and (line["seed"] or line["note"]), line["run"]
        assert not line["seed"] or line["seed"].isdigit(), "means of runs do not recompute"


def test_the_documented_commands_give_what_the_pages_say():
    page = (PROJECT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    columns = re.findall(
        r"^\| ((?:`\w+`(?:, | and so on)?)+) \|", page.partition("## One file")[2], flags=re.MULTILINE
    )
    named = set(re.findall(r"`(\w+)`", "".join(columns)))
    assert {*FIRST, *LAST, SCORES} <= named


def test_gains_are_those_of_the_tables(monkeypatch):
    figures = []
    monkeypatch.setattr(reading_gains, "save", lambda figure, path: figures.append(figure))
    reading_gains.main()
    gains = {line.get_label(): line.get_xydata() for axes in figures[0].axes for line in axes.get_lines()}
    page = (PROJECT / "docs" / "results" / "coreference_reading.md").read_text(encoding="utf-8")
    means = dict(re.findall(r"^\| (none|`\w+`) \|.* (\.\d+) ± [^|]+ \| \.\d+ \|", page, flags=re.M))
    (lambada,) = (points for label, points in gains.items() if "LAMBADA" in label)
    expected = 100 * (float(means["`coref`"]) - float(means["none"]))
    assert lambada[-1] == pytest.approx((reading_gains.QUALITY["`coref`"], expected))


def test_qualities_are_those_of_the_page():
    page = (PROJECT / "docs" / "results" / "annotators.md").read_text(encoding="utf-8")
    (sieve, coref) = re.search(r"OntoGUM, development part.* \| ([\d.]+) \| ([\d.]+) \| ", page).groups()
    assert (float(sieve), float(coref)) == tuple(list(reading_gains.QUALITY.values())[2:])


def test_the_page_has_what_is_found_in_its_texts():
    text = SENTENCES.read_text(encoding="utf-8")
    assert with_structure(text) == text, "run python -m scripts.documentation.sentences"
