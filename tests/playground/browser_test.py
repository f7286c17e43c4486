"""The playground in a real browser: the installed Chromium, driven by Playwright."""

import pytest

from tests.scripts.scripts import load_script

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("streamlit")

pictures = load_script("screenshots")

OPACITY = "getComputedStyle(document.querySelector('.st-key-results')).opacity"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not pictures.find_browser(), reason="there is no Chromium"),
]


FOREIGN = []
"""The addresses of other servers that the page has requested."""


@pytest.fixture(scope="module")
def page(archive):
    with pictures.served(f"mine={archive}") as address, pictures.playground(address, FOREIGN.append) as page:
        yield page


def test_an_edit_of_a_cluster_changes_the_answer_to_a_question_of_task_2(page):
    answer = page.get_by_test_id("stMetricValue")
    page.get_by_label("Passage").fill(
        "Zelda got the milk. Quentin moved to the garden. Zelda went to the office."
    )
    page.get_by_label("Question").fill("Where is the milk?")
    # The answer to the old question is dimmed until the new one is asked.
    assert float(page.evaluate(OPACITY)) < 0.5
    pictures.press(page, "Ask")
    playwright.expect(answer).to_have_text("office", timeout=1000 * pictures.PATIENCE)
    pictures.settle(page)
    assert float(page.evaluate(OPACITY)) == 1
    page.reload()
    playwright.expect(answer).to_have_text("office", timeout=1000 * pictures.PATIENCE)
    pictures.settle(page)
    assert page.get_by_label("Question").input_value() == "Where is the milk?"
    # Zelda's way to the office becomes somebody else's, and Quentin's to the garden hers.
    page.get_by_role("button", name="Zelda 3").click()
    pictures.press(page, "Drop")
    page.get_by_role("button", name="Zelda 3").wait_for(state="detached")
    page.get_by_role("button", name="Add …").click()
    # On a busy machine that of before the edit stays a moment longer.
    word = page.get_by_role("button", name="Quentin", exact=True)
    playwright.expect(word).to_have_count(1, timeout=1000 * pictures.PATIENCE)
    word.click()
    pictures.settle(page)
    pictures.choose(page, "To the cluster", "1 Zelda")
    pictures.press(page, "Add")
    playwright.expect(answer).to_have_text("garden", timeout=1000 * pictures.PATIENCE)
    assert not FOREIGN


def test_the_answer_is_beside_the_clusters_or_above_them_on_a_phone(page):
    clusters, answer = (page.get_by_role("heading", name=name) for name in ("Clusters", "Answer"))
    wide = clusters.bounding_box(), answer.bounding_box()
    page.set_viewport_size({"width": 400, "height": 900})
    pictures.settle(page)
    narrow = clusters.bounding_box(), answer.bounding_box()
    page.set_viewport_size({"width": pictures.PLAYGROUND_WIDTH, "height": 1000})
    assert wide[0]["x"] < wide[1]["x"] and abs(wide[0]["y"] - wide[1]["y"]) < 2
    assert narrow[1]["y"] < narrow[0]["y"] and abs(narrow[0]["x"] - narrow[1]["x"]) < 2
