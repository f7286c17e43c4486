"""The playground in a real browser: the installed Chromium, driven by Playwright."""

import pytest

from tests.scripts.scripts import load_script

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("streamlit")

pictures = load_script("screenshots")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not pictures.find_browser(), reason="there is no Chromium"),
]


def test_an_edit_of_a_cluster_changes_the_answer_to_a_question_of_task_2(archive):
    foreign = []
    with pictures.playground([f"mine={archive}"], foreign.append) as page:
        answer = page.get_by_test_id("stMetricValue")
        page.get_by_label("Passage").fill("Zelda got the milk. Quentin moved to the garden. Zelda went to the office.")
        page.get_by_label("Question").fill("Where is the milk?")
        page.keyboard.press("Enter")
        playwright.expect(answer).to_have_text("office", timeout=1000 * pictures.PATIENCE)
        pictures.settle(page)
        # Zelda's way to the office becomes somebody else's, and Quentin's to the garden hers.
        page.get_by_role("button", name="Zelda 3").click()
        pictures.press(page, "Drop")
        page.get_by_role("button", name="Zelda 3").wait_for(state="detached")
        page.get_by_role("button", name="Add …").click()
        # On a busy machine that of before the edit stays a moment longer.
        words = page.get_by_label("Words of the text")
        playwright.expect(words).to_have_count(1, timeout=1000 * pictures.PATIENCE)
        words.fill("Quentin")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Quentin 2").wait_for()
        pictures.choose(page, "To the cluster", "1 Zelda")
        pictures.press(page, "Add")
        playwright.expect(answer).to_have_text("garden", timeout=1000 * pictures.PATIENCE)
        assert not foreign
