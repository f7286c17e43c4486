import json
import re
from pathlib import Path

import pytest

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.annotations import AnnotatedText, Document
from allennlp_coref_rc.annotations.annotated_text import DiscourseRelation, Edge, Frame
from allennlp_coref_rc.annotations.document import write_documents
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.commands.draw import FORMATS as NAMES
from allennlp_coref_rc.pages.documents import write_pages
from allennlp_coref_rc.pages.explanations import page as explanation_page
from tests.pages.browser import opened
from tests.pages.explanations_test import dassa_prediction
from tests.pages.parsed import parse
from tests.safe_archives.crafted import refusal
from tests.shared import PROJECT

PASSAGE = "The <i>king</i> 's wife slept . But he left her .".split()

STORY = Document(
    AnnotatedText(
        [*PASSAGE, *"Who slept ?".split()],
        [(0, 6), (6, 11), (11, 14)],
        clusters=[[(0, 3), (7, 8)], [(0, 4), (9, 10), (11, 12)]],
        frames=[Frame((8, 9), [("ARG1", (9, 10)), ("ARG0", (7, 8))])],
        relations=[DiscourseRelation("Explicit", "Comparison.Contrast", [(0, 5)], [(7, 10)], [(6, 7)])],
        edges=[Edge("wife of", (0, 3), (3, 5))],
        id="story <1>",
    ),
    [11, 3],
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    long = AnnotatedText(
        ["w", "."] * 2000,
        [(i, i + 2) for i in range(0, 4000, 2)],
        [[(0, 1), (2000, 2001), (3998, 3999)]],
        relations=[DiscourseRelation("Implicit", "Expansion", [(2, 3)], [(4, 6)])],
    )
    write_documents(str(folder / "texts.jsonl"), [STORY, Document(long)])
    main(["draw", "clusters", str(folder / "texts.jsonl"), str(folder / "out")])
    return folder / "out"


def test_the_index_lists_no_pages_of_an_earlier_file(tmp_path):
    path, folder = str(tmp_path / "texts.jsonl"), tmp_path / "out"
    for documents in ([STORY, STORY], [STORY]):
        write_documents(path, documents)
        main(["draw", "clusters", path, str(folder)])
        links = parse((folder / "index.html").read_text()).all(tag="a")
        assert len(links) == len(documents)


def test_each_document_has_a_page_and_the_index_lists_them(folder):
    assert sorted(path.name for path in folder.iterdir()) == ["001.html", "002.html", "index.html"]
    index = parse((folder / "index.html").read_text())
    assert [link.attributes["href"] for link in index.all(tag="a")] == ["001.html", "002.html"]
    rows = [[cell.text for cell in row.all(tag="td")] for row in index.all(tag="tr")[1:]]
    assert rows == [
        ["story <1>The <i>king</i>'s wife slept. But he left her. Who …", "14", "1", "2", "5", "1", "1", "1"],
        ["Document 2w. w. w. w. w. w. …", "4,000", "0", "1", "3", "0", "1", "0"],
    ]


def test_a_page_has_the_passage_its_questions_and_all_that_is_annotated(folder):
    content = (folder / "001.html").read_text()
    page = parse(content)
    assert page.all(tag="h1")[0].text == "story <1>"
    (main_part,) = page.all(tag="main")
    assert [word.text for word in main_part.all(of_class="crc-w")] == STORY.text.tokens
    assert [heading.text for heading in main_part.all(tag="h2")] == ["Passage", "Question 1"]
    mentions = {
        n: [m.text for m in main_part.all(of_class=f"crc-e{n}") if "data-n" in m.attributes] for n in (1, 2)
    }
    assert mentions == {1: ["The <i>king</i>'s", "he"], 2: ["The <i>king</i>'s wife", "her", "Who"]}
    # The entity with the most mentions comes first.
    assert [item.text for item in page.all(tag="li")] == ["The <i>king</i>'s wife ×3", "The <i>king</i>'s ×2"]
    (script,) = page.all(tag="script", id="data")
    assert json.loads(script.text) == {
        "frames": [["", [["predicate", 8, 9], ["ARG1", 9, 10], ["ARG0", 7, 8]]]],
        "relations": [
            ["Comparison.Contrast (Explicit)", [["connective", 6, 7], ["first", 0, 5], ["second", 7, 10]]],
        ],
        "edges": [["wife of", [["from", 0, 3], ["to", 3, 5]]]],
    }
    assert not page.all(tag="i") and not re.search(r"https?:|src=|url\(|@import", content)


@pytest.mark.slow
def test_each_text_runs_in_its_own_direction(tmp_path):
    hebrew = AnnotatedText(["שלום", ",", "Mary", "."], clusters=[[(0, 1)]])
    write_documents(str(tmp_path / "texts.jsonl"), [Document(hebrew), STORY])
    main(["draw", "clusters", str(tmp_path / "texts.jsonl"), str(tmp_path / "out")])
    with opened(tmp_path / "out" / "001.html") as page:
        for direction in ("rtl", "ltr"):
            assert page.locator("main p").first.evaluate("p => getComputedStyle(p).direction") == direction
            page.goto((tmp_path / "out" / "002.html").as_uri())


@pytest.mark.slow
def test_clicks_lead_from_mention_to_mention_and_show_frames(folder):
    with opened(folder / "001.html") as page:
        here = page.locator("main .crc-here")
        page.locator("main .crc-e2[data-n]").nth(1).click()
        assert here.all_inner_texts() == ["her"] and page.inner_text("#place") == "mention 2 of 3"
        assert page.locator("main .crc-on").count() == 3
        here.click()
        assert here.all_inner_texts() == ["Who"]
        here.click()
        assert here.all_inner_texts() == ["The <i>king</i>'s wife"]
        page.locator("main .crc-e2[data-n]").nth(1).click(modifiers=["Shift"])
        page.keyboard.press("p")
        assert page.inner_text("#place") == "mention 2 of 3"
        page.locator("#entities li").nth(1).click()
        assert page.inner_text("#place") == "mention 1 of 2"
        page.locator("main .predicate").click()
        assert page.locator("main .part").all_inner_texts() == ["he", "left", "her"]
        expected = ["ARG0", None, "ARG1"]
        assert [word.get_attribute("data-label") for word in page.locator("main .part").all()] == expected
        page.click("#tabs button[value=relations]")
        page.click("#relations li")
        assert page.locator("main .part-anchor").all_inner_texts() == ["But"]
        assert page.inner_text("#relations .structure") == "Comparison.Contrast (Explicit)"
        page.locator("main .edge").first.click()
        assert page.locator("main .part").all_inner_texts() == PASSAGE[:5]
        page.click("#tabs button[value=edges]")
        assert page.inner_text("#edges .structure") == "wife of"

        # What is far away in a long text comes into sight.
        page.goto((folder / "002.html").absolute().as_uri())
        page.locator("#entities li").click()
        for number in (2, 3):
            page.click("#on")
            assert page.inner_text("#place") == f"mention {number} of 3"
            box = here.bounding_box()
            assert 0 <= box["y"] <= 700
        assert page.locator("main .implicit").count() == 1

        # A page of explanations: a click shows what a word attends to.
        prediction = dassa_prediction(150, 1, 2, 50)
        (folder.parent / "explanation.html").write_text(explanation_page(prediction))
        page.goto((folder.parent / "explanation.html").absolute().as_uri())
        words = page.locator("#passage .crc-w")
        page.click("#views button:nth-child(3)")
        words.nth(60).click()
        titles = page.evaluate("[...document.querySelectorAll('#passage .crc-w')].map(word => word.title)")
        expected = {*range(50), *range(100, 150)}
        assert {i for i, title in enumerate(titles) if title == "outside the scope"} == expected
        row = prediction["annotated_heads"][0]["weights"][1][10]
        assert [float(title) for title in titles[50:100]] == pytest.approx(row, abs=max(row) / 400)
        page.locator("#step").press("ArrowRight")
        assert page.inner_text("#step-name") == "pass 2"


ENDINGS = {"dassa": ".jsonl", "e2e_coref": ".jsonlines", "gap": ".tsv"}


@pytest.mark.parametrize("form", [name for name in NAMES if name not in ("annotated", "conll_2012")])
def test_other_formats_are_shown(tmp_path, form):
    assert set(NAMES) == set(FORMATS)
    path = PROJECT / "tests" / "fixtures" / "formats" / (form + ENDINGS.get(form, ""))
    number = write_pages(str(path), str(tmp_path / "out"), form)
    pages = sorted((tmp_path / "out").glob("0*.html"))
    assert len(pages) == number > 0
    for path in pages:
        assert parse(path.read_text()).all(of_class="crc-text")


def test_what_cannot_be_shown_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("empty.jsonl").write_text("")
    write_documents("nothing.jsonl", [])
    messages = {
        "none": ": no such file",
        "empty": ", line 1: found no header",
        "nothing": ": found no documents",
    }
    for name, message in messages.items():
        assert f"{name}.jsonl{message}" in refusal(capsys, "draw", "clusters", f"{name}.jsonl")
    assert {path.name for path in tmp_path.iterdir()} == {"empty.jsonl", "nothing.jsonl"}
