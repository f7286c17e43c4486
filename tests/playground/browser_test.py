"""The playground in a real browser: the installed Chromium, driven by Playwright."""

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("streamlit")

CHROMIUM = "/usr/bin/chromium"

PATIENCE = 120
"""Seconds until the page, or an answer, has to be there; machines may be busy."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.path.exists(CHROMIUM), reason=f"there is no {CHROMIUM}"),
]


@contextmanager
def served(*arguments, folder):
    """The address of a running `coref-rc demo`, which ends whatever happens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "allennlp_coref_rc", "demo", *arguments, "--headless", "--port", str(port)]
    with open(folder / "log.txt", "w") as log:
        process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        for _ in range(10 * PATIENCE):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, (folder / "log.txt").read_text()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def test_an_edit_of_a_cluster_changes_the_answer_to_a_question_of_task_2(archive, tmp_path):
    with served(f"mine={archive}", folder=tmp_path) as address, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        foreign = []
        page.on("request", lambda request: request.url.startswith(address) or foreign.append(request.url))
        page.goto(address)
        answer = page.get_by_test_id("stMetricValue")
        answer.wait_for()
        page.get_by_label("Passage").fill("Zelda got the milk. Quentin moved to the garden. Zelda went to the office.")
        page.get_by_label("Question").fill("Where is the milk?")
        page.keyboard.press("Enter")
        playwright.expect(answer).to_have_text("office", timeout=1000 * PATIENCE)
        # Zelda's way to the office becomes somebody else's, and Quentin's to the garden hers.
        page.get_by_role("button", name="Zelda 3").click()
        page.get_by_role("button", name="Drop").click()
        page.get_by_role("button", name="Zelda 3").wait_for(state="detached")
        # Until the page is complete, some of the old one is still there.
        page.locator("[data-test-script-state=notRunning]").wait_for()
        page.get_by_role("button", name="Add …").click()
        page.get_by_label("Words of the text").fill("Quentin")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Quentin 2").wait_for()
        page.get_by_label("To the cluster").click()
        page.get_by_role("option", name="1 Zelda").click()
        page.get_by_role("button", name="Add", exact=True).click()
        playwright.expect(answer).to_have_text("garden", timeout=1000 * PATIENCE)
        browser.close()
    assert not [url for url in foreign if url.startswith("http")]
